//! The life of a run.

use super::{
    Activity, Checkpoint, Elapsed, EndedEarly, Face, Identity, Kept, Made, Need, Operation, Order,
    Place, RunError, Running, Taken, checkpoint::share, merge::merge, words::introduce,
};
use crate::{
    engine::{Description, Engine, EngineError, Retried, Retrying},
    io::{
        dir::FolderPath,
        folder::{Earlier, FolderError, OutputFolder, SUMS},
    },
    render::FigureSize,
    results::{Results, ResultsError, Show, Shown},
};
use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    time::Instant,
};

/// How a run came to its end.
#[derive(Debug)]
pub enum Ended {
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
pub fn run<'a, O: Operation<'a>>(
    operation: &mut O,
    mut order: Order,
    face: &dyn Face,
) -> Result<Ended, RunError> {
    let (shots, read) = (operation.plan().shots.len(), operation.files());
    let identity = Identity::new(O::COMMAND, operation.file(), shots, read);
    let size = face.size(operation.least_picture())?;
    if order.merge {
        return merge(operation, &identity, (&order, size), face);
    }
    let existing = match &order.place {
        Some((_, existing)) => *existing,
        None => order.existing(O::COMMAND, operation.file())?,
    };
    face.join(&identity, (&mut order, existing), operation.can_resume())?;
    let (at, resume) = match place(&identity, &order, face)? {
        Place::Folder { folder, resume } => (folder, resume),
        done => return Ok(Ended::Already(done.reason(&order.out))),
    };
    let share = share(operation.pieces(), order.task);
    let need = Need { plan: operation.plan(), pieces: share.len(), sends_back: O::SENDS_BACK };
    // From now on a request to stop ends the run in order.
    face.stop();
    if face.follows(need)? {
        return Ok(Ended::Elsewhere);
    }
    let folder = locked(operation, &at, (existing, resume))?;
    let opened = face.engines(need)?;
    let engines: Vec<&dyn Engine> = opened.iter().map(AsRef::as_ref).collect();
    operation.demand(&engines)?.check(operation.plan())?;
    let shots = if O::PIECE == "shot" { share.len() } else { operation.plan().shots.len() };
    introduce(operation, (&engines, shots), face);
    let begun = Begun {
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
    let Through { record, summary, failed } = begun.through(operation, face)?;
    let at = folder.path();
    folder.commit()?;
    let comma = if summary.is_empty() { "" } else { "; " };
    let summary = format!("{summary}{comma}results in {}", at.display());
    Ok(match failed {
        Some(error) => Ended::BlownUp { record, error },
        None => Ended::Done { record, summary, folder: at },
    })
}

/// The folder of a run, locked, in which the files that the run reads are protected.
fn locked<'a, O: Operation<'a>>(
    operation: &O,
    at: &FolderPath,
    (existing, resume): (Earlier, bool),
) -> Result<OutputFolder, FolderError> {
    let (at, record) = (at.clone(), Some(O::RECORD));
    let mut folder = match operation.can_resume() {
        true => OutputFolder::unfinished(at, record, existing, resume),
        false => OutputFolder::new(at, record, existing),
    }?;
    let files = operation.files();
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
    Ok(identity.place(&order.out, order.task, (order.resume, order.force))?)
}

/// A run that came through, with everything in its folder.
struct Through {
    record: String,
    summary: String,
    /// The error of a field that blew up, with what is kept of it.
    failed: Option<RunError>,
}

/// A run whose folder and engines are there.
struct Begun<'b> {
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
    fn through<'a, O: Operation<'a>>(
        &self,
        operation: &mut O,
        face: &dyn Face,
    ) -> Result<Through, RunError> {
        let Begun { identity, order, folder, resume, engines, .. } = *self;
        let headers = operation.headers()?;
        let (checkpoint, taken) = match operation.can_resume() {
            true => {
                let place = (folder, resume);
                Checkpoint::begin(identity, &self.engine, &headers, place, &self.share)?
            }
            false => (Checkpoint::none(folder), Taken::default()),
        };
        let show = shown_by(face);
        let run = Running {
            engines,
            results: &results(operation, (folder, self.size), face, &show),
            at: self.at,
            checkpoint: &checkpoint,
            share: self.share.clone(),
            is_whole: order.task.is_none(),
            face,
        };
        let done = operation.resume(&run, taken)?;
        if done > 0 {
            let (all, piece) = (run.share.len(), O::PIECE);
            face.tell(&format_args!("{done} of {all} {piece}s are done"));
        }
        let again = face.again(order);
        match through(operation, &run, (&self.engine, self.planned)) {
            Ok(Through { failed: Some(error), .. }) if operation.can_resume() => {
                // Not all pieces are there.
                folder.keep();
                Err(with_kept(operation, &run, error, (None, true)))
            }
            Ok(through) => Ok(through),
            // It would blow up again.
            Err(error @ RunError::Engine(EngineError::BlowUp { .. })) => {
                Err(with_kept(operation, &run, error, (None, false)))
            }
            Err(error) => Err(with_kept(operation, &run, error, (Some(&again), false))),
        }
    }
}

/// Does what is left, writes the results and the record, and checks for files in the way while the checkpoint still exists.
fn through<'a, O: Operation<'a>>(
    operation: &mut O,
    run: &Running<'_>,
    (engine, planned): (&Description, f64),
) -> Result<Through, RunError> {
    let began = Instant::now();
    let mut work = operation.work(run)?;
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
    let mut files = results.folder.files();
    files.retain(|file| file != O::RECORD && !(run.is_whole && Path::new(file).starts_with(SUMS)));
    let failed = work.blown_up.take();
    let timings = match &failed {
        None => Ok(Elapsed { plan: planned, engine: work.timings, output }),
        Some(error) => Err(EndedEarly::new(error, operation.plan())),
    };
    let failed = failed.map(|error| {
        let kept = operation.kept_of_blow_up(&error, &files, &results.folder.path());
        let error = RunError::from(error);
        if operation.can_resume() { error } else { error.with_note(kept) }
    });
    let summary = operation.summary(run, &work, worked);
    let record = operation.record(Made {
        engine: engine.clone(),
        shares: run.engines[0].shares(),
        retried: retried(run.engines),
        units: results.units(),
        files,
        work,
        timings,
    });
    let record = record.map_err(ResultsError::failed)?;
    results.folder.write(O::RECORD, record.as_bytes())?;
    if failed.is_none() || !operation.can_resume() {
        results.folder.check()?;
    }
    Ok(Through { record, summary, failed })
}

/// The error of a run, with what is kept of it and how to go on `again`. A run that has a record keeps that.
fn with_kept<'a, O: Operation<'a>>(
    operation: &mut O,
    run: &Running<'_>,
    error: RunError,
    (again, has_record): (Option<&str>, bool),
) -> RunError {
    let Kept { pieces, saved } = operation.save(run);
    let staged = run.results.folder.staged().path();
    if pieces == 0 && !has_record || !staged.is_dir() {
        return error;
    }
    // The error itself says why the rest could not be saved, as both have the same cause.
    let room = if saved.is_err() { "make room, and " } else { "" };
    let again = again.map_or_else(String::new, |again| format!("; {room}{again}"));
    let (all, piece) = (run.share.len(), O::PIECE);
    error.with_note(format!(
        "{pieces} of {all} {piece}s are done and kept in {}{again}",
        staged.display()
    ))
}

/// What was done again on the engines because a device failed.
pub fn retried(engines: &[&dyn Engine]) -> Vec<Retried> {
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
pub(super) fn results<'r, 'a: 'r, O: Operation<'a>>(
    operation: &O,
    (folder, size): (&'r OutputFolder, FigureSize),
    face: &dyn Face,
    show: &'r Show<'r>,
) -> Results<'r> {
    let (file, command) = (operation.file(), face.command());
    Results { folder, file, size, command, show, units: Default::default() }
}
