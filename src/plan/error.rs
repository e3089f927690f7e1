//! Every mistake that a Plan finds, with the value, the limit and the remedy.

use super::{Rounding, Seconds, Silence};
use crate::{
    acquisition::WaveletError, boundary::BoundaryError, grid::GridError, stencil::StencilError,
};

/// Why a simulation was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// An operator that does not exist or is unsound.
    #[error(transparent)]
    Operator(#[from] StencilError),
    /// A boundary that does not exist.
    #[error(transparent)]
    Boundary(#[from] BoundaryError),
    /// A correction of time dispersion where there is none.
    #[error(
        "explicit time evolution has no time dispersion to correct; leave dispersion = \"corrected\" out, or use a Taylor operator"
    )]
    NothingToCorrect,
    /// A time step above the largest stable one.
    #[error(
        "a time step of {} is unstable here: the largest stable step is {}; use step = {} or less, or step = \"auto\"",
        Seconds(*.dt), Seconds(*.limit), round_down(*.limit)
    )]
    Unstable {
        /// The step asked for, s.
        dt: f64,
        /// The largest stable step, s.
        limit: f64,
    },
    /// A time step so short that rounding takes too much of the waves.
    #[error(transparent)]
    Rounding(#[from] Rounding),
    /// A duration, step or interval that is no positive time.
    #[error("{key} is {}; it must be a positive, finite number of seconds", Seconds(*.value))]
    NotATime {
        /// Key of the job.
        key: &'static str,
        /// The value given, s.
        value: f64,
    },
    /// A duration without room for a recorded interval.
    #[error(
        "a duration of {} is shorter than the recording interval of {}; simulate longer, or record or step more often",
        Seconds(*.duration), Seconds(*.interval)
    )]
    TooShort {
        /// Duration, s.
        duration: f64,
        /// Between recorded samples, s.
        interval: f64,
    },
    /// A recording interval that is no whole number of steps.
    #[error(
        "the recording interval of {} is not a whole number of time steps of {}; use step = \"auto\" or step = {}",
        Seconds(*.record), Seconds(*.dt), .record / (.record / .dt).ceil().max(1.0)
    )]
    Record {
        /// Recording interval, s.
        record: f64,
        /// Time step, s.
        dt: f64,
    },
    /// More steps than anyone waits for.
    #[error(
        "{} in steps of {} are {steps:.3e} steps; at most {max} are taken: simulate less, or take a longer step",
        Seconds(*.duration), Seconds(*.dt)
    )]
    TooManySteps {
        /// Duration, s.
        duration: f64,
        /// Time step, s.
        dt: f64,
        /// The number that this makes.
        steps: f64,
        /// The most there may be.
        max: usize,
    },
    /// A snapshot outside the simulated time.
    #[error(
        "a snapshot at {} is outside the simulated time, 0 to {}", Seconds(*.at), Seconds(*.duration)
    )]
    Snapshot {
        /// Index in the list of snapshots.
        index: usize,
        /// The time asked for, s.
        at: f64,
        /// Duration, s.
        duration: f64,
    },
    /// A shot in which nothing happens.
    #[error("shot {} has no source; give it at least one", .shot + 1)]
    NoSource {
        /// Index of the shot.
        shot: usize,
    },
    /// A source that is not on the grid.
    #[error("source {} of shot {}: {error}", .source_index + 1, .shot + 1)]
    Source {
        /// Index of the shot.
        shot: usize,
        /// Index of the source in the shot.
        source_index: usize,
        /// What is wrong with its position.
        error: GridError,
    },
    /// A dipole along an axis that the model has not.
    #[error(
        "source {} of shot {} is a dipole along y, but the model is 2-D and has no y; give x or z",
        .source_index + 1,
        .shot + 1
    )]
    Dipole {
        /// Index of the shot.
        shot: usize,
        /// Index of the source in the shot.
        source_index: usize,
    },
    /// A source too strong for f32, or not a number.
    #[error(
        "source {} of shot {} has the amplitude {value:e}, which makes a field of {peak:e}; \
         fields of f32 hold up to 1e25, give a smaller amplitude",
        .source_index + 1,
        .shot + 1
    )]
    Amplitude {
        /// Index of the shot.
        shot: usize,
        /// Index of the source in the shot.
        source_index: usize,
        /// The amplitude given.
        value: f64,
        /// The field that it makes in a step.
        peak: f64,
    },
    /// Sources too faint for f32.
    #[error(
        "source {} of shot {}, the loudest of it, has the amplitude {value:e}, which makes a field of {peak:e} at the most; \
         fields of f32 keep the digits of waves that spread from 1e-25 on: give a larger amplitude, such as {}; all that is \
         recorded is larger by the same factor", .source_index + 1, .shot + 1, power(*.louder)
    )]
    Faint {
        /// Index of the shot.
        shot: usize,
        /// Index of the source in the shot.
        source_index: usize,
        /// The amplitude given.
        value: f64,
        /// The field that it makes in a step.
        peak: f64,
        /// An amplitude that is loud enough.
        louder: f64,
    },
    /// A source whose wavelet cannot be used.
    #[error("source {} of shot {}: {error}", .source_index + 1, .shot + 1)]
    Wavelet {
        /// Index of the shot.
        shot: usize,
        /// Index of the source in the shot.
        source_index: usize,
        /// What is wrong with it.
        error: WaveletError,
    },
    /// A run that can give nothing but zeros.
    #[error("this run can give nothing but zeros: {0}")]
    Silent(Silence),
    /// A receiver that is not on the grid.
    #[error("receiver {} of shot {}: {error}", .receiver + 1, .shot + 1)]
    Receiver {
        /// Index of the shot.
        shot: usize,
        /// Index of the receiver in the shot.
        receiver: usize,
        /// What is wrong with its position.
        error: GridError,
    },
    /// A model of a scan on another grid than the first.
    #[error(
        "model {} has the nodes and spacing {given}, but the first has {expected}; all models of a scan lie on one grid",
        .model + 1
    )]
    Scan {
        /// Index of the model.
        model: usize,
        /// Its grid.
        given: String,
        /// The first one's.
        expected: String,
    },
    /// An initial field of another shape than the computational grid.
    #[error(
        "the initial field has the shape {shape:?}; the computational grid [y][x][z] is {expected:?}"
    )]
    Initial {
        /// Shape of the field.
        shape: (usize, usize, usize),
        /// Shape of the grid.
        expected: (usize, usize, usize),
    },
    /// An operator wider than the grid.
    #[error(
        "the operator is {width} nodes wide along {axis}, but the grid has {nodes} there, layers included; \
         {} {width} nodes along {axis} or more, or --force", narrower(*.nodes)
    )]
    Width {
        /// Name of the axis.
        axis: char,
        /// Nodes that the operator reads along it.
        width: usize,
        /// Nodes that there are.
        nodes: usize,
    },
    /// A free surface over fewer rows than its images have.
    #[error(
        "a free surface needs more than {radius} rows below it, as many as the operator reaches; the model has \
         {rows}: give it more, or use a narrower operator or top = \"zero\""
    )]
    Shallow {
        /// Rows of the model.
        rows: usize,
        /// Radius of the operator, cells.
        radius: usize,
    },
    /// An array larger than indices or sense allow.
    #[error(
        "{what} would take {:.1} GiB; at most {:.1} GiB are taken: {remedy}",
        gib(*.bytes), gib(*.limit)
    )]
    TooLarge {
        /// Which array.
        what: &'static str,
        /// Its size, bytes.
        bytes: u128,
        /// The most there may be, bytes.
        limit: u128,
        /// What makes it smaller.
        remedy: &'static str,
    },
}

