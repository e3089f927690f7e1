//! A shot on each device, compared with the oracle.

use super::advice;
use crate::engine::{Engine, EngineError, TrialShot};
use serde::Serialize;
use std::time::Instant;

/// A shot of a second, compared with the oracle.
#[derive(Serialize)]
#[serde(tag = "result", rename_all = "kebab-case")]
pub(super) enum ShotReport {
    /// This is the oracle.
    Oracle { seconds: f64 },
    /// The traces are the oracle's, up to rounding. `difference` is relative.
    Agrees { seconds: f64, difference: f64 },
    /// The device does not open, fails, or computes wrong waves.
    Failed {
        error: String,
        /// It is in the advice of the report too.
        #[serde(skip)]
        remedy: &'static str,
    },
    /// The device cannot run the engine.
    NotRun { why: String },
}

/// Opens a device and runs the shot there.
pub(super) fn shot_on(
    trial: &TrialShot,
    open: impl FnOnce() -> Result<Box<dyn Engine>, EngineError>,
) -> ShotReport {
    let began = Instant::now();
    let difference = open().and_then(|engine| trial.run(engine.as_ref()));
    let seconds = began.elapsed().as_secs_f64();
    match difference {
        Ok(difference) => ShotReport::Agrees { seconds, difference },
        Err(error) => {
            ShotReport::Failed { error: error.to_string(), remedy: advice::remedy(&error) }
        }
    }
}
