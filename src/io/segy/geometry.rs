//! Positions in trace headers: scalars, units, and the sign of depth.

use super::{
    SegyError, TraceHeader,
    field::{Field, Kind, TRACE},
    trace,
};
use crate::grid::Position;
use serde::{Deserialize, Serialize};

// This comment is what an editor shows of a job, too; names have none, or help would explain them.
/// The unit of lengths in headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "jobs", derive(schemars::JsonSchema), schemars(rename = "Unit"))]
#[cfg_attr(feature = "flags", derive(clap::ValueEnum))]
#[allow(missing_docs, reason = "the names say it")]
pub enum LengthUnit {
    #[default]
    #[serde(rename = "m")]
    #[cfg_attr(feature = "flags", value(name = "m"))]
    Metre,
    // International feet of 0.3048 m.
    #[serde(rename = "ft")]
    #[cfg_attr(feature = "flags", value(name = "ft"))]
    Foot,
}

impl std::fmt::Display for LengthUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            LengthUnit::Metre => "metres",
            LengthUnit::Foot => "feet",
        })
    }
}

impl LengthUnit {
    /// Its length in metres.
    pub fn metres(self) -> f64 {
        match self {
            LengthUnit::Metre => 1.0,
            LengthUnit::Foot => 0.3048,
        }
    }

    /// The code of the measurement system.
    pub(crate) fn code(self) -> i64 {
        match self {
            LengthUnit::Metre => 1,
            LengthUnit::Foot => 2,
        }
    }
}

/// Where a source and a receiver lie on the map.
pub(super) const SOURCE: Field<TRACE> = Field::new("source x and y", 73, Kind::I64);
pub(super) const RECEIVER: Field<TRACE> = Field::new("receiver x and y", 81, Kind::I64);

/// A position as a key: 0.0 and -0.0 are one place.
pub(super) fn place_key(at: Position) -> [u64; 3] {
    [at.x, at.y, at.z].map(|value| (value + 0.0).to_bits())
}

/// A number with its scalar: 0 counts as 1, a positive one multiplies, a negative one divides.
pub(crate) fn scaled(number: i64, scalar: i64) -> f64 {
    match scalar {
        0 => number as f64,
        1.. => number as f64 * scalar as f64,
        _ => number as f64 / -scalar as f64,
    }
}

/// A coordinate in metres.
pub(super) fn across(header: &TraceHeader, field: Field<TRACE>, unit: LengthUnit) -> f64 {
    scaled(header.get(field), header.get(trace::COORDINATE_SCALAR)) * unit.metres()
}

/// An elevation or a depth in metres.
fn up(header: &TraceHeader, field: Field<TRACE>, unit: LengthUnit) -> f64 {
    scaled(header.get(field), header.get(trace::ELEVATION_SCALAR)) * unit.metres()
}

/// An error if coordinates are angles.
fn lengths(header: &TraceHeader) -> Result<(), SegyError> {
    let field = trace::COORDINATE_UNITS;
    let value = header.get(field);
    let what = match value {
        2 => "seconds of arc",
        3 => "decimal degrees",
        4 => "degrees, minutes and seconds",
        // Many leave it empty for lengths; the reader warns of other codes.
        _ => return Ok(()),
    };
    Err(SegyError::Angles { field: field.place(), value, what })
}

/// Position of a trace's source, with the depth below the surface minus the elevation.
pub(crate) fn source(header: &TraceHeader, unit: LengthUnit) -> Result<Position, SegyError> {
    lengths(header).map(|()| any_source(header, unit))
}

/// [`source`], even of angles.
pub(super) fn any_source(header: &TraceHeader, unit: LengthUnit) -> Position {
    Position {
        x: across(header, trace::SOURCE_X, unit),
        y: across(header, trace::SOURCE_Y, unit),
        z: up(header, trace::SOURCE_DEPTH, unit) - up(header, trace::SURFACE_ELEVATION, unit),
    }
}

/// Position of a trace's receiver: its depth is its negative elevation.
pub(crate) fn receiver(header: &TraceHeader, unit: LengthUnit) -> Result<Position, SegyError> {
    lengths(header).map(|()| any_receiver(header, unit))
}

/// [`receiver`], even of angles.
pub(super) fn any_receiver(header: &TraceHeader, unit: LengthUnit) -> Position {
    Position {
        x: across(header, trace::RECEIVER_X, unit),
        y: across(header, trace::RECEIVER_Y, unit),
        // 0 - 0 is 0, where -0 would be -0.
        z: 0.0 - up(header, trace::RECEIVER_ELEVATION, unit),
    }
}

/// Elevation of the datum at a trace's receiver, metres.
pub(crate) fn datum(header: &TraceHeader, unit: LengthUnit) -> f64 {
    up(header, trace::DATUM_ELEVATION, unit)
}

