//! The shots of a survey that a run models: those of a task, without those that an earlier run has
//! done.

pub use huygens::results::survey::task;

use super::{PROGRAM, failure::Failure, ranks, session::Session};
use huygens::{
    engine::Description,
    io::{
        folder::{self, FolderError, JOURNAL, OutputFolder, RUN, UNFINISHED},
        journal::{self, Done, Journal, Piece},
    },
    job::{Inputs, JobFile},
    results::survey::SurveyError,
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashSet},
    ops::Range,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};
use task::{Task, holds_others, tasks};

/// The folder of a migration's sums and of the journal that lists them.
pub const SUMS: &str = "partial";

/// Flags for resuming a run, and for dividing it into tasks.
#[derive(clap::Args, Clone)]
pub struct ShareArguments {
    /// Resume an interrupted survey: the result equals that of an uninterrupted run, byte for byte.
    #[arg(long)]
    pub resume: bool,
    /// Do the share of a survey that is task I of N, in a folder that all tasks share: 3/16, or in a Slurm array
    /// $SLURM_ARRAY_TASK_ID. An interrupted task resumes, and a finished one is skipped; huygens merge merges
    /// the results of huygens shot, and huygens rtm --merge those of a migration.
    #[arg(long, value_name = "I/N", conflicts_with = "resume")]
    pub task: Option<Task>,
}

impl ShareArguments {
    /// How to resume an interrupted run.
    pub fn again(&self) -> &'static str {
        match self.task {
            Some(_) if ranks::all().is_some() => "start as many ranks again to go on",
            Some(_) => "run the task again to go on",
            None => "go on with --resume",
        }
    }

    /// The output folder, and true if its content is resumed; none if nothing is left to do. With
    /// several ranks each takes a task of a survey.
    pub fn place(
        &mut self,
        (survey, is_survey): (&Survey, bool),
        out: PathBuf,
        (existing, force): (folder::Earlier, bool),
        session: &Session,
    ) -> Result<Option<(PathBuf, bool)>, Failure> {
        if let Some(ranks) = ranks::all() {
            ranks.check(survey.identity(), &out)?;
            if is_survey {
                let stays = existing == folder::Earlier::Stays;
                if stays && ranks.is_first() && holds_others(&out) {
                    return Err(Failure::input(format!(
                        "{} is not empty; choose another folder with --out, or replace what is there with --force",
                        out.display()
                    )));
                }
                self.task = Some(ranks.task(&out));
            }
        }
        if !is_survey {
            return Ok(Some((out, false)));
        }
        let Some(task) = self.task else {
            OutputFolder::recover(&out)?;
            if self.resume && survey.is_done(&out)? {
                session.tell(format_args!("the survey in {} is done already", out.display()));
                return Ok(None);
            }
            return Ok(Some((out, self.resume)));
        };
        let Task { this, all } = task;
        OutputFolder::recover(&out.join(task.folder()))?;
        let earlier = if force { Earlier::Nothing } else { survey.of_task(&out, task)? };
        if !survey.has_shots_for(task) {
            session.tell("the survey has fewer shots than tasks, and none for this one");
            return Ok(None);
        }
        match earlier {
            Earlier::Finished => {
                session.tell(format_args!("task {this} of {all} is done already"));
                Ok(None)
            }
            Earlier::Unfinished => Ok(Some((out.join(task.folder()), true))),
            Earlier::Nothing => Ok(Some((out.join(task.folder()), false))),
        }
    }
}

/// The identity of a survey: everything that determines its files.
pub struct Survey {
    identity: Value,
    shots: usize,
}

/// The state of an earlier run of a task.
enum Earlier {
    Nothing,
    Unfinished,
    Finished,
}

