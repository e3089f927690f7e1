//! Checks of keys that operations have in common.

use crate::job::{ImageFormat, JobError, JobFile};
use std::fmt::Display;

impl JobFile {
    /// Returns the mistake at a key unless a condition holds.
    pub(crate) fn require(
        &self,
        holds: bool,
        key: &str,
        message: impl Display,
    ) -> Result<(), JobError> {
        if holds { Ok(()) } else { Err(self.mistake(key, message)) }
    }

    /// Returns the mistake at the first key whose value is not above 0.
    pub(crate) fn check_positive(&self, keys: &[(&str, Option<f64>)]) -> Result<(), JobError> {
        keys.iter().try_for_each(|(key, value)| {
            let is_positive = value.is_none_or(|value| value.is_finite() && value > 0.0);
            let value = value.unwrap_or_default();
            let message = format!("{value} is not available; give a number above 0");
            self.require(is_positive, key, message)
        })
    }

    /// Returns the mistake at a key that lists no format, or one twice.
    pub(crate) fn check_image_formats(
        &self,
        key: &str,
        formats: &[ImageFormat],
    ) -> Result<(), JobError> {
        let none = "no format is asked for; give \"npy\", \"sgy\", \"rsf\" or several";
        self.require(!formats.is_empty(), key, none)?;
        self.require(are_different(formats), key, "a format is there twice; give each once")
    }

    /// Returns the mistake at the first key whose value is below 0 s.
    pub(crate) fn check_seconds(&self, keys: &[(&str, Option<f64>)]) -> Result<(), JobError> {
        keys.iter().try_for_each(|(key, value)| {
            let is_time = value.is_none_or(|value| value.is_finite() && value >= 0.0);
            let value = value.unwrap_or_default();
            let message = format!("{value} s is not available; give seconds, 0 or more");
            self.require(is_time, key, message)
        })
    }
}

/// Whether nothing is listed twice.
pub(crate) fn are_different<T: PartialEq>(all: &[T]) -> bool {
    (1..all.len()).all(|i| !all[..i].contains(&all[i]))
}