/// Position of a trace's ensemble, such as the column of a model: x and y.
pub(crate) fn ensemble(header: &TraceHeader, unit: LengthUnit) -> Result<(f64, f64), SegyError> {
    lengths(header)?;
    Ok((across(header, trace::CDP_X, unit), across(header, trace::CDP_Y, unit)))
}

/// The encoding of positions: one scalar for all coordinates of a file and one for all elevations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placing {
    unit: LengthUnit,
    coordinates: i16,
    elevations: i16,
}

/// The divisors and factors of the standard, the finest last.
const DIVISORS: [i16; 5] = [1, 10, 100, 1000, 10_000];

/// The coarsest scalar that holds all numbers exactly, otherwise the finest that has room for them.
fn scalar(numbers: impl Iterator<Item = f64> + Clone) -> Option<i16> {
    let largest = numbers.clone().fold(0.0, |largest: f64, number| largest.max(number.abs()));
    let room = |factor: f64| (largest * factor).round() <= f64::from(i32::MAX);
    let exact = |factor: f64| {
        numbers.clone().all(|number| (number * factor - (number * factor).round()).abs() < 1e-6)
    };
    let with_room = || DIVISORS.into_iter().filter(|d| room(f64::from(*d)));
    let divisor = with_room().find(|d| exact(f64::from(*d))).or(with_room().next_back());
    let factor = || DIVISORS.into_iter().find(|factor| room(1.0 / f64::from(*factor)));
    divisor.map(|d| if d == 1 { 1 } else { -d }).or_else(factor)
}

impl Placing {
    /// For these positions, metres. They are rounded to 0.0001 of the unit, or to the precision of
    /// 32 bits for large ones.
    pub fn new(
        unit: LengthUnit,
        points: impl Iterator<Item = Position> + Clone,
    ) -> Result<Self, SegyError> {
        let across = points.clone().flat_map(|p| [p.x, p.y]).map(|v| v / unit.metres());
        let down = points.map(|p| p.z / unit.metres());
        let refused = |value: f64| {
            let wanted = "a position is a finite number that 32 bits hold";
            SegyError::Given { what: "a coordinate", value, wanted }
        };
        if let Some(value) = across.clone().chain(down.clone()).find(|v| !v.is_finite()) {
            return Err(refused(value));
        }
        let largest = |a: f64, b: f64| if b.abs() > a.abs() { b } else { a };
        let coordinates =
            scalar(across.clone()).ok_or_else(|| refused(across.fold(0.0, largest)))?;
        let elevations = scalar(down.clone()).ok_or_else(|| refused(down.fold(0.0, largest)))?;
        Ok(Placing { unit, coordinates, elevations })
    }

    /// The largest error of the coordinates of these positions, metres.
    pub fn rounding(&self, points: impl Iterator<Item = Position>) -> f64 {
        let off = |v: f64, by: i16| {
            let by = f64::from(by);
            let step = self.unit.metres() * if by < 0.0 { -1.0 / by } else { by };
            (v - (v / step).round() * step).abs()
        };
        let (across, down) = (self.coordinates, self.elevations);
        let each = points.map(|p| off(p.x, across).max(off(p.y, across)).max(off(p.z, down)));
        each.fold(0.0, f64::max)
    }

    fn set(
        &self,
        header: &mut TraceHeader,
        field: Field<TRACE>,
        metres: f64,
        by: i16,
    ) -> Result<(), SegyError> {
        let number = metres / self.unit.metres();
        let number = if by < 0 { number * -f64::from(by) } else { number / f64::from(by) };
        header.set(field, number.round() as i64)
    }

    fn scalars(&self, header: &mut TraceHeader) -> Result<(), SegyError> {
        header.set(trace::COORDINATE_SCALAR, self.coordinates.into())?;
        header.set(trace::ELEVATION_SCALAR, self.elevations.into())?;
        header.set(trace::COORDINATE_UNITS, 1)
    }

    /// Writes source and receiver to a header, and the horizontal distance between them: negative
    /// if the receiver has the smaller x or, for equal x, the smaller y.
    pub(crate) fn put(
        &self,
        header: &mut TraceHeader,
        source: Position,
        receiver: Position,
    ) -> Result<(), SegyError> {
        self.scalars(header)?;
        let (across, up) = (self.coordinates, self.elevations);
        self.set(header, trace::SOURCE_X, source.x, across)?;
        self.set(header, trace::SOURCE_Y, source.y, across)?;
        self.set(header, trace::SOURCE_DEPTH, source.z, up)?;
        self.set(header, trace::RECEIVER_X, receiver.x, across)?;
        self.set(header, trace::RECEIVER_Y, receiver.y, across)?;
        self.set(header, trace::RECEIVER_ELEVATION, -receiver.z, up)?;
        let (x, y) = (receiver.x - source.x, receiver.y - source.y);
        let sign = if x < 0.0 || (x == 0.0 && y < 0.0) { -1.0 } else { 1.0 };
        self.set(header, trace::OFFSET, sign * x.hypot(y), 1)
    }

