//! Runs a job on its engine and on the oracle, and compares all that they report.

use crate::{
    case::{Case, Taps, Task},
    migrated, on,
};
use huygens::{
    engine::{
        Engine, EngineError, FocusMap, Gathers, Image, Observer, Prepared, Run, Snapshot,
        SnapshotView, StateError, TraceBlock, cpu::Reference,
    },
    plan::{Condition, Focus, Plan},
};
use ndarray::Array3;
use std::sync::Arc;

/// The largest error of a field, of its largest value during the run, over the rounding of f32 that
/// the steps of a job add up ([`rounding`]): the largest of some ten thousand random errors, of the
/// several operations of a step. A mistake is a thousand times as large.
pub const FIELD: f64 = 32.0;

/// What rounding a field to f32 at each step leaves at the end, of the field, in the mean square: the
/// error of a step goes on as a wave of the grid, k steps later larger by the ratio of sines
/// `sin(k w dt) / sin(w dt)`, which is at most k and, at the highest frequencies of a grid, where most
/// of the error is, about the limit of the step over the step.
pub fn rounding(plan: &Plan) -> f64 {
    let most = plan.time.limit / plan.time.dt;
    let later = |k: usize| (k as f64).min(most).powi(2);
    f64::from(f32::EPSILON) / 2.0 * (1..=plan.time.steps).map(later).sum::<f64>().max(1.0).sqrt()
}

/// What came of a job that did not fail.
pub enum Outcome {
    /// The engine agrees: its largest error, of the bar.
    Agrees(f64),
    /// Both the engine and the oracle, or the Plan, refuse it; why.
    Refused(String),
    /// No adapter is there.
    NotRun,
}

/// The reason why a job fails.
pub type Failure = String;

pub fn of(case: &Case) -> Result<Outcome, Failure> {
    of_changed(case, |_| ())
}

/// [`of`] with a change of the Plan that the engine under test gets.
pub fn of_changed(case: &Case, change: impl FnOnce(&mut Plan)) -> Result<Outcome, Failure> {
    let plan = match case.plan() {
        Ok(plan) => plan,
        Err(mistake) => return Ok(Outcome::Refused(kind(&mistake))),
    };
    let mut ours = plan.clone();
    change(&mut ours);
    let failed = |error: EngineError| format!("the engine: {error}");
    let Some(engine) = on::engine(case, &ours).map_err(failed)? else { return Ok(Outcome::NotRun) };
    let engine = engine.as_ref();
    let expected = plan;
    let compared = match &case.task {
        Task::Model(taps) => modelled(engine, &ours, &expected, taps),
        Task::Adjoint => {
            let [ours, expected] = [ours, expected].map(Plan::adjoint);
            modelled(engine, &ours, &expected, &Taps::default())
        }
        Task::Image { every } => migrated::imaged(engine, [&ours, &expected], *every, case.seed),
        Task::Gradient { memory } => {
            migrated::gradient(engine, [&ours, &expected], *memory, case.seed)
        }
    };
    match compared {
        Ok(error) if error <= 1.0 => Ok(Outcome::Agrees(error)),
        Ok(error) => Err(format!("an error of {error:.1e} times the bar")),
        Err(Stop::Differs(what)) => Err(what),
        Err(Stop::Engine(error)) if is_refusal(&error) => Ok(Outcome::Refused(kind(&error))),
        Err(Stop::Engine(error)) => Err(error.to_string()),
    }
}

/// Cuts that are too thin for a job, and states that are not taken.
fn is_refusal(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Slabs { .. }
            | EngineError::AdjointSlabs { .. }
            | EngineError::Share(_)
            | EngineError::SourceWavefieldSize { .. }
            | EngineError::State(StateError::Adjoint)
    )
}

/// The name of an error's variant.
fn kind(error: &impl std::fmt::Debug) -> String {
    let all = format!("{error:?}");
    all.split([' ', '{', '('])
        .take(if all.contains('(') { 2 } else { 1 })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Why a comparison ended.
pub enum Stop {
    Engine(EngineError),
    Differs(Failure),
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Self {
        Stop::Engine(error)
    }
}

pub fn differs<T>(what: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Differs(what.into()))
}

/// All that a run reports.
pub struct Results {
    pub gathers: Gathers,
    snapshots: Vec<Snapshot>,
    maps: Vec<FocusMap>,
    pub images: Vec<Image>,
    pub illuminations: Vec<Image>,
    fields: Vec<Array3<f32>>,
}

