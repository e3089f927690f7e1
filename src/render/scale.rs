//! Scales: positions of values along an axis, ticks at round numbers, and number formatting.

use std::ops::RangeInclusive;

/// A tick as (fraction of the scale, label).
pub(super) type Tick = (f64, String);

/// Fraction of a scale left free at either end.
const FREE: f64 = 0.05;
/// Minimum span of a logarithmic scale, decades: a factor of 2, so that differences of a few per
/// cent look small.
const LEAST_SPAN: f64 = std::f64::consts::LOG10_2;
/// Ratio of the smallest bar to the start of its logarithmic scale.
const FOOT: f64 = 1.5;
/// Maximum number of ticks on a linear scale.
const MOST: usize = 12;
/// Powers of ten that are written as they are: an axis with others has powers in superscript.
const PLAIN: RangeInclusive<i32> = -4..=5;
/// Steps between the powers that have a tick.
const EVERY: [i32; 9] = [1, 2, 3, 5, 10, 20, 50, 100, 200];

/// A scale: maps values to positions along an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Value at the low end, or its decimal logarithm.
    low: f64,
    /// Value at the high end, or its decimal logarithm.
    high: f64,
    log: bool,
    /// True if ticks are at powers of two.
    binary: bool,
    /// True if ticks are at whole numbers.
    whole: bool,
    /// True if the low end is at the right or bottom.
    reversed: bool,
    /// Factor of the numbers at its ticks.
    written: f64,
}

