//! Gain: a power of time, automatic gain control, and traces brought to one amplitude.

use super::{ConditioningError, each};
use ndarray::{Array2, ArrayView1};

/// Maximum power of time.
pub const MOST_POWER: f64 = 10.0;
/// Fraction of the gather's peak below which a window counts as silent.
const SILENCE: f64 = 1e-6;

/// Multiplies traces `[receiver][time]`, their first sample at t = 0, by t^power: 2 makes up for
/// spherical spreading and attenuation.
///
/// # Errors
///
/// If the power is not from 0 to [`MOST_POWER`], or the interval is not positive.
pub fn power_of_time(
    traces: &mut Array2<f32>,
    interval: f64,
    power: f64,
) -> Result<(), ConditioningError> {
    ConditioningError::if_interval(interval)?;
    if !(0.0..=MOST_POWER).contains(&power) {
        return Err(ConditioningError::Power { power, most: MOST_POWER });
    }
    let gain = |k| (k as f64 * interval).powf(power) as f32;
    let gain: Vec<f32> = (0..traces.ncols()).map(gain).collect();
    each(traces, |_, mut trace| trace.iter_mut().zip(&gain).for_each(|(s, gain)| *s *= gain));
    Ok(())
}

/// Automatic gain control of traces `[receiver][time]`: divides each sample by the RMS of those in a
/// window of this many seconds around it, which is cut at the ends of the trace. Silence, below 1e-6
/// of the gather's largest sample, stays silent. Values that are not finite are ignored.
///
/// # Errors
///
/// If the interval or the window is not positive.
pub fn agc(traces: &mut Array2<f32>, interval: f64, window: f64) -> Result<(), ConditioningError> {
    ConditioningError::if_interval(interval)?;
    if !(window.is_finite() && window > 0.0) {
        return Err(ConditioningError::Window { window });
    }
    let half = (window / interval / 2.0).round().max(1.0) as usize;
    let peak = traces.iter().map(|sample| finite(sample).abs()).fold(0.0, f64::max);
    let least = (SILENCE * peak).powi(2).max(f64::MIN_POSITIVE);
    each(traces, |_, mut trace| {
        let mut sums = vec![0.0];
        for sample in &trace {
            sums.push(sums[sums.len() - 1] + finite(sample).powi(2));
        }
        for (k, sample) in trace.iter_mut().enumerate() {
            let from = k.saturating_sub(half);
            let to = k.saturating_add(half).saturating_add(1).min(sums.len() - 1);
            let mean = (sums[to] - sums[from]) / (to - from) as f64;
            *sample = (f64::from(*sample) / (mean + least).sqrt()) as f32;
        }
    });
    Ok(())
}

/// A sample, 0 if it is not finite.
fn finite(sample: &f32) -> f64 {
    if sample.is_finite() { f64::from(*sample) } else { 0.0 }
}

/// The amplitude of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amplitude {
    /// Its largest sample, without the sign.
    Peak,
    /// The root of its mean square.
    Rms,
}

impl Amplitude {
    /// Of a trace; samples that are not finite count as 0.
    pub(crate) fn of(self, trace: ArrayView1<'_, f32>) -> f64 {
        match self {
            Amplitude::Peak => trace.iter().map(|s| finite(s).abs()).fold(0.0, f64::max),
            Amplitude::Rms => {
                let squares: f64 = trace.iter().map(|s| finite(s).powi(2)).sum();
                (squares / trace.len().max(1) as f64).sqrt()
            }
        }
    }
}

/// Divides each trace of a gather `[receiver][time]` by its amplitude, which is 1 afterwards. A
/// trace of zeros stays.
pub fn normalise(traces: &mut Array2<f32>, amplitude: Amplitude) {
    each(traces, |_, mut trace| {
        let size = amplitude.of(trace.view());
        if size > 0.0 {
            trace.mapv_inplace(|sample| (f64::from(sample) / size) as f32);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_of_time_is_its_formula() {
        let mut traces = Array2::from_elem((2, 50), 2.0f32);
        power_of_time(&mut traces, 0.1, 1.5).expect("a gain");
        for (k, value) in traces.row(1).iter().enumerate() {
            let wanted = 2.0 * (0.1 * k as f64).powf(1.5);
            assert!((f64::from(*value) - wanted).abs() < 1e-5, "{k}: {value}");
        }
    }

    #[test]
    fn a_sine_under_gain_control_has_an_rms_of_one_and_silence_stays() {
        // A window of 10 periods around samples of a growing sine, in a second trace after silence.
        let sine = |k: usize| (std::f64::consts::TAU * 0.05 * k as f64).sin();
        let mut traces =
            Array2::from_shape_fn((2, 4000), |(_, k)| ((1.0 + k as f64) * sine(k)) as f32);
        traces.slice_mut(ndarray::s![1, ..1000]).fill(1e-30);
        traces[[1, 2000]] = f32::NAN;
        agc(&mut traces, 1e-3, 0.2).expect("a window");
        for k in 500..3500 {
            let wanted = 2f64.sqrt() * sine(k);
            assert!((f64::from(traces[[0, k]]) - wanted).abs() < 0.03, "{k}");
        }
        assert!(traces.slice(ndarray::s![1, ..800]).iter().all(|v| v.abs() < 1e-3));
        let bad = traces.iter().filter(|sample| !sample.is_finite()).count();
        assert_eq!(bad, 1, "it spoils no other");
        // A window longer than the trace, also one that no integer holds, is the whole trace.
        let mut constant = Array2::from_elem((1, 9), 5.0f32);
        agc(&mut constant, 1e-3, 1e30).expect("a window");
        assert!(constant.iter().all(|v| (v - 1.0).abs() < 1e-6));
    }

    #[test]
    fn traces_are_brought_to_one_amplitude() {
        for amplitude in [Amplitude::Peak, Amplitude::Rms] {
            let mut traces = Array2::from_shape_fn((3, 40), |(trace, k)| {
                [0.0, 1e-30, 7.0][trace] * ((k * k) as f32).sin()
            });
            normalise(&mut traces, amplitude);
            let of: Vec<f64> = traces.rows().into_iter().map(|row| amplitude.of(row)).collect();
            assert_eq!(of[0], 0.0);
            assert!(of[1..].iter().all(|of| (of - 1.0).abs() < 1e-6), "{of:?}");
        }
        let row = ndarray::array![3.0f32, -4.0, f32::NAN, 0.0];
        assert_eq!((Amplitude::Peak.of(row.view()), Amplitude::Rms.of(row.view())), (4.0, 2.5));
    }

    #[test]
    fn bad_gains_are_refused() {
        let mut traces = Array2::<f32>::ones((2, 10));
        let said = power_of_time(&mut traces, 0.1, 11.0).expect_err("bad").to_string();
        assert!(said.starts_with("the power 11 of time must be 0 to 10"), "{said}");
        assert!(power_of_time(&mut traces, 0.1, f64::NAN).is_err());
        let said = agc(&mut traces, 0.1, 0.0).expect_err("bad").to_string();
        assert!(said.starts_with("a window of 0 s"), "{said}");
        assert_eq!(traces, Array2::<f32>::ones((2, 10)));
    }
}
