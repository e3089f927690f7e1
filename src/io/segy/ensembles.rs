//! Ensembles that do not lie midway between source and receiver.

use super::{
    Alike, Field, LengthUnit, TRACE, TraceHeader, Warning,
    field::{Kind, Place},
    geometry::scaled,
    trace,
};

/// x and y of an ensemble.
pub(super) const ENSEMBLE: Field<TRACE> = Field::new("ensemble x and y", 181, Kind::I64);

/// Ensembles of the traces of a file, in the file's unit.
#[derive(Debug, Default)]
pub(super) struct Ensembles {
    last: Option<[f64; 2]>,
    /// How often a receiver is not where the one before it is, and how far from there, in all.
    moves: (u64, f64),
    /// The largest step of coordinates.
    step: f64,
    /// Traces with an ensemble elsewhere, and how far from midway.
    off: Vec<(u64, f64)>,
}

fn distance([ax, ay]: [f64; 2], [bx, by]: [f64; 2]) -> f64 {
    (ax - bx).hypot(ay - by)
}

impl Ensembles {
    /// Sees a trace whose coordinates are lengths.
    pub(crate) fn see(&mut self, index: u64, header: &TraceHeader, scalar: i64) {
        let at = |x, y| [x, y].map(|field| scaled(header.get(field), scalar));
        let receiver = at(trace::RECEIVER_X, trace::RECEIVER_Y);
        let moved = self.last.map_or(0.0, |last| distance(last, receiver));
        if moved > 0.0 {
            self.moves = (self.moves.0 + 1, self.moves.1 + moved);
        }
        self.last = Some(receiver);
        self.step = self.step.max(scaled(1, scalar));
        let source = at(trace::SOURCE_X, trace::SOURCE_Y);
        let ensemble = at(trace::CDP_X, trace::CDP_Y);
        // Both are 0 where there is none.
        if [receiver, source, ensemble].contains(&[0.0; 2]) {
            return;
        }
        let midway = [0, 1].map(|axis| 0.5 * (source[axis] + receiver[axis]));
        let off = distance(ensemble, midway);
        if off > self.step {
            self.off.push((index, off));
        }
    }

    /// Those farther off than receivers are apart; `field` names the bytes of ensembles.
    pub(crate) fn warning(&self, field: Place, unit: Option<LengthUnit>) -> Option<Warning> {
        let (count, all) = self.moves;
        let apart = if count > 0 { all / count as f64 } else { 0.0 };
        let mut far = self.off.iter().filter(|(_, off)| *off > apart.max(self.step));
        let (first, off) = *far.next()?;
        let mut traces = Alike::of(first);
        far.for_each(|(index, _)| traces.add(*index));
        Some(Warning::Ensemble { field, off, unit, traces })
    }
}
