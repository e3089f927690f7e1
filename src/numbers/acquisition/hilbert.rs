//! The Hilbert transform, which turns the phase of every frequency by a quarter of a period.

use huygens_fourier::{self as fourier, Complex};

/// The Hilbert transform of a series with zeros around it. Its transpose is its negative.
pub(crate) fn hilbert(series: &[f64]) -> Vec<f64> {
    let size = (2 * series.len()).next_power_of_two();
    let mut spectrum = vec![Complex::default(); size];
    spectrum.iter_mut().zip(series).for_each(|(to, value)| to.re = *value);
    fourier::forward(size).process(&mut spectrum);
    for (k, of) in spectrum.iter_mut().enumerate() {
        *of *= match k {
            // The mean and the highest frequency have no phase.
            0 => Complex::default(),
            _ if 2 * k == size => Complex::default(),
            _ if 2 * k < size => Complex::new(0.0, -1.0),
            _ => Complex::new(0.0, 1.0),
        } / size as f64;
    }
    fourier::inverse(size).process(&mut spectrum);
    spectrum[..series.len()].iter().map(|of| of.re).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_adjoint, random};

    #[test]
    fn a_cosine_becomes_a_sine_and_the_transpose_is_the_negative() {
        let window = |k: f64| (-((k - 256.0) / 60.0).powi(2)).exp();
        let wave = |of: fn(f64) -> f64| -> Vec<f64> {
            (0..512).map(|k| window(f64::from(k)) * of(0.4 * f64::from(k))).collect()
        };
        let (cosine, sine) = (wave(f64::cos), wave(f64::sin));
        let turned = hilbert(&cosine);
        assert!(turned.iter().zip(&sine).all(|(a, b)| (a - b).abs() < 1e-6));
        let (one, other) = (random(1, 512), random(2, 512));
        let back: Vec<f64> = hilbert(&other).iter().map(|value| -value).collect();
        assert_adjoint([&one, &hilbert(&one)], [&other, &back]);
    }
}
