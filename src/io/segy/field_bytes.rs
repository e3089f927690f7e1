//! Numbers of trace headers that a file has at other bytes than the standard.

use super::{
    SegyError, TRACE, TraceHeader,
    ensembles::ENSEMBLE,
    field::{Field, Place},
    trace,
};

/// The first byte of a number, from 1, where a file has it elsewhere than the standard; in the names
/// of segyio.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldBytes {
    /// Inline number, 189 in the standard.
    pub iline: Option<u16>,
    /// Crossline number, 193.
    pub xline: Option<u16>,
    /// x of the ensemble, 181.
    pub cdp_x: Option<u16>,
    /// y of the ensemble, 185.
    pub cdp_y: Option<u16>,
    /// x of the source, 73.
    pub source_x: Option<u16>,
    /// y of the source, 77.
    pub source_y: Option<u16>,
    /// x of the receiver, 81.
    pub group_x: Option<u16>,
    /// y of the receiver, 85.
    pub group_y: Option<u16>,
    /// Number of the shot, 9.
    pub field_record: Option<u16>,
}

/// A number with its name, its field in the standard, and its first byte if that is elsewhere.
type Moved = (&'static str, Field<TRACE>, Option<u16>);

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadAs {
    /// A model, and not gathers.
    pub is_model: bool,
    /// Of Seismic Unix, and not SEG-Y.
    pub is_su: bool,
}

/// The numbers that place the columns of a model, and the traces of gathers; the last two lie in
/// SEG-Y alone.
const OF_MODELS: [&str; 4] = ["iline", "xline", "cdp_x", "cdp_y"];
const OF_GATHERS: [&str; 7] =
    ["source_x", "source_y", "group_x", "group_y", "field_record", "cdp_x", "cdp_y"];
const GATHERS: &str =
    "traces of gathers are placed by source_x, source_y, group_x, group_y and field_record";

impl FieldBytes {
    fn each(self) -> [Moved; 9] {
        [
            ("iline", trace::INLINE, self.iline),
            ("xline", trace::CROSSLINE, self.xline),
            ("cdp_x", trace::CDP_X, self.cdp_x),
            ("cdp_y", trace::CDP_Y, self.cdp_y),
            ("source_x", trace::SOURCE_X, self.source_x),
            ("source_y", trace::SOURCE_Y, self.source_y),
            ("group_x", trace::RECEIVER_X, self.group_x),
            ("group_y", trace::RECEIVER_Y, self.group_y),
            ("field_record", trace::RECORD, self.field_record),
        ]
    }

    /// Returns an error for bytes outside the header, and for numbers that are not used.
    pub fn check(self, read_as: ReadAs) -> Result<(), SegyError> {
        let (used, wanted): (&[&str], _) = match (read_as.is_model, read_as.is_su) {
            (true, true) => (&[], "a model in .su is placed by its receivers: leave it out"),
            (true, false) => (&OF_MODELS, "a model is placed by iline, xline, cdp_x and cdp_y"),
            (false, is_su) => (&OF_GATHERS[..if is_su { 5 } else { 7 }], GATHERS),
        };
        for (what, field, first) in self.each() {
            let Some(first) = first else { continue };
            let value = f64::from(first);
            if !used.contains(&what) {
                return Err(SegyError::Given { what, value, wanted });
            }
            if field.elsewhere(first).is_none() {
                let wanted = "it is the first byte of a number in the trace header, from 1 to 237";
                return Err(SegyError::Given { what, value, wanted });
            }
        }
        Ok(())
    }

    /// A header with these numbers at the bytes of the standard.
    pub(super) fn of(self, header: TraceHeader) -> TraceHeader {
        if self == FieldBytes::default() {
            return header;
        }
        let mut standard = header.clone();
        for (_, field, first) in self.each() {
            if let Some(own) = first.and_then(|first| field.elsewhere(first)) {
                standard.set(field, header.get(own)).expect("two or four bytes fit into four");
            }
        }
        standard
    }

    /// Where the positions of ensembles are; `None` if other numbers are read from there.
    pub(super) fn ensembles(self) -> Option<Place> {
        let moved = [(trace::CDP_X, self.cdp_x), (trace::CDP_Y, self.cdp_y)];
        let moved = moved.into_iter().find_map(|(field, first)| field.elsewhere(first?));
        let is_there = |(_, field, first): &Moved| {
            let own = first.and_then(|first| field.elsewhere(first));
            own.is_some_and(|own| own.overlaps(ENSEMBLE))
        };
        match moved {
            Some(field) => Some(field.place()),
            None => (!self.each().iter().any(is_there)).then(|| ENSEMBLE.place()),
        }
    }

    /// The first byte of a number.
    pub(super) fn first(self, field: Field<TRACE>) -> u16 {
        let moved = self.each().into_iter().find(|(_, of, _)| *of == field);
        moved.and_then(|(.., first)| first).unwrap_or(field.offset() as u16 + 1)
    }
}