impl Observer for Results {
    fn traces(&mut self, block: TraceBlock<'_>) {
        self.gathers.traces(block);
    }

    fn snapshot(&mut self, snapshot: SnapshotView<'_>) {
        self.snapshots.push(snapshot.to_owned());
    }

    fn focus(&mut self, map: FocusMap) {
        self.maps.push(map);
    }

    fn image(&mut self, image: Image) {
        self.images.push(image);
    }

    fn illumination(&mut self, image: Image) {
        self.illuminations.push(image);
    }
}

/// Advances a run to its end; `each` sees it after each part.
pub fn results(
    mut run: Box<dyn Run>,
    plan: &Plan,
    parts: &[usize],
    mut each: impl FnMut(&mut dyn Run) -> Result<(), EngineError>,
) -> Result<Results, EngineError> {
    let mut results = Results {
        gathers: Gathers::new(plan),
        snapshots: Vec::new(),
        maps: Vec::new(),
        images: Vec::new(),
        illuminations: Vec::new(),
        fields: Vec::new(),
    };
    for part in parts {
        run.advance(*part, &mut results)?;
        each(run.as_mut())?;
    }
    run.finish(&mut results)?;
    results.snapshots.sort_by_key(|snapshot| (snapshot.step, snapshot.shot));
    results.maps.sort_by_key(|map| map.set);
    results.fields = (0..plan.shots.len()).map(|shot| run.field(shot)).collect::<Result<_, _>>()?;
    Ok(results)
}

/// Models on both, and compares; the largest error of its bar.
fn modelled(engine: &dyn Engine, plan: &Plan, expected: &Plan, taps: &Taps) -> Result<f64, Stop> {
    let (plan, expected) = (Arc::new(plan.clone()), Arc::new(expected.clone()));
    let steps = plan.time.steps;
    // In uneven parts, so that a part's end cannot hide a mistake.
    let parts = [steps / 3, 1.min(steps - steps / 3), (steps - steps / 3).saturating_sub(1)];
    let ours = results(engine.start(plan.clone())?, &plan, &parts, |_| Ok(()))?;

    let mut peaks = vec![0.0f64; plan.shots.len()];
    let mut see = |run: &mut dyn Run| {
        for (shot, largest) in peaks.iter_mut().enumerate() {
            *largest = largest.max(peak(&run.field(shot)?));
        }
        Ok(())
    };
    let mut run = Reference.start(expected.clone())?;
    see(run.as_mut())?;
    let oracle = results(run, &expected, &vec![1; steps], &mut see)?;

    let (bar, mut worst) = (FIELD * rounding(&plan), 0.0f64);
    let mut near = |what: &str, a: &[f32], b: &[f32], scale: f64| -> Result<(), Stop> {
        let error = largest_difference(a, b);
        if error > bar * scale || error.is_nan() {
            return differs(format!("{what}: {error:.2e}, where the largest value is {scale:.2e}"));
        }
        worst = worst.max(if scale > 0.0 { error / scale / bar } else { 0.0 });
        Ok(())
    };
    for (shot, (ours, oracle)) in ours.fields.iter().zip(&oracle.fields).enumerate() {
        near(&format!("the field of shot {shot}"), flat(ours), flat(oracle), peaks[shot])?;
    }
    for (shot, (ours, oracle)) in ours.gathers.shots.iter().zip(&oracle.gathers.shots).enumerate() {
        let [ours, oracle] = [ours, oracle].map(|gather| gather.as_slice().unwrap_or_default());
        near(&format!("the gather of shot {shot}"), ours, oracle, peaks[shot])?;
    }
    let taken = |results: &Results| -> Vec<_> {
        results.snapshots.iter().map(|snapshot| (snapshot.step, snapshot.shot)).collect()
    };
    if taken(&ours) != taken(&oracle) {
        return differs(format!("snapshots at {:?}, not at {:?}", taken(&ours), taken(&oracle)));
    }
    for (ours, oracle) in ours.snapshots.iter().zip(&oracle.snapshots) {
        let what = format!("the snapshot of shot {} at step {}", ours.shot, ours.step);
        near(&what, flat(&ours.field), flat(&oracle.field), peaks[ours.shot])?;
    }
    if let Some(focus) = plan.focus() {
        mapped(&ours.maps, &oracle.maps, focus, (&peaks, bar))?;
    }
    if let Some(at) = taps.state {
        goes_on(engine, &plan, (at * steps as f64) as usize, &ours)?;
    }
    if taps.batches {
        in_batches(engine, &plan, &ours)?;
    }
    Ok(worst)
}

