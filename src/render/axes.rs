//! Axes: their ends, ticks at round numbers, and how numbers are written.

use super::RenderError;

/// An axis in the unit of its label.
pub(super) struct Axis {
    /// Value at the left or upper end, unless reversed.
    pub(super) low: f64,
    /// Value at the right or lower end, unless reversed.
    pub(super) high: f64,
    /// What the axis shows, with its unit.
    pub(super) label: String,
    /// Least step between ticks, 0 for any.
    pub(super) least_step: f64,
    /// Whether the low end is the right or lower one instead.
    pub(super) reversed: bool,
}

impl Axis {
    /// An axis in kilometres from its ends in metres. Ends that coincide (one
    /// node) are drawn one metre apart.
    pub(super) fn kilometres(
        axis: &'static str,
        (first, last): (f64, f64),
        label: &str,
    ) -> Result<Self, RenderError> {
        if !(first.is_finite() && last.is_finite() && first <= last) {
            return Err(RenderError::Extent { axis, first, last });
        }
        let widen = if first == last { 0.5 } else { 0.0 };
        Ok(Self {
            low: (first - widen) / 1000.0,
            high: (last + widen) / 1000.0,
            label: label.to_owned(),
            least_step: 0.0,
            reversed: false,
        })
    }

    /// The same axis the other way round.
    pub(super) fn upward(self) -> Self {
        Self { reversed: !self.reversed, ..self }
    }

    /// Length of the axis in the unit of its label.
    pub(super) fn length(&self) -> f64 {
        self.high - self.low
    }

    /// Where a value lies along the axis: 0 at the left or upper end, 1 at the other.
    pub(super) fn share(&self, value: f64) -> f64 {
        let from_low = (value - self.low) / self.length();
        if self.reversed { 1.0 - from_low } else { from_low }
    }

    /// Ticks at round numbers, as (share of the axis, label), at most `most`.
    pub(super) fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let (step, values) = round_ticks(self.low, self.high, most, self.least_step);
        let label = |v: f64| (self.share(v), number(v, decimals(step)));
        values.into_iter().map(label).collect()
    }
}

/// Multiples of a step of 1, 2 or 5 times a power of ten that lie within
/// low..=high: the step and at most `most` values (at least one is aimed at).
pub(super) fn round_ticks(low: f64, high: f64, most: usize, least_step: f64) -> (f64, Vec<f64>) {
    let span = high - low;
    if !(span.is_finite() && span > 0.0) {
        return (1.0, vec![low]);
    }
    let most = most.max(2);
    let mut decade = 10_f64.powf((span / most as f64).log10().floor());
    loop {
        for step in [decade, 2.0 * decade, 5.0 * decade] {
            let first = (low / step - 1e-6).ceil();
            let count = ((high / step + 1e-6).floor() - first + 1.0).max(0.0);
            if step >= least_step && count <= most as f64 {
                let values = (0..count as usize).map(|k| (first + k as f64) * step);
                return (step, values.collect());
            }
        }
        decade *= 10.0;
    }
}

/// Decimals that tell multiples of a step apart.
pub(super) fn decimals(step: f64) -> usize {
    (-(step.abs() * 1.000_001).log10().floor()).clamp(0.0, 9.0) as usize
}

/// A number with so many decimals, a true minus sign and no minus zero; in
/// powers of ten where it would be very long.
pub(super) fn number(value: f64, decimals: usize) -> String {
    let written = if value.abs() >= 1e7 || (decimals > 6 && value != 0.0) {
        format!("{value:.1e}").replace("e-", "e\u{2212}")
    } else {
        format!("{value:.decimals$}")
    };
    match written.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        Some(rest) => format!("\u{2212}{rest}"),
        None => written,
    }
}

/// The power of ten by which amplitudes up to `largest` are best divided for
/// display (0 for those that read well as they are), and the unit with it:
/// "Pa" or "10⁻³ Pa".
pub(super) fn power_of_ten(largest: f64, unit: &str) -> (i32, String) {
    let power = largest.abs().log10().floor();
    if !power.is_finite() || (-1.0..3.0).contains(&power) {
        return (0, unit.to_owned());
    }
    let power = power as i32;
    (power, format!("10{} {unit}", raised(power)))
}

/// A power in superscripts.
pub(super) fn raised(power: i32) -> String {
    let raise = |sign: char| {
        let figure = sign.to_digit(10).map(|k| k as usize);
        figure.map_or('⁻', |k| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][k])
    };
    power.to_string().chars().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_step_by_one_two_or_five() {
        let (step, values) = round_ticks(0.0, 13.48, 10, 0.0);
        assert_eq!((step, values), (2.0, vec![0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]));
        let (step, values) = round_ticks(-0.7, 0.7, 8, 0.0);
        assert_eq!((step, values.len()), (0.2, 7));
        let (step, values) = round_ticks(0.0, 4.0, 5, 0.0);
        assert_eq!((step, values.len()), (1.0, 5));
        let (step, values) = round_ticks(-3.0, 3.0, 3, 0.0);
        assert_eq!((step, values), (2.0, vec![-2.0, 0.0, 2.0]));
        let (step, _) = round_ticks(0.0, 3.0, 10, 1.0);
        assert_eq!(step, 1.0);
    }

    #[test]
    fn odd_ranges_end() {
        assert_eq!(round_ticks(2.0, 2.0, 5, 0.0).1, [2.0]);
        assert_eq!(round_ticks(0.0, f64::INFINITY, 5, 0.0).1.len(), 1);
        assert!(round_ticks(0.0, 1e-300, 5, 0.0).1.len() <= 5);
        assert!(round_ticks(1e15, 1e15 + 1.0, 5, 0.0).1.len() <= 5);
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(number(-0.5, 1), "\u{2212}0.5");
        assert_eq!(number(-1e-17, 1), "0.0");
        assert_eq!((decimals(0.5), decimals(2.0), decimals(0.02)), (1, 0, 2));
        assert_eq!(decimals(0.001), 3);
        assert_eq!(number(f64::MAX, 0), "1.8e308");
        assert_eq!(number(-2e-8, 8), "\u{2212}2.0e\u{2212}8");
        assert_eq!(power_of_ten(0.0031, "Pa"), (-3, "10⁻³ Pa".to_owned()));
        assert_eq!(power_of_ten(42.0, "Pa"), (0, "Pa".to_owned()));
        assert_eq!(power_of_ten(0.0, "Pa"), (0, "Pa".to_owned()));
    }

    #[test]
    fn a_reversed_or_endless_axis_is_refused() {
        for ends in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            assert!(Axis::kilometres("x", ends, "x (km)").is_err());
        }
        assert!(Axis::kilometres("x", (5.0, 5.0), "x (km)").is_ok_and(|a| a.length() > 0.0));
    }
}