impl Survey {
    /// The survey of a command and its job, with `model_bits` bits per model value on a GPU.
    pub fn new(command: &str, file: &JobFile, inputs: &Inputs, model_bits: u8) -> Self {
        let shots = inputs.plan.shots.len();
        // By name: the same file may have several paths.
        let mut files: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (path, sum) in &inputs.files {
            let name = Path::new(path).file_name().unwrap_or_default();
            files.entry(name.to_string_lossy().into_owned()).or_default().push(sum);
        }
        let mut job = serde_json::to_value(&file.job).expect("a job holds plain values with names");
        // Traces do not depend on pictures.
        if let Some(output) = job["output"].as_object_mut() {
            output.retain(|key, _| !["pictures", "figures", "movie"].contains(&key.as_str()));
        }
        // Observed traces are among the inputs.
        if let Some(gradient) = job["gradient"].as_object_mut() {
            gradient.remove("observed");
        }
        // Nor do the sums of a migration depend on its outputs.
        if let Some(rtm) = job["rtm"].as_object_mut() {
            let of_images = ["memory", "movie", "formats", "conditions", "angles"];
            rtm.retain(|key, _| !of_images.contains(&key.as_str()));
            if let Some(offsets) = rtm.get_mut("offsets").and_then(Value::as_object_mut) {
                offsets.remove("drawn");
            }
        }
        let identity = json!({
            "program": PROGRAM,
            "command": command,
            "version": env!("CARGO_PKG_VERSION"),
            "revision": option_env!("HUYGENS_REVISION"),
            "shots": shots,
            "model_bits": model_bits,
            "job": job,
            "inputs": files,
        });
        Survey { identity, shots }
    }

    /// The identity, for comparison.
    pub fn identity(&self) -> &Value {
        &self.identity
    }

    /// True if it has shots for a task.
    fn has_shots_for(&self, task: Task) -> bool {
        !task.share(self.shots).is_empty()
    }

    /// The shots of a task, or all.
    pub fn range(&self, task: Option<Task>) -> Range<usize> {
        task.map_or(0..self.shots, |task| task.share(self.shots))
    }

    /// The shots that a run must model: with `resume`, those not done yet. `headers` is the
    /// beginning of the shared files.
    pub fn share(
        &self,
        (all, resume): (Range<usize>, bool),
        folder: &OutputFolder,
        engine: &Description,
        headers: &[Piece],
    ) -> Result<Share, SurveyError> {
        let mut done = if resume { self.done(folder, engine)? } else { Vec::new() };
        done.retain(|done| done.shot > 0 && all.contains(&(done.shot - 1)));
        let known: HashSet<usize> = done.iter().map(|done| done.shot).collect();
        let left = all.clone().filter(|shot| !known.contains(&(shot + 1)));
        let heading = self.heading(engine, headers);
        let journal = Journal::begin(folder, &heading, &done)?;
        Ok(Share {
            left: left.collect(),
            all,
            journal: Some((heading, journal)),
            done: Mutex::new(done),
        })
    }

    /// The heading of its journal.
    pub fn heading(&self, engine: &Description, headers: &[Piece]) -> Value {
        json!({ "survey": self.identity, "engine": engine, "headers": headers })
    }

    /// Returns an error for a journal of another survey, naming the first difference.
    pub fn check(&self, folder: &Path, heading: &Value) -> Result<(), SurveyError> {
        let Some(difference) = self.difference(heading) else { return Ok(()) };
        Err(SurveyError::AnotherSurvey { folder: folder.to_owned(), difference })
    }

    /// The difference from the survey of a journal.
    pub fn difference(&self, heading: &Value) -> Option<String> {
        let (key, before, now) = journal::difference(&heading["survey"], &self.identity)?;
        Some(match key.split_once('.') {
            Some(("inputs", file)) => format!("{file} has changed since"),
            None if key == "command" => format!("it is of huygens {before}, and this is {now}"),
            Some(("job", key)) => format!("{key} of the job was {before} and is {now}"),
            _ if !heading["survey"].is_object() => "its journal does not say of which".into(),
            _ => format!("{key} was {before} and is {now}"),
        })
    }

    /// The journal of an earlier run, which must be of this survey; none if that was killed before
    /// it wrote one.
    pub fn begun(&self, folder: &OutputFolder) -> Result<Option<(Value, Vec<Done>)>, SurveyError> {
        let at = folder.at("");
        if !at.join(JOURNAL).metadata().is_ok_and(|journal| journal.len() > 0) {
            return Ok(None);
        }
        let (heading, done) = journal::read(&at)?;
        self.check(&at, &heading)?;
        Ok(Some((heading, done)))
    }

