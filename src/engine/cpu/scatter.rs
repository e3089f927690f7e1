//! The wave that a perturbation of the model scatters from a source wavefield. The twin of
//! `shaders/scatter.wgsl`.

use super::tap::Slots;
use crate::{
    EngineError, SourceWavefield, Values,
    grid::Axes,
    plan::{Imaging, Plan},
    share::Share,
};
use ndarray::Array3;
use std::sync::Arc;

/// The perturbation, and the wave that it scatters.
pub(crate) struct Scatter {
    imaging: Imaging,
    perturbation: Array3<f64>,
    source: Arc<Slots>,
}

impl Scatter {
    /// `None` unless the share's own Plan has a perturbation.
    pub(crate) fn new(
        plan: &Plan,
        share: &Share,
        source: Option<&SourceWavefield>,
    ) -> Result<Option<Self>, EngineError> {
        let Some(scattering) = &plan.scattering else { return Ok(None) };
        let source = SourceWavefield::of(source, plan, scattering.imaging)?;
        let perturbation = share.plan.of_model(&share.pieces, &scattering.perturbation).to_owned();
        Ok(Some(Scatter { imaging: scattering.imaging, perturbation, source }))
    }

    /// Calls back with the nodes of a shot's field to inject at, and the values.
    pub(crate) fn push(
        &self,
        plan: &Plan,
        step: usize,
        shot: usize,
        mut to: impl FnMut(Axes<usize>, f64),
    ) {
        let node = |index| plan.on_grid(plan.model_grid.node_of(index));
        let before = step.checked_sub(1);
        for (slot, sign) in [
            (self.imaging.slot(step), -1.0),
            (before.and_then(|step| self.imaging.slot(step)), 1.0),
        ] {
            let Some(slot) = slot else { continue };
            let perturbation = self.perturbation.iter().enumerate();
            let pushed = perturbation.filter(|(_, e)| **e != 0.0);
            self.source.read(slot, shot, |q| {
                let at = |index: usize| match q {
                    Values::F32(q) => q.get(index).map_or(0.0, |q| f64::from(*q)),
                    Values::F64(q) => q.get(index).copied().unwrap_or(0.0),
                };
                pushed.for_each(|(index, e)| to(node(index), sign * e * at(index)));
            });
        }
    }
}
