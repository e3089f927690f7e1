//! The CPU engine that users run: f32, all cores, vector instructions chosen at run time.

use super::{bands, memory, run::ParallelRun, schedule, share::CpuShare};
use crate::{
    Description, Engine, EngineError, Run, SourceWavefield, check_share,
    plan::{Plan, Tap},
    share::{Share, ShareRun},
};
use std::{any::Any, sync::Arc};

/// The f32 engine for any number of cores.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parallel;

impl Parallel {
    /// True if the shots of a Plan are small enough to be stepped side by side, and no tap's own arrays are large beside
    /// a field.
    pub fn is_side_by_side(plan: &Plan) -> bool {
        let alone = |tap: &Tap| !matches!(tap, Tap::Focus { .. } | Tap::OffsetGathers(..));
        let alone = plan.scattering.is_none() && plan.taps.iter().all(alone);
        alone && schedule::is_small(plan, rayon::current_num_threads())
    }
}

impl Engine for Parallel {
    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn describe(&self) -> Description {
        Description {
            backend: "cpu".into(),
            device: format!("CPU, {} threads, f32", rayon::current_num_threads()),
            driver: String::new(),
            kernel: format!("columns, {}", bands::instructions()),
        }
    }

    fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
        let (set_size, threads) = (plan.set_size(), rayon::current_num_threads());
        let check = |shots: usize| memory::check(&plan.batch(0..plan.shots.len().min(shots)));
        if Self::is_side_by_side(plan) && check(threads).is_ok() {
            return Ok(threads.min(plan.shots.len()).max(1));
        }
        check(set_size)?;
        // One set after the other, so that a shot's fields stay in the cache.
        Ok(set_size)
    }

    fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
        Ok(Box::new(ParallelRun::new(Share::whole(&plan), None)?))
    }

    fn start_with(
        &self,
        plan: Arc<Plan>,
        source: &SourceWavefield,
    ) -> Result<Box<dyn Run>, EngineError> {
        Ok(Box::new(ParallelRun::new(Share::whole(&plan), Some(source))?))
    }

    fn start_share(
        &self,
        share: Share,
        source: Option<&SourceWavefield>,
    ) -> Result<Box<dyn ShareRun>, EngineError> {
        check_share(&share)?;
        Ok(Box::new(CpuShare::new(share, source)?))
    }
}
