//! Several batches of a gradient on one device. Two take turns on a GPU: while the device has the waves of one,
//! the host makes the residuals of the other, or sums its images. On a CPU each thread has small shots of its
//! own, because threads that wait for each other at every step take longer than one.

use super::{GatherOf, Migration, OnPartial};
use crate::{
    engine::{
        DeviceWork, EngineError, GpuKind, Timings,
        cpu::Parallel,
        shots::{Queue, ShotProgress, of_device, on_each},
    },
    operations::OnStep,
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Condvar, Mutex, PoisonError};
use tracing::dispatcher::{get_default, with_default};

/// Workers that take turns on a device.
pub(super) const IN_TURNS: usize = 2;
/// The fewest shots at once that are halved: fewer leave a device idle.
const FEWEST: usize = 4;

/// The use of a device, by one of its two batches at a time.
#[derive(Default)]
pub(super) struct Turn {
    taken: Mutex<bool>,
    given_back: Condvar,
}

/// A turn, given back when it is dropped.
pub(super) struct HeldTurn<'t>(&'t Turn);

impl Turn {
    /// Waits for the other's end.
    pub(crate) fn take(&self) -> HeldTurn<'_> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.given_back.wait_while(taken, |taken| *taken);
        *free.unwrap_or_else(PoisonError::into_inner) = true;
        HeldTurn(self)
    }
}

impl Drop for HeldTurn<'_> {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.given_back.notify_one();
    }
}

/// A taker of batches: a device, or one of two that take turns on it.
#[derive(Clone, Copy)]
pub(super) struct Worker<'q> {
    pub(crate) queue: &'q Queue,
    /// Its place in the queue.
    pub(crate) place: usize,
    /// Workers of a device.
    pub(crate) of_each: usize,
    /// Held while it uses the device.
    pub(crate) turn: Option<&'q Turn>,
}

impl<'q> Worker<'q> {
    /// A device of its own.
    pub(crate) fn of(queue: &'q Queue, place: usize) -> Self {
        Worker { queue, place, of_each: 1, turn: None }
    }

    /// The number of its device.
    pub(crate) fn device(self) -> usize {
        self.place / self.of_each
    }

    /// An error with the number of its device, if there are several.
    pub(crate) fn error(self, error: EngineError) -> EngineError {
        of_device(error, self.device(), self.queue.devices() / self.of_each)
    }
}

