//! The engines of a run, with the progress and the warnings of their choice.

use super::{ranks::Ranks, terminal::progress::Progress};
use huygens::{
    engine::{
        Engine, Fallback, Retrying,
        tune::{self, EnginesError, Joining},
    },
    plan::Plan,
    run::RunError,
};
use std::sync::{Arc, atomic::AtomicBool};

/// [`tune::joined`], each with what takes its place if its device fails.
pub fn joined(
    engines: Vec<Box<dyn Engine>>,
    named: Option<&str>,
    of: Joining<'_>,
    (fallback, stop): (Arc<Fallback>, &Arc<AtomicBool>),
) -> Result<Vec<Box<dyn Engine>>, RunError> {
    let engines = chosen(stop, |hear| tune::joined(engines, named, of, hear))?.into_iter();
    let retrying = |engine| Box::new(Retrying::new(engine, fallback.clone())) as Box<dyn Engine>;
    Ok(engines.map(retrying).collect())
}

/// One engine over all ranks, made of this rank's, with what takes its place if a device fails.
pub fn over_ranks(
    ranks: &'static Ranks,
    engines: Vec<Box<dyn Engine>>,
    named: Option<&str>,
    (plan, ghosts): (&Plan, Option<usize>),
    (fallback, stop): (Arc<Fallback>, &Arc<AtomicBool>),
) -> Result<Vec<Box<dyn Engine>>, RunError> {
    let of = (plan, ghosts.unwrap_or(1));
    let engine = chosen(stop, |hear| ranks.engine(engines, named, of, fallback, hear));
    engine.map(|engine| vec![engine])
}

/// Shows the progress of a choice.
fn chosen<T>(
    stop: &Arc<AtomicBool>,
    choose: impl FnOnce(&mut tune::Progress<'_>) -> Result<T, EnginesError>,
) -> Result<T, RunError> {
    let progress = Progress::listening("measured batch size", stop.clone());
    Ok(choose(&mut |done, all| progress.hear_of(done, all))?)
}
