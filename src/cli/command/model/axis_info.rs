//! An axis of a model file, for reports.

use crate::{io::file_axis::FileAxis, rounded::rounded, run::counted};
use serde::Serialize;

/// An axis in the file, in its own unit.
#[derive(Serialize)]
pub(super) struct AxisInfo {
    pub(super) n: usize,
    #[serde(flatten)]
    pub(super) axis: FileAxis,
    /// Present if known.
    pub(super) spacing_metres: Option<f64>,
}

impl AxisInfo {
    /// In words: the axis of this index, with this letter if the order of the axes is known.
    pub(super) fn text(&self, index: usize, letter: Option<char>) -> String {
        let label = match (&self.axis.label, letter) {
            (Some(label), _) => format!("\"{label}\""),
            (None, Some(letter)) => letter.to_string(),
            (None, None) => format!("axis {index}"),
        };
        let nodes = counted(self.n, "node");
        let origin = self.axis.origin.map_or(String::new(), |o| format!(" from {}", rounded(o)));
        let Some(spacing) = self.axis.spacing.map(rounded) else {
            return format!("{label}: {nodes}, spacing not given{origin}");
        };
        let unit = self.axis.unit.as_deref().unwrap_or("m where it names no unit");
        format!("{label}: {nodes}, {spacing} apart{origin} ({unit})")
    }
}
