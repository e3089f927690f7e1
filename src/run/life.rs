//! The life of a run.

use super::{
    Activity, Checkpoint, EarlierRun, EarlierWork, Elapsed, EndedEarly, Face, Identity, Made, Need,
    Operation, Order, Place, RunError, Running, SavedWork, Work, checkpoint::share, merge::merge,
    words::introduce,
};
use crate::{
    engine::{Description, Engine, EngineError, Retried, Retrying},
    io::{
        dir::FolderPath,
        folder::{Earlier, FolderError, OutputFolder, RUN, SUMS},
    },
    job::JobFile,
    render::FigureSize,
    results::{Results, ResultsError, Show, Shown},
};
use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    thread,
    time::Instant,
};

/// How a run came to its end.
#[derive(Debug)]
pub(crate) enum Ended {
    /// Nothing was left to be done, for this reason.
    Already(String),
    /// This process did its part of another one's run.
    Elsewhere,
    /// The field blew up; what was recorded before is in the folder.
    BlownUp {
        /// The record, as JSON.
        record: String,
        /// With what is kept.
        error: RunError,
    },
    /// All is in the folder.
    Done {
        /// The record, as JSON.
        record: String,
        /// What was done, in a line.
        summary: String,
        /// The folder.
        folder: PathBuf,
    },
}

/// Takes an operation through the life of a run.
///
/// # Errors
///
/// The first that occurs; it says what is kept in the folder.
pub(crate) fn run(
    operation: &mut dyn Operation,
    file: &JobFile,
    mut order: Order,
    face: &dyn Face,
) -> Result<Ended, RunError> {
    let shots = operation.plan().shots.len();
    let read = &operation.job().inputs.files;
    let identity = Identity::new(operation.command(), file, shots, read);
    let size = face.size(operation.least_picture())?;
    if order.merge {
        return merge(operation, &identity, &order, file, size, face);
    }
    let existing = existing(operation.command(), file, &order)?;
    face.join_ranks(&identity, &mut order, existing, operation.can_resume())?;
    let (at, resume) = match place(&identity, &order, face)? {
        Place::Folder { folder, resume } => (folder, resume),
        done => return Ok(Ended::Already(done.reason(&order.out))),
    };
    let share = share(operation.pieces(), order.task);
    let sends_back = operation.sends_back();
    let need = Need { plan: operation.plan(), pieces: share.len(), sends_back };
    // From now on a request to stop ends the run in order.
    face.stop();
    if face.follow_rank(need)? {
        return Ok(Ended::Elsewhere);
    }
    let folder = locked(operation, &at, existing, resume)?;
    let opened = face.engines(need)?;
    let engines: Vec<&dyn Engine> = opened.iter().map(AsRef::as_ref).collect();
    operation.demand(&engines)?.check(operation.plan())?;
    let is_of_shots = operation.piece() == "shot";
    let pieces = if is_of_shots { share.len() } else { operation.plan().shots.len() };
    introduce(operation, &engines, pieces, face);
    let begun = Begun {
        file,
        identity: &identity,
        order: &order,
        folder: &folder,
        at: &at,
        resume,
        size,
        engines: &engines,
        engine: engines[0].describe(),
        share,
        planned: order.began.elapsed().as_secs_f64(),
    };
    let Completed { record, summary, failed } = begun.complete(operation, face)?;
    let at = put_in_place(folder, opened)?;
    let comma = if summary.is_empty() { "" } else { "; " };
    let summary = format!("{summary}{comma}results in {}", at.display());
    Ok(match failed {
        Some(error) => Ended::BlownUp { record, error },
        None => Ended::Done { record, summary, folder: at },
    })
}

/// What becomes of the files of an earlier run in the folder.
fn existing(command: &'static str, file: &JobFile, order: &Order) -> Result<Earlier, RunError> {
    if let Some((_, existing)) = &order.place {
        return Ok(*existing);
    }
    let folders = [FolderPath::from(&order.out)];
    let earlier = EarlierRun { command, job: &file.job, record: RUN, folders: &folders };
    Ok(earlier.existing(order.force, order.is_default)?)
}

