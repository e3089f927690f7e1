//! What the samples of traces are apart in: the vertical axis of a gather.

use super::axes::Axis;
use super::scale::Scale;

/// The vertical axis of a gather.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SampleAxis {
    /// Time after the shot, s.
    #[default]
    Time,
    /// Two-way time of a zero-offset section, s.
    TwoWayTime,
    /// Depth, metres: drawn in km, as the depths of models are.
    Depth {
        /// Of the first sample.
        from: f64,
    },
}

impl SampleAxis {
    /// The axis of samples over a length.
    pub(super) fn axis(self, length: f64) -> Axis {
        let (label, scale) = match self {
            SampleAxis::Time => ("Time (s)", Scale::linear(0.0, length)),
            SampleAxis::TwoWayTime => ("Two-way time (s)", Scale::linear(0.0, length)),
            SampleAxis::Depth { from } => {
                ("Depth (km)", Scale::linear(from / 1000.0, (from + length) / 1000.0))
            }
        };
        Axis::new(scale, label)
    }

    /// Its symbol in formulas.
    pub(super) fn symbol(self) -> char {
        if self.is_depth() { 'z' } else { 't' }
    }

    /// The unit of intervals and windows.
    pub(super) fn unit(self) -> &'static str {
        if self.is_depth() { "m" } else { "s" }
    }

    fn is_depth(self) -> bool {
        matches!(self, SampleAxis::Depth { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_kilometres_and_times_seconds() {
        let ends = |axis: SampleAxis, length: f64| {
            let Axis { label, scale, .. } = axis.axis(length);
            (label, scale.share(0.0), scale.share(3.0))
        };
        assert_eq!(ends(SampleAxis::Time, 3.0), ("Time (s)".to_owned(), 0.0, 1.0));
        assert_eq!(ends(SampleAxis::TwoWayTime, 3.0).0, "Two-way time (s)");
        let depth = |from| ends(SampleAxis::Depth { from }, 3000.0);
        assert_eq!(depth(0.0), ("Depth (km)".to_owned(), 0.0, 1.0));
        assert_eq!(depth(-1500.0), ("Depth (km)".to_owned(), 0.5, 1.5));
    }
}
