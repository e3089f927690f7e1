//! The located sources, as tables.

use crate::{
    cli::terminal::{
        escape,
        table::{Column, of, percent, plain, tenths},
    },
    grid::Position,
    operations::locate::{
        Ellipse,
        files::{Found, Report, Tried},
    },
    rounded::rounded,
};

/// Why no model has a fit.
const NO_FIT: &str = "no model was fitted (\"explains\" is -): a fit compares two or more models with a strength of at least 0.9 \
                      whose peak is beyond the mask\n\n";

/// The report as tables.
pub(crate) fn text(report: &Report<'_>, volume: bool) -> String {
    let place = |at: &Position| {
        let y = if volume { format!(", y {:.1}", at.y) } else { String::new() };
        format!("x {:.1}{y}, z {:.1}", at.x, at.z)
    };
    let size = |Ellipse { half, .. }: &Ellipse| {
        let y = if volume { format!(", y {:.0}", half.y) } else { String::new() };
        format!("± x {:.0}{y}, z {:.0}", half.x, half.z)
    };
    let mut text = String::new();
    if !report.tried.is_empty() {
        let name = |(index, tried): &(usize, &Tried)| {
            let best = match (report.best == Some(*index), tried.is_a_peak()) {
                (true, _) => " <- best",
                (_, true) if tried.is_as_good() => " <- as good",
                (_, true) => "",
                (_, false) => " (at the receivers)",
            };
            format!("{}{best}", tried.model)
        };
        let source = |tried: &Tried| {
            let map = tried.found.map(|found| (found.at, found.time));
            tried.fit.map(|fit| (fit.at, fit.time)).or(map)
        };
        let columns: [Column<'_, (usize, &Tried)>; 7] = [
            ("model", &name),
            ("strength", &|(_, tried)| of(tried.strength, |of| format!("{of:.3}"))),
            ("explains", &|(_, tried)| of(tried.fit, |fit| percent(fit.explained, 2))),
            ("kurtosis", &|(_, tried)| tenths(tried.sharpness.kurtosis)),
            ("peak / rms", &|(_, tried)| tenths(tried.sharpness.over_rms)),
            ("source at, m", &|(_, tried)| {
                source(tried).map_or_else(String::new, |(at, _)| place(&at))
            }),
            ("at, s", &|(_, tried)| {
                source(tried).map_or_else(String::new, |(_, time)| format!("{time:.3}"))
            }),
        ];
        text += &format!("{}\n\n", plain(report.tried.iter().enumerate(), 1, &columns));
        if report.tried.len() > 1 && report.tried.iter().all(|tried| tried.fit.is_none()) {
            text += NO_FIT;
        }
    }
    let columns: [Column<'_, (usize, &Found)>; 6] = [
        ("source", &|(number, _)| number.to_string()),
        ("at, m", &|(_, found)| place(&found.at)),
        ("focus, m", &|(_, found)| size(&found.extent)),
        ("at, s", &|(_, found)| format!("{:.3}", found.time)),
        ("peak / median", &|(_, found)| of(found.over_background, tenths)),
        ("peak / next", &|(_, found)| of(found.over_next, tenths)),
    ];
    let table = plain((1..).zip(&report.found), 1, &columns);
    let map = on_map(report);
    let rate = report.recorded_per_second;
    text += &format!(
        "{table}\n{map}back-propagated all {} s of the recording, {rate:.1} s of data in 1.0 s, through {}",
        rounded(report.recorded),
        escape::line(&report.model)
    );
    text
}

/// The table of sources on the map and the clock; empty if neither is known.
fn on_map(report: &Report<'_>) -> String {
    let has_degrees = report.found.iter().any(|found| found.map.geographic.is_some());
    let has_dates = report.found.iter().any(|found| found.utc.is_some());
    if report.placement.is_plain() && !has_degrees && !has_dates {
        return String::new();
    }
    let with = |value: f64, half: f64| format!("{value:.1} ± {half:.0}");
    let degrees = |found: &Found| {
        of(found.map.geographic, |at| format!("{:.6}, {:.6}", at.longitude, at.latitude))
    };
    let all: [Column<'_, (usize, &Found)>; 6] = [
        ("source", &|(number, _)| number.to_string()),
        ("easting, m", &|(_, Found { map, .. })| with(map.easting, map.half.easting)),
        ("northing, m", &|(_, Found { map, .. })| with(map.northing, map.half.northing)),
        ("elevation, m", &|(_, Found { map, .. })| with(map.elevation, map.half.elevation)),
        ("longitude, latitude", &|(_, found)| degrees(found)),
        ("origin time, UTC", &|(_, found)| of(found.utc, |utc| format!("{utc:.3}"))),
    ];
    let shown = |(name, _): &Column<'_, _>| has_degrees || *name != "longitude, latitude";
    let columns: Vec<_> = all.into_iter().filter(shown).collect();
    format!("\n{}\n\n", plain((1..).zip(&report.found), 1, &columns))
}
