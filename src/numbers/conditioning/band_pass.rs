//! A zero-phase band-pass.

use super::{ConditioningError, each};
use crate::acquisition::Band;
use ndarray::Array2;

/// A filter of zero phase by its corner frequencies, in Hz, of which the gain is a trapezium with
/// cosine flanks: 0 below f1, 1 from f2 to f3, 0 above f4, and `sin^2(pi (f - f1) / (2 (f2 - f1)))`
/// between f1 and f2, likewise between f3 and f4. With straight flanks its response to a spike would
/// be the Ormsby wavelet ([`crate::acquisition::Ormsby`]); cosines make it shorter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BandPass {
    /// f1 < f2, f1 from 0 up; without it low frequencies pass.
    pub low_cut: Option<[f64; 2]>,
    /// f3 < f4, f3 not below f2, f4 up to the Nyquist frequency; without it high frequencies pass.
    pub high_cut: Option<[f64; 2]>,
}

/// The response to a spike, in periods of the narrowest flank: it has fallen by more than four
/// orders of magnitude.
const RESPONSE: f64 = 10.0;
/// The most samples of a response.
const LONGEST: f64 = (1u32 << 20) as f64;

impl BandPass {
    /// Returns an error for corners that are no band at a sampling interval in seconds.
    ///
    /// # Errors
    ///
    /// If they do not rise, or lie above the Nyquist frequency.
    pub fn check(&self, interval: f64) -> Result<(), ConditioningError> {
        ConditioningError::if_interval(interval)?;
        let corners: Vec<f64> = self.low_cut.into_iter().chain(self.high_cut).flatten().collect();
        let cuts = self.low_cut.iter().chain(&self.high_cut);
        let rise = cuts.clone().all(|[from, to]| *from >= 0.0 && from < to && to.is_finite());
        if !(rise && corners.is_sorted()) {
            return Err(ConditioningError::Corners { corners });
        }
        let nyquist = 0.5 / interval;
        match corners.into_iter().find(|corner| *corner > nyquist) {
            Some(corner) => Err(ConditioningError::Nyquist { corner, nyquist, interval }),
            None => Ok(()),
        }
    }

