//! The movie of a job.

use super::{JobError, JobFile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most frames: 80 seconds and more.
const MOST_FRAMES: f64 = 2000.0;
/// Frame rates that viewers play at full speed, frames/s.
const RATES: std::ops::RangeInclusive<u16> = 1..=50;

/// An animation of the wavefield.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Movie {
    /// s from one frame to the next; by default the frames are the snapshots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) every: Option<f64>,
    #[serde(default)]
    pub(crate) format: MovieFormat,
    /// Frames a second.
    #[serde(default = "rate")]
    pub(crate) rate: u16,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MovieFormat {
    #[default]
    Apng,
    Gif,
    Both,
}

fn rate() -> u16 {
    12
}

/// Intervals between the frames of a movie that a flag requests.
const INTERVALS: f64 = 40.0;

impl JobFile {
    /// Requests a movie, unless the job has the key. The built-in job has one only if it is `wanted`
    /// or set by a flag.
    pub(crate) fn with_movie(&mut self, wanted: bool) {
        let is_set = |key: &String| key == "output" || key.starts_with("output.movie");
        let JobFile { job, flags, built_in, .. } = self;
        if !wanted && *built_in && !flags.keys().any(is_set) {
            job.output.movie = None;
        }
        if wanted {
            // An invalid duration is reported where the time axis is made.
            let duration = job.time.duration.filter(|of| of.is_finite() && *of > 0.0);
            let every = duration.map(|duration| duration / INTERVALS);
            let format = MovieFormat::default();
            job.output.movie.get_or_insert(Movie { every, format, rate: rate() });
        }
    }

    /// Returns an error for frames that follow each other too fast.
    pub(crate) fn check_rate(&self, rate: u16, key: &str) -> Result<(), JobError> {
        if RATES.contains(&rate) {
            return Ok(());
        }
        let (least, most) = RATES.into_inner();
        let message = format!(
            "a movie of {rate} frames a second is not shown as it is meant; give a rate from \
             {least} to {most}"
        );
        Err(self.mistake(key, message))
    }

    /// The times of the frames of a run of `duration` s; empty without a movie.
    pub(crate) fn frames(&self, duration: f64) -> Result<Vec<f64>, JobError> {
        let output = &self.job.output;
        let Some(movie) = output.movie else { return Ok(Vec::new()) };
        self.check_rate(movie.rate, "output.movie.rate")?;
        let Some(every) = movie.every else { return Ok(output.snapshots.clone()) };
        let refused = |message: String| Err(self.mistake("output.movie.every", message));
        if !(every.is_finite() && every > 0.0) {
            return refused(format!(
                "the time between frames is {every} s and must be above 0; give seconds, such as \
                 0.05"
            ));
        }
        // An invalid duration is reported where the time axis is made.
        let last = (duration / every * (1.0 + 1e-9)).floor().max(0.0);
        if last >= MOST_FRAMES {
            // Two digits, and not rounded to too little.
            let least = duration / (0.95 * MOST_FRAMES);
            let least: f64 = format!("{least:.1e}").parse().unwrap_or(least);
            return refused(format!(
                "a frame every {every} s makes {} frames of {duration} s, and a movie has at \
                 most {MOST_FRAMES}; give every = {least} or more",
                last + 1.0
            ));
        }
        Ok((0..=last as usize).map(|k| (k as f64 * every).min(duration)).collect())
    }

    /// Returns an error for a movie of `duration` s that does not move. Two times may be the same
    /// step.
    pub(crate) fn check_frames(&self, steps: &[usize], duration: f64) -> Result<(), JobError> {
        let (output, frames) = (&self.job.output, steps.len());
        match output.movie {
            Some(Movie { every: Some(every), .. }) if frames < 2 => {
                let message = format!(
                    "a movie takes two frames or more, and one every {every} s of {duration} s \
                     is {frames}; give a shorter time"
                );
                Err(self.mistake("output.movie.every", message))
            }
            Some(_) if frames < 2 => {
                let message = format!(
                    "a movie takes two frames or more, and the job has {frames} as snapshots; \
                     give every = 0.05, seconds between frames, or more snapshots"
                );
                Err(self.mistake("output.movie", message))
            }
            _ => Ok(()),
        }
    }
}
