//! Work shared by MPI ranks: the shots of a survey, one task per rank, or one shot in slabs.

use crate::cli::terminal::failure::Failure;
use huygens::{
    engine::{Engine, EngineError, Ranks as OverRanks, World, share::ShareError},
    io::journal,
    plan::Plan,
    results::survey::Task,
    workflow::shot,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

/// All ranks, as seen by this one.
pub struct Ranks {
    world: World,
    /// The common folder, if each rank has its own task.
    tasks: OnceLock<PathBuf>,
    /// Time of the last check for another rank's failure, and its result.
    stopped: Mutex<(Instant, bool)>,
}

static ALL: OnceLock<Ranks> = OnceLock::new();
/// Interval of checks.
const LOOK: Duration = Duration::from_millis(100);

/// The ranks, if there are several.
pub fn all() -> Option<&'static Ranks> {
    ALL.get()
}

/// Joins `size` ranks.
pub fn join(size: usize) -> Result<(), Failure> {
    let world = World::join(size).map_err(|error| Failure::input(error.to_string()))?;
    let stopped = Mutex::new((Instant::now(), false));
    ALL.get_or_init(|| Ranks { world, tasks: OnceLock::new(), stopped });
    Ok(())
}

/// Ends a command on all ranks: merges the tasks' results, and lets rank 0 `report` a failure once.
pub fn end(
    done: Result<(), Failure>,
    merge: impl FnOnce() -> Result<(), Failure>,
    report: fn(Failure) -> ExitCode,
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
pub fn is_ended_elsewhere() -> bool {
    let tasks = all().filter(|ranks| ranks.tasks.get().is_some());
    tasks.is_some_and(|ranks| {
        let mut stopped = ranks.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        if !stopped.1 && stopped.0.elapsed() > LOOK {
            *stopped = (Instant::now(), ranks.world.is_stopped());
        }
        stopped.1
    })
}

impl Ranks {
    /// True if this rank prints and writes for all.
    pub fn is_first(&self) -> bool {
        self.world.is_first()
    }

    /// Index of this rank on its host.
    pub fn local(&self) -> usize {
        self.world.local
    }

    /// Returns an error for ranks that were given different jobs.
    pub fn check(&self, survey: &Value, out: &Path) -> Result<(), Failure> {
        let mine = json!({ "survey": survey, "out": out });
        let digest = format!("{:x?}", Sha256::digest(mine.to_string()).as_slice());
        let is_same = |all: &[Value]| all.iter().all(|one| *one == all[0]);
        if is_same(&self.world.agree(Ok(digest.into()))?) {
            return Ok(());
        }
        let all = self.world.agree(Ok(mine))?;
        let other = all.iter().position(|one| *one != all[0]).unwrap_or(0);
        let (key, first, its) = journal::difference(&all[0], &all[other]).unwrap_or_default();
        let key = key.trim_start_matches("survey.");
        Err(Failure::input((
            format!(
                "rank {other} was given another job than rank 0: {key} is {its} there and {first} here"
            ),
            "start all ranks with one command, one \
             job and one program",
        )))
    }

    /// The task of this rank, in the common folder.
    pub fn task(&self, out: &Path) -> Task {
        self.tasks.get_or_init(|| out.to_owned());
        Task { this: self.world.rank + 1, all: self.size() }
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.world.size
    }

    /// The values that all ranks give, in their order.
    pub fn all_of(&self, own: Value) -> Result<Vec<Value>, EngineError> {
        self.world.agree(Ok(own))
    }

    /// One engine over all ranks, made of this rank's, with an exchange every `ghosts` steps.
    pub fn engine(
        &'static self,
        engine: Box<dyn Engine>,
        ghosts: usize,
    ) -> Result<Box<dyn Engine>, EngineError> {
        let mut description = engine.describe();
        description.device = format!("{} ranks, each {}", self.size(), description.device);
        let ranks = OverRanks::new(&self.world, engine, description);
        Ok(Box::new(ranks.with_ghost_steps(ghosts)?))
    }

    /// Runs a shot with rank 0, which alone observes it.
    pub fn follow(&self, engines: &[Box<dyn Engine>], plan: &Plan) -> Result<(), Failure> {
        let mut nothing = |_| Ok::<(), Failure>(());
        let mut go_on = |_| ControlFlow::Continue(());
        let mut ran = engines.iter().map(|engine| {
            shot::model(engine.as_ref(), plan, &mut go_on, &mut |_, _| false, &mut nothing)
        });
        ran.try_for_each(|ran| ran.map(drop))
    }

    /// The outcome of a part of the command on all ranks: this rank's failure, if it is the reason
    /// that all end.
    fn agreed(&self, done: Result<(), Failure>) -> Result<(), Failure> {
        if self.world.is_over() {
            return done;
        }
        if done.is_err() && self.tasks.get().is_some() {
            self.world.stop_others();
        }
        let told = match &done {
            Ok(()) => Ok(Value::Null),
            // Another rank's failure is the reason.
            Err(_) if self.stopped.lock().unwrap_or_else(PoisonError::into_inner).1 => {
                Err(ShareError::Neighbour.into())
            }
            Err(failure) => Err(EngineError::from(ShareError::Rank {
                rank: self.world.rank,
                host: self.world.host.clone(),
                message: failure.message(),
                input: failure.code() == 2,
            })),
        };
        match self.world.agree(told) {
            Ok(_) => Ok(()),
            Err(EngineError::Share(ShareError::Rank { rank, .. }))
                if rank == self.world.rank && done.is_err() =>
            {
                done
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Merges the tasks, then removes them.
    fn merged(
        &self,
        out: &Path,
        merge: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        merge()?;
        let all = self.world.size;
        for task in (1..=all).map(|this| Task { this, all }) {
            // A remaining folder does no harm.
            let _ = fs::remove_dir_all(out.join(task.folder()));
        }
        Ok(())
    }
}
