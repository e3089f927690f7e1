//! An engine that survives a failure of its device: it opens the device again or, if that fails too,
//! another engine.

use super::{
    Description, DeviceFailure, Engine, EngineError, GpuKind, Run, SnapshotView, SourceWavefield,
    share::{Share, ShareRun, ShareTimings},
};
use crate::{locked, message::mistake, plan::Plan};
use serde::Serialize;
use std::{
    any::Any,
    collections::BTreeMap,
    fmt, mem,
    sync::{Arc, Mutex},
};

/// Opens the backend to use when a device fails twice; `None` if there is none.
pub type Fallback = dyn Fn() -> Option<Box<dyn Engine>> + Send + Sync;

/// A piece of work that was repeated because a device failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Retried {
    /// The failure.
    pub(crate) error: String,
    /// The engine that repeated it.
    pub(crate) engine: Description,
}

impl fmt::Display for Retried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Description { device, kernel, .. } = &self.engine;
        write!(f, "{}; the shots under way are done again on {device}, {kernel}", self.error)
    }
}

/// An engine whose work is repeated if its device is lost or silent: once on the device opened
/// again, then on the fallback. If a device has no memory left, the fallback takes over at once.
pub struct Retrying {
    first: Arc<dyn Engine>,
    current: Mutex<Current>,
    fallback: Arc<Fallback>,
    retried: Arc<Mutex<Vec<Retried>>>,
}

/// The engine that runs.
struct Current {
    engine: Arc<dyn Engine>,
    /// Engines that it follows.
    generation: usize,
}

impl Retrying {
    /// With a function that opens the fallback.
    pub fn new(engine: Box<dyn Engine>, fallback: Arc<Fallback>) -> Self {
        Retrying::with(engine, fallback, Arc::default())
    }

    fn with(
        engine: Box<dyn Engine>,
        fallback: Arc<Fallback>,
        retried: Arc<Mutex<Vec<Retried>>>,
    ) -> Self {
        let first: Arc<dyn Engine> = engine.into();
        let current = Mutex::new(Current { engine: first.clone(), generation: 0 });
        Retrying { first, current, fallback, retried }
    }

    /// The work repeated so far.
    pub fn retried(&self) -> Vec<Retried> {
        locked(&self.retried).clone()
    }

    fn engine(&self) -> Arc<dyn Engine> {
        locked(&self.current).engine.clone()
    }

    /// True once a replacement is installed; `since` is the generation that failed. `failures` counts
    /// those of a piece of work.
    fn recovers(&self, error: &EngineError, since: usize, failures: &mut usize) -> bool {
        let mut now = locked(&self.current);
        if now.generation != since {
            // Another thread's work on the same device failed first.
            return true;
        }
        *failures += 1;
        let reopened = || {
            let fresh = now.engine.reopened();
            fresh.unwrap_or_else(|error| {
                tracing::warn!("{error}");
                None
            })
        };
        let instead = match *failures {
            1 if error.of_device() != Some(DeviceFailure::Full) => {
                reopened().or_else(|| (self.fallback)())
            }
            1 | 2 => (self.fallback)(),
            _ => None,
        };
        let Some(instead) = instead else { return false };
        if error.of_device() == Some(DeviceFailure::Silent) {
            // Never dropped: dropping would wait for it.
            mem::forget(now.engine.clone());
        }
        let error = mistake(&error.to_string()).to_owned();
        let retried = Retried { error, engine: instead.describe() };
        tracing::warn!("{retried}");
        locked(&self.retried).push(retried);
        *now = Current { engine: instead.into(), generation: since + 1 };
        true
    }
}

/// Does a piece of work on an engine, and repeats it if its device fails and is replaced.
pub fn with_retry<T>(
    engine: &dyn Engine,
    mut piece: impl FnMut() -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let Some(engine) = engine.retrying() else { return piece() };
    let mut failures = 0;
    loop {
        let since = locked(&engine.current).generation;
        match piece() {
            Err(error)
                if error.of_device().is_some() && engine.recovers(&error, since, &mut failures) => {
            }
            ended => return ended,
        }
    }
}

/// The last snapshot of each shot, so that those of a repeated shot are reported once.
#[derive(Default)]
pub struct SnapshotFilter(BTreeMap<usize, usize>);

