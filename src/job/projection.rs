//! The map projection of a job's easting and northing.

use super::{JobError, JobFile};
use proj4rs::{Proj, errors::Error, transform::transform};
use std::fmt;

/// The UTM zones among EPSG's codes: the first code less one, the number of zones, and the rest of
/// the definition.
const ZONES: [(u32, u32, &str); 3] = [
    (32600, 60, "+datum=WGS84"),
    (32700, 60, "+south +datum=WGS84"),
    // ETRS89, which is WGS 84 to a metre.
    (25800, 60, "+ellps=GRS80 +towgs84=0,0,0"),
];

/// A map projection.
pub(crate) struct Projection {
    map: Proj,
    geographic: Proj,
}

/// A place on WGS 84, degrees.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Geographic {
    /// East of Greenwich.
    pub(crate) longitude: f64,
    /// North of the equator.
    pub(crate) latitude: f64,
}

/// Why a text names no projection.
#[derive(Debug)]
enum Unknown {
    Code,
    Unit,
    Definition(Error),
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unknown::Code => write!(f, "it is no UTM zone of WGS 84 or ETRS89"),
            Unknown::Unit => write!(f, "it does not count in metres"),
            Unknown::Definition(error) => write!(f, "{error}"),
        }
    }
}

impl From<Error> for Unknown {
    fn from(error: Error) -> Self {
        Unknown::Definition(error)
    }
}

impl Projection {
    /// A UTM zone by its EPSG code, or the projection of a PROJ text.
    fn new(text: &str) -> Result<Self, Unknown> {
        let of_code = text.get(..5).filter(|start| start.eq_ignore_ascii_case("EPSG:"));
        let definition = match of_code {
            None => text.to_owned(),
            Some(_) => {
                let code: u32 = text[5..].trim().parse().map_err(|_| Unknown::Code)?;
                let zone = ZONES.iter().find_map(|(base, zones, rest)| {
                    let zone = code.checked_sub(*base).filter(|zone| (1..=*zones).contains(zone));
                    zone.map(|zone| format!("+proj=utm +zone={zone} {rest}"))
                });
                zone.ok_or(Unknown::Code)?
            }
        };
        let map = Proj::from_proj_string(&definition)?;
        match map.is_latlong() || map.is_geocent() || map.to_meter() != 1.0 {
            true => Err(Unknown::Unit),
            false => Ok(Projection {
                map,
                geographic: Proj::from_proj_string("+proj=longlat +datum=WGS84")?,
            }),
        }
    }

    /// The place of an easting and a northing in metres; `None` outside the domain of the projection.
    pub(crate) fn geographic(&self, easting: f64, northing: f64) -> Option<Geographic> {
        let mut at = (easting, northing, 0.0);
        transform(&self.map, &self.geographic, &mut at).ok()?;
        let (longitude, latitude) = (at.0.to_degrees(), at.1.to_degrees());
        let is_place = longitude.is_finite() && latitude.abs() <= 90.0;
        is_place.then_some(Geographic { longitude, latitude })
    }
}

impl JobFile {
    /// The projection of the model's place on the map, if the job names one.
    pub(crate) fn projection(&self) -> Result<Option<Projection>, JobError> {
        let Some(text) = &self.job.model.projection else { return Ok(None) };
        let refused = |why| {
            let message = format!(
                "\"{text}\" names no map projection: {why}; give the EPSG code of a UTM zone, as in EPSG:32632, \
                 or a PROJ text, as in \"+proj=utm +zone=32 +datum=WGS84\""
            );
            self.mistake("model.projection", message)
        };
        Projection::new(text).map(Some).map_err(refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By PROJ 9: `pyproj.Transformer.from_crs(text, "EPSG:4326", always_xy=True)`.
    #[test]
    fn places_of_the_map_have_the_degrees_of_proj() {
        for (text, easting, northing, longitude, latitude) in [
            ("EPSG:32632", 512345.67, 6712345.89, 9.22506262326455, 60.54693633747882),
            ("epsg:32719", 345678.9, 7654321.0, -70.48679953606032, -21.206073331141667),
            ("EPSG:25833", 400000.0, 5800000.0, 13.532121800505017, 52.341175348256826),
            (
                "+proj=tmerc +lat_0=49 +lon_0=-2 +k=0.9996012717 +x_0=400000 +y_0=-100000 +ellps=airy +towgs84=0,0,0",
                400000.0,
                300000.0,
                -2.0,
                52.598116093542565,
            ),
        ] {
            let projection = Projection::new(text).expect("known");
            let at = projection.geographic(easting, northing).expect("a place");
            // A millimetre.
            assert!((at.longitude - longitude).abs() < 1e-8, "{text}: {at:?}");
            assert!((at.latitude - latitude).abs() < 1e-8, "{text}: {at:?}");
        }
    }

    #[test]
    fn what_is_no_projection_is_refused() {
        for text in [
            "",
            "EPSG:",
            "EPSG:4326",
            "EPSG:32661",
            "ä",
            "+proj=utm +zone=61",
            "+proj=longlat",
            "+proj=utm +zone=32 +units=us-ft",
            "UTM 32N",
        ] {
            assert!(Projection::new(text).is_err(), "{text}");
        }
        let zone = Projection::new("EPSG:32632").expect("known");
        assert_eq!(zone.geographic(1e12, 1e12), None);
        assert_eq!(zone.geographic(f64::NAN, 0.0), None);
    }
}