/// Moves the files of a run into place, and closes its engines meanwhile. The path of the folder.
fn put_in_place(
    folder: OutputFolder,
    opened: Vec<Box<dyn Engine>>,
) -> Result<PathBuf, FolderError> {
    let (at, began) = (folder.path(), Instant::now());
    thread::scope(|scope| {
        // Closing a driver takes a while, and so does the disk.
        for engine in opened {
            let closing = thread::Builder::new().name("closing".into());
            let _ = closing.spawn_scoped(scope, || drop(engine));
        }
        folder.commit()
    })?;
    tracing::debug!(seconds = began.elapsed().as_secs_f64(), "results are in place");
    Ok(at)
}

/// The folder of a run, locked, in which the files that the run reads are protected.
fn locked(
    operation: &dyn Operation,
    at: &FolderPath,
    existing: Earlier,
    resume: bool,
) -> Result<OutputFolder, FolderError> {
    let (at, record) = (at.clone(), Some(operation.record_name()));
    let mut folder = match operation.can_resume() {
        true => OutputFolder::unfinished(at, record, existing, resume),
        false => OutputFolder::new(at, record, existing),
    }?;
    let files = &operation.job().inputs.files;
    match operation.keeps_what_it_reads() {
        true => files.iter().for_each(|(file, _)| folder.spare(file.as_ref())),
        false => folder.reads(files)?,
    }
    Ok(folder)
}

/// Where the run writes, or why it has nothing to do.
fn place(identity: &Identity, order: &Order, face: &dyn Face) -> Result<Place, RunError> {
    if let Some((folder, _)) = &order.place {
        return Ok(Place::Folder { folder: folder.clone(), resume: false });
    }
    let _checking = face.show(Activity::Doing("checking what is done"));
    Ok(identity.place(&order.out, order.task, order.resume, order.force)?)
}

/// A run that came to its end, with everything in its folder.
struct Completed {
    record: String,
    summary: String,
    /// The error of a field that blew up, with what is kept of it.
    failed: Option<RunError>,
}

/// A run whose folder and engines are there.
struct Begun<'b> {
    file: &'b JobFile,
    identity: &'b Identity,
    order: &'b Order,
    folder: &'b OutputFolder,
    at: &'b FolderPath,
    resume: bool,
    size: FigureSize,
    engines: &'b [&'b dyn Engine],
    /// The first of them, before any failed.
    engine: Description,
    share: Range<usize>,
    /// Seconds until now.
    planned: f64,
}

