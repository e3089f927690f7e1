//! An engine that goes on when its device fails: on the device opened anew, and if that fails too, on another engine.

use super::{
    Description, DeviceFailure, Engine, EngineError, GpuKind, Run, SnapshotView, SourceWavefield,
    share::{Share, ShareRun, ShareTimings},
};
use crate::{locked, plan::Plan, remedy::Message};
use serde::Serialize;
use std::{
    any::Any,
    collections::BTreeMap,
    fmt, mem,
    sync::{Arc, Mutex},
};

/// Opens the engine to fall back on; `None` if there is none.
pub type Fallback = dyn Fn() -> Option<Box<dyn Engine>> + Send + Sync;

/// What was under way when a device failed, and was done again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Retried {
    /// The failure.
    pub error: String,
    /// The engine that did it again.
    pub engine: Description,
}

impl fmt::Display for Retried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Description { device, kernel, .. } = &self.engine;
        write!(f, "{}; the shots under way are done again on {device}, {kernel}", self.error)
    }
}

/// An engine that the workflows have do its work again if its device is lost or silent: once on the device opened anew,
/// then on the engine to fall back on. If a device has no memory left, that takes over at once.
pub struct Retrying {
    first: Arc<dyn Engine>,
    now: Mutex<Now>,
    fallback: Arc<Fallback>,
    retried: Arc<Mutex<Vec<Retried>>>,
}

/// The engine that runs, and how many did before.
struct Now {
    engine: Arc<dyn Engine>,
    replaced: usize,
}

impl Retrying {
    /// With what opens the engine to fall back on.
    pub fn new(engine: Box<dyn Engine>, fallback: Arc<Fallback>) -> Self {
        Retrying::with(engine, fallback, Arc::default())
    }

    fn with(
        engine: Box<dyn Engine>,
        fallback: Arc<Fallback>,
        retried: Arc<Mutex<Vec<Retried>>>,
    ) -> Self {
        let first: Arc<dyn Engine> = engine.into();
        let now = Mutex::new(Now { engine: first.clone(), replaced: 0 });
        Retrying { first, now, fallback, retried }
    }

    /// What was done again so far.
    pub fn retried(&self) -> Vec<Retried> {
        locked(&self.retried).clone()
    }

    fn engine(&self) -> Arc<dyn Engine> {
        locked(&self.now).engine.clone()
    }

    /// True if another engine is in place of the one that failed, which was in place `since` so many; `failures` counts
    /// those of a piece of work.
    fn recovers(&self, error: &EngineError, since: usize, failures: &mut usize) -> bool {
        let mut now = locked(&self.now);
        if now.replaced != since {
            // Another thread's work on the same device failed first.
            return true;
        }
        *failures += 1;
        let anew = || {
            let fresh = now.engine.reopened();
            fresh.unwrap_or_else(|error| {
                tracing::warn!("{error}");
                None
            })
        };
        let instead = match *failures {
            1 if error.of_device() != Some(DeviceFailure::Full) => {
                anew().or_else(|| (self.fallback)())
            }
            1 | 2 => (self.fallback)(),
            _ => None,
        };
        let Some(instead) = instead else { return false };
        if error.of_device() == Some(DeviceFailure::Silent) {
            // Never dropped, for its end would be waited for.
            mem::forget(now.engine.clone());
        }
        let error = Message::from(error).mistake().to_owned();
        let retried = Retried { error, engine: instead.describe() };
        tracing::warn!("{retried}");
        locked(&self.retried).push(retried);
        *now = Now { engine: instead.into(), replaced: since + 1 };
        true
    }
}

/// Does a piece of work on an engine, and again if its device fails and the engine goes on without it.
pub fn again<T>(
    engine: &dyn Engine,
    mut piece: impl FnMut() -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let Some(engine) = engine.retrying() else { return piece() };
    let mut failures = 0;
    loop {
        let since = locked(&engine.now).replaced;
        match piece() {
            Err(error)
                if error.of_device().is_some() && engine.recovers(&error, since, &mut failures) => {
            }
            ended => return ended,
        }
    }
}

/// The last snapshot of each shot: those of a shot that is done again are heard once.
#[derive(Default)]
pub struct Heard(BTreeMap<usize, usize>);

impl Heard {
    /// True once for each snapshot of a shot, and so remembers it.
    pub fn is_new(&mut self, snapshot: &SnapshotView<'_>) -> bool {
        let new = self.0.get(&snapshot.shot).is_none_or(|last| snapshot.step > *last);
        if new {
            self.0.insert(snapshot.shot, snapshot.step);
        }
        new
    }
}

/// All is of the engine that runs now.
impl Engine for Retrying {
    fn describe(&self) -> Description {
        self.engine().describe()
    }

    /// As its own type the first one.
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
            let found = again(&engine, || {
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
            again(&engine, || Err::<(), _>(EngineError::Unsound)),
            Err(EngineError::Unsound)
        );
    }
}
