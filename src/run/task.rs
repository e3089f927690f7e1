//! A task: the share of a survey that one run models.

use crate::io::dir::{Dir, FolderPath};
use std::{ops::Range, path::Path, str::FromStr};

/// Share `this` of `all`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// From 1 to `all`.
    pub(crate) this: usize,
    /// How many there are.
    pub(crate) all: usize,
}

/// Reasons why there is no such task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum TaskError {
    #[error("{all} tasks are not available; give at most {MOST}")]
    TooMany { all: usize },
    #[error("there are no tasks of 0; give how many there are, 1 or more")]
    None,
    #[error("there is no task {this} of {all}; give one of 1 to {all}")]
    NotOne { this: usize, all: usize },
    #[error(
        "task {id} of how many is not known, as this is no task of a Slurm array; give both numbers: {id}/16 is task \
         {id} of 16"
    )]
    NoArray { id: usize },
    #[error("\"{text}\" is no task; give its number and how many there are: 3/16")]
    NoTask { text: String },
}

/// Maximum number of tasks: more than there are shots in a survey.
const MOST: usize = 1_000_000;

/// Prefix of a task's folder: `task-3-of-16`.
const FOLDER: &str = "task-";

impl Task {
    /// A valid task.
    fn new(this: usize, all: usize) -> Result<Self, TaskError> {
        match (1..=all).contains(&this) {
            true if all > MOST => Err(TaskError::TooMany { all }),
            true => Ok(Task { this, all }),
            false if all == 0 => Err(TaskError::None),
            false => Err(TaskError::NotOne { this, all }),
        }
    }

    /// Task `id` of the Slurm array of this process, from Slurm's variables. For a partly
    /// resubmitted array Slurm knows that part only: use `I/N` then.
    fn of_array(id: usize, says: impl Fn(&str) -> Option<usize>) -> Result<Self, TaskError> {
        let (count, least) = (says("SLURM_ARRAY_TASK_COUNT"), says("SLURM_ARRAY_TASK_MIN"));
        let (Some(count), Some(least)) = (count, least) else {
            return Err(TaskError::NoArray { id });
        };
        let step = says("SLURM_ARRAY_TASK_STEP").filter(|step| *step > 0).unwrap_or(1);
        Task::new(id.wrapping_sub(least) / step + 1, count)
    }

    /// Its share of `shots` shots, a contiguous range.
    pub(crate) fn share(self, shots: usize) -> Range<usize> {
        let until = |task: usize| (task as u128 * shots as u128 / self.all as u128) as usize;
        until(self.this - 1)..until(self.this)
    }

    /// Its subfolder of the survey's folder.
    pub(crate) fn folder(self) -> String {
        format!("{FOLDER}{}-of-{}", self.this, self.all)
    }

    /// The path of that.
    pub(crate) fn path(self, out: &Path) -> FolderPath {
        FolderPath::within(out, self.folder())
    }

    /// The task of a folder.
    pub(crate) fn of_folder(name: &str) -> Option<Self> {
        let (this, all) = name.strip_prefix(FOLDER)?.split_once("-of-")?;
        let task = Task::new(this.parse().ok()?, all.parse().ok()?).ok();
        // No other spelling, such as 01.
        task.filter(|task| task.folder() == name)
    }
}

impl FromStr for Task {
    type Err = TaskError;

    fn from_str(text: &str) -> Result<Self, TaskError> {
        let wrong = || TaskError::NoTask { text: text.to_owned() };
        let number = |text: &str| text.trim().parse().map_err(|_| wrong());
        match text.split_once('/') {
            Some((this, all)) => Task::new(number(this)?, number(all)?),
            None => Task::of_array(number(text)?, |name| std::env::var(name).ok()?.parse().ok()),
        }
    }
}

/// The tasks that have a subfolder, in order.
pub(crate) fn tasks(out: &Path) -> Vec<Task> {
    let mut tasks: Vec<Task> = names(out).iter().filter_map(|name| Task::of_folder(name)).collect();
    tasks.sort_by_key(|task| (task.all, task.this));
    tasks
}

/// The first name in a folder that is neither a task's nor hidden.
pub(crate) fn other_than_tasks(out: &Path) -> Option<String> {
    let names = names(out).into_iter();
    names.filter(|name| !name.starts_with('.') && Task::of_folder(name).is_none()).min()
}

fn names(folder: &Path) -> Vec<String> {
    let names = Dir::open(folder).and_then(|folder| folder.names());
    names.unwrap_or_default().into_iter().map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_all_shots_once() {
        for (shots, all) in [(256, 4), (10, 3), (2, 5), (1, 1)] {
            let shares = (1..=all).flat_map(|this| Task { this, all }.share(shots));
            assert!(shares.eq(0..shots), "{shots} shots, {all} tasks");
        }
    }

    #[test]
    fn tasks_are_read_and_refused() {
        assert_eq!("3/16".parse(), Ok(Task { this: 3, all: 16 }));
        for (bad, part) in [
            ("2/18446744073709551615", "at most 1000000"),
            ("5/4", "no task 5 of 4"),
            ("0/4", "1 to 4"),
            ("x/4", "no task"),
            ("1/0", "1 or more"),
        ] {
            let said = bad.parse::<Task>().expect_err(bad).to_string();
            assert!(said.contains(part), "{bad}: {said}");
        }
        let task = Task { this: 3, all: 16 };
        assert_eq!(Task::of_folder(&task.folder()), Some(task));
        for other in ["task-17-of-16", "task-3-of-016", "task-3-of-16.bak"] {
            assert_eq!(Task::of_folder(other), None);
        }
    }

    #[test]
    fn a_task_of_a_slurm_array_knows_how_many_there_are() {
        let array = |count, least, step| {
            move |name: &str| match name {
                "SLURM_ARRAY_TASK_COUNT" => Some(count),
                "SLURM_ARRAY_TASK_MIN" => Some(least),
                "SLURM_ARRAY_TASK_STEP" => Some(step),
                _ => None,
            }
        };
        assert_eq!(Task::of_array(4, array(4, 1, 1)), Ok(Task { this: 4, all: 4 }));
        assert_eq!(Task::of_array(0, array(4, 0, 1)), Ok(Task { this: 1, all: 4 }));
        assert_eq!(Task::of_array(20, array(3, 10, 5)), Ok(Task { this: 3, all: 3 }));
        let alone = Task::of_array(2, |_| None).expect_err("of how many?").to_string();
        assert!(alone.contains("2/16"), "{alone}");
    }
}
