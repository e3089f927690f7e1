//! The wave that a perturbation of the model scatters from a source wavefield. The twin of
//! `shaders/scatter.wgsl`.

use super::tap::Slots;
use crate::{
    EngineError, SourceWavefield, Values,
    grid::Axes,
    plan::{Plan, Scattering},
    share::Share,
};
use ndarray::{ArrayView1, Axis};
use std::sync::Arc;

/// The perturbation, and the wave that it scatters.
pub(crate) struct Scatter {
    scattering: Arc<Scattering>,
    share: Share,
    source: Arc<Slots>,
}

impl Scatter {
    /// `None` unless the share's own Plan has a perturbation.
    pub(crate) fn new(
        plan: &Plan,
        share: &Share,
        source: Option<&SourceWavefield>,
    ) -> Result<Option<Self>, EngineError> {
        let Some(scattering) = plan.scattering.clone() else { return Ok(None) };
        let source = SourceWavefield::of(source, plan, scattering.imaging)?;
        Ok(Some(Scatter { scattering, share: share.clone(), source }))
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
        let Scatter { scattering, share, .. } = self;
        let (imaging, before) = (scattering.imaging, step.checked_sub(1));
        let perturbation = share.plan.of_shot(shot, &share.pieces, &scattering.perturbation);
        let count = perturbation.len_of(Axis(2));
        let (fields, cells) = (plan.medium.fields(), perturbation.len());
        let mut pushed = vec![0.0; count];
        for (slot, sign) in
            [(imaging.slot(step), -1.0), (before.and_then(|step| imaging.slot(step)), 1.0)]
        {
            let Some(slot) = slot else { continue };
            self.source.read(slot, shot, |q| {
                let columns = |field| {
                    let rows = perturbation.rows().into_iter().enumerate();
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