/// The values of two maps agree but for the rounding of the fields in them.
fn mapped(
    ours: &[FocusMap],
    oracle: &[FocusMap],
    focus: &Focus,
    (peaks, of_fields): (&[f64], f64),
) -> Result<(), Stop> {
    if ours.len() != oracle.len() {
        return differs("another number of maps");
    }
    let groups = focus.groups as f64;
    for (ours, oracle) in ours.iter().zip(oracle) {
        let all: f64 = peaks[ours.set * focus.groups..][..focus.groups].iter().product();
        // The error of a product, whose root is taken.
        let error = |root: f64| (groups * of_fields).powf(root.min(1.0));
        let (scale, bar) = match focus.condition {
            Condition::Amplitude => (all.powf(1.0 / groups), error(1.0 / groups)),
            Condition::Energy { quarter } => {
                (16.0 * quarter as f64 * all.powf(2.0 / groups), 2.0 * error(2.0 / groups))
            }
        };
        let both = || ours.largest.iter().zip(&oracle.largest);
        let wrong = both()
            .map(|(a, b)| f64::from((a - b).abs()))
            .filter(|error| *error > bar * scale || error.is_nan())
            .count();
        // Of two windows that are equally strong either may be taken, with its own parabola.
        let allowed =
            if focus.condition == Condition::Amplitude { 0 } else { 2 + ours.largest.len() / 50 };
        if wrong > allowed {
            return differs(format!("{wrong} nodes of the map of set {}", ours.set));
        }
    }
    Ok(())
}

/// A state from which another run goes on to the same bits.
fn goes_on(engine: &dyn Engine, plan: &Arc<Plan>, at: usize, whole: &Results) -> Result<(), Stop> {
    let mut run = engine.start(plan.clone())?;
    run.advance(at, &mut ())?;
    let state = run.state()?;
    drop(run);
    let mut run = engine.start(plan.clone())?;
    run.restore(&state)?;
    run.advance(plan.time.steps - at, &mut ())?;
    for (shot, field) in whole.fields.iter().enumerate() {
        if run.field(shot)? != *field {
            return differs(format!("from the state at step {at} shot {shot} has other bits"));
        }
    }
    Ok(())
}

/// Batches of a survey give the bits of all shots at once.
fn in_batches(engine: &dyn Engine, plan: &Arc<Plan>, whole: &Results) -> Result<(), Stop> {
    let mut prepared = Prepared::new(engine);
    let size = plan.set_size();
    for first in (0..plan.shots.len()).step_by(size) {
        let batch = Arc::new(plan.batch(first..(first + size).min(plan.shots.len())));
        let mut gathers = Gathers::new(&batch);
        prepared.run(&batch, &mut gathers)?;
        if gathers.shots[..] != whole.gathers.shots[first..][..gathers.shots.len()] {
            return differs(format!("alone the shots from {first} on have other bits"));
        }
    }
    Ok(())
}

pub fn flat(field: &Array3<f32>) -> &[f32] {
    field.as_slice().expect("fields are in standard layout")
}

pub fn peak(field: &Array3<f32>) -> f64 {
    field.iter().fold(0.0, |most, p| worse(most, f64::from(p.abs())))
}

pub fn largest_difference(a: &[f32], b: &[f32]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    a.iter().zip(b).fold(0.0, |most, (a, b)| worse(most, (f64::from(*a) - f64::from(*b)).abs()))
}

/// `||a - b|| / ||b||`; 0 if both are zeros.
pub fn error(a: &[f32], b: &[f32]) -> f64 {
    let norm = |of: &mut dyn Iterator<Item = f64>| of.map(|v| v * v).sum::<f64>().sqrt();
    let difference = norm(&mut a.iter().zip(b).map(|(a, b)| f64::from(*a) - f64::from(*b)));
    if a.len() == b.len() && difference == 0.0 {
        return 0.0;
    }
    difference / norm(&mut b.iter().map(|v| f64::from(*v)))
}

/// The larger, or what is not a number.
pub fn worse(a: f64, b: f64) -> f64 {
    if a >= b { a } else { b }
}
