//! The state of a run as a value: a run that continues from it gives the same bits.

use crate::{
    plan::{Initial, Plan},
    program::PROGRAM,
};
use ndarray::Array3;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, sync::Arc};

/// Values in the precision of an engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Of the f32 engines.
    F32(Vec<f32>),
    /// Of the oracle.
    F64(Vec<f64>),
}

impl Values {
    /// `len` values in f32; zeros if there were none.
    pub(super) fn f32s(&mut self, len: usize) -> &mut [f32] {
        if !matches!(self, Values::F32(values) if values.len() == len) {
            *self = Values::F32(vec![0.0; len]);
        }
        match self {
            Values::F32(values) => values,
            Values::F64(_) => &mut [],
        }
    }

    /// `len` values in f64; zeros if there were none.
    pub(super) fn f64s(&mut self, len: usize) -> &mut [f64] {
        if !matches!(self, Values::F64(values) if values.len() == len) {
            *self = Values::F64(vec![0.0; len]);
        }
        match self {
            Values::F64(values) => values,
            Values::F32(_) => &mut [],
        }
    }
}

/// The state of a shot at a step. An empty array stands for zeros.
#[derive(Clone, Debug, PartialEq)]
pub struct ShotState {
    /// p on the computational grid, `[y][x][z]`; with VTI, then the auxiliary field.
    pub now: Values,
    /// p_prev or, in f32 engines with increments, p - p_prev.
    pub second: Values,
    /// The memory variables of the layers, in the engine's order.
    pub memory: Values,
}

/// The state of all shots of a run.
#[derive(Clone, Debug)]
pub struct State {
    pub(super) about: About,
    /// Its Plan, unless it came from a file.
    pub(super) plan: Option<Arc<Plan>>,
    /// One per shot, in the order of the Plan.
    pub shots: Vec<ShotState>,
}

/// The description that a restoring run must match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct About {
    /// Program and version.
    pub(super) program: String,
    /// Name of the backend; "gpu" for all GPUs.
    pub(super) engine: String,
    pub(super) step: usize,
    /// [`Plan::digest`] up to the step; empty if the Plan is known.
    pub(super) job: String,
    /// Nodes along y, x and z of the computational grid.
    grid: [usize; 3],
}

/// Reasons why a state was rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum StateError {
    #[error("the state is of the engine {found}, not of {expected}; resume it on that engine")]
    Engine { found: String, expected: String },
    /// Of another version of the program, whose bits may differ.
    #[error(
        "the state is of {found}, this is {expected}; resume it with that version, or begin again"
    )]
    Version { found: String, expected: String },
    #[error(
        "the state is of a grid of {found:?} nodes along y, x and z, layers included; this one has {expected:?}"
    )]
    Grid { found: [usize; 3], expected: [usize; 3] },
    #[error(
        "the state is of another job on the same grid: its model, time step, operator, boundary, shots or wavelets \
         differ; resume the job that it is of"
    )]
    Job,
    #[error("the state is of {found} shots, the run has {expected}; give as many")]
    Shots { found: usize, expected: usize },
    #[error("the state belongs to another run; resume that run, or use a state of this one")]
    Run,
    #[error(
        "the state of a wave that goes back through a CPML is taken on one CPU engine alone; use that, or a sponge"
    )]
    Adjoint,
    #[error("the state is at step {found}, the run ends at {steps}; give it a longer time")]
    Step { found: usize, steps: usize },
    /// An array of another length, or none found in the engine's precision.
    #[error("{what} of shot {} of the state holds {found} values, where the engine has {expected}", .shot + 1)]
    Values { what: &'static str, shot: usize, found: usize, expected: usize },
}

impl Values {
    /// As f32; `None` for f64.
    pub(crate) fn f32(&self) -> Option<&[f32]> {
        match self {
            Values::F32(values) => Some(values),
            Values::F64(_) => None,
        }
    }

    /// As f64, which represents both exactly.
    pub fn f64(&self) -> Cow<'_, [f64]> {
        match self {
            Values::F32(values) => values.iter().map(|v| f64::from(*v)).collect(),
            Values::F64(values) => Cow::Borrowed(values),
        }
    }

    /// Number of values.
    pub(super) fn count(&self) -> usize {
        match self {
            Values::F32(values) => values.len(),
            Values::F64(values) => values.len(),
        }
    }
}

impl ShotState {
    /// A state of zeros.
    pub fn silent() -> Self {
        let none = || Values::F32(Vec::new());
        ShotState { now: none(), second: none(), memory: none() }
    }

    /// Its arrays, in the order of [`NAMES`].
    pub(super) fn arrays(&self) -> [&Values; 3] {
        [&self.now, &self.second, &self.memory]
    }

