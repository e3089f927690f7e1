//! Recordings degraded on purpose, to test the limits of location.

use super::{Recording, Ricker};
use fastrand::Rng;
use ndarray::Array2;

/// Fixed, so that a recording is always degraded in the same way.
const SEED: u64 = 20_141_121;

/// Reasons why a recording is not degraded.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum DegradeError {
    #[error("{part} is no fraction of the receivers; give 0 to less than 1")]
    Part { part: f64 },
    #[error("{ratio} is no ratio of a recording to noise; give a number above 0, such as 1")]
    Ratio { ratio: f64 },
}

impl Recording {
    /// The recording with noise of its band added: independent on each trace, white noise through a
    /// Ricker wavelet of the dominant frequency. `ratio` is the root mean square of the recording
    /// over that of the noise.
    ///
    /// # Errors
    ///
    /// A ratio that is not above 0.
    pub fn with_noise(&self, ratio: f64) -> Result<Self, DegradeError> {
        if !(ratio.is_finite() && ratio > 0.0) {
            return Err(DegradeError::Ratio { ratio });
        }
        let mut random = Rng::with_seed(SEED);
        let peak_hz = self.dominant_hz();
        let reach = (1.5 / (peak_hz * self.interval)).ceil().max(1.0) as usize;
        let ricker = Ricker { peak_hz, delay: reach as f64 * self.interval };
        let wavelet: Vec<f64> =
            (0..=2 * reach).map(|n| ricker.at(n as f64 * self.interval)).collect();
        let (traces, samples) = self.gather.dim();
        let mut noise = Array2::<f64>::zeros((traces, samples));
        for mut trace in noise.outer_iter_mut() {
            let white: Vec<f64> = (0..samples + 2 * reach).map(|_| random.f64() - 0.5).collect();
            for (n, sample) in trace.iter_mut().enumerate() {
                *sample = wavelet.iter().zip(&white[n..]).map(|(w, v)| w * v).sum();
            }
        }
        let energy = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>();
        let signal = energy(&mut self.gather.iter().map(|v| f64::from(*v)));
        let scale =
            (signal / energy(&mut noise.iter().copied()).max(f64::MIN_POSITIVE)).sqrt() / ratio;
        let mut gather = self.gather.clone();
        gather.zip_mut_with(&noise, |sample, noise| *sample += (scale * noise) as f32);
        Ok(Recording { gather, ..self.clone() })
    }

    /// The recording without a fraction of its receivers, from 0 to less than 1, at random places;
    /// one is left at least.
    ///
    /// # Errors
    ///
    /// Another fraction.
    pub fn without(&self, part: f64) -> Result<Self, DegradeError> {
        if !(0.0..1.0).contains(&part) {
            return Err(DegradeError::Part { part });
        }
        let mut random = Rng::with_seed(SEED);
        let all = self.receivers.len();
        let mut order: Vec<usize> = (0..all).collect();
        random.shuffle(&mut order);
        let left = (all as f64 * (1.0 - part)).round().max(1.0) as usize;
        let mut kept: Vec<usize> = order.into_iter().take(left).collect();
        kept.sort_unstable();
        Ok(Recording {
            gather: self.gather.select(ndarray::Axis(0), &kept),
            receivers: kept.iter().map(|index| self.receivers[*index]).collect(),
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Axes;

    fn recording() -> Recording {
        let ricker = Ricker { peak_hz: 10.0, delay: 0.3 };
        let gather = Array2::from_shape_fn((40, 400), |(r, n)| {
            ricker.at(0.004 * n as f64 - 0.01 * r as f64) as f32
        });
        let receivers = (0..40).map(|r| Axes::xz(10.0 * f64::from(r), 0.0)).collect();
        Recording { gather, interval: 0.004, receivers }
    }

    #[test]
    fn noise_has_the_ratio_and_the_band_that_were_asked_for() -> Result<(), DegradeError> {
        let clean = recording();
        let noisy = clean.with_noise(2.0)?;
        let noise = &noisy.gather - &clean.gather;
        let rms = |values: &Array2<f32>| values.iter().map(|v| v * v).sum::<f32>().sqrt();
        assert!((rms(&clean.gather) / rms(&noise) - 2.0).abs() < 1e-3);
        let alone = Recording { gather: noise.clone(), ..clean.clone() };
        assert!((5.0..15.0).contains(&alone.dominant_hz()), "{}", alone.dominant_hz());
        assert_ne!(noise.row(0), noise.row(1));
        assert_eq!(noisy, clean.with_noise(2.0)?, "the same again");
        assert!(clean.with_noise(0.0).is_err() && clean.with_noise(f64::NAN).is_err());
        Ok(())
    }

    #[test]
    fn receivers_go_with_their_traces() -> Result<(), DegradeError> {
        let all = recording();
        let left = all.without(0.75)?;
        assert_eq!((left.receivers.len(), left.gather.nrows()), (10, 10));
        for (at, trace) in left.receivers.iter().zip(left.gather.outer_iter()) {
            let index = all.receivers.iter().position(|known| known == at).expect("one of them");
            assert_eq!(trace, all.gather.row(index));
        }
        assert_eq!(all.without(0.999)?.receivers.len(), 1);
        assert_eq!(all.without(0.0)?, all);
        assert!(all.without(1.0).is_err() && all.without(f64::NAN).is_err());
        Ok(())
    }
}
