//! Ways to have the wave of the sources again when the wave sent back meets it.

use super::{
    budget::{Kept, Sizes},
    schedule::{Move, schedule},
};
use crate::imaging::Cost;

/// Place of the stored wave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// Beside the fields, with states.
    Fields,
    /// The host's memory.
    Host,
}

/// A way to have the wave: its stored part, and the part that is run again.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Strategy {
    pub(crate) kept: Kept,
    pub(crate) place: Place,
    pub(crate) moves: Vec<Move>,
    /// Steps of a run, and steps per imaging step.
    steps: usize,
    every: usize,
}

/// Steps of a part that moves to the host's memory: enough to keep a device busy.
const TOGETHER: usize = 64;
/// Time of a byte moved between a device and its host, over one that the device reads or writes: on
/// an H200 3 to 4 GB/s were measured for the whole command, the first touch of the host's memory
/// included, beside 4 TB/s (docs/notebook.md, "Migration on one H200").
const BUS: f64 = 1000.0;

/// Memory limits, bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// In the memory of the fields.
    pub(crate) kept: u64,
    /// In the host's memory, beside a device.
    pub(crate) host: u64,
}

impl Strategy {
    /// For a run of `steps` steps, imaged every `every` steps.
    pub(crate) fn new(kept: Kept, steps: usize, every: usize) -> Self {
        let moves = schedule(kept.parts(steps / every + 1), kept.states);
        Strategy { kept, place: Place::Fields, moves, steps, every }
    }

    /// All imaging steps, of `field` bytes each, in the host's memory, with two parts at a time in
    /// `memory` bytes on the device.
    pub(crate) fn host(field: u64, memory: u64, steps: usize, every: usize) -> Self {
        let all = steps / every + 1;
        let most = (memory / (2 * field).max(1)) as usize;
        let slots = (TOGETHER / every).max(1).min(most.max(1)).min(all);
        let kept = Kept { slots, states: 0 };
        Strategy { kept, place: Place::Host, moves: Vec::new(), steps, every }
    }

    /// Imaging steps stored at once beside the fields.
    pub(crate) fn slots(&self) -> usize {
        match self.place {
            Place::Host => 2 * self.kept.slots,
            _ => self.kept.slots,
        }
    }

    /// First steps of the parts of a run whose imaging steps are stored at once.
    pub(crate) fn parts(&self) -> Vec<usize> {
        let all = 0..=self.steps / self.every;
        all.step_by(self.kept.slots).map(|index| index * self.every).collect()
    }

    /// Steps of the wave of the sources, with those that are run again.
    pub(crate) fn forward(&self) -> usize {
        let parts = self.parts();
        if self.place == Place::Host {
            return self.steps;
        }
        let end = |part: usize| parts.get(part + 1).copied().unwrap_or(self.steps);
        let (mut at, mut kept, mut all) = (0, Vec::new(), 0);
        for next in &self.moves {
            let before = at;
            match next {
                Move::To(part) => at = parts[*part],
                Move::Meet(part) => at = end(*part),
                Move::Keep => kept.push(at),
                Move::PutBack => at = kept.last().copied().unwrap_or(0),
                Move::Take => at = kept.pop().unwrap_or(0),
            }
            all += at.saturating_sub(before);
        }
        all
    }

    /// Bytes stored for a shot.
    pub(crate) fn bytes(&self, sizes: &Sizes) -> u64 {
        let kept = self.kept.bytes(sizes.field, sizes.state);
        match self.place {
            Place::Fields => kept,
            Place::Host => 2 * kept,
        }
    }

    /// Bytes in the host's memory for a shot, beside a device.
    pub(crate) fn on_host(&self, sizes: &Sizes) -> u64 {
        match self.place {
            Place::Host => (self.steps / self.every + 1) as u64 * sizes.field,
            _ => 0,
        }
    }

    /// The cost for a number of shots, with these memory limits.
    pub(crate) fn cost(&self, sizes: &Sizes, shots: u64, memory: Memory, taken: bool) -> Cost {
        let (parts, states) = (self.parts().len(), self.kept.states);
        let (name, states) = match (self.place, parts) {
            (Place::Host, _) => ("two parts, and all imaging steps in the host's memory", 0),
            (Place::Fields, 1) => ("all imaging steps", states),
            (Place::Fields, _) if states + 1 >= parts => {
                ("a part, and a state for each other part", states)
            }
            _ => ("a part, and states for some", states),
        };
        let runs = self.forward() as f64 / self.steps.max(1) as f64;
        let [bytes, host] = [self.bytes(sizes), self.on_host(sizes)].map(|bytes| shots * bytes);
        let (work, fits) = (self.work(sizes), bytes <= memory.kept && host <= memory.host);
        Cost { name, parts, states, shots, bytes, host, runs, work, fits, taken }
    }

    /// Bytes moved, over those of a run whose imaging steps are stored: in a step two fields and
    /// the layers' memory are read and written, and instead of a written value the model is read;
    /// at an imaging step two fields are read and one is written.
    pub(crate) fn work(&self, sizes: &Sizes) -> f64 {
        let steps = self.steps.max(1) as f64;
        if self.place == Place::Fields {
            return self.forward() as f64 / steps;
        }
        let imaging = (self.steps / self.every) as f64 * 3.0 * sizes.field as f64;
        let run = steps * 2.0 * sizes.state as f64 + imaging;
        // Each way goes on beside a run; the excess is waited for.
        let way = BUS * self.on_host(sizes) as f64 / run;
        way.max(1.0) + (way - 1.0).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted() {
        let of = |slots, states| Strategy::new(Kept { slots, states }, 100, 10);
        assert_eq!((of(11, 0).parts(), of(11, 0).forward()), (vec![0], 100));
        // Imaging steps 0 to 50 and 60 to 100.
        assert_eq!((of(6, 1).parts(), of(6, 1).forward()), (vec![0, 60], 160));
        assert_eq!(of(3, 3).forward(), 190);
        // From one state: 90, 60, 30 again.
        assert_eq!(of(3, 1).forward(), 280);
        let sizes = Sizes { field: 1, state: 7 };
        assert_eq!(of(3, 1).cost(&sizes, 1, Memory { kept: 10, host: 0 }, true).bytes, 10);
        assert_eq!(
            of(3, 1).cost(&sizes, 1, Memory { kept: 10, host: 0 }, true).name,
            "a part, and states for some"
        );
        assert_eq!((of(11, 0).work(&sizes), of(3, 3).work(&sizes)), (1.0, 1.9));
    }

    #[test]
    fn what_the_host_keeps_is_counted() {
        let sizes = Sizes { field: 10, state: 3000 };
        let host = |memory, every| Strategy::host(sizes.field, memory, 100, every);
        // 64 steps at once, or as many as fit twice; at most all.
        let slots = |memory, every| (host(memory, every).kept.slots, host(memory, every).slots());
        assert_eq!((slots(9999, 10), slots(60, 10), slots(0, 50)), ((6, 12), (3, 6), (1, 2)));
        assert_eq!((host(9999, 10).bytes(&sizes), host(9999, 10).on_host(&sizes)), (120, 110));
        assert_eq!((host(9999, 10).forward(), host(9999, 10).parts()), (100, vec![0, 60]));
        // Beside the 600,300 that a run moves 110,000 are not waited for; 1,010,000 of every step
        // beside 603,000 are, 407,000 of them on either way.
        assert_eq!(host(9999, 10).work(&sizes), 1.0);
        assert!((host(9999, 1).work(&sizes) - (1010.0 + 407.0) / 603.0).abs() < 1e-12);
    }
}
