//! The least and the greatest sample of a trace.

use super::{ByteOrder, sample::Format};

/// The range of some samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    /// The least finite sample; above `most` if none is finite.
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// Samples that are not finite.
    pub(crate) not_finite: u64,
}

/// Samples that are decoded at a time, on the stack.
const PIECE: usize = 512;
/// Samples that are compared at once.
const LANES: usize = 8;

impl Range {
    /// The range of samples in these bytes.
    pub(crate) fn of(format: Format, order: ByteOrder, bytes: &[u8]) -> Self {
        let mut range = Range { least: f64::INFINITY, most: f64::NEG_INFINITY, not_finite: 0 };
        let mut decoded = [0.0; PIECE];
        for piece in bytes.chunks(PIECE * format.bytes()) {
            let samples = &mut decoded[..piece.len() / format.bytes()];
            format.decode(order, piece, samples);
            range.include(samples);
        }
        range
    }

    fn include(&mut self, samples: &[f64]) {
        let (mut least, mut most) = ([self.least; LANES], [self.most; LANES]);
        // NaN as soon as a sample is not finite.
        let mut zero = [0.0; LANES];
        let (groups, rest) = samples.as_chunks::<LANES>();
        for group in groups {
            for (lane, sample) in group.iter().enumerate() {
                least[lane] = if *sample < least[lane] { *sample } else { least[lane] };
                most[lane] = if *sample > most[lane] { *sample } else { most[lane] };
                zero[lane] += sample * 0.0;
            }
        }
        if zero.iter().any(|lane: &f64| lane.is_nan()) {
            return samples.iter().for_each(|sample| self.include_one(*sample));
        }
        self.least = least.into_iter().fold(self.least, f64::min);
        self.most = most.into_iter().fold(self.most, f64::max);
        rest.iter().for_each(|sample| self.include_one(*sample));
    }

    fn include_one(&mut self, sample: f64) {
        match sample.is_finite() {
            true => (self.least, self.most) = (self.least.min(sample), self.most.max(sample)),
            false => self.not_finite += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_samples_are_in_the_range_and_the_others_are_counted() {
        let mut samples: Vec<f64> = (0..1100).map(|n| f64::from(n) - 300.0).collect();
        let range = |samples: &[f64]| {
            let mut bytes = Vec::new();
            for sample in samples {
                Format::F32.encode(ByteOrder::Little, *sample, &mut bytes).expect("a float");
            }
            Range::of(Format::F32, ByteOrder::Little, &bytes)
        };
        let whole = Range { least: -300.0, most: 799.0, not_finite: 0 };
        assert_eq!(range(&samples), whole);
        for (at, wild) in [(3, f64::NAN), (600, f64::INFINITY), (1098, f64::NEG_INFINITY)] {
            samples[at] = wild;
        }
        assert_eq!(range(&samples), Range { not_finite: 3, ..whole });
        let none = range(&[f64::NAN; 9]);
        assert!(none.least > none.most && none.not_finite == 9);
    }
}