impl PlanError {
    /// The key of a job that the mistake belongs to, such as `time.step`; positions and wavelets name
    /// their source or receiver themselves.
    pub fn key(&self) -> &'static str {
        match self {
            PlanError::Operator(StencilError::NoFit { .. }) => "time.step",
            PlanError::Operator(_) | PlanError::Width { .. } => "operator",
            PlanError::Boundary(BoundaryError::Cells { .. }) => "boundary.sides.cells",
            PlanError::Boundary(BoundaryError::Reflection(_)) => "boundary.sides.reflection",
            PlanError::Boundary(BoundaryError::Power(_)) => "boundary.sides.power",
            PlanError::Boundary(BoundaryError::Strength(_)) => "boundary.sides.strength",
            PlanError::Shallow { .. } => "boundary.top",
            PlanError::Unstable { .. } | PlanError::Rounding(_) => "time.step",
            PlanError::NothingToCorrect => "time.dispersion",
            PlanError::NotATime { key, .. } => key,
            PlanError::TooShort { .. } => "time.duration",
            PlanError::Record { .. } => "time.record",
            PlanError::TooManySteps { .. } => "time",
            PlanError::Snapshot { .. } => "output.snapshots",
            PlanError::NoSource { .. } => "source",
            PlanError::Source { .. } | PlanError::Wavelet { .. } => "source",
            PlanError::Amplitude { .. } | PlanError::Faint { .. } | PlanError::Dipole { .. } => {
                "source"
            }
            PlanError::Receiver { .. } => "receivers",
            PlanError::Silent(silence) => silence.key(),
            PlanError::Initial { .. } | PlanError::TooLarge { .. } | PlanError::Scan { .. } => {
                "model"
            }
        }
    }
}

/// A power of ten as a user writes it.
fn power(value: f64) -> String {
    if value == 1.0 { "1".into() } else { format!("{value:e}") }
}

/// The widest operator that fits so many nodes, in words.
fn narrower(nodes: usize) -> String {
    match (nodes - 1) / 2 {
        0 => "use".into(),
        radius => format!("use order = {} (wing = {radius}) or less,", 2 * radius),
    }
}

/// Four significant digits, never above the value: a step that a user can copy.
pub(super) fn round_down(step: f64) -> f64 {
    // Of a step that no number of digits holds there is nothing to copy.
    if !(step.is_finite() && step >= f64::MIN_POSITIVE) {
        return 0.0;
    }
    let digit = 10f64.powi(step.log10().floor() as i32 - 3);
    // Through text, so that 0.002345 does not come out as 0.0023449999999999997.
    let rounded = format!("{:.*e}", 3, (step / digit).floor() * digit);
    rounded.parse().unwrap_or(step)
}

fn gib(bytes: u128) -> f64 {
    bytes as f64 / (1u64 << 30) as f64
}

#[cfg(test)]
mod tests {
    use super::round_down;

    #[test]
    fn a_step_of_nothing_is_offered_as_nothing() {
        for step in [0.0, 5e-324, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(round_down(step), 0.0);
        }
    }

    #[test]
    fn the_step_offered_is_short_and_below_the_limit() {
        for limit in [0.0023456789, 1.0e-3, 9.99996e-5, 0.5] {
            let offered = round_down(limit);
            assert!(
                offered <= limit * (1.0 + 1e-12) && offered > 0.999 * limit,
                "{offered} {limit}"
            );
            assert!(offered.to_string().len() < 12, "{offered}");
        }
    }
}
