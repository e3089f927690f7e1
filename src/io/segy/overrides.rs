//! Values that a user gives in place of header fields.

use super::{
    FieldBytes, Format, LengthUnit, SegyError, TraceHeader, Warning, binary, layout::Layout, trace,
};

/// Values in place of fields that are missing or wrong; those that are `None` stay as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overrides {
    /// The unit of lengths.
    pub unit: Option<LengthUnit>,
    /// The scalar of coordinates.
    pub coordinate_scalar: Option<i16>,
    /// The scalar of elevations and depths.
    pub elevation_scalar: Option<i16>,
    /// True if coordinates are lengths, whatever their unit's code.
    pub lengths: bool,
    /// Seconds between samples.
    pub interval: Option<f64>,
    /// Where numbers of the trace headers are.
    pub fields: FieldBytes,
    /// Code of the sample format.
    pub format: Option<i16>,
}

impl Overrides {
    /// Puts them into the layout of a file, whose warnings about those fields are then void.
    pub(super) fn of_layout(&self, layout: &mut Layout, warnings: &mut Vec<Warning>) {
        warnings.retain(|warning| match warning {
            Warning::Unit { .. } => self.unit.is_none(),
            Warning::NoInterval { .. }
            | Warning::Interval { .. }
            | Warning::Milliseconds { .. } => self.interval.is_none(),
            _ => true,
        });
        let mut overruled = |field, said: String, given: String| {
            if said != given {
                warnings.push(Warning::Overruled { field, said, given });
            }
        };
        if let (Some(given), Some(said)) = (self.unit, layout.unit) {
            overruled(binary::MEASUREMENT.place(), said.to_string(), given.to_string());
        }
        let interval = self.interval.map(|seconds| seconds * 1e6);
        if let (Some(given), Some(said)) = (interval, layout.interval) {
            // A number of microseconds is a product in binary.
            let near = (given - said).abs() < 1e-9 * said;
            let (said, given) =
                (format!("{said} us"), format!("{} us", if near { said } else { given }));
            overruled(binary::INTERVAL.place(), said, given);
        }
        layout.unit = self.unit.or(layout.unit);
        layout.interval = interval.or(layout.interval);
    }

    /// The sample format, if it is given.
    pub(super) fn sample_format(&self) -> Result<Option<Format>, SegyError> {
        let wanted =
            "give a code of the standard: 1 (IBM floats), 2, 3, 5 (IEEE floats), 6 to 12, 15 or 16";
        let of_code = |code: i16| {
            let (what, value) = ("format", f64::from(code));
            Format::from_code(code.into()).ok_or(SegyError::Given { what, value, wanted })
        };
        self.format.map(of_code).transpose()
    }

    /// The scalar of coordinates of a trace.
    pub(super) fn coordinate_scalar(&self, header: &TraceHeader) -> i64 {
        self.coordinate_scalar.map_or(header.get(trace::COORDINATE_SCALAR), i64::from)
    }

    /// The scalar of elevations and depths of a trace.
    pub(super) fn elevation_scalar(&self, header: &TraceHeader) -> i64 {
        self.elevation_scalar.map_or(header.get(trace::ELEVATION_SCALAR), i64::from)
    }

    /// True if the coordinates of a trace are lengths.
    pub(super) fn has_lengths(&self, header: &TraceHeader) -> bool {
        self.lengths || matches!(header.get(trace::COORDINATE_UNITS), 0 | 1)
    }

    /// Puts them into the header of a trace.
    pub(super) fn of_trace(&self, header: TraceHeader) -> TraceHeader {
        let mut header = self.fields.of(header);
        let lengths = self.lengths.then_some(1);
        let fits = "a scalar and a code have 16 bits, as their fields";
        for (field, value) in [
            (trace::COORDINATE_SCALAR, self.coordinate_scalar),
            (trace::ELEVATION_SCALAR, self.elevation_scalar),
            (trace::COORDINATE_UNITS, lengths),
        ] {
            if let Some(value) = value {
                header.set(field, value.into()).expect(fits);
            }
        }
        header
    }
}
