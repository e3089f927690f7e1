//! The numbers by which the traces of a model are placed, while they are read. Files of revision 0
//! have neither line numbers nor positions of ensembles: if those fields are empty, and the numbers
//! that such files have instead fill a volume or sort a plane, these place the traces.

use super::{
    FieldBytes, LengthUnit, Overrides, SegyError, TraceHeader, Warning, geometry,
    grid::{self, Irregular, Key, SurveyGrid},
    plane, trace,
};
use crate::grid::Position;

/// What files of revision 0 have in place of a [`Key`].
pub(super) struct Older {
    record: i64,
    pub(crate) ensemble: i64,
    pub(crate) source: (f64, f64),
    pub(crate) receiver: (f64, f64),
}

impl Older {
    fn of(header: &TraceHeader, unit: LengthUnit) -> Self {
        let across = |at: Result<Position, SegyError>| at.map_or((0.0, 0.0), |at| (at.x, at.y));
        Older {
            record: header.get(trace::RECORD),
            ensemble: header.get(trace::ENSEMBLE),
            source: across(geometry::source(header, unit)),
            receiver: across(geometry::receiver(header, unit)),
        }
    }
}

/// The keys of the traces that were read.
pub(super) struct Places {
    is_su: bool,
    fields: FieldBytes,
    keys: Vec<Key>,
    /// While all keys are empty.
    older: Option<Vec<Older>>,
}

impl Places {
    /// For a file of about so many traces.
    pub(crate) fn new(is_su: bool, overrides: Overrides, traces: u64) -> Self {
        let fields = overrides.fields;
        let older = (!is_su && fields == FieldBytes::default()).then(Vec::new);
        Places { is_su, fields, keys: Vec::with_capacity(traces as usize), older }
    }

    /// Takes the next trace, and returns its key.
    pub(crate) fn see(&mut self, header: &TraceHeader, unit: LengthUnit) -> Result<Key, SegyError> {
        let key = key(header, self.is_su, unit)?;
        if key != Key::default() {
            self.older = None;
        }
        if let Some(older) = &mut self.older {
            older.push(Older::of(header, unit));
        }
        self.keys.push(key);
        Ok(key)
    }

    /// The grid of all traces, and what was taken for granted.
    pub(crate) fn arranged(self) -> Result<(SurveyGrid, Option<Warning>), Irregular> {
        if let Some(older) = self.older.as_deref() {
            let found = volume(older).map_or_else(|| plane::sorted(older), |found| Ok(Some(found)));
            if let Some((grid, warning)) = found? {
                return Ok((grid, Some(warning)));
            }
        }
        let fields = [trace::INLINE, trace::CROSSLINE, trace::CDP_X, trace::CDP_Y];
        let at = fields.map(|field| self.fields.first(field));
        grid::arrange(&self.keys).map(|grid| (grid, None)).map_err(|of| Irregular { at, ..of })
    }
}

fn key(header: &TraceHeader, is_su: bool, unit: LengthUnit) -> Result<Key, SegyError> {
    if is_su {
        let Position { x, y, .. } = geometry::receiver(header, unit)?;
        return Ok(Key { x, y, ..Key::default() });
    }
    let (x, y) = geometry::ensemble(header, unit)?;
    let (inline, crossline) = (header.get(trace::INLINE), header.get(trace::CROSSLINE));
    Ok(Key { inline, crossline, x, y })
}

/// The volume of traces that are placed by record and ensemble, or by the positions of their sources
/// or receivers.
fn volume(older: &[Older]) -> Option<(SurveyGrid, Warning)> {
    let numbers = [trace::RECORD.place(), trace::ENSEMBLE.place()];
    let sources = [trace::SOURCE_X.place(), trace::SOURCE_Y.place()];
    let receivers = [trace::RECEIVER_X.place(), trace::RECEIVER_Y.place()];
    let keys = |numbered: bool, at: fn(&Older) -> (f64, f64)| {
        let key = |of: &Older| {
            let (inline, crossline) = if numbered { (of.record, of.ensemble) } else { (0, 0) };
            Key { inline, crossline, x: at(of).0, y: at(of).1 }
        };
        older.iter().map(key).collect::<Vec<_>>()
    };
    let by = |numbered, at, fields| {
        let keys = keys(numbered, at);
        // Numbers alone tell where a trace is; positions are only of the same grid.
        let grid = if numbered { grid::by_lines(&keys) } else { grid::by_positions(&keys) };
        let grid = grid.filter(|grid| grid.nx > 1 && grid.ny > 1)?;
        let (nx, ny) = (grid.nx, grid.ny);
        Some((grid, Warning::Older { fields, nx, ny }))
    };
    let has_spacing = |found: &(SurveyGrid, Warning)| found.0.spacing.is_some();
    by(true, |of| of.source, numbers)
        .filter(has_spacing)
        .or_else(|| by(true, |of| of.receiver, numbers))
        .or_else(|| by(false, |of| of.source, sources))
        .or_else(|| by(false, |of| of.receiver, receivers))
}