    /// Filters traces `[receiver][time]`. They are continued by zeros for as long as the filter
    /// sounds, so that no end wraps around to the other. A trace that does not begin and end near 0
    /// rings there: taper it first ([`super::taper::ends`]).
    ///
    /// # Errors
    ///
    /// As of [`Self::check`], or if a sample is not finite.
    pub fn apply(&self, traces: &mut Array2<f32>, interval: f64) -> Result<(), ConditioningError> {
        self.check(interval)?;
        ConditioningError::if_not_finite(traces)?;
        let cuts = self.low_cut.iter().chain(&self.high_cut);
        let narrowest = cuts.map(|[from, to]| to - from).fold(f64::INFINITY, f64::min);
        let response = (RESPONSE / (narrowest * interval)).min(LONGEST).ceil() as usize;
        let ([f1, f2], all) = (self.low_cut.unwrap_or_default(), [f64::INFINITY; 2]);
        let [f3, f4] = self.high_cut.unwrap_or(all);
        let band = Band::of_corners([f1, f2, f3, f4], interval, traces.ncols() + response);
        each(traces, |_, mut trace| {
            let passed = band.pass(trace.iter().map(|sample| f64::from(*sample)));
            trace.iter_mut().zip(passed).for_each(|(to, value)| *to = value as f32);
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    const INTERVAL: f64 = 2e-3;
    const BAND: [f64; 4] = [4.0, 8.0, 40.0, 60.0];

    fn sines(hz: &[f64]) -> Array2<f32> {
        let sine =
            |(trace, k): (usize, usize)| (TAU * hz[trace] * k as f64 * INTERVAL).sin() as f32;
        Array2::from_shape_fn((hz.len(), 4000), sine)
    }

    /// The largest difference from the sines times their gains, far from the ends.
    fn off(filter: BandPass, hz: &[f64], gain: &[f64]) -> f64 {
        let (mut traces, sines) = (sines(hz), sines(hz));
        filter.apply(&mut traces, INTERVAL).expect("a band");
        let of = |(trace, k): (usize, usize)| {
            (f64::from(traces[[trace, k]]) - gain[trace] * f64::from(sines[[trace, k]])).abs()
        };
        let inside = (0..hz.len()).flat_map(|trace| (1000..3000).map(move |k| (trace, k)));
        inside.map(of).fold(0.0, f64::max)
    }

    /// Both cuts, f1 < f2 <= f3 < f4.
    fn of_corners([f1, f2, f3, f4]: [f64; 4]) -> BandPass {
        BandPass { low_cut: Some([f1, f2]), high_cut: Some([f3, f4]) }
    }

    #[test]
    fn sines_pass_inside_and_are_rejected_outside() {
        let hz = [1.0, 3.5, 6.0, 8.5, 20.0, 39.0, 50.0, 62.0, 200.0];
        let band = of_corners(BAND);
        let of_low = [0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        for (filter, gain) in [
            (band, [0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 0.5, 0.0, 0.0]),
            (BandPass { high_cut: None, ..band }, of_low),
            (BandPass { low_cut: None, ..band }, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.0, 0.0]),
        ] {
            let off = off(filter, &hz, &gain);
            println!("{filter:?}: {off:.1e}");
            assert!(off < 1e-3, "{filter:?}: {off}");
        }
        // Tests the test: another gain is seen.
        assert!(off(band, &hz, &of_low) > 0.4);
        let mut traces = sines(&hz);
        BandPass::default().apply(&mut traces, INTERVAL).expect("all pass");
        assert!((traces - sines(&hz)).iter().all(|off| off.abs() < 1e-6));
    }

    #[test]
    fn nothing_wraps_around() {
        // A spike at the end, through flanks that ring for longer than the trace.
        let passed = |count: usize, at: usize| {
            let mut traces = Array2::<f32>::zeros((1, count));
            traces[[0, at]] = 1.0;
            let narrow = of_corners([10.0, 10.5, 30.0, 30.5]);
            narrow.apply(&mut traces, INTERVAL).expect("a band");
            traces
        };
        let (short, long) = (passed(100, 99), passed(100_000, 50_000));
        for k in 0..100 {
            let off = (short[[0, k]] - long[[0, 50_000 - 99 + k]]).abs();
            assert!(off < 1e-4 * long[[0, 50_000]], "{k}: {off}");
        }
    }

    #[test]
    fn bad_corners_are_refused() {
        let mut traces = sines(&[10.0]);
        let mut said = |filter: BandPass| {
            filter.apply(&mut traces, INTERVAL).expect_err("no band").to_string()
        };
        assert_eq!(
            said(of_corners([5.0, 10.0, 200.0, 300.0])),
            "the corner frequency 300 Hz lies above 250 Hz, the Nyquist frequency of samples 0.002 s apart; give at most \
             250 Hz, or take the traces at a shorter interval"
        );
        for corners in [
            [8.0, 4.0, 40.0, 60.0],
            [4.0, 4.0, 40.0, 60.0],
            [4.0, 50.0, 40.0, 60.0],
            [4.0, 8.0, 60.0, 60.0],
            [-4.0, 8.0, 40.0, 60.0],
            [4.0, f64::NAN, 40.0, 60.0],
        ] {
            assert!(said(of_corners(corners)).contains("make no band"), "{corners:?}");
        }
        let high = BandPass { low_cut: None, high_cut: Some([260.0, 270.0]) };
        assert!(said(high).contains("260 Hz"));
        traces[[0, 6]] = f32::NAN;
        let refused = of_corners(BAND).apply(&mut traces, INTERVAL);
        assert!(refused.expect_err("NaN").to_string().contains("sample 7 of trace 1 is NaN"));
    }
}
