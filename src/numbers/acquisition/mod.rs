//! Sources, receivers, shots and wavelets.
//!
//! To add a wavelet: a file here with its formula, whose largest value is 1, its paper, and a
//! default delay after which it starts near zero at t = 0; a variant of [`Wavelet`] and an arm in
//! each of its methods; a variant in `src/job/acquisition.rs` and an arm in `src/job/wavelet.rs`; a
//! line in `assets/templates/plane.toml` and `volume.toml` and in `docs/job.md`; a function in
//! `python/huygens/acquisition.py`, which `__init__.py` exports; a case in
//! `tests/cli/wavelets.rs`. If the job gives `peak_hz`, name it in
//! `src/numbers/plan/dispersion/remedies.rs` too. To add a kind of source: a variant of [`SourceKind`] with its
//! weights in `spread.rs`. To an engine a source is some nodes, each with a scale.

mod band;
mod coarse;
mod degrade;
mod derivative;
mod gaussian;
mod hilbert;
pub mod integral;
mod interpolation;
mod kaiser;
mod klauder;
mod ormsby;
mod recording;
mod ricker;
mod sampled;
mod spectrum;
pub mod spread;
pub(crate) mod time_dispersion;
mod warp;

pub use band::Band;
pub use degrade::DegradeError;
pub use gaussian::Gaussian;
pub(crate) use hilbert::hilbert;
#[doc(hidden)]
pub use interpolation::{Interpolation, TOGETHER};
pub use klauder::Klauder;
pub use ormsby::Ormsby;
pub(crate) use recording::reversed;
pub use recording::{Recording, RecordingError, Scale};
pub use ricker::Ricker;
pub use sampled::{Sampled, samples_of};
pub(crate) use spectrum::highest_hz;
pub use time_dispersion::TimeDispersion;
pub(crate) use {coarse::largest, spectrum::peak_and_highest_hz};

use crate::grid::{Axis, Position};
use std::{fmt, sync::Arc};

/// The source function s(t) of `(1/v^2) p_tt = lap p + s(t) delta(x - xs)`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Wavelet {
    /// Ricker, a peak frequency and a delay.
    Ricker(Ricker),
    /// A Gaussian or one of its derivatives.
    Gaussian(Gaussian),
    /// Ormsby, a band of four corner frequencies.
    Ormsby(Ormsby),
    /// Klauder, the autocorrelation of a linear sweep.
    Klauder(Klauder),
    /// Samples from a file.
    Sampled(Sampled),
}

/// Reasons why a wavelet was rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum WaveletError {
    #[error("a peak frequency of {} Hz is not available; give a positive number of Hz", .0)]
    Peak(f64),
    #[error("a delay of {} s is not available; give a finite number of seconds", .0)]
    Delay(f64),
    #[error(
        "the derivative of order {} of a Gaussian is not available; give an order from 0 to {}",
        .0, Gaussian::HIGHEST
    )]
    Derivative(usize),
    #[error(
        "the corner frequencies {:?} Hz make no band; give four that rise, f1 < f2 <= f3 < f4, from 0 Hz or above",
        .0
    )]
    Corners([f64; 4]),
    #[error(
        "a sweep from {from_hz} to {to_hz} Hz in {length} s is not available; give two different frequencies above 0 \
         Hz and a positive length"
    )]
    Sweep { from_hz: f64, to_hz: f64, length: f64 },
    /// Samples, `interval` s apart, with more of their energy above the Nyquist frequency of the time step, Hz, than may
    /// be left out; `above` and `limit` are parts of the whole.
    #[error(
        "{:.3} % of the {} energy lies above {nyquist:.6} Hz, the Nyquist frequency of a time step of {dt} s, and \
         at most {:.2} % are left out; use step = {interval} or less, or {}",
        100.0 * above, if *.recorded { "trace's" } else { "wavelet's" }, 100.0 * limit, filter(*.recorded, *.nyquist)
    )]
    Nyquist { above: f64, limit: f64, nyquist: f64, dt: f64, interval: f64, recorded: bool },
    #[error(
        "the wavelet has {count} samples {interval} s apart; give at least 1 and a positive interval"
    )]
    Empty { count: usize, interval: f64 },
    #[error("sample {index} of the wavelet is {value}; every sample must be finite")]
    NotFinite { index: usize, value: f64 },
}

