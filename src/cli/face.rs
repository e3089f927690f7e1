//! The terminal as the face of a run.

use super::{
    engines::EngineChoice,
    flags::{
        device::{Opening, Splitting},
        run::RunArguments,
    },
    ranks::{self, Ranks},
    terminal::{
        progress::{Ends, Progress, tell},
        shell::command,
        timeline,
    },
};
use crate::{
    engine::{
        Engine, Split,
        tune::{self, Joining},
    },
    io::folder::{Earlier, FolderError, OutputFolder},
    job::Figures,
    render::{FigureSize, LeastSize},
    results::Shown,
    run::{Activity, Face, Identity, Need, Order, RunError, other_than_tasks},
};
use std::{
    fmt::Display,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
};

/// How a GPU steps a field, if not as usual.
#[derive(Default)]
pub(crate) struct KernelChoice {
    pub(crate) kernel: Option<String>,
    pub(crate) slabs: Option<usize>,
}

/// The terminal as the face of a run.
pub(crate) struct Terminal<'t> {
    pub(crate) arguments: &'t RunArguments,
    pub(crate) splitting: Splitting,
    pub(crate) figures: Figures,
    pub(crate) choice: KernelChoice,
    pub(crate) ends: Ends,
    pub(crate) opening: Mutex<Option<Opening>>,
}

impl Terminal<'_> {
    /// The ranks that share a single shot.
    fn ranks_of_a_shot(&self, need: Need<'_>) -> Option<&'static Ranks> {
        ranks::all().filter(|_| need.plan.shots.len() == 1 && !need.sends_back)
    }
}

impl Face for Terminal<'_> {
    fn tell(&self, line: &dyn Display) {
        tell(line);
    }

    fn show(&self, work: Activity<'_>) -> Box<dyn Shown> {
        // Ctrl-C ends what nobody asks to stop.
        let stop = if let Activity::Doing(_) = work { Arc::default() } else { self.stop() };
        Box::new(Progress::of(work, stop))
    }

    fn stop(&self) -> Arc<AtomicBool> {
        self.ends.listening()
    }

    fn follow_rank(&self, need: Need<'_>) -> Result<bool, RunError> {
        let Some(ranks) = self.ranks_of_a_shot(need).filter(|ranks| !ranks.is_first()) else {
            return Ok(false);
        };
        ranks.follow(&self.engines(need)?, need.plan)?;
        Ok(true)
    }

    fn engines(&self, need: Need<'_>) -> Result<Vec<Box<dyn Engine>>, RunError> {
        let (device, splitting) = (&self.arguments.device, self.splitting);
        let Need { plan, pieces, sends_back } = need;
        let opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner).take();
        let engines = opening.map_or_else(|| device.open(), Opening::end)?;
        // One shot is cut into slabs, over ranks too.
        let one = !sends_back && engines.len() > 1 && pieces == 1;
        let splits = one || splitting.splits(&engines, plan);
        let ranks = self.ranks_of_a_shot(need);
        let split = device.ghosts(splits || ranks.is_some())?;
        let part = if splits { &Split::part(&plan.batch(0..1), engines.len()) } else { plan };
        let cut = |engine: Box<dyn Engine>| match self.choice.slabs {
            Some(slabs) => tune::with_slabs(engine.as_ref(), slabs, part),
            None => Ok(engine),
        };
        let engines = engines.into_iter().map(cut).collect::<Result<Vec<_>, _>>()?;
        let kernel = self.choice.kernel.as_deref();
        let choice = EngineChoice { kernel, fallback: device.fallback() };
        match ranks {
            Some(ranks) => choice.over_ranks(ranks, engines, plan, split.unwrap_or(1)),
            None => choice.joined(engines, Joining { plan, split, sends_back }),
        }
    }

    fn is_usual(&self) -> bool {
        let KernelChoice { kernel, slabs } = &self.choice;
        kernel.is_none() && slabs.is_none() && !self.arguments.device.one.checked
    }

    fn size(&self, least: LeastSize) -> Result<FigureSize, RunError> {
        self.arguments.output.figure.over(&self.figures, least)
    }

    fn command(&self) -> String {
        command()
    }

    fn join_ranks(
        &self,
        identity: &Identity,
        order: &mut Order,
        existing: Earlier,
        shares: bool,
    ) -> Result<(), RunError> {
        let Some(ranks) = ranks::all() else { return Ok(()) };
        ranks.check(identity.value(), &order.out)?;
        if !shares {
            return Ok(());
        }
        let stays = existing == Earlier::Stays;
        if stays && ranks.is_first() && other_than_tasks(&order.out).is_some() {
            let path = order.out.display().to_string();
            return Err(FolderError::NotEmpty { path }.into());
        }
        order.task = Some(ranks.task(&order.out));
        Ok(())
    }

    fn resume_hint(&self, order: &Order) -> String {
        let hint = match order.task {
            Some(_) if ranks::all().is_some() => "start the same number of ranks again to resume",
            Some(_) => "run the task again to resume",
            None => "resume it with --resume",
        };
        hint.into()
    }

    fn timeline(&self, folder: &OutputFolder, size: Option<FigureSize>) -> Result<(), RunError> {
        timeline::write(folder, size)
    }
}
