//! Receivers along their line: the horizontal axis of a gather's picture.

use crate::grid::Position;

/// Maximum distance of a source from a receiver line, in the plane, to count as on it, metres.
const ON_LINE: f64 = 1e-3;

/// What receivers are placed by along their line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlacedBy {
    /// Their signed offset from a source's projection onto the line.
    Offset(Position),
    /// Their distance from the end of the line, if the source is not known.
    Distance,
    /// x, or y on a line along y, if there are several sources.
    Coordinate,
}

impl PlacedBy {
    /// For the sources of a shot; offset is defined for one source only.
    pub(crate) fn sources(sources: &[Position]) -> Self {
        match sources {
            [source] => PlacedBy::Offset(*source),
            _ => PlacedBy::Coordinate,
        }
    }

    /// For sources that were recorded. One at exactly 0 is not known: the recording is of unknown
    /// sources, or its headers are empty.
    pub fn recorded(sources: &[Position]) -> Self {
        match sources.iter().all(|source| *source == Position::default()) {
            true => PlacedBy::Distance,
            false => Self::sources(sources),
        }
    }
}

/// Positions of receivers along their line, metres, and the label of their axis. They increase with
/// x or, on a line nearer to y, with y. Receivers in a borehole are placed by depth.
pub fn along(receivers: &[Position], by: PlacedBy) -> (Vec<f64>, &'static str) {
    let (Some(first), Some(last)) = (receivers.first(), receivers.last()) else {
        return (Vec::new(), "Receiver");
    };
    let (dx, dy) = (last.x - first.x, last.y - first.y);
    let length = dx.hypot(dy);
    if length == 0.0 && first.z != last.z {
        return (receivers.iter().map(|at| at.z).collect(), "Depth (km)");
    }
    // A single receiver has no direction: use x.
    let (dx, dy) = if length > 0.0 { (dx / length, dy / length) } else { (1.0, 0.0) };
    let sign = if dx.abs() >= dy.abs() { dx.signum() } else { dy.signum() };
    let place = |at: &Position| sign * (at.x * dx + at.y * dy);
    let (zero, name) = match by {
        PlacedBy::Offset(source) => {
            let aside = (source.x - first.x) * dy - (source.y - first.y) * dx;
            let on_line = aside.abs() < ON_LINE;
            (place(&source), if on_line { "Offset (km)" } else { "Offset along the line (km)" })
        }
        PlacedBy::Coordinate if dy == 0.0 => (0.0, "x (km)"),
        PlacedBy::Coordinate if dx == 0.0 => (0.0, "y (km)"),
        PlacedBy::Coordinate | PlacedBy::Distance => {
            (place(first).min(place(last)), "Distance along the line (km)")
        }
    };
    (receivers.iter().map(|at| place(at) - zero).collect(), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64) -> Position {
        Position { z: 0.0, x, y }
    }

    #[test]
    fn offsets_are_signed_along_the_line_whatever_its_azimuth() {
        // Pythagorean: 3, 4, 5.
        let line = [at(0.0, 0.0), at(30.0, 40.0), at(60.0, 80.0)];
        let offset = |receivers: &[Position], x, y| along(receivers, PlacedBy::Offset(at(x, y)));
        assert_eq!(offset(&line, 30.0, 40.0), (vec![-50.0, 0.0, 50.0], "Offset (km)"));
        let beside = offset(&line, 34.0, 37.0);
        assert_eq!(beside, (vec![-50.0, 0.0, 50.0], "Offset along the line (km)"));
        // As in 2-D, offset increases with x however the line is given.
        let reversed = [at(200.0, 5.0), at(100.0, 5.0)];
        assert_eq!(offset(&reversed, 120.0, 5.0), (vec![80.0, -20.0], "Offset (km)"));
        assert_eq!(offset(&line[..1], 0.0, 0.0), (vec![0.0], "Offset (km)"));
        let two = PlacedBy::sources(&[at(0.0, 0.0), at(1.0, 1.0)]);
        assert_eq!(along(&reversed, two), (vec![200.0, 100.0], "x (km)"));
        let oblique = (vec![0.0, 50.0, 100.0], "Distance along the line (km)");
        assert_eq!(along(&line, two), oblique);
    }

    #[test]
    fn receivers_of_an_unknown_source_lie_by_their_distance() {
        let far = |x: f64, y: f64| at(448e3 + x, 3448e3 + y);
        let line = [far(60.0, 80.0), far(30.0, 40.0), far(0.0, 0.0)];
        let unknown = PlacedBy::recorded(&[Position::default()]);
        let (places, name) = along(&line, unknown);
        assert_eq!(name, "Distance along the line (km)");
        let apart = |(place, expected): (&f64, f64)| (place - expected).abs();
        assert!(places.iter().zip([100.0, 50.0, 0.0]).all(|pair| apart(pair) < 1e-6), "{places:?}");
        assert_eq!(PlacedBy::recorded(&[at(1.0, 0.0)]), PlacedBy::Offset(at(1.0, 0.0)));
        assert_eq!(PlacedBy::recorded(&[]), PlacedBy::Distance);
    }

    #[test]
    fn receivers_down_a_hole_lie_by_their_depth() {
        let hole = [100.0, 120.0, 140.0].map(|z| Position { z, ..at(800.0, 0.0) });
        let places = along(&hole, PlacedBy::Offset(at(700.0, 0.0)));
        assert_eq!(places, (vec![100.0, 120.0, 140.0], "Depth (km)"));
    }
}