/// How to take the energy above a Nyquist frequency, Hz, out of samples.
fn filter(recorded: bool, nyquist: f64) -> String {
    let [from, to] = [0.8 * nyquist, nyquist].map(|hz| (hz * 1e3).floor() / 1e3);
    match recorded {
        true => format!("filter the traces with `huygens gather filter --high-cut {from},{to}`"),
        false => "filter the wavelet".into(),
    }
}

impl WaveletError {
    /// The error of samples that were recorded, and sent back as a wavelet.
    #[must_use]
    pub fn of_trace(mut self) -> Self {
        if let WaveletError::Nyquist { recorded, .. } = &mut self {
            *recorded = true;
        }
        self
    }
}

impl Wavelet {
    /// A Ricker wavelet with the delay after which it starts near zero.
    pub fn ricker(peak_hz: f64) -> Self {
        Wavelet::Ricker(Ricker { peak_hz, delay: Ricker::delay(peak_hz) })
    }

    /// Returns an error for invalid parameters.
    pub(crate) fn check(&self) -> Result<(), WaveletError> {
        let delay = match self {
            Wavelet::Ricker(wavelet) => positive_peak(wavelet.peak_hz).map(|()| wavelet.delay),
            Wavelet::Gaussian(wavelet) => wavelet.check().map(|()| wavelet.delay),
            Wavelet::Ormsby(wavelet) => wavelet.check().map(|()| wavelet.delay),
            Wavelet::Klauder(wavelet) => wavelet.check().map(|()| wavelet.delay),
            Wavelet::Sampled(wavelet) => wavelet.check().map(|()| 0.0),
        }?;
        if delay.is_finite() { Ok(()) } else { Err(WaveletError::Delay(delay)) }
    }

    /// s(n dt) for n in 0..count.
    pub fn samples(&self, dt: f64, count: usize) -> Result<Vec<f64>, WaveletError> {
        Ok(self.samples_by(dt, count, &[])?.to_vec())
    }

    /// [`Wavelet::samples`], with interpolation weights that wavelets share if they match.
    pub(crate) fn samples_by(
        &self,
        dt: f64,
        count: usize,
        shared: &[Interpolation],
    ) -> Result<Arc<[f64]>, WaveletError> {
        let times = (0..count).map(|n| n as f64 * dt);
        match self {
            Wavelet::Ricker(wavelet) => Ok(times.map(|t| wavelet.at(t)).collect()),
            Wavelet::Gaussian(wavelet) => Ok(wavelet.samples(times).into()),
            Wavelet::Ormsby(wavelet) => Ok(times.map(|t| wavelet.at(t)).collect()),
            Wavelet::Klauder(wavelet) => Ok(times.map(|t| wavelet.at(t)).collect()),
            Wavelet::Sampled(wavelet) => wavelet.samples_by(dt, count, shared),
        }
    }

    /// Frequency of the largest amplitude, Hz; for Ormsby and Klauder the middle of the band.
    pub fn peak_hz(&self) -> f64 {
        match self {
            Wavelet::Ricker(wavelet) => wavelet.peak_hz,
            Wavelet::Gaussian(wavelet) => wavelet.peak_hz,
            Wavelet::Ormsby(wavelet) => wavelet.peak_hz(),
            Wavelet::Klauder(wavelet) => wavelet.peak_hz(),
            Wavelet::Sampled(wavelet) => wavelet.peak_hz(),
        }
    }
}

