//! The flags of a run of a job, and what the command line supplies to it.

use super::{
    device::{Devices, Opening, Splitting},
    force::ForceArguments,
    job::JobArguments,
    output::OutputArguments,
    share::ShareArguments,
};
use crate::cli::{
    engines::EngineChoice,
    failure::Failure,
    ranks::{self, Ranks},
    session::planning,
    terminal::{
        progress::{Ends, Progress, end_on_ctrl_c, tell},
        say::print,
        shell::command,
        timeline,
    },
};
use huygens::{
    engine::{
        Engine, Split,
        tune::{self, Joining},
    },
    io::folder::{Earlier, FolderError, OutputFolder},
    job::{Figures, JobError, JobFile},
    render::FigureSize,
    results::Shown,
    run::{
        self, Activity, Ended, Face, Identity, Need, Operation, Order, RunError, other_than_tasks,
    },
};
use std::{
    fmt::Display,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
    time::Instant,
};

/// The flags of a run whose shots several devices can share.
#[derive(clap::Args)]
pub struct RunArguments {
    #[command(flatten)]
    job: JobArguments,
    #[command(flatten)]
    device: Devices,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    pub force: ForceArguments,
}

impl RunArguments {
    /// Opens the job with the overrides of the command line.
    pub fn open(&self) -> Result<JobFile, Failure> {
        let mut file = self.job.open()?;
        self.apply_to(&mut file);
        Ok(file)
    }

    /// [`RunArguments::open`], with the further models to try.
    pub fn open_many(&self) -> Result<(JobFile, Vec<String>), Failure> {
        let (mut file, others) = self.job.open_many()?;
        self.apply_to(&mut file);
        Ok((file, others))
    }

    fn apply_to(&self, file: &mut JobFile) {
        self.output.apply_to(file);
        file.forced = self.force.given;
        file.fields_on_host = Some(self.device.fields_on_host());
    }

    /// Prepares an operation, and takes it through the life of a run.
    pub fn run<'a, O: Operation>(
        &self,
        file: &'a JobFile,
        share: &ShareArguments,
        prepare: impl FnOnce(&'a JobFile) -> Result<O, JobError>,
    ) -> Result<(), Failure> {
        self.run_with(file, share, KernelChoice::default(), prepare)
    }

    /// [`RunArguments::run`], with a kernel and slabs.
    pub fn run_with<'a, O: Operation>(
        &self,
        file: &'a JobFile,
        share: &ShareArguments,
        choice: KernelChoice,
        prepare: impl FnOnce(&'a JobFile) -> Result<O, JobError>,
    ) -> Result<(), Failure> {
        let began = Instant::now();
        let terminal = self.terminal(file, share, choice);
        let reading = planning();
        let mut operation = prepare(file)?;
        drop(reading);
        if !operation.can_resume() {
            share.check_unused()?;
        }
        let order = Order {
            out: self.output.path("out"),
            place: None,
            is_default: self.output.is_default(),
            // The ranks of a merge have done the tasks themselves.
            force: self.force.given || share.merge && ranks::all().is_some(),
            resume: share.resume,
            task: share.task,
            merge: share.merge,
            began,
        };
        self.carry_out(&mut operation, file, order, &terminal)
    }

    /// The terminal for runs of a job, one after the other; the engines of the first open meanwhile.
    pub fn terminal(
        &self,
        file: &JobFile,
        share: &ShareArguments,
        choice: KernelChoice,
    ) -> Terminal<'_> {
        let ends = end_on_ctrl_c();
        // A driver takes as long to open as a small job to plan.
        let opening = if share.merge { None } else { self.device.begin_to_open() };
        Terminal {
            arguments: self,
            splitting: share.splitting,
            figures: file.job.output.figures,
            choice,
            ends,
            opening: Mutex::new(opening),
        }
    }

    /// Takes an operation through the life of a run, and tells its end.
    pub fn carry_out(
        &self,
        operation: &mut dyn Operation,
        file: &JobFile,
        order: Order,
        terminal: &Terminal<'_>,
    ) -> Result<(), Failure> {
        let is_merged = order.merge;
        let said = match run::run(operation, file, order, terminal)? {
            Ended::Elsewhere => return Ok(()),
            Ended::Already(reason) => reason,
            Ended::BlownUp { record, error } => {
                if self.output.json {
                    print(record)?;
                }
                return Err(error.into());
            }
            Ended::Done { record, summary, folder } => {
                // The record of a rank's share is followed by that of the merge.
                let speaks = |ranks: &Ranks| ranks.is_first() && (is_merged || !ranks.have_tasks());
                if self.output.json && ranks::all().is_none_or(speaks) {
                    let whole = || format!("the results are whole, in {}", folder.display());
                    print(record).map_err(|failure| failure.with_note(whole()))?;
                }
                summary
            }
        };
        tell(said);
        Ok(())
    }
}

/// How a GPU steps a field, if not as usual.
#[derive(Default)]
pub struct KernelChoice {
    pub kernel: Option<String>,
    pub slabs: Option<usize>,
}

/// The terminal as the face of a run.
pub struct Terminal<'t> {
    arguments: &'t RunArguments,
    splitting: Splitting,
    figures: Figures,
    choice: KernelChoice,
    ends: Ends,
    opening: Mutex<Option<Opening>>,
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

    fn size(&self, least: (u32, u32)) -> Result<FigureSize, RunError> {
        self.arguments.output.figure.over(self.figures, least)
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
            Some(_) if ranks::all().is_some() => "start as many ranks again to go on",
            Some(_) => "run the task again to go on",
            None => "resume it with --resume",
        };
        hint.into()
    }

    fn timeline(&self, folder: &OutputFolder, size: Option<FigureSize>) -> Result<(), RunError> {
        timeline::write(folder, size)
    }
}
