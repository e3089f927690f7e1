//! Elevations of receivers and sources that are 0 beside others that are not.

use super::{Alike, LengthUnit, TraceHeader, Warning, geometry::scaled, trace};
use std::collections::BTreeMap;

/// Fewer receivers do not tell how far apart elevations of a record are.
const FEWEST: u64 = 3;

/// The elevations of the traces of a file, record by record, in the file's unit.
#[derive(Debug, Default)]
pub(super) struct Elevations {
    records: BTreeMap<i64, Level>,
    /// Traces with an elevation of the surface at their source and none of their receiver.
    bare: Option<Alike>,
    traces: u64,
}

/// The elevations of a record.
#[derive(Debug)]
struct Level {
    at_zero: Option<Alike>,
    traces: Alike,
    /// Receivers at another elevation than 0, with the least and the greatest.
    placed: u64,
    range: (f64, f64),
    /// True if a source has an elevation of the surface.
    surface: bool,
    /// Least and greatest depth of the source below the surface.
    depths: (f64, f64),
}

/// A range before its first number.
const NONE: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

fn include(range: &mut (f64, f64), value: f64) {
    *range = (range.0.min(value), range.1.max(value));
}

fn count(alike: &mut Option<Alike>, index: u64) {
    match alike {
        Some(alike) => alike.add(index),
        None => *alike = Some(Alike::of(index)),
    }
}

impl Elevations {
    /// Sees a live trace.
    pub(crate) fn see(&mut self, index: u64, header: &TraceHeader, scalar: i64) {
        let at = |field| scaled(header.get(field), scalar);
        let (receiver, surface) = (at(trace::RECEIVER_ELEVATION), at(trace::SURFACE_ELEVATION));
        self.traces += 1;
        if receiver == 0.0 && surface != 0.0 {
            count(&mut self.bare, index);
        }
        let new = || Level {
            at_zero: None,
            traces: Alike::of(index),
            placed: 0,
            range: NONE,
            surface: false,
            depths: NONE,
        };
        let level = self.records.entry(header.get(trace::RECORD)).or_insert_with(new);
        if level.traces.first != index {
            level.traces.add(index);
        }
        level.surface |= surface != 0.0;
        include(&mut level.depths, at(trace::SOURCE_DEPTH));
        if receiver == 0.0 {
            count(&mut level.at_zero, index);
        } else {
            level.placed += 1;
            include(&mut level.range, receiver);
        }
    }

    /// What disagrees in those of the whole file.
    pub(crate) fn warnings(&self, unit: Option<LengthUnit>) -> Vec<Warning> {
        let field = trace::RECEIVER_ELEVATION.place();
        let all = self.bare.clone().filter(|bare| bare.count() == self.traces);
        let surface = trace::SURFACE_ELEVATION.place();
        let bare = all.map(|traces| Warning::NoElevation { field, traces, surface });
        let at_zero = together(self.records.values().filter_map(Level::nowhere));
        let at_zero =
            at_zero.map(|(traces, range)| Warning::ZeroElevation { field, traces, range, unit });
        let source = together(self.records.values().filter_map(Level::no_source));
        let source = source.map(|(traces, range)| Warning::NoSurface {
            field: surface,
            traces,
            range,
            unit,
        });
        [bare, at_zero, source].into_iter().flatten().collect()
    }
}

impl Level {
    /// True if 0 is no elevation among those of its receivers.
    fn is_far_from_zero(&self) -> bool {
        let (least, most) = self.range;
        let nearest = if least > 0.0 { least } else { -most };
        self.placed >= FEWEST && nearest > most - least
    }

    /// A few receivers at 0, far from the others.
    fn nowhere(&self) -> Option<(&Alike, (f64, f64))> {
        let at_zero = self.at_zero.as_ref()?;
        let told = self.is_far_from_zero() && at_zero.count() < self.placed;
        told.then_some((at_zero, self.range))
    }

    /// A source on a surface at 0, or just below it, under receivers on land that is higher. One that
    /// is deeper may be given by its depth alone.
    fn no_source(&self) -> Option<(&Alike, (f64, f64))> {
        let (least, (shallow, deep)) = (self.range.0, self.depths);
        let told = !self.surface
            && self.at_zero.is_none()
            && self.is_far_from_zero()
            && least > 0.0
            && shallow >= 0.0
            && deep < least;
        told.then_some((&self.traces, self.range))
    }
}

/// Traces of several records, with the elevations of the others.
fn together<'a>(
    levels: impl Iterator<Item = (&'a Alike, (f64, f64))>,
) -> Option<(Alike, (f64, f64))> {
    levels.fold(None, |all, (alike, range)| match all {
        None => Some((alike.clone(), range)),
        Some((mut traces, (least, most))) => {
            traces.join(alike);
            Some((traces, (least.min(range.0), most.max(range.1))))
        }
    })
}
