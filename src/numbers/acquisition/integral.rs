//! Traces integrated in time.

use huygens_fourier::{self as fourier, Complex};
use std::f64::consts::{PI, TAU};

/// The integrals of two traces of equal length, 1/(i w) of their spectra, with `dt` between
/// samples. Frequencies below `above`, Hz, are faded out, down to zero at half of it. Real traces
/// stay real, and two cost as much as one.
pub fn of_both([first, second]: [&mut [f64]; 2], dt: f64, above: f64) {
    // Padded so that a trace's end does not wrap around to its beginning.
    let size = (2 * first.len()).next_power_of_two();
    let both = first.iter().zip(second.iter());
    let mut spectrum: Vec<_> = both.map(|(first, second)| Complex::new(*first, *second)).collect();
    spectrum.resize(size, Complex::default());
    fourier::forward(size).process(&mut spectrum);
    for (k, value) in spectrum.iter_mut().enumerate() {
        let f = k.min(size - k) as f64 / (size as f64 * dt);
        let gain = match f {
            f if f <= 0.5 * above => 0.0,
            f if f < above => (0.5 * PI * (2.0 * f / above - 1.0)).sin().powi(2),
            _ => 1.0,
        };
        // A forward and an inverse transform are not normalised.
        let over = if gain > 0.0 { gain / (TAU * f * size as f64) } else { 0.0 };
        *value *= Complex::new(0.0, if k <= size / 2 { -over } else { over });
    }
    fourier::inverse(size).process(&mut spectrum);
    for ((first, second), value) in first.iter_mut().zip(second).zip(spectrum) {
        (*first, *second) = (value.re, value.im);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differencing the output recovers the input.
    #[test]
    fn a_difference_undoes_it() {
        let (dt, count) = (1e-3, 1000);
        let ricker = |n: usize| {
            let a = (PI * 20.0 * (n as f64 * dt - 0.4)).powi(2);
            (1.0 - 2.0 * a) * (-a).exp()
        };
        let trace: Vec<f64> = (0..count).map(ricker).collect();
        let (mut integral, mut reversed) = (trace.clone(), trace.clone());
        reversed.reverse();
        of_both([&mut integral, &mut reversed], dt, 2.0);
        for n in 100..800 {
            let back = (integral[n + 1] - integral[n - 1]) / (2.0 * dt);
            assert!((back - trace[n]).abs() < 5e-3, "{n}: {back} {}", trace[n]);
            let back = (reversed[n + 1] - reversed[n - 1]) / (2.0 * dt);
            assert!((back - trace[count - 1 - n]).abs() < 5e-3, "{n}, the other");
        }
    }

    /// Of cos(w t) the integral is sin(w t) / w: all of it, half of it, nothing.
    #[test]
    fn low_frequencies_fade_out() {
        let wave = |hz: f64, of: fn(f64) -> f64| -> Vec<f64> {
            let times = (0..8192).map(|n| 2e-3 * (f64::from(n) - 4096.0));
            times.map(|t| (-t * t / 9.0).exp() * of(TAU * hz * t)).collect()
        };
        for (hz, gain) in [(6.0, 1.0), (3.0, 0.5), (1.0, 0.0)] {
            let mut both = [wave(hz, f64::cos), wave(hz, f64::cos)];
            of_both(both.each_mut().map(Vec::as_mut_slice), 2e-3, 4.0);
            for (ours, sine) in both[0].iter().zip(wave(hz, f64::sin)) {
                let ours = TAU * hz * ours;
                assert!((ours - gain * sine).abs() < 0.06, "{hz} Hz: {ours} {sine}");
            }
        }
    }
}
