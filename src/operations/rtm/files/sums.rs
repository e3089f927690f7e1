//! The sums of a migration in progress, in its folder: to resume it, and to merge tasks' shares.

use super::finite;
use crate::{
    engine::Description,
    io::{
        dir::Dir,
        folder::{FolderError, JOURNAL, OutputFolder, RUN, SUMS},
        journal::{self, Done, Piece},
        npy,
    },
    operations::rtm::{Partial, Stack, Units},
    results::ResultsError,
    run::survey::{Identity, SurveyError, TaskOutputs, compare_engines},
};
use ndarray::Array3;
use serde_json::Value;
use std::{
    ops::Range,
    path::Path,
    time::{Duration, Instant},
};

/// Minimum interval of writing the sums, and its maximum share of the time, one part in `PART`.
const LEAST: Duration = Duration::from_secs(1);
const PART: u32 = 20;

/// The stack of the shots that a run migrates, and the files of its sums. Shots are counted from 0.
pub struct Sums<'a> {
    folder: &'a OutputFolder,
    heading: Value,
    /// All shots of the run: those of the survey, or of a task.
    pub all: Range<usize>,
    /// Those that are migrated.
    pub stack: Stack,
    written: Vec<Done>,
    at: Instant,
    took: Duration,
}

impl<'a> Sums<'a> {
    /// Of the shots `all` of a survey; with `resume`, from the sums that an earlier run has written,
    /// whose arrays have these shapes ([`Partial::shapes`]).
    ///
    /// # Errors
    ///
    /// An earlier run of another survey, or a folder that cannot be written to.
    pub fn begin(
        survey: &Identity,
        (all, resume): (Range<usize>, bool),
        folder: &'a OutputFolder,
        engine: &Description,
        shapes: &[[usize; 3]],
    ) -> Result<Self, SurveyError> {
        let heading = survey.heading(engine, &[]);
        let (mut stack, mut written) = (Stack::default(), Vec::new());
        if let Some(before) = resume.then(|| survey.begun(folder)).transpose()?.flatten() {
            compare_engines("shots", &before.heading["engine"], engine);
            for done in earlier_sums(folder) {
                match read(folder.staged(), &done, shapes).filter(|sum| fits(sum, &all, &stack)) {
                    Some(partial) => {
                        stack.add(partial);
                        written.push(done);
                    }
                    None => tracing::warn!(
                        "the sum of {} shot{} from shot {} on is damaged; they are migrated again",
                        done.count,
                        if done.count == 1 { "" } else { "s" },
                        done.shot
                    ),
                }
            }
        }
        folder.replace(JOURNAL, &journal::text(&heading, []))?;
        let (at, took) = (Instant::now(), Duration::ZERO);
        let sums = Sums { folder, heading, all, stack, written, at, took };
        sums.list(&sums.written)?;
        Ok(sums)
    }

    /// Writes the list of the sums.
    fn list(&self, written: &[Done]) -> Result<(), FolderError> {
        let name = format!("{SUMS}/{}", JOURNAL);
        self.folder.replace(&name, &journal::text(&self.heading, written))
    }

    /// Shots not migrated yet, ascending.
    pub fn left(&self) -> Vec<usize> {
        self.all.clone().filter(|shot| !self.stack.holds(*shot)).collect()
    }

    /// Adds a shot, or the sum of several, and writes the sums if enough time has passed.
    ///
    /// # Errors
    ///
    /// Values that overflow f32, or a folder that cannot be written to.
    pub fn add(&mut self, partial: Partial) -> Result<(), ResultsError> {
        let Range { start, end } = partial.shots;
        let name = match end - start {
            1 => format!("the image of shot {end}"),
            _ => format!("the image of shots {} to {end}", start + 1),
        };
        partial.arrays.first().map_or(Ok(()), |image| finite(&name, image))?;
        self.stack.add(partial);
        match self.at.elapsed() >= LEAST.max(PART * self.took) {
            true => Ok(self.write()?),
            false => Ok(()),
        }
    }

    /// Writes the unsaved sums, then removes those merged into others.
    pub fn write(&mut self) -> Result<(), FolderError> {
        let begun = Instant::now();
        let mut written = Vec::new();
        for partial in self.stack.partials() {
            let (shot, count) = (partial.shots.start + 1, partial.shots.len());
            let is_it = |done: &&Done| (done.shot, done.count) == (shot, count);
            written.push(match self.written.iter().find(is_it) {
                Some(done) => done.clone(),
                None => {
                    let file = name(shot, count);
                    let bytes = bytes(partial);
                    // On the disk before those merged into it are removed.
                    self.folder.replace(&file, &bytes)?;
                    Done { shot, count, pieces: vec![Piece::new(shot, file, 0, &bytes)] }
                }
            });
        }
        self.list(&written)?;
        if !written.is_empty() {
            self.folder.keep();
        }
        self.written = written;
        let is_kept = |file: &str| {
            let mut pieces = self.written.iter().flat_map(|done| &done.pieces);
            file == JOURNAL || pieces.any(|piece| piece.file == format!("{SUMS}/{file}"))
        };
        let sums = self.folder.staged().below(SUMS);
        for (file, _) in sums.names().unwrap_or_default() {
            if !is_kept(&file) {
                // A remaining file does no harm.
                let _ = sums.remove_file(file);
            }
        }
        (self.at, self.took) = (Instant::now(), begun.elapsed());
        Ok(())
    }