impl SnapshotFilter {
    /// True once for each snapshot of a shot.
    pub fn is_new(&mut self, snapshot: &SnapshotView<'_>) -> bool {
        let new = self.0.get(&snapshot.shot).is_none_or(|last| snapshot.step > *last);
        if new {
            self.0.insert(snapshot.shot, snapshot.step);
        }
        new
    }
}

/// Everything is of the current engine.
impl Engine for Retrying {
    fn describe(&self) -> Description {
        self.engine().describe()
    }

    /// The first engine.
    fn as_any(&self) -> Option<&dyn Any> {
        self.first.as_any()
    }

    fn retrying(&self) -> Option<&Retrying> {
        Some(self)
    }

    fn gpus(&self) -> Vec<GpuKind> {
        self.engine().gpus()
    }

    fn alike(&self, shares: &[Share]) -> Result<Option<Box<dyn Engine>>, EngineError> {
        let (fallback, retried) = (self.fallback.clone(), self.retried.clone());
        let alike = self.engine().alike(shares)?;
        Ok(alike.map(|alike| Box::new(Retrying::with(alike, fallback, retried)) as Box<dyn Engine>))
    }

    fn shares(&self) -> Vec<ShareTimings> {
        self.engine().shares()
    }

    fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
        self.engine().batch(plan)
    }

    fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
        self.engine().start(plan)
    }

    fn start_with(
        &self,
        plan: Arc<Plan>,
        source: &SourceWavefield,
    ) -> Result<Box<dyn Run>, EngineError> {
        self.engine().start_with(plan, source)
    }

    fn start_share(
        &self,
        share: Share,
        source: Option<&SourceWavefield>,
    ) -> Result<Box<dyn ShareRun>, EngineError> {
        self.engine().start_share(share, source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Parallel;

    /// A device that opens as often as it is asked to.
    struct Device;

    impl Engine for Device {
        fn describe(&self) -> Description {
            Description { device: "device".into(), ..Parallel.describe() }
        }

        fn reopened(&self) -> Result<Option<Box<dyn Engine>>, EngineError> {
            Ok(Some(Box::new(Device)))
        }

        fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
            Parallel.batch(plan)
        }

        fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
            Parallel.start(plan)
        }
    }

    fn lost() -> EngineError {
        EngineError::Lost { device: "device".into(), said: "it fell off".into(), step: None }
    }

    fn boxed(engine: impl Engine + 'static) -> Box<dyn Engine> {
        Box::new(engine)
    }

    #[test]
    fn a_piece_goes_to_the_device_opened_anew_and_then_to_the_engine_to_fall_back_on() {
        let (cpu, fell_back) = (Parallel.describe().device, ["device", "cpu"]);
        for (failing, ended, on) in [
            (0, Ok(()), &[][..]),
            (1, Ok(()), &["device"]),
            (2, Ok(()), &fell_back),
            (3, Err(lost()), &fell_back),
        ] {
            let engine = Retrying::new(Box::new(Device), Arc::new(|| Some(boxed(Parallel))));
            let mut tried = 0;
            let found = with_retry(&engine, || {
                tried += 1;
                if tried > failing { Ok(()) } else { Err(lost()) }
            });
            assert_eq!(found, ended);
            let name = |retried: Retried| retried.engine.device.replace(&cpu, "cpu");
            assert_eq!(engine.retried().into_iter().map(name).collect::<Vec<_>>(), on);
        }
    }

    #[test]
    fn each_piece_has_its_own_failures_and_one_loss_is_one_for_two_threads() {
        let engine = Retrying::new(Box::new(Device), Arc::new(|| None));
        let failures = &mut [0, 0];
        assert!(engine.recovers(&lost(), 0, &mut failures[0]));
        assert!(engine.recovers(&lost(), 0, &mut failures[1]));
        assert_eq!((*failures, engine.retried().len()), ([1, 0], 1));
        assert!(!engine.recovers(&lost(), 1, &mut failures[0]), "nothing to fall back on");
        assert!(engine.recovers(&lost(), 1, &mut failures[1]));
        let full = EngineError::OutOfMemory { device: "device".into(), said: String::new() };
        assert!(!engine.recovers(&full, 2, &mut 0), "the same memory would be as full");
        assert_eq!(
            with_retry(&engine, || Err::<(), _>(EngineError::Unsound)),
            Err(EngineError::Unsound)
        );
    }
}
