//! The taps on a CPU field, each of which reads the field in place.
//!
//! To add a tap: a variant of `plan::Tap`; a file and a line here; a file in `src/engine/gpu/tap/`
//! and lines in `all`, `demand` and `shaders` there; a method of `Observer` for its result,
//! forwarded in `engine/split/merged.rs` and `engine/ranks/events.rs`.

mod focus;
mod imaging;
mod offsets;
mod snapshots;
mod store;
mod traces;
mod watchdog;

pub(crate) use store::Slots;

use super::pool::Pool;
use crate::{
    EngineError, Observer, SourceWavefield, Values,
    grid::Axes,
    plan::{Plan, Tap},
    share::Share,
};
use std::{ops::Range, sync::Arc};

/// Read access to p of one shot.
pub(crate) trait FieldView: Sync {
    /// p at a node of the computational grid.
    fn at(&self, node: Axes<usize>) -> f32;

    /// p at a receiver's node of the whole grid; differs from [`FieldView::at`] in a share.
    fn at_receiver(&self, node: Axes<usize>) -> f32 {
        self.at(node)
    }

    /// Copies p of a column from node `first` on.
    fn column(&self, first: Axes<usize>, to: &mut [f32]) {
        for (i, p) in to.iter_mut().enumerate() {
            *p = self.at(Axes { z: first.z + i, ..first });
        }
    }

    /// Copies p of a column of the model, counted along x and then along y.
    fn model_column(&self, plan: &Plan, index: usize, to: &mut [f32]) {
        let n = plan.model_grid.n;
        self.column(plan.on_grid(Axes { z: 0, x: index % n.x, y: index / n.x }), to);
    }

    /// p - p_prev on the model's nodes, `[y][x][z]`, in the engine's precision; with VTI then that of the
    /// auxiliary field.
    fn differences(&self, plan: &Plan, to: &mut Values);

    /// Bits of the largest |p|, which order as |p| does, infinity and NaN above all numbers.
    fn peak(&self) -> u32;
}

/// Bits of the largest |p| among some values.
pub(crate) fn peak(values: impl Iterator<Item = f32>) -> u32 {
    values.map(|p| p.abs().to_bits()).fold(0, u32::max)
}

/// The field of a shot at a step, before the shot advances.
pub(crate) struct Moment<'a, F: ?Sized> {
    pub(crate) plan: &'a Plan,
    pub(crate) step: usize,
    pub(crate) shot: usize,
    pub(crate) field: &'a F,
}

/// All of a field.
pub(crate) type Whole<'a> = Moment<'a, dyn FieldView + 'a>;

/// A field at the nodes of receivers alone.
type AtReceivers<'a> = Moment<'a, dyn Fn(Axes<usize>) -> f64 + 'a>;

/// The receivers of a shot at several steps, each of which only they can read.
pub(crate) struct AtSteps<'a> {
    pub(crate) shot: usize,
    pub(crate) steps: Range<usize>,
    /// p at a receiver, by its number, at a step.
    pub(crate) sample: &'a (dyn Fn(usize, usize) -> f64 + Sync),
    pub(crate) pool: &'a Pool,
}

/// A tap of a CPU engine.
trait CpuTap {
    /// True if it reads the whole field of a step. If no tap does, the engine need not complete
    /// that step's field.
    fn reads(&self, _plan: &Plan, _step: usize) -> bool {
        false
    }

    /// Reads the whole field of a step, if it reads that step.
    fn read(&mut self, _now: &Whole<'_>, _: &mut dyn Observer) -> Result<(), EngineError> {
        Ok(())
    }