    /// The shots done by an earlier run: those in the journal whose files are intact. Damaged ones
    /// are reported.
    pub fn done(
        &self,
        folder: &OutputFolder,
        engine: &Description,
    ) -> Result<Vec<Done>, SurveyError> {
        let Some((heading, done)) = self.begun(folder)? else { return Ok(Vec::new()) };
        let at = folder.at("");
        self.compare_engines(&heading, engine);
        let (whole, damaged) = journal::whole(&at, done);
        for shot in damaged {
            tracing::warn!("what shot {shot} left is damaged; it is modelled again");
        }
        Ok(whole)
    }

    /// Warns if an earlier run, with this journal heading, used another engine.
    pub fn compare_engines(&self, heading: &Value, engine: &Description) {
        let before = &heading["engine"];
        if serde_json::to_value(engine).is_ok_and(|now| now != *before) {
            tracing::warn!(
                "the shots before were run by another engine, {}: those to come may differ from what it would \
                 give by rounding",
                before["device"]
            );
        }
    }

    /// True if a folder holds the complete survey.
    fn is_done(&self, folder: &Path) -> Result<bool, SurveyError> {
        if folder.join(UNFINISHED).exists() || !folder.join(RUN).exists() {
            return Ok(false);
        }
        let Ok((heading, done)) = journal::read(folder) else { return Ok(false) };
        self.check(folder, &heading)?;
        if let Some(file) = OutputFolder::missing(folder, RUN).into_iter().next() {
            return Err(SurveyError::MissingFile { folder: folder.to_owned(), file });
        }
        let (_, damaged) = journal::whole(folder, done);
        match damaged[..] {
            [] => Ok(true),
            [first, ..] => {
                let count = damaged.len();
                Err(SurveyError::DamagedSurvey { folder: folder.to_owned(), count, first })
            }
        }
    }

    /// The state of a task's folder from an earlier run of this survey; also checks that the other
    /// tasks in the folder are of this survey.
    fn of_task(&self, out: &Path, task: Task) -> Result<Earlier, SurveyError> {
        for (other, path) in tasks(out) {
            if other.all != task.all {
                let (all, own) = (other.all, task.all);
                return Err(SurveyError::OtherTasks { folder: path, all, own });
            }
            for folder in [path.clone(), path.join(UNFINISHED)] {
                if let Ok((heading, _)) = journal::read(&folder) {
                    self.check(&folder, &heading)?;
                }
            }
        }
        let own = out.join(task.folder());
        Ok(match (own.join(RUN).exists(), own.join(UNFINISHED).exists()) {
            (true, _) => Earlier::Finished,
            (false, true) => Earlier::Unfinished,
            (false, false) => Earlier::Nothing,
        })
    }
}

/// The shots that a run models.
pub struct Share {
    /// Shots of its task.
    pub all: Range<usize>,
    /// Shots not done yet, ascending.
    pub left: Vec<usize>,
    /// None for a single shot.
    journal: Option<(Value, Journal)>,
    done: Mutex<Vec<Done>>,
}

impl Share {
    /// A single shot, which is no survey.
    pub fn single() -> Self {
        Share { all: 0..1, left: vec![0], journal: None, done: Mutex::default() }
    }

    /// Records a shot as done.
    pub fn add(&self, shot: usize, pieces: Vec<Piece>) -> Result<(), FolderError> {
        if let Some((_, journal)) = &self.journal {
            let done = Done { shot: shot + 1, count: 1, pieces };
            journal.add(&done)?;
            self.done.lock().unwrap_or_else(PoisonError::into_inner).push(done);
        }
        Ok(())
    }

    /// Number of shots done.
    pub fn count(&self) -> usize {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Rewrites the journal in the order of the shots, independent of the order of modelling.
    pub fn close(&self, folder: &OutputFolder) -> Result<(), FolderError> {
        if let Some((heading, _)) = &self.journal {
            let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            folder.replace(JOURNAL, &journal::text(heading, &*done))?;
        }
        Ok(())
    }

    /// The note on a failed survey.
    pub fn done(&self, path: &Path) -> String {
        format!(
            "{} of {} shots are done and kept in {}",
            self.count(),
            self.all.len(),
            path.join(UNFINISHED).display()
        )
    }
}