    /// The files that the record of a finished run lists; others are removed. Those of the sums stay
    /// in a task, and have become an image in a run of all shots.
    pub fn listed(&self, is_task: bool) -> Vec<String> {
        let mut files = self.folder.files();
        files.retain(|file| file != RUN && (is_task || !Path::new(file).starts_with(SUMS)));
        files
    }

    /// Writes the unsaved sums of a run that has failed: the number of shots in the sums that are
    /// kept, and the error if some are not.
    pub fn keep(&mut self) -> (usize, Result<(), FolderError>) {
        let unsaved = self.write();
        (self.written.iter().map(|done| done.count).sum(), unsaved)
    }
}

impl TaskOutputs {
    /// The stack of the sums of a migration's tasks, whose arrays have these shapes
    /// ([`Partial::shapes`]).
    ///
    /// # Errors
    ///
    /// A sum that is damaged.
    pub fn stacked(&self, shapes: &[[usize; 3]]) -> Result<Stack, SurveyError> {
        let mut stack = Stack::default();
        for task in &self.tasks {
            for done in &task.done {
                let sum = read(&task.folder, done, shapes);
                // Their shots are known to be those of the survey.
                let sum = sum.filter(|sum| fits(sum, &(0..usize::MAX), &stack));
                stack.add(sum.ok_or_else(|| task.damaged(done.shot))?);
            }
        }
        Ok(stack)
    }
}

/// The sums that an earlier run lists.
fn earlier_sums(folder: &OutputFolder) -> Vec<Done> {
    let Ok(listed) = journal::read(&folder.staged().below(SUMS)) else { return Vec::new() };
    for line in &listed.damaged {
        tracing::warn!("line {line} of {SUMS}/{JOURNAL} is damaged; its shots are migrated again");
    }
    listed.done
}

/// A sum as a .npy of its arrays, one after the other, and of the exponents of its units.
fn bytes(Partial { arrays, units, .. }: &Partial) -> Vec<u8> {
    let exponents = units.exponents();
    let count = arrays.iter().map(Array3::len).sum::<usize>() + exponents.len();
    let mut bytes = npy::header(&[count]).expect("a length makes a header");
    bytes.reserve_exact(size_of::<f32>() * count);
    for array in arrays {
        match array.as_slice() {
            Some(values) => bytes.extend(npy::values(values)),
            None => bytes.extend(array.iter().flat_map(|value| value.to_ne_bytes())),
        }
    }
    bytes.extend(npy::values(&exponents));
    bytes
}

/// The name of the sum of `count` shots, from a first shot counted from 1.
fn name(shot: usize, count: usize) -> String {
    format!("{SUMS}/{shot:04}-{:04}.npy", shot.saturating_add(count) - 1)
}

/// True if a sum is of these shots and can be added to the stack.
fn fits(Partial { shots, .. }: &Partial, all: &Range<usize>, stack: &Stack) -> bool {
    let count = shots.len();
    let is_node = count.is_power_of_two() && shots.start.is_multiple_of(count);
    is_node
        && shots.end <= all.end
        && shots.start >= all.start
        && !shots.clone().any(|shot| stack.holds(shot))
}

/// Reads a sum if it is complete; its arrays have these shapes, and the exponents of its units come after them.
fn read(folder: &Dir, done: &Done, shapes: &[[usize; 3]]) -> Option<Partial> {
    let [piece] = &done.pieces[..] else { return None };
    if done.count == 0 || piece.file != name(done.shot, done.count) {
        return None;
    }
    let values: Vec<f32> =
        npy::parse(&piece.file, &piece.read(done.shot, folder)?).ok()?.into_iter().collect();
    let mut left = values.as_slice();
    let arrays = shapes.iter().map(|shape| {
        let (values, after) = left.split_at_checked(shape.iter().product())?;
        left = after;
        Array3::from_shape_vec(*shape, values.to_vec()).ok()
    });
    let arrays = arrays.collect::<Option<_>>()?;
    let units = Units::of_exponents(left.try_into().ok()?)?;
    let first = done.shot.checked_sub(1)?;
    Some(Partial { shots: first..first.checked_add(done.count)?, units, arrays })
}