    /// From p at a step and the array kept beside it, with empty layers.
    fn of_field(initial: &Initial, second: &Array3<f32>) -> Self {
        let values = |field: &Array3<f32>| Values::F32(field.iter().copied().collect());
        ShotState { now: values(&initial.now), second: values(second), ..Self::silent() }
    }

    /// The same wave going backward in time, with p and p_prev exchanged. Energy that a layer has
    /// absorbed does not come back.
    #[must_use]
    pub fn reversed(self, by_increments: bool) -> Self {
        let ShotState { now, second, .. } = self;
        let (now, second) = match (by_increments, now, second) {
            (true, Values::F32(now), Values::F32(increments)) => {
                let before = now.iter().zip(&increments).map(|(p, d)| p - d).collect();
                (Values::F32(before), Values::F32(increments.iter().map(|d| -d).collect()))
            }
            (_, now, second) => (second, now),
        };
        ShotState { now, second, ..Self::silent() }
    }
}

/// Names of a shot's arrays.
pub(super) const NAMES: [&str; 3] = ["now", "second", "memory"];

impl State {
    /// For the shots of a Plan at a step, by an engine.
    pub(super) fn new(plan: &Arc<Plan>, engine: &str, step: usize, shots: Vec<ShotState>) -> Self {
        let (y, x, z) = plan.grid.shape();
        let about = About {
            // Which determines the bits of a state.
            program: PROGRAM.to_string(),
            engine: engine.into(),
            step,
            job: String::new(),
            grid: [y, x, z],
        };
        State { about, plan: Some(plan.clone()), shots }
    }

    /// The state at the start of a Plan's runs: its initial field, or zeros.
    pub(super) fn initial(plan: &Arc<Plan>, engine: &str) -> Self {
        let second = match (&plan.initial, engine) {
            (Some(initial), ORACLE) => Some(Cow::Borrowed(&initial.before)),
            _ => plan.second_field(),
        };
        let shot = match (&plan.initial, second) {
            (Some(initial), Some(second)) => ShotState::of_field(initial, &second),
            _ => ShotState::silent(),
        };
        State::new(plan, engine, 0, vec![shot; plan.shots.len()])
    }

    /// Steps done.
    pub fn step(&self) -> usize {
        self.about.step
    }

    /// Returns an error if a run of a Plan, with this many layer memory values per shot, cannot
    /// continue from it with the same bits.
    pub(super) fn check(
        &self,
        plan: &Arc<Plan>,
        engine: &str,
        memory: usize,
    ) -> Result<(), StateError> {
        let (About { program: of, engine: found, step, job, grid }, expected) =
            (&self.about, PROGRAM.to_string());
        if found != engine {
            return Err(StateError::Engine { found: found.clone(), expected: engine.into() });
        }
        if *of != expected {
            return Err(StateError::Version { found: of.clone(), expected });
        }
        let (y, x, z) = plan.grid.shape();
        if *grid != [y, x, z] {
            return Err(StateError::Grid { found: *grid, expected: [y, x, z] });
        }
        if self.shots.len() != plan.shots.len() {
            let (found, expected) = (self.shots.len(), plan.shots.len());
            return Err(StateError::Shots { found, expected });
        }
        if *step > plan.time.steps {
            return Err(StateError::Step { found: *step, steps: plan.time.steps });
        }
        let nodes = plan.medium.fields() * plan.grid.cells();
        for (shot, state) in self.shots.iter().enumerate() {
            let expected = NAMES.into_iter().zip([nodes, nodes, memory]);
            for (values, (what, expected)) in state.arrays().into_iter().zip(expected) {
                let single = engine == ORACLE || values.f32().is_some();
                let found = if single { values.count() } else { 0 };
                if found != expected && values.count() > 0 {
                    return Err(StateError::Values { what, shot, found, expected });
                }
            }
        }
        let same = match &self.plan {
            Some(known) => Arc::ptr_eq(known, plan) || known.digest(*step) == plan.digest(*step),
            None => *job == plan.digest(*step),
        };
        if same { Ok(()) } else { Err(StateError::Job) }
    }

    /// The arrays of a shot, as `of` returns their values; `None` for zeros.
    pub(super) fn arrays<'s, T>(
        &'s self,
        shot: usize,
        of: impl Fn(&'s Values) -> Option<T>,
    ) -> [Option<T>; 3] {
        self.shots[shot].arrays().map(|values| if values.count() > 0 { of(values) } else { None })
    }
}

/// The names of engines in a state.
pub(super) const CPU: &str = "cpu";
pub(super) const ORACLE: &str = "reference";
#[cfg(feature = "gpu")]
pub(super) const GPU: &str = "gpu";
