//! Models the shots of a Plan, as many at once as the engine takes.

use crate::{
    engine::{Engine, EngineError, Gathers, Observer, Prepared, Snapshot, Timings, TraceBlock},
    plan::Plan,
};
use ndarray::{Array2, s};
use std::{ops::ControlFlow, sync::Arc};

/// What one shot gave.
#[derive(Clone, Debug, PartialEq)]
pub struct ShotResult {
    /// Index of the shot in the Plan.
    pub shot: usize,
    /// Pressure, shape `[receiver][time]`, rid of time dispersion where the Plan says so and the run came to its end.
    pub gather: Array2<f32>,
    /// In the order of their steps.
    pub snapshots: Vec<Snapshot>,
    /// Where the field blew up: the last step at which the watchdog had found nothing wrong. The gather and the
    /// snapshots end there.
    pub until: Option<usize>,
}

/// Runs every shot of a Plan. `progress` hears the steps done out of all of them and may stop the run; `keep` hears
/// each snapshot as it comes, with the number of its shot in the Plan, and says whether it is kept for the result;
/// `done` takes each shot's result as soon as its batch is through. Where the field of one blows up, it takes what
/// was recorded before of that batch too, if that is more than the first sample, and then the error follows.
pub fn model<E: From<EngineError>>(
    engine: &dyn Engine,
    plan: &Plan,
    progress: &mut (dyn FnMut(usize) -> ControlFlow<()> + Send),
    keep: &mut (dyn FnMut(usize, &Snapshot) -> bool + Send),
    done: &mut dyn FnMut(ShotResult) -> Result<(), E>,
) -> Result<Timings, E> {
    let mut timings = Timings::default();
    let size = engine.batch(plan)?;
    tracing::debug!(shots = plan.shots.len(), at_once = size, "batches");
    let mut prepared = Prepared::new(engine);
    for (batch, first) in (0..plan.shots.len()).step_by(size).enumerate() {
        let part = Arc::new(plan.batch(first..(first + size).min(plan.shots.len())));
        let mut collect = Collect {
            gathers: Gathers::new(&part),
            snapshots: vec![Vec::new(); part.shots.len()],
            before: batch * plan.time.steps,
            first,
            progress,
            keep,
        };
        let ended = prepared.run(&part, &mut collect);
        let until = match &ended {
            Ok(_) => None,
            Err(EngineError::BlowUp { healthy: Some(step), .. })
                if *step >= plan.time.record_every =>
            {
                Some(*step)
            }
            Err(error) => return Err(of_shot(error.clone(), first).into()),
        };
        let results = collect.gathers.shots.into_iter().zip(collect.snapshots);
        for (shot, (mut gather, mut snapshots)) in (first..).zip(results) {
            match until {
                None => plan.correct(&mut gather),
                // What is cut off is left as it was recorded: a correction needs all of a trace. Nor is it longer
                // than a whole gather.
                Some(until) => {
                    let samples = (until / plan.time.record_every + 1).min(plan.time.kept());
                    gather = gather.slice(s![.., ..samples]).to_owned();
                    snapshots.retain(|snapshot| snapshot.step <= until);
                }
            }
            done(ShotResult { shot, gather, snapshots, until })?;
        }
        timings += ended.map_err(|error| of_shot(error, first))?;
    }
    Ok(timings)
}

/// An error of a batch with the number of the shot among all.
fn of_shot(mut error: EngineError, first: usize) -> EngineError {
    if let EngineError::BlowUp { shot, .. } = &mut error {
        *shot += first;
    }
    error
}

/// Steps that [`model`] counts: those of every batch.
pub fn total_steps(engine: &dyn Engine, plan: &Plan) -> Result<usize, EngineError> {
    Ok(plan.shots.len().div_ceil(engine.batch(plan)?) * plan.time.steps)
}

struct Collect<'a> {
    gathers: Gathers,
    snapshots: Vec<Vec<Snapshot>>,
    /// Steps of the batches before.
    before: usize,
    /// Shots of the batches before.
    first: usize,
    progress: &'a mut (dyn FnMut(usize) -> ControlFlow<()> + Send),
    keep: &'a mut (dyn FnMut(usize, &Snapshot) -> bool + Send),
}

impl Observer for Collect<'_> {
    fn progress(&mut self, step: usize) -> ControlFlow<()> {
        (self.progress)(self.before + step)
    }

    fn traces(&mut self, block: TraceBlock<'_>) {
        self.gathers.traces(block);
    }

    fn snapshot(&mut self, snapshot: Snapshot) {
        if (self.keep)(self.first + snapshot.shot, &snapshot) {
            self.snapshots[snapshot.shot].push(snapshot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Ricker, Shot, Source, SourceKind, TimeDispersion, Wavelet},
        boundary::{Absorber, Boundary, Top},
        engine::{Cause, Description, Run},
        grid::Axes,
        model::VelocityModel,
        plan::{Setup, Step, Time},
        stencil::Family,
    };

    /// Blows up without a step, `healthy` until some one.
    struct BlowsUp(usize);

    impl Engine for BlowsUp {
        fn describe(&self) -> Description {
            let [backend, device, driver, kernel] = ["", "", "", ""].map(String::from);
            Description { backend, device, driver, kernel }
        }

        fn batch(&self, _plan: &Plan) -> Result<usize, EngineError> {
            Ok(1)
        }

        fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
            let (step, healthy) = (self.0 + 1, Some(self.0));
            let (time, value, cause) = (plan.time.at(step), f32::INFINITY, Cause::Unknown);
            Err(EngineError::BlowUp { step, time, healthy, shot: 0, at: None, value, cause })
        }
    }

    #[test]
    fn what_is_kept_is_no_longer_than_a_whole_gather() {
        let source = Source {
            kind: SourceKind::Monopole,
            at: Axes::xz(50.0, 50.0),
            wavelet: Wavelet::Ricker(Ricker { peak_hz: 10.0, delay: 0.1 }),
            amplitude: 1.0,
        };
        let velocity = ndarray::Array2::from_elem((20, 20), 1500.0);
        let plan = Plan::new(Setup {
            model: VelocityModel::new(velocity, 10.0, 10.0).expect("a model"),
            operator: Family::Taylor { order: 2 },
            boundary: Boundary { top: Top::Zero, sides: Absorber::Zero },
            time: Time {
                duration: 1.0,
                step: Step::Seconds(1e-3),
                record: None,
                dispersion: TimeDispersion::Corrected,
            },
            shots: vec![Shot {
                sources: vec![source],
                receivers: vec![Axes::xz(50.0, 60.0)].into(),
            }],
            snapshots: Vec::new(),
            initial: None,
            allow_unstable: false,
        });
        let plan = plan.expect("a valid setup");
        assert_eq!((plan.time.kept(), plan.time.samples), (1001, 1026));
        for (healthy, samples) in [(300, 301), (1000, 1001), (1020, 1001)] {
            let mut lengths = Vec::new();
            let ended = model(
                &BlowsUp(healthy),
                &plan,
                &mut |_| ControlFlow::Continue(()),
                &mut |_, _| true,
                &mut |result: ShotResult| {
                    lengths.push(result.gather.ncols());
                    Ok::<_, EngineError>(())
                },
            );
            assert!(matches!(ended, Err(EngineError::BlowUp { .. })));
            assert_eq!(lengths, [samples]);
        }
    }
}
