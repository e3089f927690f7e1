//! Checks an engine against the oracle in a small plane and a small volume: some drivers compute
//! wrong waves without an error.

use super::{Engine, EngineError, Gathers, cpu::Reference};
use crate::{
    acquisition::{Ricker, Shot, Source, Wavelet},
    boundary::{Absorber, Boundary, Cpml, Top},
    grid::Axes,
    model::VelocityModel,
    plan::{Plan, Setup, Step, Time},
    stencil::Family,
};
use ndarray::Array3;
use std::{
    panic::resume_unwind,
    sync::Arc,
    thread::{self, ScopedJoinHandle},
};

/// The largest relative difference from the oracle's gather: f32 rounds to 1e-6 of it here.
const ROUNDING: f64 = 1e-4;
/// The same for [`TrialShot`], which only reports: f32 rounds to 6e-8, at random to sqrt(667) of it in 667 steps
/// (1.5e-6). Engines differ by 7e-7.
const TRIAL_ROUNDING: f64 = 1e-5;
/// Steps of each test: until the reflections from the contrast and the edges have been recorded.
const STEPS: usize = 140;
/// The time step, seconds.
const STEP: f64 = 1.5e-3;
/// Nodes of a plane, and of a volume.
const PLANE: Axes<usize> = Axes { z: 37, x: 41, y: 1 };
const VOLUME: Axes<usize> = Axes { z: 22, x: 19, y: 18 };

/// Runs an engine against the oracle, in a plane and in a volume.
///
/// # Errors
///
/// [`EngineError::Wrong`] if the gathers differ, and any error of a run.
pub fn prove(engine: &dyn Engine) -> Result<(), EngineError> {
    // Drivers take up to a third of a second for the shaders of each.
    let (plane, volume) = side_by_side(|| prove_in(false, engine), || prove_in(true, engine));
    plane.and(volume)
}

/// Two results, one of them by a thread if there is one.
fn side_by_side<T: Send>(one: impl FnOnce() -> T, other: impl Fn() -> T + Sync) -> (T, T) {
    thread::scope(|scope| {
        let beside = thread::Builder::new().spawn_scoped(scope, &other);
        let one = one();
        let joined =
            |thread: ScopedJoinHandle<'_, T>| thread.join().unwrap_or_else(|e| resume_unwind(e));
        (one, beside.map_or_else(|_| other(), joined))
    })
}

/// [`prove`] in a volume alone, or in a plane.
pub(crate) fn prove_in(volume: bool, engine: &dyn Engine) -> Result<(), EngineError> {
    let plan = Arc::new(plan(if volume { VOLUME } else { PLANE }));
    let (recorded, expected) =
        side_by_side(|| recorded(engine, &plan), || recorded(&Reference, &plan));
    compare(engine, &recorded?, &expected?, ROUNDING).map(drop)
}

/// A shot of a second in a plane, with its traces as the oracle computes them.
pub struct TrialShot {
    plan: Arc<Plan>,
    expected: Vec<f32>,
}

impl TrialShot {
    /// Runs it on the oracle.
    ///
    /// # Errors
    ///
    /// Any error of a run.
    pub fn new() -> Result<Self, EngineError> {
        let plan = Arc::new(plan_of(PLANE, (1.0 / STEP).round() as usize));
        Ok(TrialShot { expected: recorded(&Reference, &plan)?, plan })
    }

    /// Runs it on an engine. Returns the root mean square difference of its traces from the
    /// oracle's, as a part of the oracle's root mean square.
    ///
    /// # Errors
    ///
    /// [`EngineError::Wrong`] if the traces differ by more than rounding, and any error of a run.
    pub fn run(&self, engine: &dyn Engine) -> Result<f64, EngineError> {
        compare(engine, &recorded(engine, &self.plan)?, &self.expected, TRIAL_ROUNDING)
    }
}

/// The relative difference of traces from those of the oracle; an error above a limit.
fn compare(
    engine: &dyn Engine,
    recorded: &[f32],
    expected: &[f32],
    limit: f64,
) -> Result<f64, EngineError> {
    let pairs = || recorded.iter().zip(expected).map(|(a, b)| (f64::from(*a), f64::from(*b)));
    let error: f64 = pairs().map(|(a, b)| (a - b).powi(2)).sum();
    let size: f64 = pairs().map(|(_, b)| b * b).sum();
    let error = (error / size).sqrt();
    if error > limit || error.is_nan() {
        return Err(EngineError::Wrong { device: engine.describe().device, error, limit });
    }
    Ok(error)
}

