//! A state in a file: an .npz of the arrays of each shot, and its description as JSON.

use super::state::{About, NAMES, ORACLE, ShotState, State, Values};
use crate::io::{
    npz::{self, Array, NpzError, Text},
    whole::WholeError,
};
use ndarray::{ArrayD, ArrayView1};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Reasons why a state was not written or read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum StateFileError {
    #[error(transparent)]
    Write(#[from] WholeError),
    #[error(transparent)]
    Read(#[from] NpzError),
    #[error("{path} is not the state of a run: {reason}; write it anew")]
    Format { path: String, reason: String },
}

/// The JSON beside the arrays.
#[derive(Serialize, Deserialize)]
struct Described {
    #[serde(flatten)]
    about: About,
    /// Lengths of each shot's arrays, in the order of [`NAMES`]; empty ones are not in the file.
    shots: Vec<[usize; 3]>,
}

/// Name of the JSON file.
const ABOUT: &str = "state.json";

/// Name of an array's file.
fn name(shot: usize, what: &str) -> String {
    format!("shot{:04}-{what}", shot + 1)
}

impl State {
    /// Writes a state. An existing file is kept unless `force` is set.
    ///
    /// # Errors
    ///
    /// If the file exists, or cannot be written.
    pub fn write(&self, path: &Path, force: bool) -> Result<(), StateFileError> {
        let mut about = self.about.clone();
        if let Some(plan) = &self.plan {
            about.job = plan.digest(about.step);
        }
        let lengths = |shot: &ShotState| shot.arrays().map(Values::count);
        let described = Described { about, shots: self.shots.iter().map(lengths).collect() };
        let described = serde_json::to_string(&described).expect("text and numbers are JSON");
        let mut arrays = Vec::new();
        for (index, shot) in self.shots.iter().enumerate() {
            let named = NAMES.into_iter().zip(shot.arrays());
            for (what, values) in named.filter(|(_, values)| values.count() > 0) {
                let array = match values {
                    Values::F32(values) => Array::F32(ArrayView1::from(values).into_dyn()),
                    Values::F64(values) => Array::F64(ArrayView1::from(values).into_dyn()),
                };
                arrays.push((name(index, what), array));
            }
        }
        Ok(npz::write(path, Text { name: ABOUT, text: &described }, &arrays, force)?)
    }

    /// Reads a state. Whether a run can continue from it is checked when it is restored.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not a state.
    pub fn read(path: &Path) -> Result<Self, StateFileError> {
        let format =
            |reason: String| StateFileError::Format { path: path.display().to_string(), reason };
        let described = npz::text(path, ABOUT)?;
        let described = described.ok_or_else(|| format(format!("it holds no {ABOUT}")))?;
        let Described { about, shots } =
            serde_json::from_str(&described).map_err(|error| format(error.to_string()))?;
        let array = |shot: usize, what: &str, expected: usize| -> Result<Values, StateFileError> {
            let name = name(shot, what);
            let values = match (expected, about.engine.as_str()) {
                (0, _) => return Ok(Values::F32(Vec::new())),
                (_, ORACLE) => Values::F64(flat(npz::read(path, Some(&name))?)),
                _ => Values::F32(flat(npz::read(path, Some(&name))?)),
            };
            match values.count() == expected {
                true => Ok(values),
                false => {
                    Err(format(format!("{name} holds {} values, not {expected}", values.count())))
                }
            }
        };
        let shot = |(index, [now, second, memory]): (usize, [usize; 3])| {
            Ok(ShotState {
                now: array(index, NAMES[0], now)?,
                second: array(index, NAMES[1], second)?,
                memory: array(index, NAMES[2], memory)?,
            })
        };
        let shots = shots.into_iter().enumerate().map(shot);
        let shots = shots.collect::<Result<_, StateFileError>>()?;
        Ok(State { about, plan: None, shots })
    }
}

fn flat<T>(array: ArrayD<T>) -> Vec<T> {
    array.into_raw_vec_and_offset().0
}
