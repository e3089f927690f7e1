//! Sums of the offset gathers of shots within an engine.

/// The sums of the offset gathers of shots, and of these sums; what is left is reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summed {
    /// Factors of the gathers of each shot; empty if all are 1.
    pub units: Vec<f32>,
    /// Powers of two by which the gathers of each shot are divided besides; empty if all are 1. A sum is divided by the
    /// larger one of its two.
    pub scales: Vec<f64>,
    /// Pairs [a, b], a before b, applied in order: b's gathers are added to a's, and b is no longer
    /// reported.
    pub pairs: Vec<[usize; 2]>,
}

impl Summed {
    /// Each pair, with the remaining factors of its two shots.
    pub fn with_units(&self) -> impl Iterator<Item = ([usize; 2], [f32; 2])> + '_ {
        let (mut begun, mut scales) = (Vec::new(), self.scales.clone());
        self.pairs.iter().map(move |pair| {
            let of = |shot: usize| scales.get(shot).copied().unwrap_or(1.0);
            let common = pair.map(of).into_iter().fold(0.0, f64::max);
            let units = pair.map(|shot| {
                let unit = if begun.contains(&shot) { 1.0 } else { self.unit(shot) };
                unit * over(of(shot), common)
            });
            if let Some(scale) = scales.get_mut(pair[0]) {
                *scale = common;
            }
            begun.extend(pair);
            (*pair, units)
        })
    }

    /// The shots of a batch whose gathers, or sums, are reported, and their remaining factors.
    pub fn left(&self, shots: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let is_added = |shot: &usize| self.pairs.iter().any(|pair| pair[1] == *shot);
        let is_sum = |shot: usize| self.pairs.iter().any(|pair| pair[0] == shot);
        let left = (0..shots).filter(move |shot| !is_added(shot));
        left.map(move |shot| (shot, if is_sum(shot) { 1.0 } else { self.unit(shot) }))
    }

    /// True if it fits a batch of `shots` shots.
    pub(crate) fn fits(&self, shots: usize) -> bool {
        let added =
            |pair: &[usize; 2]| self.pairs.iter().filter(|other| other[1] == pair[1]).count();
        let fit = |count: usize| count == 0 || count == shots;
        fit(self.units.len())
            && fit(self.scales.len())
            && self
                .pairs
                .iter()
                .all(|pair| pair[0] < pair[1] && pair[1] < shots && added(pair) == 1)
    }

    fn unit(&self, shot: usize) -> f32 {
        self.units.get(shot).copied().unwrap_or(1.0)
    }
}

/// The factor from values divided by one power of two to the same divided by a larger one. 0 stands for values
/// that are all zero.
pub fn over(scale: f64, larger: f64) -> f32 {
    if scale == larger { 1.0 } else { (scale / larger) as f32 }
}

/// A value, or 0 if it is below the least normal number: engines differ in their support of those.
pub fn normal(value: f32) -> f32 {
    if value.abs() < f32::MIN_POSITIVE { 0.0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_applied_once() {
        let (units, pairs) = (vec![2.0, 3.0, 5.0, 7.0], vec![[0, 1], [0, 2]]);
        let summed = Summed { units, pairs, ..Summed::default() };
        let pairs: Vec<_> = summed.with_units().collect();
        assert_eq!(pairs, [([0, 1], [2.0, 3.0]), ([0, 2], [1.0, 5.0])]);
        assert_eq!(summed.left(4).collect::<Vec<_>>(), [(0, 1.0), (3, 7.0)]);
    }

    #[test]
    fn a_sum_has_the_larger_scale() {
        let pairs = vec![[0, 1], [2, 3], [0, 2]];
        let scales = vec![0.25, 0.5, 0.0, 4.0];
        let summed = Summed { scales, pairs, ..Summed::default() };
        let units: Vec<_> = summed.with_units().map(|(_, units)| units).collect();
        assert_eq!(units, [[0.5, 1.0], [0.0, 1.0], [0.125, 1.0]]);
    }
}