/// The kind as a job names it, and its numbers.
impl fmt::Display for Wavelet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let delay = match self {
            Wavelet::Ricker(Ricker { peak_hz, delay }) => {
                write!(f, "ricker {peak_hz} Hz")?;
                delay
            }
            Wavelet::Gaussian(Gaussian { derivative, peak_hz, delay }) => {
                write!(f, "gaussian, derivative {derivative}, {peak_hz} Hz")?;
                delay
            }
            Wavelet::Ormsby(Ormsby { corners_hz: [a, b, c, d], delay }) => {
                write!(f, "ormsby {a} {b} {c} {d} Hz")?;
                delay
            }
            Wavelet::Klauder(Klauder { from_hz, to_hz, length, delay }) => {
                write!(f, "klauder {from_hz} to {to_hz} Hz in {length} s")?;
                delay
            }
            Wavelet::Sampled(Sampled { values, interval }) => {
                return write!(f, "file, {} samples {interval} s apart", values.len());
            }
        };
        write!(f, ", middle at {} s", (1e6 * delay).round() / 1e6)
    }
}

/// Returns an error unless a peak frequency is positive.
fn positive_peak(peak_hz: f64) -> Result<(), WaveletError> {
    match peak_hz.is_finite() && peak_hz > 0.0 {
        true => Ok(()),
        false => Err(WaveletError::Peak(peak_hz)),
    }
}

/// The kind of a source in space. Its wavelet is s(t).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceKind {
    /// `s(t) delta(x - xs)`, such as an explosion or an air gun.
    #[default]
    Monopole,
    /// `s(t) d(delta(x - xs))/dx` along an axis, positive along it: equivalent to a body force of
    /// `-s(t)` along the axis, for `(1/v^2) p_tt = lap p - div f`. Its field is the derivative of a
    /// monopole's along the axis, at the receiver.
    Dipole(Axis),
}

/// A point source.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Monopole or dipole.
    pub kind: SourceKind,
    /// Position, metres from the model's first node; on a node or between nodes.
    pub at: Position,
    /// s(t).
    pub wavelet: Wavelet,
    /// Factor on the wavelet.
    pub amplitude: f64,
}

impl Source {
    /// A monopole with amplitude 1.
    pub fn new(at: Position, wavelet: Wavelet) -> Self {
        Source { kind: SourceKind::default(), at, wavelet, amplitude: 1.0 }
    }
}

/// Sources that fire at once, and their receivers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shot {
    /// Every source of the shot.
    pub sources: Vec<Source>,
    /// Positions at which the pressure is recorded, metres from the model's first node; on a node
    /// or between nodes. Shots with the same receivers may share them.
    pub receivers: Arc<[Position]>,
}

impl Shot {
    /// One source and its receivers.
    pub fn new(source: Source, receivers: impl Into<Arc<[Position]>>) -> Self {
        Shot { sources: vec![source], receivers: receivers.into() }
    }
}

/// `count` positions evenly from one end to the other, both included.
pub fn line(from: Position, to: Position, count: usize) -> Vec<Position> {
    let last = count.saturating_sub(1).max(1) as f64;
    let at = |a: f64, b: f64, i: usize| a + (b - a) * i as f64 / last;
    (0..count)
        .map(|i| Position {
            z: at(from.z, to.z, i),
            x: at(from.x, to.x, i),
            y: at(from.y, to.y, i),
        })
        .collect()
}

/// Lines of `nx` positions along x, `ny` of them beside each other along y, between opposite
/// corners at one depth; position `[iy][ix]` is the element `iy nx + ix`.
pub fn grid(from: Position, to: Position, nx: usize, ny: usize) -> Vec<Position> {
    let first = line(from, Position { x: from.x, ..to }, ny);
    let along = |start: Position| line(start, Position { x: to.x, ..start }, nx);
    first.into_iter().flat_map(along).collect()
}

