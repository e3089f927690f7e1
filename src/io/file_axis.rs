//! An array and its axes as a file describes them.

use crate::model::Placement;
use ndarray::ArrayD;
use serde::Serialize;
use std::path::PathBuf;

/// An array in a file, with what the file says of it: what is read from every format of models.
#[derive(Debug)]
pub struct FileArray<V = ArrayD<f32>> {
    /// Its values as stored, the slowest axis first, or what stands for them.
    pub values: V,
    /// Its axes, in the order of the values; none if the file describes none.
    pub axes: Vec<FileAxis>,
    /// The unit of the values.
    pub unit: Option<String>,
    /// Where the first value lies on the map, if the file has more than origins of its axes.
    pub(crate) placement: Option<Placement>,
    /// The file of the values, if separate.
    pub data: Option<PathBuf>,
    /// The sample-interval field of depth traces.
    pub(crate) interval: Option<f64>,
    /// Contradictions in the file, and their resolution.
    pub(crate) warnings: Vec<String>,
}

impl<V> FileArray<V> {
    /// Values alone.
    pub(crate) fn of(values: V) -> Self {
        FileArray {
            values,
            axes: Vec::new(),
            unit: None,
            placement: None,
            data: None,
            interval: None,
            warnings: Vec::new(),
        }
    }

    /// The same of other values.
    pub(super) fn map<W>(self, to: impl FnOnce(V) -> W) -> FileArray<W> {
        let FileArray { values, axes, unit, placement, data, interval, warnings } = self;
        FileArray { values: to(values), axes, unit, placement, data, interval, warnings }
    }
}

/// An axis as a file describes it; missing values are `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FileAxis {
    /// Its name.
    pub label: Option<String>,
    /// The unit of `origin` and `spacing`.
    pub unit: Option<String>,
    /// The first sample.
    pub origin: Option<f64>,
    /// Between samples.
    pub spacing: Option<f64>,
}

/// Labels of a model's axes, in lower case. Axes with other labels must be named by the user.
const LABELS: [(char, &[&str]); 3] = [
    ('z', &["z", "depth"]),
    ('x', &["x", "distance", "lateral", "lateral position", "inline", "in-line"]),
    ('y', &["y", "crossline", "cross-line"]),
];

/// A foot, metres: the international one. The US survey foot is 2e-6 longer.
pub(crate) const FOOT: f64 = 0.3048;

/// Metres of a unit of length.
pub(crate) fn metres(unit: &str) -> Option<f64> {
    match unit.trim().to_lowercase().as_str() {
        "m" | "metre" | "metres" | "meter" | "meters" => Some(1.0),
        "cm" | "centimetre" | "centimetres" | "centimeter" | "centimeters" => Some(0.01),
        "km" | "kilometre" | "kilometres" | "kilometer" | "kilometers" => Some(1000.0),
        "ft" | "foot" | "feet" => Some(FOOT),
        "kft" | "kilofeet" => Some(1000.0 * FOOT),
        _ => None,
    }
}

impl FileAxis {
    /// `z`, `x` or `y` if its label is known.
    pub fn letter(&self) -> Option<char> {
        let label = self.label.as_deref()?.trim().to_lowercase();
        LABELS.iter().find(|(_, known)| known.contains(&label.as_str())).map(|(letter, _)| *letter)
    }

    /// Metres per unit, 1 if it has none; `Err` with a unit that is not a length.
    pub fn scale(&self) -> Result<f64, String> {
        match &self.unit {
            None => Ok(1.0),
            Some(unit) => metres(unit).ok_or_else(|| unit.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_units_are_known_or_not_guessed() {
        let axis = |label: &str, unit: &str| FileAxis {
            label: Some(label.into()),
            unit: Some(unit.into()),
            ..FileAxis::default()
        };
        assert_eq!(axis("Depth", "km").letter(), Some('z'));
        assert_eq!(axis(" X ", "km").letter(), Some('x'));
        assert_eq!(axis("Time", "s").letter(), None);
        assert_eq!(axis("Depth", "kilofeet").scale(), Ok(304.8));
        assert_eq!(axis("Time", "s").scale(), Err("s".into()));
        assert_eq!(FileAxis::default().scale(), Ok(1.0));
    }
}
