//! A wavelet given by its samples.

use super::{
    Wavelet, WaveletError,
    interpolation::{Interpolation, TOGETHER, resampled, same},
    spectrum::{Spectrum, peak_hz},
};
use std::sync::Arc;

/// Samples at a fixed interval, the first at t = 0; zero after the last. For another time step they
/// are interpolated by a windowed sinc.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// s(n interval).
    pub values: Arc<[f64]>,
    /// Seconds between samples.
    pub interval: f64,
}

/// Largest fraction of the energy above the Nyquist frequency of the time step: 1 % in amplitude.
const LOST: f64 = 1e-4;
impl Sampled {
    pub(super) fn check(&self) -> Result<(), WaveletError> {
        let count = self.values.len();
        if count == 0 || !(self.interval.is_finite() && self.interval > 0.0) {
            return Err(WaveletError::Empty { count, interval: self.interval });
        }
        match self.values.iter().position(|v| !v.is_finite()) {
            Some(index) => Err(WaveletError::NotFinite { index, value: self.values[index] }),
            None => Ok(()),
        }
    }

    /// [`Self::samples_by`], with its own weights.
    #[cfg(test)]
    fn samples(&self, dt: f64, count: usize) -> Result<Vec<f64>, WaveletError> {
        Ok(self.samples_by(dt, count, &[])?.to_vec())
    }

    /// The samples themselves if the interval is the time step, otherwise s(n dt) between them. A
    /// larger step removes frequencies above its Nyquist frequency, and is an error if they have
    /// too much energy.
    pub(super) fn samples_by(
        &self,
        dt: f64,
        count: usize,
        shared: &[Interpolation],
    ) -> Result<Arc<[f64]>, WaveletError> {
        let interval = self.interval;
        if same(interval, dt) {
            if self.values.len() == count {
                return Ok(self.values.clone());
            }
            let given = self.values.iter().copied();
            return Ok(given.chain(std::iter::repeat(0.0)).take(count).collect());
        }
        let nyquist = 0.5 / dt;
        let above = if dt > interval { self.energy_above(nyquist) } else { 0.0 };
        if above > LOST {
            let (limit, recorded) = (LOST, false);
            return Err(WaveletError::Nyquist { above, limit, nyquist, dt, interval, recorded });
        }
        Ok(self.below_nyquist(dt, count, shared))
    }

    /// s(n dt) between the samples, without frequencies above the Nyquist frequency of the time step.
    pub fn below_nyquist(&self, dt: f64, count: usize, shared: &[Interpolation]) -> Arc<[f64]> {
        let step = dt / self.interval;
        match shared.iter().find(|shared| shared.fits(step, count)) {
            Some(shared) => shared.of(&self.values).into(),
            None => resampled(&self.values, step, count).into(),
        }
    }

    /// Frequency of the largest amplitude, Hz, to a fraction of 1 over the wavelet's length.
    pub(super) fn peak_hz(&self) -> f64 {
        peak_hz(&self.values, self.interval)
    }

    /// Fraction of the energy above a frequency, Hz.
    fn energy_above(&self, hz: f64) -> f64 {
        Spectrum::of(&self.values, self.interval).energy_above(hz)
    }
}

/// The samples of several wavelets, with the same bits as those of each alone.
pub fn samples_of(
    wavelets: &[&Wavelet],
    dt: f64,
    count: usize,
    shared: &[Interpolation],
) -> Vec<Result<Arc<[f64]>, WaveletError>> {
    let one = |wavelet: &&Wavelet| wavelet.samples_by(dt, count, shared);
    interpolated(wavelets, dt, count, shared).unwrap_or_else(|| wavelets.iter().map(one).collect())
}