/// `|S(f)|` of samples, their sum times the interval at 0 Hz.
#[cfg(test)]
fn amplitude_at(samples: &[f64], interval: f64, hz: f64) -> f64 {
    use huygens_fourier::Complex;
    let turn = |n: usize| -std::f64::consts::TAU * hz * interval * n as f64;
    let terms = samples.iter().enumerate().map(|(n, s)| Complex::from_polar(*s, turn(n)));
    interval * terms.sum::<Complex<f64>>().norm()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaussian(derivative: usize, peak_hz: f64, delay: f64) -> Wavelet {
        Wavelet::Gaussian(Gaussian { derivative, peak_hz, delay })
    }

    #[test]
    fn every_wavelet_names_what_is_wrong_with_it() {
        let ormsby = |corners_hz, delay| Wavelet::Ormsby(Ormsby { corners_hz, delay });
        let klauder = |[from_hz, to_hz, length]: [f64; 3], delay| {
            Wavelet::Klauder(Klauder { from_hz, to_hz, length, delay })
        };
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        let delayed = [
            Wavelet::Ricker(Ricker { peak_hz: 10.0, delay: nan }),
            gaussian(1, 10.0, nan),
            ormsby([5.0, 10.0, 40.0, 50.0], nan),
            klauder([5.0, 50.0, 4.0], nan),
        ];
        let peaks = [0.0, -3.0, nan, inf].map(|peak_hz| gaussian(0, peak_hz, 0.1));
        let corners = [
            [10.0, 5.0, 40.0, 50.0],
            [5.0, 5.0, 40.0, 50.0],
            [5.0, 10.0, 50.0, 50.0],
            [5.0, 45.0, 40.0, 50.0],
            [-5.0, 10.0, 40.0, 50.0],
            [nan, 10.0, 40.0, 50.0],
            [5.0, 10.0, 40.0, inf],
        ];
        let corners = corners.map(|corners| ormsby(corners, 1.0));
        let sweeps = [[10.0, 10.0, 6.0], [0.0, 60.0, 6.0], [10.0, nan, 6.0], [10.0, 60.0, 0.0]];
        let sweeps = sweeps.map(|sweep| klauder(sweep, 1.0));
        for (wrong, said) in [
            (&delayed[..], "a delay of"),
            (&peaks, "a peak frequency of"),
            (&[gaussian(11, 10.0, 0.1)], "the derivative of order 11"),
            (&corners, "the corner frequencies"),
            (&sweeps, "a sweep from"),
        ] {
            for wavelet in wrong {
                let refused = wavelet.check().expect_err("it is wrong").to_string();
                assert!(refused.starts_with(said), "{refused}");
            }
        }
        // A flank may begin at 0 Hz, a band be a point, a sweep go down.
        for sound in [ormsby([0.0, 10.0, 10.0, 50.0], 1.0), klauder([60.0, 10.0, 6.0], 1.0)] {
            assert_eq!(sound.check(), Ok(()));
        }
    }

    #[test]
    fn a_gaussian_derivative_peaks_at_its_frequency() {
        for derivative in 1..=Gaussian::HIGHEST {
            let delay = Gaussian::delay(derivative, 10.0);
            let samples = gaussian(derivative, 10.0, delay).samples(1e-3, 1000).expect("samples");
            let at = |hz| amplitude_at(&samples, 1e-3, hz);
            assert!(at(10.0) > at(9.7) && at(10.0) > at(10.3), "{derivative}");
        }
        let samples = gaussian(0, 10.0, 0.2).samples(1e-3, 400).expect("samples");
        let ratio = amplitude_at(&samples, 1e-3, 10.0) / amplitude_at(&samples, 1e-3, 0.0);
        assert!((ratio - (-1f64).exp()).abs() < 1e-6, "{ratio}");
    }

    #[test]
    fn a_grid_is_lines_along_x_beside_each_other() {
        let at = |x, y| Position { z: 10.0, x, y };
        let points = grid(at(0.0, 100.0), at(40.0, 300.0), 3, 2);
        let line = |y| [0.0, 20.0, 40.0].map(|x| at(x, y));
        assert_eq!(points, [line(100.0), line(300.0)].concat());
        assert!(grid(at(0.0, 0.0), at(1.0, 1.0), 0, 7).is_empty());
    }
}
