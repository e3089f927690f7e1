//! Shots in the order of their first traces: those of a field record and a source.

use super::{
    LengthUnit, SegyError, TraceHeader, Warning,
    geometry::{self, SOURCE, scaled},
    trace,
};
use crate::grid::Position;
use std::collections::{BTreeMap, HashMap};

/// The values common to all traces of a shot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shot {
    /// Its number.
    pub(crate) record: i64,
    /// Position of the source.
    pub(crate) source: Position,
}

/// Numbers shots in the order of their first traces.
#[derive(Default)]
pub(super) struct Numbered {
    last: Option<Last>,
    known: HashMap<(i64, [u64; 3]), usize>,
    /// Records whose sources are taken for one, and the farthest of them from the first.
    jitter: BTreeMap<i64, f64>,
}

/// The shot of the trace before.
#[derive(Clone, Copy)]
struct Last {
    shot: Shot,
    number: usize,
    receiver: Position,
    /// The least distance from a receiver to the next.
    apart: f64,
}

/// Sources of consecutive traces this near are one, where nothing tells how far receivers are apart.
const ONE_PLACE: f64 = 0.1;
/// Or in this part of the distance of receivers, at most this far.
const PART: f64 = 0.1;
const FARTHEST: f64 = 1.0;
/// A difference of coordinates that are rounded, in their steps.
const ROUNDED: f64 = 1.5;
/// Less is the residue of scalars.
const RESIDUE: f64 = 1e-6;

impl Numbered {
    /// The positions of the source and the receiver of a trace. One that is left out is of the shot
    /// of the trace before it, and its receiver means nothing.
    pub(crate) fn positions(
        &self,
        header: &TraceHeader,
        unit: LengthUnit,
        kept: bool,
    ) -> Result<(Position, Position), SegyError> {
        if kept {
            return Ok((geometry::source(header, unit)?, geometry::receiver(header, unit)?));
        }
        let own = || geometry::source(header, unit).unwrap_or_default();
        Ok(self
            .last
            .map_or_else(|| (own(), Position::default()), |last| (last.shot.source, last.receiver)))
    }

    /// The number of a trace's shot. Sources of consecutive traces are one if they are as near as
    /// the steps of their coordinates, or a tenth of the distance of receivers.
    pub(crate) fn of(
        &mut self,
        shot: Shot,
        receiver: Position,
        header: &TraceHeader,
        unit: LengthUnit,
    ) -> usize {
        let step = scaled(1, header.get(trace::COORDINATE_SCALAR)) * unit.metres();
        let mut apart = f64::INFINITY;
        if let Some(last) = &mut self.last {
            let moved = receiver.distance(&last.receiver);
            if moved > ROUNDED * step {
                last.apart = last.apart.min(moved);
            }
            last.receiver = receiver;
            apart = last.apart;
            let off = shot.source.distance(&last.shot.source);
            if last.shot.record == shot.record && off <= near(apart, step) {
                if off > RESIDUE {
                    let farthest = self.jitter.entry(shot.record).or_default();
                    *farthest = farthest.max(off);
                }
                return last.number;
            }
        }
        let next = self.known.len();
        let number =
            *self.known.entry((shot.record, geometry::place_key(shot.source))).or_insert(next);
        self.last = Some(Last { shot, number, receiver, apart });
        number
    }

    /// What was taken for one source, in this unit.
    pub(crate) fn warning(&self, unit: Option<LengthUnit>) -> Option<Warning> {
        let (record, _) = self.jitter.first_key_value()?;
        let farthest = self.jitter.values().copied().fold(0.0, f64::max);
        let others = self.jitter.len() - 1;
        Some(Warning::Jitter { field: SOURCE.place(), record: *record, farthest, others, unit })
    }
}

/// The farthest that two sources of one shot are from each other, by the least distance of receivers
/// and the step of coordinates.
fn near(apart: f64, step: f64) -> f64 {
    match apart.is_finite() {
        true => (PART * apart).min(FARTHEST).max((ROUNDED * step).min(0.5 * apart)),
        false => ONE_PLACE,
    }
}
