//! The unit of the sample interval in files of depth.

/// The unit of a depth file's sample interval. Its field has 16 bits and none names its unit, so the
/// textual header does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntervalUnit {
    /// Up to 65.535 m.
    #[default]
    Millimetre,
    /// Up to 655.35 m.
    Centimetre,
    /// Up to 65535 m.
    Metre,
}

impl IntervalUnit {
    /// Every unit, the finest first.
    pub(crate) const ALL: [IntervalUnit; 3] =
        [IntervalUnit::Millimetre, IntervalUnit::Centimetre, IntervalUnit::Metre];

    /// The finest unit in which the field has room for a length in metres, and the length in it,
    /// without floating-point residue on whole numbers.
    pub fn of(metres: f64) -> (Self, f64) {
        let count = |unit: Self| {
            let (count, whole) = (unit.a_metre() * metres, (unit.a_metre() * metres).round());
            if (count - whole).abs() < 1e-6 { whole } else { count }
        };
        let fits = |unit: &Self| count(*unit).round() <= f64::from(u16::MAX);
        let unit = Self::ALL.into_iter().find(fits).unwrap_or(IntervalUnit::Metre);
        (unit, count(unit))
    }

    /// The unit that a textual header names.
    pub fn in_text<'a>(lines: impl Iterator<Item = &'a String> + Clone) -> Option<Self> {
        let named = |unit: &Self| lines.clone().any(|line| line.contains(&unit.line()));
        Self::ALL.into_iter().find(named)
    }

    /// The line of a textual header that names it.
    pub fn line(self) -> String {
        let name = self.name().to_uppercase();
        format!("DEPTH MODEL: THE SAMPLE INTERVAL COUNTS {name} OF DEPTH")
    }

    /// Its name, its symbol, and how many are a metre.
    fn said(self) -> (&'static str, &'static str, f64) {
        match self {
            IntervalUnit::Millimetre => ("millimetres", "mm", 1e3),
            IntervalUnit::Centimetre => ("centimetres", "cm", 1e2),
            IntervalUnit::Metre => ("metres", "m", 1.0),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.said().0
    }

    /// Its symbol.
    pub fn symbol(self) -> &'static str {
        self.said().1
    }

    /// How many are a metre.
    pub(crate) fn a_metre(self) -> f64 {
        self.said().2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_finest_unit_with_room_is_taken() {
        for (metres, unit, count) in [
            (24.384, IntervalUnit::Millimetre, 24384.0),
            (65.535, IntervalUnit::Millimetre, 65535.0),
            (65.536, IntervalUnit::Centimetre, 6553.6),
            (80.0, IntervalUnit::Centimetre, 8000.0),
            (700.0, IntervalUnit::Metre, 700.0),
            (1e6, IntervalUnit::Metre, 1e6),
        ] {
            assert_eq!(IntervalUnit::of(metres), (unit, count), "{metres}");
            let text = ["VELOCITY".to_owned(), format!("C 2 {}", unit.line())];
            assert_eq!(IntervalUnit::in_text(text.iter()), Some(unit));
        }
        assert_eq!(IntervalUnit::in_text(["80 METRES OF DEPTH".to_owned()].iter()), None);
    }
}
