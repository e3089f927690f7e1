//! The report on a trace file in words.

use super::TraceInfo;
use crate::{
    cli::command::file_report::Lines,
    io::{
        model_file::Plausible,
        segy::{Contents, Extent, IntervalUnit, all_zero, code_name},
    },
    rounded::rounded,
    run::counted,
};

/// Number of textual-header lines shown.
const TEXT_LINES: usize = 6;

/// True if a line of a textual header contains more than its number.
pub(crate) fn has_words(line: &str) -> bool {
    let line = line.strip_prefix('C').unwrap_or(line);
    line.chars().any(|c| !c.is_ascii_digit() && !c.is_whitespace())
}

/// A guess at the kind of samples.
pub(crate) fn looks(held: &Contents) -> String {
    let (Some(least), Some(most)) = (held.least, held.most) else {
        return "no sample is finite".into();
    };
    if held.not_finite > 0 {
        return "no model: not all samples are finite".into();
    }
    let looks = Plausible::of(least as f32, most as f32);
    let (quantity, units) = looks.quantity();
    match (looks, units) {
        (Plausible::Signed | Plausible::No, _) => quantity.into(),
        (_, []) => format!("{quantity}, if it is a model"),
        (Plausible::FeetASecond, _) => {
            format!("{quantity}, if it is a model: read the former with --unit ft/s")
        }
        (_, units) => {
            let units = units.join(" or ");
            format!("{quantity}, if it is a model: read it with --unit {units}")
        }
    }
}

/// The range from minimum to maximum.
pub(crate) fn range(extent: Extent) -> String {
    match extent {
        None => "none".into(),
        Some((least, most)) if least == most => rounded(least).to_string(),
        Some((least, most)) => format!("{} to {}", rounded(least), rounded(most)),
    }
}

fn list(numbers: impl IntoIterator<Item = impl ToString>) -> String {
    let mut shown: Vec<_> = numbers.into_iter().take(7).map(|number| number.to_string()).collect();
    if shown.len() == 7 {
        shown[6] = "...".into();
    }
    shown.join(", ")
}

impl TraceInfo {
    /// One line per property, its name first.
    pub(crate) fn text(&self) -> String {
        let mut lines = Lines::new(&self.path, 10);
        lines.line("format", self.kind());
        lines.line("traces", format!("{} of {}", self.traces, counted(self.samples, "sample")));
        lines.line("interval", self.interval_in_words());
        lines.line("values", self.values());
        lines.line("", &self.looks);
        lines.line("gathers", self.gathers());
        self.places(&mut lines);
        let held = &self.held;
        if !all_zero(&[held.offsets]) {
            lines.line("offsets", range(held.offsets));
        }
        let code = |(code, traces): (&i64, &u64)| {
            format!("{code} ({}): {}", code_name(*code), counted(*traces as usize, "trace"))
        };
        let codes: Vec<_> = held.identifications.iter().map(code).collect();
        lines.line("codes", codes.join(", "));
        let (across, up) = (list(&held.coordinate_scalars), list(&held.elevation_scalars));
        lines.line("scalars", format!("coordinates {across}, elevations {up}"));
        if self.is_model && !all_zero(&[held.delays]) {
            // The field counts milliseconds in files of time, and the file's unit of length here.
            let depth = held.delays.map(|(least, most)| (1e3 * least, 1e3 * most));
            let (depth, unit) = (range(depth), self.unit());
            lines.line("delay", format!("{depth}{unit} of depth to the first sample"));
        } else if !all_zero(&[held.delays]) {
            lines.line("delay", format!("{} s to the first sample", range(held.delays)));
        }
        for (index, said) in self.text.iter().take(TEXT_LINES).enumerate() {
            lines.line(if index == 0 { "text" } else { "" }, said);
        }
        if self.text.len() > TEXT_LINES {
            lines.line("", "... and more, with --json");
        }
        lines.end(&self.warnings)
    }

    fn kind(&self) -> String {
        let format = match self.revision {
            None => "Seismic Unix".to_owned(),
            Some(revision) => format!("SEG-Y revision {revision}"),
        };
        let (samples, code) = (self.layout.format.words(), self.sample_format);
        format!("{format}, {}, {samples} (format {code})", self.byte_order)
    }

    fn interval_in_words(&self) -> String {
        match (self.interval, self.d1, IntervalUnit::in_text(self.text.iter())) {
            (Some(interval), ..) if self.interval_metres.is_some() => {
                let metres = self.interval_metres.map_or(interval, |unit| unit * interval);
                format!("{interval}: {} m of depth, as given", rounded(metres))
            }
            (interval, Some(d1), _) if self.depth || interval.is_none() => {
                let depth = if self.depth { ", of depth" } else { "" };
                format!("d1 is {d1}{depth}; metres, unless --unit says otherwise")
            }
            (Some(interval), _, Some(unit)) => {
                format!("{interval} {} of depth, as its text says", unit.symbol())
            }
            (Some(interval), ..) => format!(
                "{interval}: {} ms in files of time; in files of depth no header field gives its unit",
                rounded(interval / 1e3)
            ),
            _ => "none".into(),
        }
    }

    fn values(&self) -> String {
        let values = match (self.held.least, self.held.most) {
            (Some(least), Some(most)) => format!("{} to {}", rounded(least), rounded(most)),
            _ => "none".into(),
        };
        match self.held.not_finite {
            0 => values,
            count => format!("{values}, and {count} that are not finite"),
        }
    }
}
