//! How the wave of the sources is there again when the one that goes back meets it.

use super::{
    budget::Kept,
    schedule::{Move, schedule},
};
use serde::Serialize;

/// A way to have it: what is kept of it, and what of it is run again.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Strategy {
    pub kept: Kept,
    pub moves: Vec<Move>,
    /// Steps of a run, and from one imaging step to the next.
    steps: usize,
    every: usize,
}

/// What a strategy takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// What is kept.
    pub name: &'static str,
    /// Parts of the run, one of which is kept whole at a time, and states that are kept at the beginnings of parts.
    pub parts: usize,
    /// See `parts`.
    pub states: usize,
    /// Of what is kept, for the shots that are migrated together.
    pub bytes: u64,
    /// Steps of the wave of the sources over those of one run.
    pub runs: f64,
    /// Whether it is taken.
    pub taken: bool,
}

impl Strategy {
    /// Of a run of so many steps, imaged every so many.
    pub fn new(kept: Kept, steps: usize, every: usize) -> Self {
        let moves = schedule(kept.parts(steps / every + 1), kept.states);
        Strategy { kept, moves, steps, every }
    }

    /// First steps of the parts of a run whose imaging steps are kept at once.
    pub fn parts(&self) -> Vec<usize> {
        let all = 0..=self.steps / self.every;
        all.step_by(self.kept.slots).map(|index| index * self.every).collect()
    }

    /// Steps of the wave of the sources, those that are run again among them.
    pub fn forward(&self) -> usize {
        let parts = self.parts();
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

    /// What it takes, with the bytes of an imaging step and of a state.
    pub fn cost(&self, (field, state): (u64, u64), taken: bool) -> Cost {
        let (parts, states) = (self.parts().len(), self.kept.states);
        let name = match parts {
            1 => "all imaging steps",
            _ if states + 1 >= parts => "a part, and a state for each other part",
            _ => "a part, and states for some",
        };
        let runs = self.forward() as f64 / self.steps.max(1) as f64;
        Cost { name, parts, states, bytes: self.kept.bytes(field, state), runs, taken }
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
        assert_eq!(of(3, 1).cost((1, 7), true).bytes, 10);
        assert_eq!(of(3, 1).cost((1, 7), true).name, "a part, and states for some");
    }
}
