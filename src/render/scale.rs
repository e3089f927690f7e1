//! Scales of charts, linear or logarithmic, and ticks that find room on them.

use std::ops::RangeInclusive;

use super::axes::{decimals, number, raised, round_ticks};

/// A tick as (share of the scale, label).
pub(super) type Tick = (f64, String);

/// Part of a scale that stays free at either end of what it shows.
const FREE: f64 = 0.05;
/// Least span of a logarithmic scale, decades: a factor of 2, so that
/// differences of a few per cent look like that.
const LEAST_SPAN: f64 = std::f64::consts::LOG10_2;
/// A logarithmic scale of bars starts so many times below the least of them.
const FOOT: f64 = 1.5;
/// Most ticks on a scale whose ticks are evenly spaced.
const MOST: usize = 12;
/// Every so many powers may have a tick.
const EVERY: [i32; 9] = [1, 2, 3, 5, 10, 20, 50, 100, 200];

/// Where values lie along an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Value at the low end, or its decimal logarithm.
    low: f64,
    /// Value at the high end, or its decimal logarithm.
    high: f64,
    log: bool,
}

impl Scale {
    /// The values that have a place on a scale that starts at 0, or on one
    /// that is logarithmic; far enough from the ends of f64 for head room.
    pub(super) const fn range(log: bool) -> RangeInclusive<f64> {
        if log { 1e-300..=1e300 } else { 0.0..=1e300 }
    }

    /// From `low` on, so long that each of `ends`, as (value, share), has its
    /// share of the scale free beyond it.
    pub(super) fn rising(log: bool, low: f64, ends: impl Iterator<Item = (f64, f64)>) -> Self {
        let low = place(log, low);
        let reach = |(value, free): (f64, f64)| (place(log, value) - low) / (1.0 - free);
        let length = ends.map(reach).fold(0.0, f64::max);
        Self { low, high: low + if length > 0.0 { length } else { 1.0 }, log }
    }

    /// Of bars or curves that stand on 0 or, on a logarithmic scale, on a
    /// round number well below the least value.
    pub(super) fn standing(log: bool, least: f64, ends: impl Iterator<Item = (f64, f64)>) -> Self {
        Self::rising(log, if log { round_below(least / FOOT) } else { 0.0 }, ends)
    }

    /// From a little below `least` to a little above `most`.
    pub(super) fn around(log: bool, least: f64, most: f64) -> Self {
        let (least, most) = (place(log, least), place(log, most));
        let narrowest = match (log, most > least) {
            (true, _) => LEAST_SPAN,
            (false, true) => 0.0,
            (false, false) => least.abs().max(1.0),
        };
        let widen = (narrowest - (most - least)).max(0.0) / 2.0;
        let free = FREE * (most - least).max(narrowest);
        Self { low: least - widen - free, high: most + widen + free, log }
    }

    /// Where a value lies: 0 at the low end, 1 at the high.
    pub(super) fn share(&self, value: f64) -> f64 {
        (place(self.log, value) - self.low) / (self.high - self.low)
    }

