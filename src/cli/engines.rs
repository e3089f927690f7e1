//! The engines of a run, with the progress and the warnings of their choice.

use super::{ranks::Ranks, terminal::progress::Progress};
use crate::{
    engine::{
        Engine, Fallback, Retrying,
        tune::{self, EnginesError, Joining},
    },
    plan::Plan,
    run::RunError,
};
use std::sync::{Arc, atomic::AtomicBool};

/// How the engines of a run are chosen.
pub(crate) struct EngineChoice<'a> {
    /// The name of the kernel, if one is asked for.
    pub(crate) kernel: Option<&'a str>,
    /// What takes the place of an engine whose device fails.
    pub(crate) fallback: Arc<Fallback>,
    pub(crate) stop: Arc<AtomicBool>,
}

impl EngineChoice<'_> {
    /// [`tune::joined`], each of which may be replaced.
    pub(crate) fn joined(
        self,
        engines: Vec<Box<dyn Engine>>,
        of: Joining<'_>,
    ) -> Result<Vec<Box<dyn Engine>>, RunError> {
        let engines = self.shown(|hear| tune::joined(engines, self.kernel, of, hear))?.into_iter();
        let retrying =
            |engine| Box::new(Retrying::new(engine, self.fallback.clone())) as Box<dyn Engine>;
        Ok(engines.map(retrying).collect())
    }

    /// One engine over all ranks, made of this rank's, which exchange planes every `ghosts` steps.
    pub(crate) fn over_ranks(
        self,
        ranks: &'static Ranks,
        engines: Vec<Box<dyn Engine>>,
        plan: &Plan,
        ghosts: usize,
    ) -> Result<Vec<Box<dyn Engine>>, RunError> {
        let (kernel, fallback) = (self.kernel, self.fallback.clone());
        let engine = |hear: &mut tune::Progress<'_>| {
            ranks.engine(engines, kernel, (plan, ghosts), fallback, hear)
        };
        Ok(vec![self.shown(engine)?])
    }

    /// Shows the progress of a choice.
    fn shown<T>(
        &self,
        choose: impl FnOnce(&mut tune::Progress<'_>) -> Result<T, EnginesError>,
    ) -> Result<T, RunError> {
        let progress = Progress::listening("measured batch size", self.stop.clone());
        Ok(choose(&mut |done, all| progress.hear_of(done, all))?)
    }
}
