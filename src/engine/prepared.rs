//! Batches of a survey, one after another.

use super::{Engine, EngineError, Observer, Run, Timings};
use crate::plan::Plan;
use std::sync::Arc;
use web_time::Instant;

/// An engine that runs batches in turn, and keeps pipelines, the model and fields between them.
pub struct Prepared<'e> {
    engine: &'e dyn Engine,
    run: Option<Box<dyn Run>>,
}

impl<'e> Prepared<'e> {
    /// Allocates nothing before the first batch.
    pub fn new(engine: &'e dyn Engine) -> Self {
        Prepared { engine, run: None }
    }

    /// Runs a batch from beginning to end.
    pub fn run(
        &mut self,
        plan: &Arc<Plan>,
        observer: &mut dyn Observer,
    ) -> Result<Timings, EngineError> {
        let started = Instant::now();
        let setting_up = tracing::info_span!(target: "timeline", "setting up").entered();
        let mut before = self.run.take();
        let goes_on = match &mut before {
            Some(run) => run.restart(plan)?,
            None => false,
        };
        // A run that cannot continue is freed before another is allocated.
        let mut run = match before.filter(|_| goes_on) {
            Some(run) => run,
            None => self.engine.start(plan.clone())?,
        };
        drop(setting_up);
        let setup = started.elapsed().as_secs_f64();
        tracing::debug!(seconds = setup, shots = plan.shots.len(), "batch made ready");
        let _computing = tracing::info_span!(target: "timeline", "computing").entered();
        run.advance(plan.time.steps, observer)?;
        let timings = run.finish(observer)?;
        self.run = Some(run);
        Ok(Timings { setup, ..timings })
    }
}