    /// The most ticks that find room, where a label takes `size` of the scale:
    /// at multiples of 1, 2 or 5 times a power of ten or, on a logarithmic
    /// scale, at those numbers themselves, or else at 1 and 3 or at 1 only.
    pub(super) fn ticks(&self, size: impl Fn(&str) -> f64) -> Vec<Tick> {
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

    /// The most ticks at powers of two that find room.
    pub(super) fn binary_ticks(&self, size: impl Fn(&str) -> f64) -> Vec<Tick> {
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

    /// Ticks at even steps from `low` to `high`, ever fewer.
    fn even(&self, low: f64, high: f64) -> impl Iterator<Item = Vec<Tick>> {
        (2..=MOST).rev().map(move |most| {
            let (step, values) = round_ticks(low, high, most, 0.0);
            values.into_iter().map(|v| (self.share(v), number(v, decimals(step)))).collect()
        })
    }

    /// Ticks at these digits times every so many powers of ten.
    fn decimal(&self, digits: &[f64], every: i32) -> Vec<Tick> {
        let powers = (self.low.floor() as i32..=self.high.ceil() as i32)
            .filter(|power| power.rem_euclid(every) == 0);
        let values = powers.flat_map(|k| digits.iter().map(move |digit| digit * 10_f64.powi(k)));
        values
            .map(|v| (self.share(v), number(v, decimals(v))))
            .filter(|(share, _)| (-1e-9..=1.0 + 1e-9).contains(share))
            .collect()
    }
}

/// What lies evenly along a scale: the value, or its decimal logarithm.
fn place(log: bool, value: f64) -> f64 {
    if log { value.log10() } else { value }
}

/// The first set of ticks whose labels keep clear of each other; the last
/// where none does.
fn roomy(sets: impl Iterator<Item = Vec<Tick>>, size: impl Fn(&str) -> f64) -> Vec<Tick> {
    let clear =
        |pair: &[Tick]| pair[1].0 - pair[0].0 >= f64::midpoint(size(&pair[0].1), size(&pair[1].1));
    let mut chosen = Vec::new();
    for set in sets {
        chosen = set;
        if chosen.windows(2).all(clear) {
            break;
        }
    }
    chosen
}

/// The largest 1, 2 or 5 times a power of ten that is not above a value.
fn round_below(value: f64) -> f64 {
    let decade = 10_f64.powf(value.log10().floor());
    let below = |step: &f64| *step <= value * (1.0 + 1e-9);
    [5.0, 2.0].map(|digit| digit * decade).into_iter().find(below).unwrap_or(decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: Vec<Tick>) -> Vec<String> {
        ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn values_lie_where_they_should() {
        let scale = Scale::rising(false, 0.0, [(30.0, 0.25), (10.0, 0.0)].into_iter());
        assert_eq!(
            (scale.share(0.0), scale.share(20.0), scale.share(30.0)),
            (0.0, 0.5, 0.75),
            "a quarter is free beyond 30"
        );
        let scale = Scale::rising(true, 0.1, [(10.0, 0.5)].into_iter());
        for (value, share) in [(0.1, 0.0), (1.0, 0.25), (10.0, 0.5), (1000.0, 1.0)] {
            assert!((scale.share(value) - share).abs() < 1e-12, "{value}");
        }
    }

    #[test]
    fn log_ticks_are_plain_and_find_room() {
        let scale = Scale::rising(true, 0.05, [(300.0, 0.0)].into_iter());
        let all = labels(scale.ticks(|_| 0.02));
        assert_eq!(all[..6], ["0.05", "0.1", "0.2", "0.5", "1", "2"]);
        assert_eq!(all.last().map(String::as_str), Some("200"));
        for (share, label) in scale.ticks(|_| 0.02) {
            let value = label.parse().map_or(f64::NAN, |value: f64| scale.share(value));
            assert!((share - value).abs() < 1e-9, "{label} at {share}");
        }
        assert_eq!(labels(scale.ticks(|_| 0.1))[..4], ["0.1", "0.3", "1", "3"]);
        assert_eq!(labels(scale.ticks(|_| 0.2)), ["0.1", "1", "10", "100"]);
        assert_eq!(labels(scale.ticks(|_| 0.4)), ["1", "100"]);
        let wide = Scale::rising(true, 0.001, [(100_000.0, 0.0)].into_iter());
        assert_eq!(
            labels(wide.ticks(|_| 0.1)),
            ["0.001", "0.01", "0.1", "1", "10", "100", "1000", "10000", "100000"]
        );
    }

    #[test]
    fn narrow_log_scales_have_ticks_too() {
        let scale = Scale::standing(true, 200.0, [(240.0, 0.1)].into_iter());
        assert!(scale.share(100.0).abs() < 1e-12);
        assert_eq!(labels(scale.ticks(|_| 0.15)), ["100", "150", "200", "250"]);
        let scale = Scale::around(true, 0.1, 0.1);
        assert!((scale.share(0.1) - 0.5).abs() < 1e-9);
        assert!(scale.ticks(|_| 0.1).len() > 2);
    }

    #[test]
    fn binary_ticks_are_powers_of_two() {
        let scale = Scale::around(true, 32.0, 1024.0);
        let all = ["32", "64", "128", "256", "512", "1024"];
        assert_eq!(labels(scale.binary_ticks(|_| 0.1)), all);
        assert_eq!(labels(scale.binary_ticks(|_| 0.3)), ["64", "256", "1024"]);
        let scale = Scale::around(true, 2_f64.powi(-6), 2_f64.powi(50));
        assert_eq!(labels(scale.binary_ticks(|_| 0.4)), ["1", "2⁵⁰"]);
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
