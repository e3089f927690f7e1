//! The engines of a run, with the progress and the warnings of their choice.

use super::{
    failure::Failure,
    ranks::Ranks,
    terminal::progress::{self, Progress},
};
use huygens::{
    engine::Engine,
    plan::Plan,
    workflow::tune::{self, Choosing, EnginesError, HearChoosing, Unlike},
};
use std::{
    ops::ControlFlow,
    sync::{Arc, atomic::AtomicBool},
};

/// [`tune::joined`].
pub fn joined(
    engines: Vec<Box<dyn Engine>>,
    named: Option<&str>,
    of: (&Plan, Option<usize>),
    stop: &Arc<AtomicBool>,
) -> Result<Vec<Box<dyn Engine>>, Failure> {
    chosen(stop, |hear| tune::joined(engines, named, of, hear))
}

/// One engine over all ranks, made of this rank's.
pub fn over_ranks(
    ranks: &'static Ranks,
    engines: Vec<Box<dyn Engine>>,
    named: Option<&str>,
    (plan, ghosts): (&Plan, Option<usize>),
    stop: &Arc<AtomicBool>,
) -> Result<Vec<Box<dyn Engine>>, Failure> {
    let of = (plan, ghosts.unwrap_or(1));
    chosen(stop, |hear| ranks.engine(engines, named, of, hear)).map(|engine| vec![engine])
}

/// Shows the progress of a choice, and warns of devices that round differently.
fn chosen<T>(
    stop: &Arc<AtomicBool>,
    choose: impl FnOnce(&mut HearChoosing<'_>) -> Result<(T, Option<Unlike>), EnginesError>,
) -> Result<T, Failure> {
    let mut progress = Progress::listening("measured kernel", stop.clone());
    let mut hear = |choosing| match choosing {
        Choosing::Kernels { done, all } => progress.hear_of(done, all),
        Choosing::Devices => {
            progress = progress::doing("measuring the devices");
            ControlFlow::Continue(())
        }
    };
    let (engines, unlike) = choose(&mut hear)?;
    warn(unlike);
    Ok(engines)
}

/// Warns of devices that round differently.
pub fn warn(unlike: Option<Unlike>) {
    unlike.iter().for_each(|unlike| tracing::warn!("{unlike}"));
}
