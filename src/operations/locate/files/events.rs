//! Located sources as a table (`events.csv`) and as a catalogue (`events.xml`, QuakeML 1.2 BED:
//! Euchner and Schorlemmer 2013).

use super::{Found, map::MapEllipse};
use crate::{
    io::digest::sha256_of,
    job::Geographic,
    program::PROGRAM,
    results::{Results, ResultsError},
};
use std::fmt::Write;

/// The table.
pub(crate) const TABLE: &str = "events.csv";
/// The catalogue.
pub(crate) const CATALOGUE: &str = "events.xml";

/// Columns of the table; lengths in metres, times in seconds of the recording, degrees of WGS 84.
const COLUMNS: [&str; 20] = [
    "event",
    "record",
    "utc",
    "time_s",
    "easting_m",
    "northing_m",
    "elevation_m",
    "longitude_deg",
    "latitude_deg",
    "half_easting_m",
    "half_northing_m",
    "half_elevation_m",
    "x_m",
    "y_m",
    "z_m",
    "half_x_m",
    "half_y_m",
    "half_z_m",
    "peak_over_median",
    "peak_over_next",
];

/// The sources of a record, strongest first.
pub(crate) struct Events<'a> {
    /// Number of the record.
    pub(crate) record: i64,
    /// Name of the model.
    pub(crate) model: &'a str,
    pub(crate) found: &'a [Found],
    /// True of a 3-D model.
    pub(crate) volume: bool,
}

impl Events<'_> {
    /// Writes the table and, if origin times are known in UTC, the catalogue.
    pub(crate) fn write(&self, results: &Results<'_>) -> Result<(), ResultsError> {
        let table = self.table()?;
        results.folder.write(TABLE, &table)?;
        // Other sources, or the same through another model, have other identifiers.
        let digest = sha256_of(&[self.model.as_bytes(), b"\n", &table].concat());
        if let Some(catalogue) = self.catalogue(&digest[..16]) {
            results.folder.write(CATALOGUE, catalogue.as_bytes())?;
        }
        Ok(())
    }

    /// A line a source. Cells without a value are empty.
    fn table(&self) -> Result<Vec<u8>, ResultsError> {
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(COLUMNS).map_err(ResultsError::failed)?;
        let metres = |value: f64| format!("{value:.2}");
        for (number, found) in (1..).zip(self.found) {
            let Found { at, time, map, extent, utc, over_background, over_next, .. } = found;
            let places = [map.easting, map.northing, map.elevation].map(metres);
            let sizes = [
                map.half.easting,
                map.half.northing,
                map.half.elevation,
                at.x,
                at.y,
                at.z,
                extent.half.x,
                extent.half.y,
                extent.half.z,
            ]
            .map(metres);
            let degrees = match map.geographic {
                Some(Geographic { longitude, latitude }) => {
                    [longitude, latitude].map(|degrees| format!("{degrees:.7}"))
                }
                None => Default::default(),
            };
            let ratio =
                |of: &Option<f64>| of.map_or_else(String::new, |ratio| format!("{ratio:.3}"));
            let row = [
                number.to_string(),
                self.record.to_string(),
                utc.map_or_else(String::new, |utc| format!("{utc:.6}")),
                format!("{time:.6}"),
            ];
            let ratios = [over_background, over_next].map(ratio);
            let cells = row.into_iter().chain(places).chain(degrees).chain(sizes).chain(ratios);
            table.write_record(cells).map_err(ResultsError::failed)?;
        }
        table.into_inner().map_err(ResultsError::failed)
    }

    /// A catalogue of the sources whose origin time is known in UTC; `None` without any. A digest makes
    /// its identifiers unique.
    ///
    /// QuakeML has longitudes and latitudes, which take a map projection. Easting and northing are
    /// elements of a name space of their own, as the standard allows, and comments.
    fn catalogue(&self, digest: &str) -> Option<String> {
        let mut events = String::new();
        for (number, found) in (1..).zip(self.found) {
            let Some(utc) = found.utc else { continue };
            let id = format!("smi:local/huygens/{digest}/{number}");
            self.event(&mut events, found, &id, &format!("{utc:.6}"));
        }
        (!events.is_empty()).then(|| {
            format!(
                r#"<?xml version="1.0" encoding="UTF-8"?>
<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" xmlns="http://quakeml.org/xmlns/bed/1.2" xmlns:map="smi:local/huygens/map">
  <eventParameters publicID="smi:local/huygens/{digest}">
{events}  </eventParameters>
</q:quakeml>
"#
            )
        })
    }

    fn event(&self, text: &mut String, found: &Found, id: &str, utc: &str) {
        let map = &found.map;
        let half = &map.half;
        let (model, version) = (escaped(self.model), escaped(PROGRAM.version));
        let (uncertainty, off_line) = match self.volume {
            true => (horizontal(&map.ellipse), ""),
            false => {
                let off_line = " The model is 2-D: the distance from its line is not known.";
                (String::new(), off_line)
            }
        };
        let degrees =
            map.geographic.map_or_else(String::new, |Geographic { longitude, latitude }| {
                format!(
                    "        <longitude><value>{longitude:.7}</value></longitude>\n        \
                 <latitude><value>{latitude:.7}</value></latitude>\n"
                )
            });
        // A QuakeML depth is below sea level, which the map's datum is taken to be.
        let depth = 0.0 - map.elevation;
        let written = write!(
            text,
            r#"    <event publicID="{id}">
      <preferredOriginID>{id}/origin</preferredOriginID>
      <origin publicID="{id}/origin">
        <time><value>{utc}</value></time>
        <map:easting><map:value>{:.2}</map:value><map:uncertainty>{:.2}</map:uncertainty></map:easting>
        <map:northing><map:value>{:.2}</map:value><map:uncertainty>{:.2}</map:uncertainty></map:northing>
{degrees}        <depth><value>{depth:.2}</value><uncertainty>{:.2}</uncertainty></depth>
{uncertainty}        <methodID>smi:local/huygens/time-reversal</methodID>
        <evaluationMode>automatic</evaluationMode>
        <evaluationStatus>preliminary</evaluationStatus>
        <comment><text>easting {0:.2} m, northing {2:.2} m, elevation {5:.2} m through {model}. Uncertainties are half of the size of the focus.{off_line}</text></comment>
        <creationInfo><author>huygens</author><version>{version}</version></creationInfo>
      </origin>
    </event>
"#,
            map.easting, half.easting, map.northing, half.northing, half.elevation, map.elevation,
        );
        written.expect("a String takes all text");
    }
}

/// The ellipse of a focus as the uncertainty of an origin.
fn horizontal(ellipse: &MapEllipse) -> String {
    let MapEllipse { longest, shortest, azimuth } = ellipse;
    format!(
        "        <originUncertainty>
          <preferredDescription>uncertainty ellipse</preferredDescription>
          <minHorizontalUncertainty>{shortest:.2}</minHorizontalUncertainty>
          <maxHorizontalUncertainty>{longest:.2}</maxHorizontalUncertainty>
          <azimuthMaxHorizontalUncertainty>{azimuth:.2}</azimuthMaxHorizontalUncertainty>
        </originUncertainty>\n"
    )
}

/// Text between the tags of XML, which has no other control characters than tabs and ends of lines.
fn escaped(text: &str) -> String {
    let text = text.replace(|c: char| c.is_control(), " ");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
