//! Where waves start and where they are recorded: sources, receivers, shots, wavelets.

mod ricker;
mod sampled;
pub mod spread;

pub use ricker::Ricker;
pub use sampled::Sampled;

use crate::grid::{Axis, Position};

/// The source function s(t) of `(1/v^2) p_tt = lap p + s(t) delta(x - xs)`. A new kind is one file
/// and one line here.
#[derive(Clone, Debug, PartialEq)]
pub enum Wavelet {
    /// Ricker, a peak frequency and a delay.
    Ricker(Ricker),
    /// Samples from a file.
    Sampled(Sampled),
}

/// Why a wavelet was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WaveletError {
    /// A peak frequency that is not positive.
    #[error("a peak frequency of {0} Hz is not available; give a positive number of Hz")]
    Peak(f64),
    /// A delay that is not finite.
    #[error("a delay of {0} s is not available; give a finite number of seconds")]
    Delay(f64),
    /// Samples at another interval than the time step.
    #[error(
        "the wavelet is sampled every {interval} s but the time step is {dt} s; set the step to \
         {interval} s (time.step), or give a wavelet of that interval"
    )]
    Interval {
        /// Interval of the samples, s.
        interval: f64,
        /// Time step, s.
        dt: f64,
    },
    /// No samples, or samples without an interval.
    #[error(
        "the wavelet has {count} samples {interval} s apart; give at least 1 and a positive interval"
    )]
    Empty {
        /// Number of samples.
        count: usize,
        /// Interval, s.
        interval: f64,
    },
    /// A sample that is NaN or infinite.
    #[error("sample {index} of the wavelet is {value}; every sample must be finite")]
    NotFinite {
        /// Index of the sample.
        index: usize,
        /// Its value.
        value: f64,
    },
}

impl Wavelet {
    /// Refuses parameters that describe no wavelet.
    pub fn check(&self) -> Result<(), WaveletError> {
        match self {
            Wavelet::Ricker(wavelet) => wavelet.check(),
            Wavelet::Sampled(wavelet) => wavelet.check(),
        }
    }

    /// s(n dt) for n in 0..count.
    pub fn samples(&self, dt: f64, count: usize) -> Result<Vec<f64>, WaveletError> {
        match self {
            Wavelet::Ricker(wavelet) => Ok((0..count).map(|n| wavelet.at(n as f64 * dt)).collect()),
            Wavelet::Sampled(wavelet) => wavelet.samples(dt, count),
        }
    }

    /// Frequency of the largest amplitude, Hz.
    pub fn peak_hz(&self) -> f64 {
        match self {
            Wavelet::Ricker(wavelet) => wavelet.peak_hz,
            Wavelet::Sampled(wavelet) => wavelet.peak_hz(),
        }
    }
}

/// What a source is in space. Its wavelet is s(t).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceKind {
    /// `s(t) delta(x - xs)`, such as an explosion or an air gun.
    #[default]
    Monopole,
    /// `s(t) d(delta(x - xs))/dx` along an axis, positive along it: what a body force of `-s(t)` along the axis
    /// does, for `(1/v^2) p_tt = lap p - div f`. Its field is the derivative of a monopole's along the axis, at
    /// the receiver.
    Dipole(Axis),
}

/// A point source.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Monopole or dipole.
    pub kind: SourceKind,
    /// Where, metres from the model's first node; on a node or between nodes.
    pub at: Position,
    /// s(t).
    pub wavelet: Wavelet,
    /// Factor on the wavelet.
    pub amplitude: f64,
}

/// Sources that fire together and the receivers that hear them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shot {
    /// Every source of the shot.
    pub sources: Vec<Source>,
    /// Where the pressure is recorded, metres from the model's first node; on a node or between nodes.
    pub receivers: Vec<Position>,
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

/// Lines of `nx` positions along x, `ny` of them one beside the other along y, between opposite corners at
/// one depth; position `[iy][ix]` is the element `iy nx + ix`.
pub fn grid(from: Position, to: Position, nx: usize, ny: usize) -> Vec<Position> {
    let first = line(from, Position { x: from.x, ..to }, ny);
    let along = |start: Position| line(start, Position { x: to.x, ..start }, nx);
    first.into_iter().flat_map(along).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_lines_along_x_beside_each_other() {
        let at = |x, y| Position { z: 10.0, x, y };
        let grid = grid(at(0.0, 100.0), at(40.0, 300.0), 3, 2);
        let wanted = [
            (0.0, 100.0),
            (20.0, 100.0),
            (40.0, 100.0),
            (0.0, 300.0),
            (20.0, 300.0),
            (40.0, 300.0),
        ];
        assert_eq!(grid, wanted.map(|(x, y)| at(x, y)));
        assert!(super::grid(at(0.0, 0.0), at(1.0, 1.0), 0, 7).is_empty());
    }
}
