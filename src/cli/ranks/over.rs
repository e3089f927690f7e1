//! Work shared by MPI ranks: the shots of a survey, one task per rank, or one shot in slabs.

use crate::{
    cli::failure::Failure,
    engine::{
        Engine, Fallback, Retrying, World,
        share::ShareError,
        tune::{self, EnginesError},
    },
    io::journal,
    operations::shot,
    plan::Plan,
    run::{RunError, Task, TaskOutputs},
};
use serde_json::{Value, json};
use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, OnceLock},
};

/// All ranks, as seen by this one.
pub(crate) struct Ranks {
    world: World,
    /// The common folder, if each rank has its own task.
    tasks: OnceLock<PathBuf>,
}

static ALL: OnceLock<Ranks> = OnceLock::new();

/// The ranks, if there are several.
pub(crate) fn all() -> Option<&'static Ranks> {
    ALL.get()
}

/// Joins `size` ranks.
pub(crate) fn join(size: usize) -> Result<(), Failure> {
    let world = World::join(size).map_err(|error| Failure::input(error.to_string()))?;
    ALL.get_or_init(|| Ranks { world, tasks: OnceLock::new() });
    Ok(())
}

/// Ends a command on all ranks: merges the tasks' results, and lets rank 0 `report` a failure once.
pub(crate) fn end(
    done: Result<(), Failure>,
    merge: impl FnOnce() -> Result<(), Failure>,
    report: impl Fn(Failure) -> ExitCode,
) -> ExitCode {
    let Some(ranks) = all() else {
        return done.map_or_else(report, |()| ExitCode::SUCCESS);
    };
    let done = match (ranks.agreed(done), ranks.tasks.get()) {
        (Ok(()), Some(out)) => {
            let merged = if ranks.is_first() { ranks.merged(out, merge) } else { Ok(()) };
            ranks.agreed(merged)
        }
        (done, _) => done,
    };
    // Rank 0's exit code is the command's: launchers kill all ranks as soon as one fails.
    let code = match done {
        Err(failure) if ranks.is_first() => report(failure),
        _ => ExitCode::SUCCESS,
    };
    ranks.world.leave();
    code
}

/// True if another rank has failed, so that this one must end.
pub(crate) fn is_ended_elsewhere() -> bool {
    all().is_some_and(|ranks| ranks.have_tasks() && ranks.world.is_stopped())
}

impl Ranks {
    /// True if this rank prints and writes for all.
    pub(crate) fn is_first(&self) -> bool {
        self.world.is_first()
    }

    /// True if each rank has its own task.
    pub(crate) fn have_tasks(&self) -> bool {
        self.tasks.get().is_some()
    }

    /// Index of this rank on its host.
    pub(crate) fn local(&self) -> usize {
        self.world.local
    }

    /// Returns an error for ranks that were given different jobs.
    pub(crate) fn check(&self, survey: &Value, out: &Path) -> Result<(), RunError> {
        let mine = json!({ "survey": survey, "out": out });
        let Some((other, [first, its])) = self.world.differing(mine)? else { return Ok(()) };
        let (key, first, its) = journal::difference(&first, &its).unwrap_or_default();
        let key = key.trim_start_matches("survey.");
        Err(RunError::input(format!(
            "rank {other} was given another job than rank 0: {key} is {its} there and {first} \
             here; start all ranks with one command, one job and one program"
        )))
    }

    /// The task of this rank, in the common folder.
    pub(crate) fn task(&self, out: &Path) -> Task {
        self.tasks.get_or_init(|| out.to_owned());
        Task { this: self.world.rank + 1, all: self.size() }
    }

    /// Number of ranks.
    pub(crate) fn size(&self) -> usize {
        self.world.size
    }

    /// One engine over all ranks, made of this rank's, with what takes its place if its device fails.
    pub(crate) fn engine(
        &'static self,
        engines: Vec<Box<dyn Engine>>,
        named: Option<&str>,
        plan: &Plan,
        ghosts: usize,
        fallback: Arc<Fallback>,
    ) -> Result<Box<dyn Engine>, EnginesError> {
        let engine = tune::over_ranks(&self.world, engines, named, plan, ghosts)?;
        let failed = engine.clone();
        let instead = move || {
            let mine = fallback().map(Arc::from).ok_or(ShareError::Neighbour.into());
            failed.instead(mine).ok()
        };
        Ok(Box::new(Retrying::new(Box::new(engine), Arc::new(instead))))
    }

    /// Runs a shot with rank 0, which alone observes it.
    pub(crate) fn follow(&self, engines: &[Box<dyn Engine>], plan: &Plan) -> Result<(), RunError> {
        let mut nothing = |_| Ok::<(), RunError>(());
        let mut go_on = |_| ControlFlow::Continue(());
        let mut ran = engines.iter().map(|engine| {
            shot::model(engine.as_ref(), plan, &mut go_on, &mut |_, _| false, &mut nothing)
        });
        ran.try_for_each(|ran| ran.map(drop))
    }

    /// The outcome of a part of the command on all ranks: this rank's failure, if it is the reason
    /// that all end.
    fn agreed(&self, done: Result<(), Failure>) -> Result<(), Failure> {
        let told = |failure: &Failure| (failure.message(), failure.code() == 2);
        self.world.agreed(done, told, self.have_tasks())
    }

    /// Merges the tasks, then removes them.
    fn merged(
        &self,
        out: &Path,
        merge: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        merge()?;
        TaskOutputs::remove(out, self.size());
        Ok(())
    }
}
