//! A located source on the map and the clock.

use crate::{
    grid::{Axes, Position},
    job::{Geographic, Projection},
    model::Placement,
    operations::locate::Ellipse,
};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

/// Place of a source on the map, by the model's origin and azimuth, and half of the size of its
/// focus, metres. The focus bounds the error of the place; it is no standard deviation.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct MapPlace {
    pub(crate) easting: f64,
    pub(crate) northing: f64,
    /// Above the map's datum.
    pub(crate) elevation: f64,
    /// With a map projection.
    #[serde(flatten)]
    pub(crate) geographic: Option<Geographic>,
    pub(crate) half: HalfSize,
    /// The ellipse of the focus on the map.
    pub(crate) ellipse: MapEllipse,
}

/// Half of the extent of a focus along the axes of the map, metres; of a 2-D model that of the focus
/// in its plane: the distance of a source from the line is not known.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct HalfSize {
    pub(crate) easting: f64,
    pub(crate) northing: f64,
    pub(crate) elevation: f64,
}

/// The ellipse of a focus on the map.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct MapEllipse {
    /// Half axes, metres.
    pub(crate) longest: f64,
    pub(crate) shortest: f64,
    /// Direction of the longest, degrees clockwise from north, from 0 to 180.
    pub(crate) azimuth: f64,
}

impl MapPlace {
    /// The place of a position of the model and of the focus there.
    pub(crate) fn new(placement: &Placement, at: Position, focus: &Ellipse) -> Self {
        let Position { x: easting, y: northing, z: depth } = placement.on_map(at);
        // Along the axes of the model, at the origin of the map.
        let turned = Placement { origin: Position::default(), ..*placement };
        let x = turned.on_map(Position { x: 1.0, y: 0.0, z: 0.0 });
        let y = turned.on_map(Position { x: 0.0, y: 1.0, z: 0.0 });
        let Ellipse { half: Axes { z: deep, x: along, y: across }, xy, .. } = *focus;
        // Second moments.
        let moment = |a: (f64, f64), b: (f64, f64)| {
            along * along * a.0 * b.0 + across * across * a.1 * b.1 + xy * (a.0 * b.1 + a.1 * b.0)
        };
        let (east, north) = ((x.x, y.x), (x.y, y.y));
        let (ee, nn, en) = (moment(east, east), moment(north, north), moment(east, north));
        let (mean, radius) = (0.5 * (ee + nn), (0.5 * (nn - ee)).hypot(en));
        let ellipse = MapEllipse {
            longest: (mean + radius).max(0.0).sqrt(),
            shortest: (mean - radius).max(0.0).sqrt(),
            azimuth: (0.5 * en.atan2(0.5 * (nn - ee))).to_degrees().rem_euclid(180.0),
        };
        let root = |moment: f64| moment.max(0.0).sqrt();
        let half = HalfSize { easting: root(ee), northing: root(nn), elevation: deep };
        // 0 - 0 is 0, where -0 would be -0.
        MapPlace { easting, northing, elevation: 0.0 - depth, geographic: None, half, ellipse }
    }

    /// Adds longitude and latitude.
    pub(crate) fn take_degrees(&mut self, projection: &Projection) {
        self.geographic = projection.geographic(self.easting, self.northing);
    }
}

/// So many seconds later, to a microsecond.
pub(crate) fn after(began: Timestamp, seconds: f64) -> Option<Timestamp> {
    let micros = (seconds * 1e6).round();
    // As a cast would silently saturate.
    (micros.abs() < 1e18)
        .then(|| began.checked_add(SignedDuration::from_micros(micros as i64)).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Side;

    /// A focus of 50 m along x and 20 m along y, of a model whose x axis points 30 degrees from
    /// north: its long axis does too. Its extent along east is sqrt(50^2 sin^2 + 20^2 cos^2).
    #[test]
    fn a_focus_turns_with_its_model() {
        let half = Axes { z: 10.0, x: 50.0, y: 20.0 };
        let focus = Ellipse { half, ..Ellipse::default() };
        let at = Position { x: 100.0, y: 40.0, z: 300.0 };
        for y_axis in [Side::Left, Side::Right] {
            let origin = Position { x: 5e5, y: 6.7e6, z: -120.0 };
            let placement = Placement { origin, azimuth: 30.0, y_axis };
            let map = MapPlace::new(&placement, at, &focus);
            let close = |a: f64, b: f64| (a - b).abs() < 1e-6;
            let (sin, cos) = (0.5, 0.75f64.sqrt());
            let left = if y_axis == Side::Left { 40.0 } else { -40.0 };
            assert!(close(map.easting, 5e5 + 100.0 * sin - left * cos), "{map:?}");
            assert!(close(map.northing, 6.7e6 + 100.0 * cos + left * sin), "{map:?}");
            assert_eq!(map.elevation, 120.0 - 300.0);
            assert!(close(map.half.easting, (2500.0f64 * 0.25 + 400.0 * 0.75).sqrt()), "{map:?}");
            assert!(close(map.half.northing, (2500.0f64 * 0.75 + 400.0 * 0.25).sqrt()), "{map:?}");
            let MapEllipse { longest, shortest, azimuth } = map.ellipse;
            assert!(
                close(longest, 50.0) && close(shortest, 20.0) && close(azimuth, 30.0),
                "{map:?}"
            );
        }
    }

    #[test]
    fn seconds_are_added_to_a_date() {
        let began: Timestamp = "2026-12-31T23:59:59.5Z".parse().expect("a date");
        let at = |seconds| after(began, seconds).map(|at| at.to_string());
        assert_eq!(at(1.2345678).as_deref(), Some("2027-01-01T00:00:00.734568Z"));
        assert_eq!(at(f64::NAN), None);
        assert_eq!(at(1e300), None);
    }
}