impl Scale {
    /// A linear scale from the left or top value to the other end; a length of 0 becomes 1.
    pub(super) fn linear(low: f64, high: f64) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        Self { low, high, log: false, binary: false, whole: false, reversed: false, written: 1.0 }
    }

    /// The same scale reversed.
    pub(super) fn upward(self) -> Self {
        Self { reversed: !self.reversed, ..self }
    }

    /// The same scale with its numbers multiplied where they are written.
    pub(super) fn written_times(self, written: f64) -> Self {
        Self { written, ..self }
    }

    /// The same scale with ticks at whole numbers.
    pub(super) fn of_numbers(self) -> Self {
        Self { whole: true, ..self }
    }

    /// The same scale with ticks at powers of two.
    pub(super) fn binary(self) -> Self {
        Self { binary: true, ..self }
    }

    /// Length of a linear scale.
    pub(super) fn length(&self) -> f64 {
        self.high - self.low
    }

    /// The values that a scale from 0, or a logarithmic one, can represent; far enough from the
    /// limits of f64 for headroom.
    pub(super) const fn range(log: bool) -> RangeInclusive<f64> {
        if log { 1e-300..=1e300 } else { 0.0..=1e300 }
    }

    /// A scale from `low` on that leaves each of `ends`, as (value, fraction), its fraction of the
    /// scale free beyond it.
    pub(super) fn rising(log: bool, low: f64, ends: impl Iterator<Item = (f64, f64)>) -> Self {
        let low = place(log, low);
        let reach = |(value, free): (f64, f64)| (place(log, value) - low) / (1.0 - free);
        let length = ends.map(reach).fold(0.0, f64::max);
        Self { log, ..Self::linear(low, low + length) }
    }

    /// A scale of bars or curves from 0 or, if logarithmic, from a round number well below the
    /// smallest value.
    pub(super) fn standing(log: bool, least: f64, ends: impl Iterator<Item = (f64, f64)>) -> Self {
        Self::rising(log, if log { round_below(least / FOOT) } else { 0.0 }, ends)
    }

    /// A scale from a little below `least` to a little above `most`.
    pub(super) fn around(log: bool, least: f64, most: f64) -> Self {
        let (least, most) = (place(log, least), place(log, most));
        let narrowest = match (log, most > least) {
            (true, _) => LEAST_SPAN,
            (false, true) => 0.0,
            (false, false) => least.abs().max(1.0),
        };
        let widen = (narrowest - (most - least)).max(0.0) / 2.0;
        let free = FREE * (most - least).max(narrowest);
        Self { log, ..Self::linear(least - widen - free, most + widen + free) }
    }

    /// The position of a value: 0 at the left or top end, 1 at the other.
    pub(super) fn share(&self, value: f64) -> f64 {
        let from_low = (place(self.log, value) - self.low) / self.length();
        if self.reversed { 1.0 - from_low } else { from_low }
    }

    /// The most ticks that fit, with labels that take `size` of the scale: at multiples of 1, 2 or
    /// 5 times a power of ten or, on a logarithmic scale, at those numbers themselves, or else at 1
    /// and 3 or at 1 only; or at powers of two.
    pub(super) fn ticks(&self, size: impl Fn(&str) -> f64) -> Vec<Tick> {
        if self.binary {
            return self.binary_ticks(size);
        }
        if !self.log {
            return roomy(self.even(self.low, self.high), size);
        }
        let powers = self.decimal(&[1.0, 2.0, 5.0], 1);
        if powers.len() < 3 {
            return roomy(self.even(10_f64.powf(self.low), 10_f64.powf(self.high)), size);
        }
        let sparse = EVERY.iter().map(|&every| self.decimal(&[1.0], every));
        roomy([powers, self.decimal(&[1.0, 3.0], 1)].into_iter().chain(sparse), size)
    }

    fn binary_ticks(&self, size: impl Fn(&str) -> f64) -> Vec<Tick> {
        let power = |end: f64| end / std::f64::consts::LOG10_2;
        let powers = (power(self.low) - 1e-9).ceil() as i32..=(power(self.high) + 1e-9) as i32;
        let written = |k: i32| match k {
            0..=40 => format!("{}", 1_u64 << k),
            -4..0 => format!("{}", 2_f64.powi(k)),
            _ => format!("2{}", raised(k)),
        };
        let tick = |k: i32| (self.share(2_f64.powi(k)), written(k));
        let sets = EVERY
            .iter()
            .map(|every| powers.clone().filter(|k| k.rem_euclid(*every) == 0).map(tick).collect());
        roomy(sets, size)
    }

    /// Ticks at even steps from `low` to `high`, in sets of decreasing size.
    fn even(&self, low: f64, high: f64) -> impl Iterator<Item = Vec<Tick>> {
        let least_step = if self.whole { 1.0 } else { 0.0 };
        (2..=MOST).rev().map(move |most| {
            let (step, values) = round_ticks(low, high, most, least_step);
            let written = |v: f64| number(v * self.written, decimals(step * self.written));
            values.into_iter().map(|v| (self.share(v), written(v))).collect()
        })
    }

    /// Ticks at these digits times every `every`-th power of ten.
    fn decimal(&self, digits: &[f64], every: i32) -> Vec<Tick> {
        let powers = (self.low.floor() as i32..=self.high.ceil() as i32)
            .filter(|power| power.rem_euclid(every) == 0);
        let values = powers.flat_map(|k| digits.iter().map(move |digit| (*digit, k)));
        let share = |(digit, k): (f64, i32)| self.share(digit * 10_f64.powi(k));
        let values: Vec<_> = values
            .map(|value| (share(value), value))
            .filter(|(share, _)| (-1e-9..=1.0 + 1e-9).contains(share))
            .collect();
        // One notation along an axis.
        let plain = values.iter().all(|(_, (_, k))| PLAIN.contains(k));
        let written = |(digit, k): (f64, i32)| match (plain, digit) {
            (true, _) => number(digit * 10_f64.powi(k), decimals(10_f64.powi(k))),
            (false, 1.0) => format!("10{}", raised(k)),
            (false, _) => format!("{digit}·10{}", raised(k)),
        };
        values.into_iter().map(|(share, value)| (share, written(value))).collect()
    }
}

/// The linear coordinate of a scale: the value, or its decimal logarithm.
fn place(log: bool, value: f64) -> f64 {
    if log { value.log10() } else { value }
}

/// The first set of ticks whose labels do not overlap. If all sets overlap, the last set without the ticks that collide.
fn roomy(sets: impl Iterator<Item = Vec<Tick>>, size: impl Fn(&str) -> f64) -> Vec<Tick> {
    let clear = |pair: &[Tick]| apart(&pair[0], &pair[1], &size);
    let mut chosen = Vec::new();
    for set in sets {
        chosen = set;
        if chosen.windows(2).all(clear) {
            return chosen;
        }
    }
    let mut kept: Vec<Tick> = Vec::new();
    for tick in chosen {
        if kept.last().is_none_or(|last| apart(last, &tick, &size)) {
            kept.push(tick);
        }
    }
    kept
}

