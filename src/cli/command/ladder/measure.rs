//! The measurements of a ladder, case after case.

use super::{
    arguments::{Arguments, Kind, What},
    cases::Climbed,
    results::Results,
};
use crate::{
    cli::{
        failure::Failure,
        terminal::progress::{Progress, tell},
    },
    engine::{Engine, EngineError, gpu::Gpu},
    ladder::{self, EteCase, LadderError, Sharing, Sweep},
};
use serde::Serialize;
use std::{
    fmt::Display,
    sync::{Arc, atomic::AtomicBool},
};

/// A size of a range that the device does not support, and the reason.
#[derive(Serialize)]
pub(crate) struct NotTaken {
    case: serde_json::Value,
    #[serde(skip)]
    pub(crate) name: String,
    pub(crate) why: String,
}

/// Measures cases in order, and collects those that the device does not support.
pub(crate) struct Turns {
    /// The device, for the terminal.
    pub(crate) on: String,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) not_taken: Vec<NotTaken>,
}

impl Turns {
    fn each<C: Display + Serialize, T>(
        &mut self,
        cases: &[C],
        mut time: impl FnMut(&C, &mut ladder::Progress<'_>) -> Result<T, LadderError>,
    ) -> Result<Vec<T>, Failure> {
        let mut all = Vec::new();
        for case in cases {
            tell(format_args!("timing {case}{}", self.on));
            let progress = Progress::listening("timed run", self.stop.clone());
            let timed = time(case, &mut |done, all| progress.hear_of(done, all));
            drop(progress);
            match timed {
                Ok(times) => all.push(times),
                // With several cases, those that do not fit are skipped, if any does.
                Err(error) if error.is_too_large() && cases.len() > 1 => {
                    let (name, why) = (case.to_string(), error.to_string());
                    let case = serde_json::to_value(case).map_err(Failure::run)?;
                    self.not_taken.push(NotTaken { case, name, why });
                    if self.not_taken.len() == cases.len() {
                        return Err(Failure::input(format!(
                            "none of {} cases fits; the last: {error}",
                            cases.len()
                        )));
                    }
                }
                Err(LadderError::Engine(EngineError::Stopped { .. })) => {
                    return Err(Failure::run("stopped, as asked; nothing was written"));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(all)
    }
}

impl What {
    /// The varied parameter of the kernels' workgroups.
    pub(crate) fn of_workgroups(self) -> Option<Sweep> {
        match self {
            What::Threads => Some(Sweep::Threads),
            What::Geometry => Some(Sweep::Geometry),
            What::Slices => Some(Sweep::Slices),
            What::Devices => None,
        }
    }
}

/// What is measured, and on which devices.
pub(crate) struct Measurement<'a> {
    pub(crate) arguments: &'a Arguments,
    pub(crate) gpu: Option<&'a Gpu>,
    /// Those of a sweep over devices.
    pub(crate) engines: Vec<Arc<dyn Engine>>,
    pub(crate) cases: Vec<Climbed>,
    /// Those of explicit time evolution.
    pub(crate) evolved: Vec<EteCase>,
}

impl Measurement<'_> {
    pub(crate) fn run(self, turns: &mut Turns) -> Result<Results, Failure> {
        let Measurement { arguments, gpu, mut engines, cases, evolved } = self;
        let checked = arguments.device.one.checked;
        let (ghost_steps, only_kept) = (arguments.device.ghost_steps, arguments.kept);
        let sharing = Sharing { ghost_steps, only_kept };
        let sweep = arguments.sweep.and_then(What::of_workgroups);
        if !engines.is_empty() {
            let time = |of: &Climbed, hear: &mut ladder::Progress<'_>| {
                ladder::devices(&mut engines, of.case, sharing, hear)
            };
            return Ok(Results::Devices(turns.each(&cases, time)?));
        }
        Ok(match (arguments.kind, gpu, sweep) {
            (Kind::Ete, Some(gpu), _) => Results::Ete(
                turns.each(&evolved, |case, hear| ladder::ete(gpu, *case, checked, hear))?,
            ),
            (Kind::Copy, Some(gpu), _) => Results::Copies(
                turns.each(&cases, |of, hear| ladder::copy(gpu, of.case, checked, hear))?,
            ),
            (Kind::Imaging, Some(gpu), _) => Results::Imaging(
                turns.each(&cases, |of, hear| ladder::imaging(gpu, of.case, hear))?,
            ),
            (Kind::Snapshots, Some(gpu), _) => Results::Snapshots(
                turns.each(&cases, |of, hear| ladder::snapshots(gpu, of.case, hear))?,
            ),
            (_, Some(gpu), Some(what)) => Results::Sweeps(
                turns.each(&cases, |of, hear| ladder::sweep(gpu, of.case, what, checked, hear))?,
            ),
            _ => {
                let ladders = turns.each(&cases, |of, hear| {
                    ladder::climb(gpu, of.case, of.reach, checked, hear)
                })?;
                if arguments.paper { Results::Paper(ladders) } else { Results::Ladders(ladders) }
            }
        })
    }
}

impl From<LadderError> for Failure {
    fn from(error: LadderError) -> Self {
        match error {
            LadderError::Engine(error) => error.into(),
            LadderError::Bench(error) => Failure::run(error),
            error => Failure::input(error.to_string()),
        }
    }
}