impl Begun<'_> {
    /// Takes what is done already, and does the rest. An error says what is kept.
    fn complete(
        &self,
        operation: &mut dyn Operation,
        face: &dyn Face,
    ) -> Result<Completed, RunError> {
        let Begun { identity, order, folder, resume, engines, .. } = *self;
        let headers = operation.headers()?;
        let (checkpoint, earlier) = match operation.can_resume() {
            true => {
                let share = &self.share;
                Checkpoint::begin(identity, &self.engine, &headers, folder, resume, share)?
            }
            false => (Checkpoint::none(folder), EarlierWork::default()),
        };
        let show = shown_by(face);
        let run = Running {
            engines,
            results: &results(self.file, folder, self.size, face, &show),
            at: self.at,
            checkpoint: &checkpoint,
            share: self.share.clone(),
            is_whole: order.task.is_none(),
            face,
        };
        let done = operation.resume(&run, earlier)?;
        if done > 0 {
            let (all, piece) = (run.share.len(), operation.piece());
            face.tell(&format_args!("{done} of {all} {piece}s are done"));
        }
        let hint = face.resume_hint(order);
        match self.work(operation, &run) {
            // Not all pieces are there.
            Ok(Completed { failed: Some(error), .. }) if operation.can_resume() => {
                folder.keep();
                Err(with_kept(operation, &run, error, None))
            }
            Err(error) => Err(with_kept(operation, &run, error, Some(&hint))),
            completed => completed,
        }
    }

    /// Does what is left, writes the results and the record, and checks for files in the way while the checkpoint still exists.
    fn work(
        &self,
        operation: &mut dyn Operation,
        run: &Running<'_>,
    ) -> Result<Completed, RunError> {
        let (began, can_resume) = (Instant::now(), operation.can_resume());
        let (mut work, is_kept) = match operation.work(run) {
            Ok(work) => (work, true),
            Err(RunError::Engine(error @ EngineError::BlowUp { .. })) if can_resume => {
                (Work { blown_up: Some(error), ..Work::default() }, false)
            }
            Err(error) => return Err(error),
        };
        let worked = began.elapsed().as_secs_f64();
        if work.blown_up.is_none() && run.face.stop().load(Ordering::Relaxed) {
            return Err(ResultsError::Stopped.into());
        }
        let Running { results, face, .. } = run;
        if work.blown_up.is_none() {
            match run.is_whole {
                true => operation.write(results)?,
                false => operation.save(run).saved?,
            }
            run.checkpoint.close()?;
        }
        let output = work.writing + began.elapsed().as_secs_f64() - worked;
        face.timeline(results.folder, results.draws().then_some(results.size))?;
        let name = operation.record_name();
        let is_sum = |file: &str| Path::new(file).starts_with(SUMS);
        let mut files = results.folder.files();
        files.retain(|file| file != name && !(run.is_whole && is_sum(file)));
        let failed = work.blown_up.take();
        let timings = match &failed {
            None => Ok(Elapsed { plan: self.planned, engine: work.timings, output }),
            Some(error) => Err(EndedEarly::new(error, operation.plan(), is_kept)),
        };
        let failed = failed.map(|error| {
            let kept = operation.kept_of_blow_up(&error, &files, &results.folder.path());
            let error = RunError::from(error);
            if can_resume { error } else { error.with_note(kept) }
        });
        let summary = operation.summary(run, &work, worked);
        let record = operation.record(Made {
            engine: self.engine.clone(),
            shares: run.engines[0].shares(),
            retried: retried(run.engines),
            units: results.units(),
            files,
            work,
            timings,
        });
        let record = record.map_err(ResultsError::failed)?;
        results.folder.write(name, record.as_bytes())?;
        if failed.is_none() || !can_resume {
            results.folder.check()?;
        }
        Ok(Completed { record, summary, failed })
    }
}

/// The error of a run, with what is kept of it and a hint how to resume. Without a hint the field blew up, and would again: the
/// run has a record.
fn with_kept(
    operation: &mut dyn Operation,
    run: &Running<'_>,
    error: RunError,
    hint: Option<&str>,
) -> RunError {
    let SavedWork { pieces, saved } = operation.save(run);
    let staged = run.results.folder.staged().path();
    if pieces == 0 && hint.is_some() || !staged.is_dir() {
        return error;
    }
    // The error itself says why the rest could not be saved, as both have the same cause.
    let room = if saved.is_err() { "make room, and " } else { "" };
    let hint = hint.map_or_else(String::new, |hint| format!("; {room}{hint}"));
    let (all, piece) = (run.share.len(), operation.piece());
    error.with_note(format!(
        "{pieces} of {all} {piece}s are done and kept in {}{hint}",
        staged.display()
    ))
}

/// What was done again on the engines because a device failed.
pub(crate) fn retried(engines: &[&dyn Engine]) -> Vec<Retried> {
    engines.iter().filter_map(|engine| engine.retrying()).flat_map(Retrying::retried).collect()
}

/// Shows the progress of results on a face.
pub(super) fn shown_by(face: &dyn Face) -> impl Fn(&str, usize) -> Box<dyn Shown> + Sync {
    move |what, all| match all {
        0 => face.show(Activity::Doing(what)),
        _ => face.show(Activity::Counting(what, all)),
    }
}

/// Where the results of an operation go.
pub(super) fn results<'r>(
    file: &'r JobFile,
    folder: &'r OutputFolder,
    size: FigureSize,
    face: &dyn Face,
    show: &'r Show<'r>,
) -> Results<'r> {
    let command = face.command();
    Results { folder, file, size, command, show, units: Default::default() }
}
