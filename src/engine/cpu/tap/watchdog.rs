//! Ends a run whose field grows without bound. The twin of `shaders/watchdog.wgsl`.

use super::{CpuTap, Moment, Whole};
use crate::{
    EngineError, Observer,
    blow_up::{BINS, bin},
    error::blow_up,
    plan::Plan,
    share::Share,
};

pub(super) struct Watchdog {
    every: usize,
    limit: f32,
    /// The share whose field it reads.
    share: Share,
}

impl Watchdog {
    pub(super) fn new(every: usize, limit: f32, share: Share) -> Self {
        Watchdog { every, limit, share }
    }
}

impl CpuTap for Watchdog {
    fn reads(&self, plan: &Plan, step: usize) -> bool {
        step.is_multiple_of(self.every) || step == plan.time.steps
    }

    fn read(&mut self, now: &Whole<'_>, _: &mut dyn Observer) -> Result<(), EngineError> {
        let Moment { plan, step, shot, field } = *now;
        // A healthy field costs one pass.
        let limit = self.limit.to_bits();
        if field.peak() <= limit {
            return Ok(());
        }
        // Only the nodes: the padding may hold 0 inf = NaN.
        let (mut peak, mut first) = (0, [None; BINS]);
        for index in 0..plan.grid.cells() {
            let value = field.at(plan.grid.node_of(index)).abs().to_bits();
            if value > limit {
                peak = peak.max(value);
                let first = &mut first[bin(value)];
                *first = first.or(Some(index));
            }
        }
        let Some(index) = first.into_iter().flatten().next_back() else { return Ok(()) };
        let (whole, node) = (&self.share.plan, self.share.in_whole(plan.grid.node_of(index)));
        Err(blow_up(whole, step, self.every, shot, node, f32::from_bits(peak)))
    }
}
