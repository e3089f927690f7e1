//! Offset gathers: correlates the source wavefield of a shot with its backward wave at several
//! offsets. The twin of the shaders in `shaders/offsets/`.

use super::{CpuTap, Moment, Whole, store::Slots};
use crate::{
    EngineError, Observer, OffsetGathers, Values,
    grid::Axis,
    plan::{Imaging, Offsets, Plan, Summed, normal},
};
use ndarray::{Array3, s};
use rayon::prelude::*;
use std::{ops::Range, sync::Arc};

pub(super) struct Gathers {
    imaging: Imaging,
    offsets: Offsets,
    summed: Arc<Summed>,
    source: Arc<Slots>,
    /// First differences of the field of this run.
    own: Values,
    /// For each shot, `[offset][x][z]`.
    shots: Vec<Array3<f32>>,
}

impl Gathers {
    pub(super) fn new(plan: &Plan, imaging: Imaging, offsets: Offsets, source: Arc<Slots>) -> Self {
        let (n, own) = (plan.model_grid.n, Values::F32(Vec::new()));
        let shots = plan.shots.iter().map(|_| Array3::zeros((offsets.count(), n.x, n.z)));
        let (shots, summed) = (shots.collect(), plan.summed.clone());
        Gathers { imaging, offsets, summed, source, own, shots }
    }

    /// The sums, each times its unit.
    fn sum(&mut self) {
        let each = |values: &mut Array3<f32>, of: &(dyn Fn(f32, usize) -> f32 + Sync)| {
            let values = values.as_slice_mut().expect("in standard layout");
            values.par_iter_mut().enumerate().for_each(|(index, value)| *value = of(*value, index));
        };
        for ([to, from], units) in self.summed.with_units() {
            let Ok([to, from]) = self.shots.get_disjoint_mut([to, from]) else { continue };
            let from = from.as_slice().expect("in standard layout");
            each(to, &|value, index| {
                normal(normal(units[0] * value) + normal(units[1] * from[index]))
            });
        }
        for (shot, unit) in self.summed.left(self.shots.len()) {
            each(&mut self.shots[shot], &|value, _| normal(unit * value));
        }
    }
}

impl CpuTap for Gathers {
    fn reads(&self, plan: &Plan, step: usize) -> bool {
        self.imaging.slot_back(step, plan.time.steps).is_some()
    }

    fn read(&mut self, now: &Whole<'_>, _: &mut dyn Observer) -> Result<(), EngineError> {
        let Moment { plan, step, shot, field } = *now;
        let Some(slot) = self.imaging.slot_back(step, plan.time.steps) else { return Ok(()) };
        field.differences(plan, &mut self.own);
        let (own, offsets, n) = (&self.own, self.offsets, plan.model_grid.n);
        let mut gathers: Vec<_> = self.shots[shot].outer_iter_mut().collect();
        self.source.read(slot, shot, |source| {
            gathers.par_iter_mut().enumerate().for_each(|(index, gather)| {
                let h = offsets.at(index);
                let (along_x, along_z) = if offsets.along == Axis::X { (h, 0) } else { (0, h) };
                // The nodes where both shifted waves lie in the model, and their positions.
                let (xs, zs) = (both(n.x, along_x), both(n.z, along_z));
                if zs.is_empty() {
                    return;
                }
                let at = |x: usize, sign: isize| {
                    let first = (offsets.line * n.x + x).wrapping_add_signed(sign * along_x) * n.z
                        + zs.start.wrapping_add_signed(sign * along_z);
                    first..first + zs.len()
                };
                for x in xs {
                    let (forward, backward) = (at(x, 1), at(x, -1));
                    let mut to = gather.slice_mut(s![x, zs.clone()]);
                    match (source, own) {
                        (Values::F32(f), Values::F32(b)) => {
                            for ((to, f), b) in to.iter_mut().zip(&f[forward]).zip(&b[backward]) {
                                *to += f * b;
                            }
                        }
                        (Values::F64(f), Values::F64(b)) => {
                            for ((to, f), b) in to.iter_mut().zip(&f[forward]).zip(&b[backward]) {
                                *to += (f * b) as f32;
                            }
                        }
                        // Nothing was stored of a wave that had not started.
                        _ => {}
                    }
                }
            });
        });
        Ok(())
    }

    fn flush(&mut self, observer: &mut dyn Observer) {
        self.sum();
        for (of, _) in self.summed.left(self.shots.len()) {
            let (along, values) = (self.offsets.along, self.shots[of].clone());
            observer.offset_gathers(OffsetGathers { of, along, values });
        }
    }
}

/// The nodes of an axis whose neighbours at -h and +h both lie on it.
fn both(n: usize, h: isize) -> Range<usize> {
    let h = h.unsigned_abs().min(n);
    h..(n - h).max(h)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_neighbours_lie_on_the_axis() {
        for (n, h) in [(7, 0), (7, 1), (7, -2), (7, 3), (7, -4), (2, 9)] {
            let on = |i: isize| (0..n as isize).contains(&i);
            let known: Vec<_> =
                (0..n).filter(|i| on(*i as isize - h) && on(*i as isize + h)).collect();
            assert_eq!(both(n, h).collect::<Vec<_>>(), known, "{n} {h}");
        }
    }
}
