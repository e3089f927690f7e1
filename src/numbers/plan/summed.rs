//! Sums of the offset gathers of shots within an engine.

/// The sums of the offset gathers of shots, and of these sums; what is left is reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summed {
    /// Factors of the gathers of each shot; empty if all are 1.
    pub units: Vec<f32>,
    /// Pairs [a, b], a before b, applied in order: b's gathers are added to a's, and b is no longer
    /// reported.
    pub pairs: Vec<[usize; 2]>,
}

impl Summed {
    /// Each pair, with the remaining factors of its two shots.
    pub fn with_units(&self) -> impl Iterator<Item = ([usize; 2], [f32; 2])> + '_ {
        let mut begun = Vec::new();
        self.pairs.iter().map(move |pair| {
            let units = pair.map(|shot| if begun.contains(&shot) { 1.0 } else { self.unit(shot) });
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
    pub fn fits(&self, shots: usize) -> bool {
        let added =
            |pair: &[usize; 2]| self.pairs.iter().filter(|other| other[1] == pair[1]).count();
        (self.units.is_empty() || self.units.len() == shots)
            && self
                .pairs
                .iter()
                .all(|pair| pair[0] < pair[1] && pair[1] < shots && added(pair) == 1)
    }

    fn unit(&self, shot: usize) -> f32 {
        self.units.get(shot).copied().unwrap_or(1.0)
    }
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
        let summed = Summed { units: vec![2.0, 3.0, 5.0, 7.0], pairs: vec![[0, 1], [0, 2]] };
        let pairs: Vec<_> = summed.with_units().collect();
        assert_eq!(pairs, [([0, 1], [2.0, 3.0]), ([0, 2], [1.0, 5.0])]);
        assert_eq!(summed.left(4).collect::<Vec<_>>(), [(0, 1.0), (3, 7.0)]);
    }
}
