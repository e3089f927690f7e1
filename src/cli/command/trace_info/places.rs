//! The positions of a file's traces in words.

use super::{TraceInfo, text::range};
use crate::{
    cli::command::file_report::Lines,
    io::segy::{By, all_zero},
    rounded::rounded,
    run::counted,
};

impl TraceInfo {
    pub(crate) fn gathers(&self) -> String {
        let held = &self.held;
        let records = range(held.records);
        let traces = |count: u64| counted(count as usize, "trace");
        match (held.gathers, held.traces_of_a_gather) {
            _ if all_zero(&[held.records]) && all_zero(&held.sources) => {
                "none: field records and source positions are all 0".into()
            }
            (2.., (1, 1)) if held.at_sources => format!(
                "none: each source is at its receiver, as in a section or a recording of unknown sources; field records {records}"
            ),
            (2.., (1, 1)) => {
                format!("none: no two traces in a row have one source and field record ({records})")
            }
            (1, (_, most)) => format!("1 of {}, field record {records}", traces(most)),
            (gathers, (least, most)) if least == most => {
                format!("{gathers} of {}, field records {records}", traces(most))
            }
            (gathers, (least, most)) => {
                format!("{gathers} of {least} to {most} traces, field records {records}")
            }
        }
    }

    /// The unit of positions, after a number.
    pub(crate) fn unit(&self) -> String {
        match (self.revision, self.length_unit) {
            (_, Some(unit)) => format!(" {unit}"),
            (Some(_), None) => " (m or ft: the file does not say)".into(),
            (None, None) => String::new(),
        }
    }

    /// Adds lines about positions and numbers of lines.
    pub(crate) fn places(&self, lines: &mut Lines) {
        let (held, unit) = (&self.held, self.unit());
        if !all_zero(&[held.inlines, held.crosslines]) {
            let (inlines, crosslines) = (range(held.inlines), range(held.crosslines));
            lines.line("lines", format!("inlines {inlines}, crosslines {crosslines}"));
        }
        lines.line("grid", self.placed());
        if let Some(d2) = self.d2 {
            lines.line("", format!("d2 is {d2}; metres, unless --unit says otherwise"));
        }
        if !all_zero(&held.ensembles) {
            let [x, y] = held.ensembles.map(range);
            lines.line("ensembles", format!("x {x}, y {y}{unit}"));
        }
        for (name, at) in [("sources", held.sources), ("receivers", held.receivers)] {
            let [x, y, z] = at.map(range);
            match all_zero(&at) {
                true => lines.line(name, "no positions: all are 0"),
                false => lines.line(name, format!("x {x}, y {y}, depth {z}{unit}")),
            }
        }
    }

    /// The placement of traces on a grid.
    fn placed(&self) -> String {
        let grid = match &self.held.grid {
            Some(Ok(grid)) => grid,
            Some(Err(_)) => return "none: the traces fill no regular grid".into(),
            None => {
                return "none: coordinates are angles (bytes 89-90 of the trace header)".into();
            }
        };
        let by = match grid.by {
            By::Lines => "by inline and crossline numbers",
            By::Coordinates => "by positions",
            By::Sequence => "in the order of the file",
        };
        let unit = self.length_unit.map(|unit| format!(" {unit}")).unwrap_or_default();
        let is_su = self.revision.is_none();
        let spacing = match (grid.spacing, grid.ny) {
            (Some((x, _)), 1) => format!("{}{unit} apart", rounded(x)),
            (Some((x, y)), _) => format!("{}{unit} and {}{unit} apart", rounded(x), rounded(y)),
            (None, _) if is_su && all_zero(&self.held.receivers[..2]) => {
                "without positions of receivers".into()
            }
            (None, _) if !is_su && all_zero(&self.held.ensembles) => {
                "without positions of ensembles (bytes 181-188)".into()
            }
            (None, _) => "no even spacing in their positions".into(),
        };
        match grid.ny {
            1 => format!("a plane of {} along x {by}, {spacing}", counted(grid.nx, "trace")),
            ny => format!("{} traces along x and {ny} along y {by}, {spacing}", grid.nx),
        }
    }
}