/// The largest 1, 2 or 5 times a power of ten that is not above a value.
fn round_below(value: f64) -> f64 {
    let decade = 10_f64.powf(value.log10().floor());
    let below = |step: &f64| *step <= value * (1.0 + 1e-9);
    [5.0, 2.0].map(|digit| digit * decade).into_iter().find(below).unwrap_or(decade)
}

/// True if the labels of two ticks do not overlap.
pub(super) fn apart(one: &Tick, other: &Tick, size: impl Fn(&str) -> f64) -> bool {
    (other.0 - one.0).abs() >= f64::midpoint(size(&one.1), size(&other.1))
}

/// Multiples of a step of 1, 2 or 5 times a power of ten within low..=high: the step and at most
/// `most` values (at least one is aimed at).
fn round_ticks(low: f64, high: f64, most: usize, least_step: f64) -> (f64, Vec<f64>) {
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

/// Decimals that distinguish the multiples of a step.
pub(super) fn decimals(step: f64) -> usize {
    (-(step.abs() * 1.000_001).log10().floor()).clamp(0.0, 9.0) as usize
}

/// A number with `decimals` decimals, a true minus sign and no minus zero; in powers of ten if it
/// would be very long.
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

/// The power of ten that suits the display of amplitudes up to `largest` (0 if they read well
/// unscaled), and the unit with it: "Pa" or "10⁻³ Pa".
pub(super) fn power_of_ten(largest: f64, unit: &str) -> (i32, String) {
    let power = largest.abs().log10().floor();
    if !power.is_finite() || (-1.0..3.0).contains(&power) {
        return (0, unit.to_owned());
    }
    let power = power as i32;
    (power, format!("10{} {unit}", raised(power)))
}

/// A power in superscript.
pub(super) fn raised(power: i32) -> String {
    let raise = |sign: char| {
        let figure = sign.to_digit(10).map(|k| k as usize);
        figure.map_or('⁻', |k| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][k])
    };
    power.to_string().chars().map(raise).collect()
}

