//! The choice between the ways of halos, by trial.
//!
//! A run begins through the host. If its steps wait for the copies, and what that costs until the
//! end is more than opening the direct way, that is tried, and the faster of both is kept. Both ways
//! give the same bits.

use crate::share::Way;

/// Steps before a way is timed, and those that are.
const WARM_UP: usize = 8;
const TIMED: usize = 32;
/// Seconds to open the direct way: those of CUDA beside Vulkan on an H100.
const OPENING: f64 = 0.5;
/// Part of a step's time that copies take beside the steps without holding them up.
const HIDDEN: f64 = 0.5;

/// Part of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    WarmUp(Way),
    Timed(Way),
    Settled,
}

/// What some steps took, seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Took {
    /// All of it.
    pub(crate) all: f64,
    /// The longest that a share waited for its own copies.
    pub(crate) copying: f64,
}

/// A trial under way.
#[derive(Debug)]
pub(super) struct Trial {
    stage: Stage,
    /// Steps left in the stage.
    left: usize,
    took: Took,
    /// Seconds of a step through the host.
    through_host: f64,
}

impl Trial {
    pub(crate) fn new() -> Self {
        let (stage, took) = (Stage::WarmUp(Way::Host), Took::default());
        Trial { stage, left: WARM_UP, took, through_host: 0.0 }
    }

    /// As many of some steps as belong together.
    pub(crate) fn together(&self, steps: usize) -> usize {
        if self.stage == Stage::Settled { steps } else { steps.min(self.left) }
    }

    /// Adds the times of some steps, with `rest` steps to go; returns the way to change to.
    pub(crate) fn add(&mut self, steps: usize, took: Took, rest: usize) -> Option<Way> {
        self.left = self.left.saturating_sub(steps);
        self.took.all += took.all;
        self.took.copying += took.copying;
        if self.left > 0 {
            return None;
        }
        let [step, copying] = [self.took.all, self.took.copying].map(|all| all / TIMED as f64);
        self.took = Took::default();
        let (stage, way) = match self.stage {
            Stage::WarmUp(way) => (Stage::Timed(way), None),
            Stage::Timed(Way::Host) => {
                self.through_host = step;
                match rest as f64 * (copying - HIDDEN * step) > OPENING {
                    true => (Stage::WarmUp(Way::Direct), Some(Way::Direct)),
                    false => (Stage::Settled, None),
                }
            }
            Stage::Timed(Way::Direct) => {
                (Stage::Settled, (step > self.through_host).then_some(Way::Host))
            }
            Stage::Settled => (Stage::Settled, None),
        };
        self.stage = stage;
        self.left = if matches!(stage, Stage::WarmUp(_)) { WARM_UP } else { TIMED };
        way
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ways of a run of so many steps, as it takes them, with seconds of a step and of its copies
    /// through the host, and of a step by the direct way.
    fn ways(steps: usize, [host, copying, direct]: [f64; 3]) -> Vec<Way> {
        let (mut trial, mut way, mut done) = (Trial::new(), Way::Host, 0);
        let mut taken = vec![way];
        while done < steps {
            // As a run whose progress is shown.
            let some = trial.together(20.min(steps - done));
            let each = if way == Way::Host { host } else { direct };
            let took = Took { all: some as f64 * each, copying: some as f64 * copying };
            done += some;
            if let Some(other) = trial.add(some, took, steps - done) {
                way = other;
                taken.push(way);
            }
        }
        taken
    }

    #[test]
    fn the_direct_way_is_tried_if_it_can_repay_its_opening() {
        use Way::{Direct, Host};
        // Two GPUs, each with 512 x 512 x 512 nodes: the copies are hidden, however long the run.
        assert_eq!(ways(100_000, [1.2e-3, 0.2e-3, 1.1e-3]), [Host]);
        // Four with 1024 x 1024 x 256 each: worth it in a long run, and kept if it is faster.
        assert_eq!(ways(300, [1.7e-3, 1.6e-3, 1.4e-3]), [Host]);
        assert_eq!(ways(3_000, [1.7e-3, 1.6e-3, 1.4e-3]), [Host, Direct]);
        assert_eq!(ways(3_000, [1.7e-3, 1.6e-3, 1.8e-3]), [Host, Direct, Host]);
    }
}
