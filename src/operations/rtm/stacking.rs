//! The stack of the images of shots, its checkpoint, and the share of a task.

use super::{Partial, ShotMisfit, Stack, Stacked, Units, files::finite};
use crate::{
    fault,
    io::{journal::Done, npy},
    plan::Offsets,
    run::{EarlierWork, Part, RunError, Running, SavedWork, SurveyError, TaskOutputs},
};
use ndarray::Array3;
use serde_json::{Value, json};
use std::{
    ops::Range,
    time::{Duration, Instant},
};

/// Minimum interval of writing the stack, and its maximum share of the time, one part in `PART`.
const LEAST: Duration = Duration::from_secs(1);
const PART: u32 = 20;

/// The stack of a run. Shots are counted from 0.
pub(crate) struct Stacking {
    /// The shots so far.
    pub(crate) stack: Stack,
    /// Those that are not done, ascending.
    pub(crate) left: Vec<usize>,
    /// Shapes of the arrays of a shot ([`Partial::shapes`]).
    shapes: Vec<[usize; 3]>,
    /// True if the traces of each shot are compared.
    has_misfits: bool,
    saved: Instant,
    took: Duration,
}

impl Stacking {
    /// An empty stack of arrays of these shapes.
    pub(crate) fn new(shapes: Vec<[usize; 3]>) -> Self {
        let (saved, took) = (Instant::now(), Duration::ZERO);
        let (stack, left) = (Stack::default(), Vec::new());
        Stacking { stack, left, shapes, has_misfits: false, saved, took }
    }

    /// An empty stack of residuals, which if `is_apart` keeps each shot by itself.
    pub(crate) fn of_residuals(shapes: Vec<[usize; 3]>, is_apart: bool) -> Self {
        let stack = if is_apart { Stack::apart() } else { Stack::default() };
        Stacking { stack, has_misfits: true, ..Stacking::new(shapes) }
    }

    /// Takes what an earlier run has left; returns the number of shots.
    pub(crate) fn resume(
        &mut self,
        run: &Running<'_>,
        earlier: EarlierWork,
    ) -> Result<usize, RunError> {
        let mut intact = Vec::new();
        for done in earlier.parts {
            let bytes = EarlierWork::read(run.results.folder.staged(), &done);
            match bytes.and_then(|bytes| self.read(&bytes, &done)) {
                Some(partial) if self.fits(&partial, &run.share) => {
                    self.stack.add(partial);
                    intact.push(done);
                }
                _ => tracing::warn!(
                    "the sum of {} shot{} from shot {} on is damaged; they are done again",
                    done.count,
                    if done.count == 1 { "" } else { "s" },
                    done.shot
                ),
            }
        }
        run.checkpoint.keep_parts(intact)?;
        self.left = run.share.clone().filter(|shot| !self.stack.holds(*shot)).collect();
        self.saved = Instant::now();
        Ok(self.stack.shots())
    }

    /// Takes the parts of all tasks.
    pub(crate) fn take(&mut self, tasks: &TaskOutputs) -> Result<(), SurveyError> {
        for task in &tasks.tasks {
            for part in task.parts() {
                let (done, bytes) = part?;
                let partial = self.read(&bytes, done);
                // Their shots are known to be those of the survey.
                let partial = partial.filter(|partial| self.fits(partial, &(0..usize::MAX)));
                self.stack.add(partial.ok_or_else(|| task.damaged(done.shot))?);
            }
        }
        Ok(())
    }

    /// Adds a shot, or the sum of several, and saves the stack if enough time has passed.
    ///
    /// # Errors
    ///
    /// Values that overflow f32, or a folder that cannot be written to.
    pub(crate) fn add(&mut self, run: &Running<'_>, partial: Partial) -> Result<(), RunError> {
        let Range { start, end } = partial.shots;
        let name = match end - start {
            1 => format!("the image of shot {end}"),
            _ => format!("the image of shots {} to {end}", start + 1),
        };
        partial.arrays.first().map_or(Ok(()), |image| finite(&name, image))?;
        self.stack.add(partial);
        let is_due = self.saved.elapsed() >= LEAST.max(PART * self.took);
        match is_due || fault::strikes("save", 1) {
            true => self.save(run).saved,
            false => Ok(()),
        }
    }

    /// Writes the stack.
    pub(crate) fn save(&mut self, run: &Running<'_>) -> SavedWork {
        let began = Instant::now();
        let parts = self.stack.partials().map(|partial| Part {
            shots: partial.shots.clone(),
            ending: "npy",
            bytes: Box::new(|| bytes(partial)),
            kept: match &partial.misfits[..] {
                [] => Value::Null,
                misfits => json!(misfits),
            },
        });
        let parts: Vec<_> = parts.collect();
        let saved = run.checkpoint.replace_parts(&parts);
        drop(parts);
        (self.saved, self.took) = (Instant::now(), began.elapsed());
        SavedWork { pieces: run.checkpoint.in_parts(), saved: saved.map_err(RunError::from) }
    }

    /// The sum of all, as [`Stack::sum`] gives it.
    pub(crate) fn sum(&self, scale: &Array3<f64>, offsets: &[Offsets]) -> Option<Stacked> {
        self.stack.sum(scale, offsets)
    }

    /// True if a part is of these shots and can be added.
    fn fits(&self, Partial { shots, .. }: &Partial, all: &Range<usize>) -> bool {
        let count = shots.len();
        let is_node = count.is_power_of_two() && shots.start.is_multiple_of(count);
        is_node
            && shots.end <= all.end
            && shots.start >= all.start
            && !shots.clone().any(|shot| self.stack.holds(shot))
    }

    /// A part from its file: the arrays, then the exponents of their units.
    fn read(&self, bytes: &[u8], done: &Done) -> Option<Partial> {
        let misfits: Vec<ShotMisfit> = match self.has_misfits {
            true => serde_json::from_value(done.kept.clone()).ok()?,
            false => Vec::new(),
        };
        if self.has_misfits && misfits.len() != done.count {
            return None;
        }
        let values: Vec<f32> = npy::parse("a part", bytes).ok()?.into_iter().collect();
        let mut left = values.as_slice();
        let arrays = self.shapes.iter().map(|shape| {
            let (values, after) = left.split_at_checked(shape.iter().product())?;
            left = after;
            Array3::from_shape_vec(*shape, values.to_vec()).ok()
        });
        let arrays = arrays.collect::<Option<_>>()?;
        let units = Units::of_exponents(left.try_into().ok()?)?;
        let first = done.shot.checked_sub(1)?;
        Some(Partial { shots: first..first.checked_add(done.count)?, units, arrays, misfits })
    }
}

/// A part as a .npy of its arrays, one after the other, and of the exponents of its units.
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