/// A number with three significant digits, without trailing zeros.
pub(super) fn three_digits(value: f64) -> String {
    let written = number(value, decimals(value / 100.0));
    match written.contains('.') && !written.contains('e') {
        true => written.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_step_by_one_two_or_five() {
        for (low, high, most, least_step, step, first, count) in [
            (0.0, 13.48, 10, 0.0, 2.0, 0.0, 7),
            (-0.7, 0.7, 8, 0.0, 0.2, -0.6, 7),
            (0.0, 4.0, 5, 0.0, 1.0, 0.0, 5),
            (-3.0, 3.0, 3, 0.0, 2.0, -2.0, 3),
            (0.0, 3.0, 10, 1.0, 1.0, 0.0, 4),
        ] {
            let (found, values) = round_ticks(low, high, most, least_step);
            assert_eq!((found, values.len()), (step, count), "{low} to {high}");
            for (k, value) in values.into_iter().enumerate() {
                assert!((value - first - step * k as f64).abs() < 1e-9, "{low} to {high}: {value}");
            }
        }
        // Odd ranges end.
        assert_eq!(round_ticks(2.0, 2.0, 5, 0.0).1, [2.0]);
        assert_eq!(round_ticks(0.0, f64::INFINITY, 5, 0.0).1.len(), 1);
        assert!(round_ticks(0.0, 1e-300, 5, 0.0).1.len() <= 5);
        assert!(round_ticks(1e15, 1e15 + 1.0, 5, 0.0).1.len() <= 5);
    }

    #[test]
    fn numbers_read_well() {
        for (value, decimals, said) in [
            (-0.5, 1, "\u{2212}0.5"),
            (-1e-17, 1, "0.0"),
            (f64::MAX, 0, "1.8e308"),
            (-2e-8, 8, "\u{2212}2.0e\u{2212}8"),
        ] {
            assert_eq!(number(value, decimals), said);
        }
        let said = [0.5, 4.482, -0.73421, 1234.6, 0.0].map(three_digits);
        assert_eq!(said, ["0.5", "4.48", "\u{2212}0.734", "1235", "0"]);
        assert_eq!([0.5, 2.0, 0.02, 0.001].map(decimals), [1, 0, 2, 3]);
        assert_eq!(power_of_ten(0.0, "Pa"), (0, "Pa".to_owned()));
    }

    #[test]
    fn values_lie_where_they_should() {
        // A quarter is free beyond 30.
        let linear = Scale::rising(false, 0.0, [(30.0, 0.25), (10.0, 0.0)].into_iter());
        assert_eq!([0.0, 20.0, 30.0].map(|value| linear.share(value)), [0.0, 0.5, 0.75]);
        let log = Scale::rising(true, 0.1, [(10.0, 0.5)].into_iter());
        for (value, share) in [(0.1, 0.0), (1.0, 0.25), (10.0, 0.5), (1000.0, 1.0)] {
            assert!((log.share(value) - share).abs() < 1e-12, "{value}");
        }
    }

    #[test]
    fn logarithmic_ticks_are_plain_and_find_room() {
        let rising = |low, high| Scale::rising(true, low, [(high, 0.0)].into_iter());
        let (usual, wide) = (rising(0.05, 300.0), rising(0.001, 100_000.0));
        let (tiny, small) = (rising(9e-10, 0.3), rising(9e-7, 3e-5));
        let narrow = Scale::standing(true, 200.0, [(240.0, 0.1)].into_iter());
        let binary = Scale::around(true, 32.0, 1024.0).binary();
        let far = Scale::around(true, 2_f64.powi(-6), 2_f64.powi(50)).binary();
        for (scale, size, said) in [
            (usual, 0.02, "0.05 0.1 0.2 0.5 1 2 5 10 20 50 100 200"),
            (usual, 0.1, "0.1 0.3 1 3 10 30 100 300"),
            (usual, 0.2, "0.1 1 10 100"),
            (usual, 0.4, "1 100"),
            (wide, 0.1, "0.001 0.01 0.1 1 10 100 1000 10000 100000"),
            (narrow, 0.15, "100 150 200 250"),
            (tiny, 0.1, "10⁻⁹ 10⁻⁸ 10⁻⁷ 10⁻⁶ 10⁻⁵ 10⁻⁴ 10⁻³ 10⁻² 10⁻¹"),
            (small, 0.1, "10⁻⁶ 2·10⁻⁶ 5·10⁻⁶ 10⁻⁵ 2·10⁻⁵"),
            (binary, 0.1, "32 64 128 256 512 1024"),
            (binary, 0.3, "64 256 1024"),
            (far, 0.4, "1 2⁵⁰"),
        ] {
            let ticks = scale.ticks(|_| size);
            let labels: Vec<_> = ticks.iter().map(|(_, label)| label.as_str()).collect();
            assert_eq!(labels.join(" "), said);
            for (share, label) in &ticks {
                let value = label.parse().map(|value: f64| scale.share(value));
                assert!(
                    value.is_err() || (value.unwrap_or(*share) - share).abs() < 1e-9,
                    "{label}"
                );
            }
        }
        let scale = Scale::around(true, 0.1, 0.1);
        assert!((scale.share(0.1) - 0.5).abs() < 1e-9);
        assert!(scale.ticks(|_| 0.1).len() > 2);
    }

    #[test]
    fn extreme_values_make_a_scale() {
        for log in [true, false] {
            for (least, most) in [(1e-300, 1e300), (1e300, 1e300), (1e-300, 1e-300), (1.0, 1.0)] {
                for scale in [
                    Scale::around(log, least, most),
                    Scale::standing(log, least, [(most, 0.4)].into_iter()),
                ] {
                    assert!((0.0..=1.0).contains(&scale.share(most)), "{log} {least} {most}");
                    let ticks = scale.ticks(|_| 0.1);
                    assert!((1..=MOST).contains(&ticks.len()), "{log} {least} {most}");
                }
            }
        }
    }

    #[test]
    fn bars_stand_well_below_the_least() {
        for (value, below) in [(1.0, 1.0), (0.08, 0.05), (0.1, 0.1), (499.0, 200.0), (5e-9, 5e-9)] {
            assert!((round_below(value) / below - 1.0).abs() < 1e-9, "{value}");
        }
    }
}
