//! The wave that a perturbation of the model scatters from a source wavefield. The twin of
//! `shaders/scatter.wgsl`.

use super::tap::Slots;
use crate::{
    EngineError, SourceWavefield, Values,
    grid::Axes,
    plan::{Imaging, Plan},
    share::Share,
};
use ndarray::{Array3, ArrayView1, Axis};
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

    /// Calls back with the index of each field of a shot, the first node of each column to inject in, and the
    /// values along it.
    pub(crate) fn push(
        &self,
        plan: &Plan,
        step: usize,
        shot: usize,
        mut to: impl FnMut(usize, Axes<usize>, &[f64]),
    ) {
        let before = step.checked_sub(1);
        let count = self.perturbation.len_of(Axis(2));
        let (fields, cells) = (plan.medium.fields(), self.perturbation.len());
        let mut pushed = vec![0.0; count];
        for (slot, sign) in [
            (self.imaging.slot(step), -1.0),
            (before.and_then(|step| self.imaging.slot(step)), 1.0),
        ] {
            let Some(slot) = slot else { continue };
            self.source.read(slot, shot, |q| {
                let columns = |field| {
                    let rows = self.perturbation.rows().into_iter().enumerate();
                    rows.map(move |(column, e)| (field, column * count, e))
                };
                for (field, first, e) in (0..fields).flat_map(columns) {
                    let of_column = field * cells + first..field * cells + first + count;
                    let is_stored = match q {
                        Values::F32(q) => products(&mut pushed, sign, e, q.get(of_column)),
                        Values::F64(q) => products(&mut pushed, sign, e, q.get(of_column)),
                    };
                    if is_stored {
                        to(field, plan.on_grid(plan.model_grid.node_of(first)), &pushed);
                    }
                }
            });
        }
    }
}

/// `sign e q` of a column; false if q is not stored yet.
fn products<T: Copy + Into<f64>>(
    to: &mut [f64],
    sign: f64,
    e: ArrayView1<'_, f64>,
    q: Option<&[T]>,
) -> bool {
    let Some(q) = q else { return false };
    for ((to, e), q) in to.iter_mut().zip(e).zip(q) {
        *to = sign * e * (*q).into();
    }
    true
}