/// The samples of all receivers.
fn recorded(engine: &dyn Engine, plan: &Arc<Plan>) -> Result<Vec<f32>, EngineError> {
    let mut gathers = Gathers::new(plan);
    let mut run = engine.start(plan.clone())?;
    run.advance(plan.time.steps, &mut gathers)?;
    run.finish(&mut gathers)?;
    Ok(gathers.shots.into_iter().flatten().collect())
}

/// [`plan_of`] the steps of a test.
pub(super) fn plan(n: Axes<usize>) -> Plan {
    plan_of(n, STEPS)
}

/// A wave with a contrast, layers, a free surface and receivers between nodes.
fn plan_of(n: Axes<usize>, steps: usize) -> Plan {
    let velocity =
        Array3::from_shape_fn((n.y, n.x, n.z), |(_, _, z)| if z < 9 { 1500.0 } else { 2500.0 });
    let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
    let y = if n.y > 1 { 83.0 } else { 0.0 };
    let at = |x: f64, z: f64| Axes { z, x, y };
    let source =
        Source::new(at(90.0, 60.0), Wavelet::Ricker(Ricker { peak_hz: 15.0, delay: 0.05 }));
    let receivers = [at(50.0, 20.0), at(123.0, 34.0), at(101.0, 147.0)].to_vec().into();
    let sides = Absorber::Cpml(Cpml { power: 2, ..Cpml::new(6) });
    let model = VelocityModel::volume(velocity, h).expect("velocities of rock");
    let shots = vec![Shot { sources: vec![source], receivers }];
    Plan::new(Setup {
        operator: Family::Taylor { order: 8 },
        boundary: Boundary { top: Top::Free, sides },
        time: Time { step: Step::Seconds(STEP), ..Time::new(steps as f64 * STEP) },
        ..Setup::new(model, shots, steps as f64 * STEP)
    })
    .expect("a sound setup")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Description, Run, cpu::Parallel, plan::PointSource};

    #[test]
    fn the_cpu_engine_is_proved() {
        prove(&Parallel).expect("it computes waves");
        let trial = TrialShot::new().expect("the oracle runs");
        assert_eq!(trial.plan.time.steps, 667, "a second");
        let difference = trial.run(&Parallel).expect("it computes waves");
        assert!(0.0 < difference && difference < 0.2 * TRIAL_ROUNDING, "{difference}");
        assert_eq!(trial.run(&Reference).expect("it runs again"), 0.0);
    }

    /// The CPU engine, run with a changed medium or amplitude.
    struct Broken(fn(&mut Plan));

    impl Engine for Broken {
        fn describe(&self) -> Description {
            Description { device: "a broken device".into(), ..Parallel.describe() }
        }

        fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
            Parallel.batch(plan)
        }

        fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
            let mut plan = Arc::unwrap_or_clone(plan);
            self.0(&mut plan);
            Parallel.start(Arc::new(plan))
        }
    }

    /// Waves are linear in the source: 3e-5 louder is a difference of 3e-5.
    #[test]
    fn a_trial_finds_what_a_proof_passes() {
        let louder = Broken(|plan| {
            let louder = plan.shots[0]
                .sources
                .iter()
                .map(|source| PointSource { scale: (1.0 + 3e-5) * source.scale, ..*source });
            plan.shots[0].sources = louder.collect();
        });
        prove(&louder).expect("it is below the limit of a proof");
        let found = TrialShot::new().expect("the oracle runs").run(&louder);
        let Err(EngineError::Wrong { error, .. }) = found else { panic!("{found:?}") };
        assert!((error - 3e-5).abs() < 2e-6, "{error}");
    }

    #[test]
    fn a_driver_that_computes_something_else_is_refused() {
        prove(&Broken(|_| ())).expect("nothing is changed");
        let broken: [fn(&mut Plan); 5] = [
            |plan| plan.operator.x.second[1] *= 1.001,
            |plan| plan.free_surface = false,
            |plan| plan.profile.x.memory = [0, 0],
            |plan| {
                plan.velocities[0] = plan.velocities[0].to_array().mapv(|v| v.min(2400.0)).into();
            },
            |plan| {
                let louder = plan.shots[0]
                    .sources
                    .iter()
                    .map(|source| PointSource { scale: 1.001 * source.scale, ..*source });
                plan.shots[0].sources = louder.collect();
            },
        ];
        let trial = TrialShot::new().expect("the oracle runs");
        for change in broken {
            let refused = prove(&Broken(change)).expect_err("it is wrong");
            let found = trial.run(&Broken(change)).expect_err("it is wrong");
            for said in [refused, found].map(|error| error.to_string()) {
                assert!(said.contains("a broken device computes wrong waves"), "{said}");
            }
        }
    }
}
