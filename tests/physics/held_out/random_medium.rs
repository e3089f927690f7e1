//! Random media after Frankel and Clayton (1986, J. Geophys. Res. 91): a mean velocity with
//! fluctuations whose autocorrelation is von Karman's. A sum of plane waves, whose wavenumbers are
//! drawn from its spectrum (Shinozuka and Jan 1972, eq. 12), so that it needs no Fourier transform
//! and is the same on every grid.

use crate::common;
use std::f64::consts::PI;

const WAVES: usize = 400;

/// Fluctuations of variance 1.
pub struct RandomMedium(Vec<([f64; 3], f64)>);

impl RandomMedium {
    /// In a plane, with von Karman's order 0, which is self-similar: a spectrum of 1 / (1 + (k
    /// a)^2), up to the wavenumber `most`. Lengths are in metres.
    pub fn self_similar_plane(correlation: f64, most: f64, seed: u64) -> Self {
        let last = 1.0 + (most * correlation).powi(2);
        Self::drawn(seed, |random| {
            let k = (last.powf(random()) - 1.0).sqrt() / correlation;
            let angle = 2.0 * PI * random();
            [0.0, k * angle.cos(), k * angle.sin()]
        })
    }

    /// In a volume, with order 1/2, which is an exponential autocorrelation: a spectrum of 1 / (1 +
    /// (k a)^2)^2.
    pub fn exponential_volume(correlation: f64, most: f64, seed: u64) -> Self {
        // The share of the energy below k = u / a.
        let below = |u: f64| u.atan() - u / (1.0 + u * u);
        let last = most * correlation;
        Self::drawn(seed, |random| {
            let wanted = random() * below(last);
            let (mut low, mut high) = (0.0, last);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                *(if below(middle) < wanted { &mut low } else { &mut high }) = middle;
            }
            let (k, cosine, turn) = (low / correlation, 2.0 * random() - 1.0, 2.0 * PI * random());
            let sine = (1.0 - cosine * cosine).sqrt();
            [k * sine * turn.cos(), k * sine * turn.sin(), k * cosine]
        })
    }

    fn drawn(seed: u64, wave: impl Fn(&mut dyn FnMut() -> f64) -> [f64; 3]) -> Self {
        let mut random = common::random(seed);
        let waves = (0..WAVES).map(|_| (wave(&mut random), 2.0 * PI * random()));
        RandomMedium(waves.collect())
    }

    /// At y, x and z.
    pub fn at(&self, position: [f64; 3]) -> f64 {
        let phase = |k: &[f64; 3]| k.iter().zip(position).map(|(k, x)| k * x).sum::<f64>();
        let sum: f64 = self.0.iter().map(|(k, start)| (phase(k) + start).cos()).sum();
        sum * (2.0 / WAVES as f64).sqrt()
    }
}

/// exp(-r / a), but for the few waves there are.
#[test]
fn the_correlation_is_exponential() {
    let length = 200.0;
    let medium = RandomMedium::exponential_volume(length, 1.0, 7);
    for lag in [0.0, 100.0, 200.0, 400.0] {
        let along = |axis: usize| {
            let waves = medium.0.iter().map(|(k, _)| (k[axis] * lag).cos());
            waves.sum::<f64>() / WAVES as f64
        };
        let mean = (0..3).map(along).sum::<f64>() / 3.0;
        assert!((mean - (-lag / length).exp()).abs() < 0.08, "{lag}: {mean}");
    }
}