/// The samples of a group of wavelets, if they are alike and none can be rejected.
fn interpolated(
    wavelets: &[&Wavelet],
    dt: f64,
    count: usize,
    shared: &[Interpolation],
) -> Option<Vec<Result<Arc<[f64]>, WaveletError>>> {
    let wavelets: &[&Wavelet; TOGETHER] = wavelets.try_into().ok()?;
    let Wavelet::Sampled(Sampled { values, interval }) = wavelets[0] else { return None };
    let shared = shared.iter().find(|shared| shared.fits(dt / interval, count))?;
    let mut traces: [&[f64]; TOGETHER] = [&[]; TOGETHER];
    for (trace, wavelet) in traces.iter_mut().zip(wavelets) {
        *trace = match wavelet {
            Wavelet::Sampled(other) if other.interval == *interval => &other.values,
            _ => return None,
        };
    }
    if traces.iter().any(|trace| trace.len() != values.len()) {
        return None;
    }
    (dt <= *interval).then(|| shared.of_all(&traces).into_iter().map(Ok).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, assert_adjoint, random};

    fn ricker(peak_hz: f64, interval: f64, count: usize) -> Vec<f64> {
        Wavelet::ricker(peak_hz).samples(interval, count).expect("a Ricker has samples")
    }

    #[test]
    fn samples_are_taken_as_they_are_and_padded() {
        let values = ricker(20.0, 1e-3, 150);
        let wavelet = Sampled { values: values.clone().into(), interval: 1e-3 };
        // The same bits, also for an interval that was printed and read again.
        for dt in [1e-3, 1e-3 * (1.0 + 1e-12)] {
            let samples = wavelet.samples(dt, 200).expect("the same interval");
            assert_eq!((&samples[..150], &samples[150..]), (&values[..], &[0.0; 50][..]));
        }
        assert_eq!(wavelet.samples(1e-3, 2), Ok(values[..2].to_vec()));
    }

    /// The relative error of a 25 Hz Ricker wavelet resampled from one interval to another.
    fn error(interval: f64, dt: f64, mistake: impl Fn(&mut Sampled)) -> f64 {
        let values = ricker(25.0, interval, (0.12 / interval) as usize).into();
        let mut wavelet = Sampled { values, interval };
        mistake(&mut wavelet);
        let count = (0.2 / dt) as usize;
        let ours = wavelet.samples(dt, count).expect("its band fits");
        testing::error(&ours, &ricker(25.0, dt, count))
    }

    #[test]
    fn resampling_gives_the_analytic_wavelet() {
        for (interval, dt) in [
            (4e-3, 1e-3),
            (4e-3, 7.3e-4),
            (2e-3, 1.999e-3),
            (5e-4, 2e-3),
            (1e-3, 3.1e-3),
            (2e-3, 5e-5),
        ] {
            let error = error(interval, dt, |_| ());
            println!("from {interval} s to {dt} s: {error:.1e}");
            assert!(error < 2e-6, "{interval} s to {dt} s: {error:e}");
        }
        // Tests the test.
        let late = |wavelet: &mut Sampled| {
            wavelet.values = std::iter::once(0.0).chain(wavelet.values.iter().copied()).collect();
        };
        let slow = |wavelet: &mut Sampled| wavelet.interval *= 1.01;
        for error in [error(4e-3, 1e-3, late), error(4e-3, 1e-3, slow)] {
            assert!(error > 0.05, "{error}");
        }
    }

    #[test]
    fn shared_weights_give_the_same_bits() {
        let values = ricker(25.0, 2e-3, 150);
        for (dt, count) in [(1e-3, 700), (7.3e-4, 40), (3.1e-3, 90)] {
            let shared = Interpolation::new(2e-3, dt, count).expect("steps between samples");
            assert_eq!(shared.of(&values), resampled(&values, dt / 2e-3, count));
            assert_ne!(shared.of(&values[1..]), resampled(&values, dt / 2e-3, count));
            // Those for another number of steps are not taken.
            let wavelet = Sampled { values: values.clone().into(), interval: 2e-3 };
            let samples = wavelet.samples_by(dt, count + 1, &[shared]).expect("its band fits");
            assert_eq!(Ok(samples.to_vec()), wavelet.samples(dt, count + 1));
        }
        assert!(Interpolation::new(2e-3, 2e-3, 9).is_none());
        // Its weights would fill any memory.
        assert!(Interpolation::new(1e-15, 2e-3, 9).is_none());
    }

    #[test]
    fn wavelets_together_have_the_bits_of_each_alone() {
        let wavelet = |late: usize| {
            let mut values = ricker(25.0, 2e-3, 150);
            values.rotate_right(late);
            values[late] = [0.0, -0.0][late % 2];
            Wavelet::Sampled(Sampled { values: values.into(), interval: 2e-3 })
        };
        let wavelets: Vec<_> = (0..TOGETHER).map(wavelet).collect();
        let all: Vec<_> = wavelets.iter().collect();
        let bits = |samples: Result<Arc<[f64]>, _>| {
            samples.map(|samples| samples.iter().map(|s| s.to_bits()).collect::<Vec<_>>())
        };
        for (dt, count) in [(1e-3, 700), (7.3e-4, 40), (3.1e-3, 90), (2e-3, 150)] {
            let shared: Vec<_> = Interpolation::new(2e-3, dt, count).into_iter().collect();
            for wavelets in [&all[..], &all[..5]] {
                let samples = samples_of(wavelets, dt, count, &shared);
                assert_eq!(samples.len(), wavelets.len());
                for (samples, wavelet) in samples.into_iter().zip(wavelets) {
                    assert_eq!(bits(samples), bits(wavelet.samples_by(dt, count, &[])), "{dt}");
                }
            }
        }
    }

    #[test]
    fn finer_and_coarser_are_adjoint() {
        for step in [0.25, 0.73, 1.0 / 3.0] {
            let (coarse, fine) = (random(7, 300), random(8, 700));
            // As integrals over time.
            let up: Vec<_> = resampled(&coarse, step, 700).iter().map(|v| step * v).collect();
            assert_adjoint([&coarse, &up], [&fine, &resampled(&fine, 1.0 / step, 300)]);
        }
    }

    #[test]
    fn energy_above_the_new_nyquist_is_refused() {
        let wavelet = Sampled { values: ricker(100.0, 5e-4, 800).into(), interval: 5e-4 };
        let refused = wavelet.samples(4e-3, 50);
        let Err(WaveletError::Nyquist { above, nyquist, .. }) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(nyquist, 125.0);
        // The power of a Ricker wavelet is f^4 exp(-2 (f / f0)^2).
        let power = |x: f64| x.powi(4) * (-2.0 * x * x).exp();
        let sum =
            |from: i32| -> f64 { (from..8000).map(|k| power(1e-3 * (f64::from(k) + 0.5))).sum() };
        let exact = sum(1250) / sum(0);
        assert!((above / exact - 1.0).abs() < 0.02, "{above} and {exact}");
        assert!(wavelet.samples(1e-3, 50).is_ok());
    }

    #[test]
    fn any_finite_wavelet_is_resampled_to_finite_samples() {
        for values in [vec![1.0], vec![1e300; 40], vec![0.0; 10], vec![-1e-300, 1e-300]] {
            let wavelet = Sampled { values: values.into(), interval: 1e-3 };
            for dt in [1e-9, 7e-4, 1e3] {
                if let Ok(samples) = wavelet.samples(dt, 5) {
                    assert!(samples.iter().all(|s| s.is_finite()), "{dt}: {samples:?}");
                }
            }
        }
    }
}