    /// Writes the elevation of the datum to a header, metres.
    pub(crate) fn put_datum(
        &self,
        header: &mut TraceHeader,
        elevation: f64,
    ) -> Result<(), SegyError> {
        self.set(header, trace::DATUM_ELEVATION, elevation, self.elevations)
    }

    /// Writes the position of an ensemble to a header.
    pub(crate) fn put_ensemble(
        &self,
        header: &mut TraceHeader,
        x: f64,
        y: f64,
    ) -> Result<(), SegyError> {
        self.scalars(header)?;
        self.set(header, trace::CDP_X, x, self.coordinates)?;
        self.set(header, trace::CDP_Y, y, self.coordinates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segy::ByteOrder;

    #[test]
    fn scalars_multiply_and_divide() {
        assert_eq!(scaled(1234, 0), 1234.0);
        assert_eq!(scaled(1234, 10), 12340.0);
        assert_eq!(scaled(-1234, -100), -12.34);
        assert_eq!(scaled(1234, 1), 1234.0);
    }

    #[test]
    fn positions_come_back_in_metres_and_in_feet() {
        let source_at = Position { x: 402_153.25, y: -7.5, z: 12.5 };
        let receiver_at = Position { x: 0.0, y: 6_000_000.0, z: -35.0 };
        for unit in [LengthUnit::Metre, LengthUnit::Foot] {
            let placing = Placing::new(unit, [source_at, receiver_at].into_iter()).expect("fits");
            let mut header = TraceHeader::new(ByteOrder::Little);
            placing.put(&mut header, source_at, receiver_at).expect("fits");
            let close = |a: Position, b: Position| {
                [a.x - b.x, a.y - b.y, a.z - b.z].iter().all(|d| d.abs() <= 0.5e-2)
            };
            assert!(close(source(&header, unit).expect("lengths"), source_at));
            assert!(close(receiver(&header, unit).expect("lengths"), receiver_at));
        }
        let placing = Placing::new(LengthUnit::Metre, [source_at, receiver_at].into_iter());
        let exact = Placing { unit: LengthUnit::Metre, coordinates: -100, elevations: -10 };
        assert_eq!(placing.expect("fits"), exact);
    }

    #[test]
    fn far_positions_take_a_coarser_scalar_and_none_are_refused() {
        let at = |x| Placing::new(LengthUnit::Metre, [Position { x, y: 0.0, z: 0.0 }].into_iter());
        assert_eq!(at(1e6 / 3.0).expect("fits").coordinates, -1000);
        assert_eq!(at(1e10).expect("fits").coordinates, 10);
        for far in [f64::NAN, f64::INFINITY, 1e15] {
            let refused = at(far).expect_err("too far").to_string();
            assert!(refused.contains("a coordinate is"), "{refused}");
        }
    }

    #[test]
    fn depth_is_positive_down() {
        let mut header = TraceHeader::new(ByteOrder::Big);
        header.set(trace::RECEIVER_ELEVATION, 1200).expect("fits");
        header.set(trace::SURFACE_ELEVATION, 1500).expect("fits");
        header.set(trace::SOURCE_DEPTH, 300).expect("fits");
        header.set(trace::ELEVATION_SCALAR, -10).expect("fits");
        assert_eq!(receiver(&header, LengthUnit::Metre).expect("lengths").z, -120.0);
        assert_eq!(source(&header, LengthUnit::Metre).expect("lengths").z, -120.0);
        assert!((source(&header, LengthUnit::Foot).expect("lengths").z + 36.576).abs() < 1e-12);
    }

    #[test]
    fn angles_are_refused() {
        for (code, said) in [(2, "seconds of arc"), (3, "decimal degrees"), (4, "minutes")] {
            let mut header = TraceHeader::new(ByteOrder::Big);
            header.set(trace::COORDINATE_UNITS, code).expect("fits");
            let refused = source(&header, LengthUnit::Metre).expect_err("angles").to_string();
            assert!(refused.contains(said) && refused.contains("bytes 89-90"), "{refused}");
            assert!(ensemble(&header, LengthUnit::Metre).is_err());
        }
        // No kind of coordinate, of which the reader warns.
        let mut header = TraceHeader::new(ByteOrder::Big);
        header.set(trace::COORDINATE_UNITS, 7).expect("fits");
        assert!(source(&header, LengthUnit::Metre).is_ok());
    }
}