impl Migration<'_> {
    /// True if two batches of half as many shots, which need no more memory, leave each of so many devices less
    /// idle.
    pub(super) fn takes_turns(&self, devices: usize) -> bool {
        // The host has less to do for given traces than a GPU loses with half as many shots.
        let waits = self.residual.is_some() && self.engine.gpus() == [GpuKind::Hardware];
        waits && self.at_once >= FEWEST && self.plan.shots.len() > devices * self.at_once
    }

    /// A pool of one thread for each shot that the CPU takes at once; `None` if a shot is large enough for several.
    pub(super) fn pools(&self) -> Option<Vec<ThreadPool>> {
        let is_cpu = self.engine.as_any().is_some_and(|engine| engine.is::<Parallel>());
        let threads = rayon::current_num_threads();
        let is_busy = self.at_once >= threads && Parallel::is_side_by_side(self.plan);
        if !(is_cpu && is_busy && self.residual.is_some()) {
            return None;
        }
        let pool = |_| ThreadPoolBuilder::new().num_threads(1).build();
        (0..self.at_once).map(pool).collect::<Result<_, _>>().ok()
    }

    /// [`Migration::run`], half as many shots at once in each of two threads.
    pub(super) fn run_in_turns<E: From<EngineError> + Send>(
        &self,
        gather: &GatherOf<'_, E>,
        progress: &mut OnStep<'_>,
        done: &mut OnPartial<'_, E>,
    ) -> Result<Timings, E> {
        let (half, turn) = ((self.at_once / IN_TURNS).max(1), Turn::default());
        let done = Mutex::new(done);
        let did = self.run_workers(&[half; IN_TURNS], progress, &|worker, tell| {
            let worker = Worker { turn: Some(&turn), ..worker };
            let mut done = |partial| done.lock().unwrap_or_else(PoisonError::into_inner)(partial);
            self.run_of(worker, gather, tell, &mut done)
        })?;
        let mut timings = Timings::default();
        did.into_iter().for_each(|did| timings += did.timings);
        Ok(timings)
    }

    /// [`Migration::run`], one shot at once in each pool.
    pub(super) fn run_in_pools<E: From<EngineError> + Send>(
        &self,
        pools: &[ThreadPool],
        gather: &GatherOf<'_, E>,
        progress: &mut OnStep<'_>,
        done: &mut OnPartial<'_, E>,
    ) -> Result<Timings, E> {
        let (dispatch, done) = (get_default(Clone::clone), Mutex::new(done));
        let did = self.run_workers(&vec![1; pools.len()], progress, &|worker, tell| {
            let mut done = |partial| done.lock().unwrap_or_else(PoisonError::into_inner)(partial);
            let run = || self.run_of(worker, gather, tell, &mut done);
            pools[worker.place].install(|| with_default(&dispatch, run))
        })?;
        Ok(DeviceWork::total(&did))
    }

    /// Runs workers of one device, each with its number of shots at once, on a thread each.
    fn run_workers<E: From<EngineError> + Send>(
        &self,
        at_once: &[usize],
        progress: &mut OnStep<'_>,
        run: &(dyn Fn(Worker<'_>, &mut ShotProgress<'_>) -> Result<Timings, E> + Sync),
    ) -> Result<Vec<DeviceWork>, E> {
        let (shots, of_each) = (self.plan.shots.len(), at_once.len());
        let queue = Queue::new(shots, at_once);
        // Steps of all shots, and of the batches that the caller counts.
        let (all, total) = (shots * self.steps_of_batch(), self.total_steps());
        let mut progress = |step: usize| progress(step * total / all.max(1));
        on_each(&vec![self.engine; of_each], &queue, &mut progress, &|place, tell| {
            run(Worker { queue: &queue, place, of_each, turn: None }, tell)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Partial, ShotMisfit, over, steps_of},
        *,
    };
    use crate::{
        acquisition::{Shot, Source, Wavelet},
        engine::{Description, Engine, Run, SourceWavefield},
        grid::Axes,
        model::VelocityModel,
        plan::{Plan, Setup},
    };
    use ndarray::Array2;
    use std::{ops::ControlFlow, sync::Arc};

    /// A CPU engine that passes for a GPU and takes some shots at once.
    struct Passing(GpuKind, usize);

    impl Engine for Passing {
        fn describe(&self) -> Description {
            Parallel.describe()
        }

        fn gpus(&self) -> Vec<GpuKind> {
            vec![self.0]
        }

        fn batch(&self, _plan: &Plan) -> Result<usize, EngineError> {
            Ok(self.1)
        }

        fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
            Parallel.start(plan)
        }

        fn start_with(
            &self,
            plan: Arc<Plan>,
            source: &SourceWavefield,
        ) -> Result<Box<dyn Run>, EngineError> {
            Parallel.start_with(plan, source)
        }
    }

    fn plan(shots: u32) -> Plan {
        let shot = |number: u32| Shot {
            sources: vec![Source::new(
                Axes::xz(50.0 + f64::from(number), 50.0),
                Wavelet::ricker(15.0),
            )],
            receivers: vec![Axes::xz(50.0, 60.0), Axes::xz(120.0, 60.0)].into(),
        };
        let velocity = ndarray::Array2::from_elem((20, 20), 1500.0);
        let model = VelocityModel::new(velocity, 10.0, 10.0).expect("a model");
        Plan::new(Setup::new(model, (0..shots).map(shot).collect(), 0.2)).expect("a valid setup")
    }

    /// What a survey's residuals gave.
    struct Imaged {
        /// By their shots.
        images: Vec<Partial>,
        /// The shots that each device did.
        shots: Vec<usize>,
        /// The part of all steps that was counted.
        counted: f64,
        in_turns: bool,
    }

    fn imaged(engines: &[&dyn Engine], plan: &Plan) -> Imaged {
        let residual = |shot: usize, traces: Array2<f32>| {
            let misfit = ShotMisfit { misfit: shot as f64, ..ShotMisfit::default() };
            (misfit, (traces * (1 + shot) as f32).into())
        };
        let mut migrations = Vec::new();
        for engine in engines {
            let migration = Migration::new(*engine, plan, 5, &[], 1 << 20).expect("it fits");
            migrations.push(migration.among(engines.len()).of_residuals(&residual));
        }
        let (mut images, mut last) = (Vec::new(), 0);
        let mut progress = |step| {
            assert!(step >= last);
            last = step;
            ControlFlow::Continue(())
        };
        let none = |_| Err(EngineError::Unsound);
        let mut done = |partial| {
            images.push(partial);
            Ok(())
        };
        let did = over(&migrations, &none, &mut progress, &mut done).expect("it runs");
        images.sort_by_key(|image: &Partial| image.shots.start);
        Imaged {
            images,
            shots: did.iter().map(|did| did.shots).collect(),
            counted: last as f64 / steps_of(&migrations) as f64,
            in_turns: migrations[0].takes_turns(engines.len()),
        }
    }

    #[test]
    fn batches_in_turns_give_the_images_of_one_after_another() {
        let (plan, gpu) = (plan(11), &Passing(GpuKind::Hardware, 4));
        let expected = imaged(&[&Passing(GpuKind::Software, 4)], &plan);
        assert!(!expected.in_turns && expected.images.len() == 11);
        assert_ne!(expected.images[0].arrays[0], expected.images[1].arrays[0]);
        for devices in [1, 2] {
            let found = imaged(&vec![gpu as &dyn Engine; devices], &plan);
            assert!(found.in_turns && found.images == expected.images, "{devices}");
            assert_eq!((found.shots.len(), found.shots.iter().sum::<usize>()), (devices, 11));
            assert_eq!(found.counted, 1.0, "all steps are counted");
        }
        // All at once leave nothing to take turns with.
        assert!(!imaged(&[gpu], &self::plan(4)).in_turns);
        assert!(!imaged(&[gpu, gpu], &self::plan(8)).in_turns);
    }

    /// Wherever threads are fewer than shots, each has its own; one thread takes all in turn.
    #[test]
    fn shots_side_by_side_give_the_images_of_single_shots() {
        let plan = plan(11);
        let expected = imaged(&[&Passing(GpuKind::Software, 1)], &plan);
        let residual = |_: usize, traces: Array2<f32>| (ShotMisfit::default(), traces.into());
        for threads in [1, 2, 3, 16] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let (found, pools) = pool.install(|| {
                let migration = Migration::new(&Parallel, &plan, 5, &[], 1 << 20).expect("it fits");
                let pools = migration.of_residuals(&residual).pools();
                (imaged(&[&Parallel], &plan), pools.map_or(0, |pools| pools.len()))
            });
            assert_eq!(pools, if matches!(threads, 2 | 3) { threads } else { 0 });
            assert!(found.images == expected.images, "{threads}");
            assert_eq!((found.shots, found.counted), (vec![11], 1.0));
        }
    }

    /// Batches whose shots have another number of receivers in all, and the same at most.
    #[test]
    fn batches_of_uneven_spreads_give_the_images_of_single_shots() {
        let mut plan = plan(11);
        let model = VelocityModel::new(ndarray::Array2::from_elem((20, 20), 1500.0), 10.0, 10.0);
        let mut shots: Vec<Shot> = plan.shots.iter().map(|shot| (*shot.asked).clone()).collect();
        shots[5].receivers = vec![Axes::xz(50.0, 60.0)].into();
        plan = Plan::new(Setup::new(model.expect("a model"), shots, 0.2)).expect("a valid setup");
        let expected = imaged(&[&Passing(GpuKind::Software, 1)], &plan);
        for kind in [GpuKind::Software, GpuKind::Hardware] {
            assert!(imaged(&[&Passing(kind, 4)], &plan).images == expected.images, "{kind:?}");
        }
    }
}
