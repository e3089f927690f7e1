//! The engines of a run.

use super::ranks::Ranks;
use crate::{
    engine::{
        Engine, Fallback, Retrying,
        tune::{self, Joining},
    },
    plan::Plan,
    run::RunError,
};
use std::sync::Arc;

/// How the engines of a run are chosen.
pub(crate) struct EngineChoice<'a> {
    /// The name of the kernel, if one is asked for.
    pub(crate) kernel: Option<&'a str>,
    /// What takes the place of an engine whose device fails.
    pub(crate) fallback: Arc<Fallback>,
}

impl EngineChoice<'_> {
    /// [`tune::joined`], each of which may be replaced.
    pub(crate) fn joined(
        self,
        engines: Vec<Box<dyn Engine>>,
        of: Joining<'_>,
    ) -> Result<Vec<Box<dyn Engine>>, RunError> {
        let engines = tune::joined(engines, self.kernel, of)?.into_iter();
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
        Ok(vec![ranks.engine(engines, self.kernel, plan, ghosts, self.fallback)?])
    }
}