    /// Reads p at the receivers of any step, node by node in turn.
    fn read_receivers(&mut self, _now: &AtReceivers<'_>, _: &mut dyn Observer) {}

    /// [`Self::read_receivers`] at several steps.
    fn read_steps(&mut self, _steps: &AtSteps<'_>, _: &mut dyn Observer) {}

    /// Its images and illuminations, if it makes any.
    fn images(&self) -> Option<&[[Values; 2]]> {
        None
    }

    /// Reports pending results of the steps so far to the observer, at the end of an advance.
    fn pause(&mut self, _observer: &mut dyn Observer) {}

    /// Reports all pending results to the observer, at the end of the run.
    fn flush(&mut self, _observer: &mut dyn Observer) {}
}

/// Every tap of a Plan.
pub(crate) struct Taps {
    all: Vec<Box<dyn CpuTap + Send>>,
    /// The stored wave, if any.
    kept: Option<Arc<Slots>>,
    /// The Plan of all shares, in whose nodes receivers lie.
    whole: Arc<Plan>,
}

impl Taps {
    /// The taps that the Plan of a share declares.
    pub(crate) fn new(
        plan: &Plan,
        share: &Share,
        source: Option<&SourceWavefield>,
    ) -> Result<Self, EngineError> {
        let whole = share.plan.clone();
        Taps { all: Vec::new(), kept: None, whole }.anew(plan, share, source)
    }

    /// The taps for another batch; the stored wave keeps its memory.
    pub(crate) fn anew(
        &self,
        plan: &Plan,
        share: &Share,
        source: Option<&SourceWavefield>,
    ) -> Result<Self, EngineError> {
        let mut kept = self.kept.clone();
        let mut tap = |tap: &Tap| -> Result<Box<dyn CpuTap + Send>, EngineError> {
            Ok(match tap {
                Tap::Traces { every } => Box::new(traces::Traces::new(plan, *every)),
                Tap::Snapshots { steps } => Box::new(snapshots::Snapshots::new(steps)),
                Tap::Focus { focus, output } => {
                    Box::new(focus::Focuses::new(plan, *focus, output.clone()))
                }
                Tap::Watchdog { every, limit } => {
                    Box::new(watchdog::Watchdog::new(*every, *limit, share.clone()))
                }
                Tap::Store(imaging) => {
                    let slots = kept.get_or_insert_with(|| Arc::new(Slots::new(plan, *imaging)));
                    Box::new(store::Store::new(*imaging, slots.clone()))
                }
                Tap::Imaging(imaging) => {
                    let source = SourceWavefield::of(source, plan, *imaging)?;
                    Box::new(imaging::Images::new(plan, *imaging, source))
                }
                Tap::OffsetGathers(imaging, offsets) => {
                    let source = SourceWavefield::of(source, plan, *imaging)?;
                    let offsets = share.plan.offsets_of(&share.pieces, *offsets);
                    Box::new(offsets::Gathers::new(plan, *imaging, offsets, source))
                }
            })
        };
        let all = plan.taps.iter().map(&mut tap).collect::<Result<_, _>>()?;
        Ok(Taps { all, kept, whole: share.plan.clone() })
    }

    /// The stored wave, if the Plan asks for one.
    pub(crate) fn source_wavefield(&self) -> Option<SourceWavefield> {
        let kept = self.kept.as_ref()?;
        Some(SourceWavefield::new(kept.clone(), kept.about().clone()))
    }

    /// Images and illuminations, if the Plan asks for any.
    pub(crate) fn images(&self) -> &[[Values; 2]] {
        self.all.iter().find_map(|tap| tap.images()).unwrap_or_default()
    }

    /// True if a tap reads the whole field of a step.
    pub(crate) fn reads(&self, plan: &Plan, step: usize) -> bool {
        self.all.iter().any(|tap| tap.reads(plan, step))
    }

    /// Lets taps that need only receivers read p of one shot at several steps.
    pub(crate) fn read_steps(&mut self, steps: &AtSteps<'_>, observer: &mut dyn Observer) {
        self.all.iter_mut().for_each(|tap| tap.read_steps(steps, observer));
    }

    /// Lets every tap read p of one shot at a step. If one ends the run, the others' pending
    /// results are reported.
    pub(crate) fn read(
        &mut self,
        now: &Whole<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let Moment { plan, step, shot, field } = *now;
        let window = plan.shots[shot].window;
        let p = |node| {
            let factor = self.whole.pressure_factor(window, node);
            factor * f64::from(field.at_receiver(node))
        };
        let read = self.all.iter_mut().try_for_each(|tap| {
            tap.read_receivers(&Moment { plan, step, shot, field: &p }, observer);
            if tap.reads(plan, step) { tap.read(now, observer) } else { Ok(()) }
        });
        if read.is_err() {
            self.flush(observer);
        }
        read
    }

    /// Reports pending results of the steps so far to the observer.
    pub(crate) fn pause(&mut self, observer: &mut dyn Observer) {
        self.all.iter_mut().for_each(|tap| tap.pause(observer));
    }

    /// Reports all pending results to the observer.
    pub(crate) fn flush(&mut self, observer: &mut dyn Observer) {
        self.all.iter_mut().for_each(|tap| tap.flush(observer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        FocusMap, Image, OffsetGathers,
        acquisition::{Shot, Source, Wavelet},
        boundary::{Absorber, Boundary, Top},
        grid::Axis,
        model::VelocityModel,
        plan::{Condition, Focus, FocusOutput, Imaging, Offsets, Setup},
    };
    use ndarray::{Array2, Array3};

    /// A field, and its difference, by the node.
    struct Field<F>(F);

    impl<F: Fn(Axes<usize>) -> f32 + Sync> FieldView for Field<F> {
        fn at(&self, node: Axes<usize>) -> f32 {
            self.0(node)
        }

        fn differences(&self, plan: &Plan, to: &mut Values) {
            let nodes = plan.model_grid.nodes();
            nodes.zip(to.f32s(plan.model_grid.cells())).for_each(|(node, to)| *to = self.at(node));
        }

        fn peak(&self) -> u32 {
            0
        }
    }

    /// What taps report.
    #[derive(Default)]
    struct Seen {
        values: Vec<Array3<f32>>,
        steps: Vec<Array3<u32>>,
    }

    impl Observer for Seen {
        fn image(&mut self, image: Image) {
            self.values.push(image.values);
        }

        fn offset_gathers(&mut self, gathers: OffsetGathers) {
            self.values.push(gathers.values);
        }

        fn focus(&mut self, map: FocusMap) {
            self.steps.push(map.step);
        }
    }

    fn plan(shots: usize) -> Plan {
        let model = VelocityModel::new(Array2::from_elem((9, 3), 2000.0), 10.0, 10.0);
        let shot = Shot::new(Source::new(Axes::xz(0.0, 0.0), Wavelet::ricker(10.0)), Vec::new());
        Plan::new(Setup {
            boundary: Boundary { top: Top::Zero, sides: Absorber::Zero },
            ..Setup::new(model.expect("a model"), vec![shot; shots], 0.1)
        })
        .expect("a valid setup")
    }

    fn read(
        tap: &mut dyn CpuTap,
        (plan, step, shot): (&Plan, usize, usize),
        p: impl Fn(Axes<usize>) -> f32 + Sync,
    ) {
        let now: Whole<'_> = Moment { plan, step, shot, field: &Field(p) };
        tap.read(&now, &mut ()).expect("it goes on");
    }

    #[test]
    fn a_positive_offset_is_of_a_source_wave_further_on() {
        let (plan, mut seen) = (plan(1), Seen::default());
        let imaging = Imaging { every: 1, slots: 2 };
        let slots = Arc::new(Slots::new(&plan, imaging));
        let wave = |x: usize| move |node: Axes<usize>| f32::from(u8::from(node.x == x));
        let mut store = store::Store::new(imaging, slots.clone());
        read(&mut store, (&plan, plan.time.steps, 0), wave(6));
        let offsets = Offsets { along: Axis::X, line: 0, most: 2, step: 1 };
        let mut tap = offsets::Gathers::new(&plan, imaging, offsets, slots);
        read(&mut tap, (&plan, 1, 0), wave(2));
        tap.flush(&mut seen);
        // They meet at node 4 at an offset of 2, the last of five.
        for ((offset, x, _), value) in seen.values[0].indexed_iter() {
            assert_eq!(*value == 1.0, (offset, x) == (4, 4), "{offset} {x}: {value}");
        }
    }

    #[test]
    fn the_first_of_equal_values_counts() {
        let (plan, mut seen) = (plan(1), Seen::default());
        let focus = Focus { every: 1, groups: 1, condition: Condition::Amplitude };
        let mut tap = focus::Focuses::new(&plan, focus, FocusOutput::Maps);
        for step in 1..=3 {
            read(&mut tap, (&plan, step, 0), |node| if node.x == 0 { step as f32 } else { 1.0 });
        }
        tap.flush(&mut seen);
        assert_eq!((seen.steps[0][[0, 0, 0]], seen.steps[0][[0, 1, 0]]), (3, 1));
    }
}
