//! Every mistake that a Plan finds, with the value, the limit and the remedy.

use super::{Hopeless, Rounding, Seconds, Silence};
use crate::{
    acquisition::WaveletError,
    boundary::BoundaryError,
    grid::GridError,
    host::{NoMemory, binary},
    medium::{Jump, VtiJump},
    model::{AnisotropyError, DensityError},
    stencil::StencilError,
};

/// A mistake in a simulation. Times are in seconds; sources, receivers, shots and models are
/// counted from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum PlanError {
    #[error(transparent)]
    Operator(#[from] StencilError),
    #[error(transparent)]
    Boundary(#[from] BoundaryError),
    #[error(
        "explicit time evolution has no time dispersion to correct; leave dispersion = \"corrected\" out, or use a \
         Taylor operator"
    )]
    NothingToCorrect,
    #[error(
        "a time step of {} is unstable here: the largest stable step is {}; use step = {} or less, or \
         step = \"auto\"",
        Seconds(*.dt), Seconds(*.limit), round_down(*.limit)
    )]
    Unstable { dt: f64, limit: f64 },
    #[error(transparent)]
    Rounding(#[from] Rounding),
    /// Of a field of [`Time`](super::Time).
    #[error("time.{field} is {}; it must be a positive, finite number of seconds", Seconds(*.value))]
    NotATime { field: &'static str, value: f64 },
    #[error(
        "a duration of {} is shorter than the recording interval of {}; simulate longer, or record or step more \
         often",
        Seconds(*.duration), Seconds(*.interval)
    )]
    TooShort { duration: f64, interval: f64 },
    #[error(
        "the recording interval of {} is not a whole number of time steps of {}; use step = {}, or step = \"auto\"",
        Seconds(*.record), Seconds(*.dt), .record / (.record / .dt).ceil().max(1.0)
    )]
    Record { record: f64, dt: f64 },
    #[error(
        "{} in steps of {} needs {steps:.3e} steps; the limit is {max}; simulate less, or take a longer step",
        Seconds(*.duration), Seconds(*.dt)
    )]
    TooManySteps { duration: f64, dt: f64, steps: f64, max: usize },
    #[error(
        "a snapshot at {} is outside the simulated time, 0 to {}", Seconds(*.at), Seconds(*.duration)
    )]
    Snapshot { index: usize, at: f64, duration: f64 },
    #[error("shot {} has no source; give it at least one", .shot + 1)]
    NoSource { shot: usize },
    #[error("source {} of shot {}: {error}", .source_index + 1, .shot + 1)]
    Source { shot: usize, source_index: usize, error: GridError },
    #[error(
        "source {} of shot {} is a dipole along y, but the model is 2-D and has no y; give x or z",
        .source_index + 1, .shot + 1
    )]
    Dipole { shot: usize, source_index: usize },
    #[error(
        "source {} of shot {} has the amplitude {value:e}, which makes a field of {peak:.1e}, and 32-bit numbers \
         hold fields and their traces up to {limit:e}; give a smaller amplitude",
        .source_index + 1, .shot + 1
    )]
    Amplitude { shot: usize, source_index: usize, value: f64, peak: f64, limit: f64 },
    #[error(
        "source {} of shot {}, its strongest, has amplitude {value:e}: its field peaks at {peak:.1e}, below the {limit:e} that \
         32-bit numbers need to stay exact as waves spread; give a larger amplitude, such as {}, which scales every recorded value",
        .source_index + 1, .shot + 1, power(*.louder)
    )]
    Faint { shot: usize, source_index: usize, value: f64, peak: f64, limit: f64, louder: f64 },
    #[error("source {} of shot {}: {error}", .source_index + 1, .shot + 1)]
    Wavelet { shot: usize, source_index: usize, error: WaveletError },
    #[error("this run would record only zeros: {}, or run it with --force", .0)]
    Silent(Silence),
    #[error("{0}")]
    Hopeless(Hopeless),
    #[error("receiver {} of shot {}: {error}", .receiver + 1, .shot + 1)]
    Receiver { shot: usize, receiver: usize, error: GridError },
    #[error(
        "model {} has the nodes and spacing {given}, but the first has {expected}; all models of a scan lie on one grid",
        .model + 1
    )]
    Scan { model: usize, given: String, expected: String },
    #[error(
        "the initial field has the shape {shape:?}; the computational grid [y][x][z] is {expected:?}"
    )]
    Initial { shape: (usize, usize, usize), expected: (usize, usize, usize) },
    #[error(
        "the operator is {width} nodes wide along {axis}, but the grid has {nodes} there, layers included; {}use \
         {width} nodes along {axis} or more, or run it with --force",
        narrower(*.nodes)
    )]
    Width { axis: char, width: usize, nodes: usize },
    #[error(
        "a free surface needs more than {radius} rows below it, as many as the operator reaches; the model has \
         {rows}; give it more, use a narrower operator, or top = \"zero\""
    )]
    Shallow { rows: usize, radius: usize },
    #[error(
        "{what} would take {}, and at most {} are taken; {remedy}", large(*.bytes), large(*.limit)
    )]
    TooLarge { what: &'static str, bytes: u128, limit: u128, remedy: &'static str },
    #[error(
        "a margin of {margin} m along {axis} is too small for a window: the stencil and points between nodes reach \
         {least} m; give {least} m or more"
    )]
    Margin { axis: char, margin: f64, least: f64 },
    #[error(
        "windows need sides that absorb; give boundary.sides = \"cpml\", or leave the window out"
    )]
    RigidWindow,
    #[error("a scan of models and an initial field need the whole model; leave the window out")]
    NoWindow,
    #[error(transparent)]
    Density(#[from] DensityError),
    #[error(
        "explicit time evolution is fitted to a constant density: a density that varies has a term that does not commute \
         with its operator; use a Taylor operator, or leave the density out"
    )]
    FittedDensity,
    #[error(
        "the density jumps from {} to {} kg/m3 between the nodes {}, at which waves may grow with this operator; \
         smooth the density over two nodes, or use order 2 or 4",
        .jump.densities[0].round(), .jump.densities[1].round(), .jump.places()
    )]
    DensityJump { jump: Jump },
    #[error(transparent)]
    Anisotropy(#[from] AnisotropyError),
    #[error(
        "explicit time evolution is fitted to isotropic rock, and epsilon and delta make it anisotropic; use a Taylor operator, \
         or leave them out"
    )]
    FittedVti,
    #[error(
        "epsilon, delta or the density jump so strongly between the nodes {} that waves may grow with this operator; \
         smooth them over two nodes, or use order 2 or 4",
        .jump.places()
    )]
    VtiJump { jump: VtiJump },
    #[error(
        "an initial field is p alone, and VTI has a second field; leave epsilon and delta out, or use a source"
    )]
    VtiInitial,
    #[error("VTI has no windows yet, as rock varies within their layers; leave the window out")]
    VtiWindow,
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
}

/// The narrower Taylor operator that fits into so many nodes, if one does.
fn narrower(nodes: usize) -> String {
    match (nodes - 1) / 2 {
        0 => String::new(),
        wing => format!("use order = {} (wing = {wing}) or less, ", 2 * wing),
    }
}

/// A power of ten in a user's notation.
fn power(value: f64) -> String {
    if value == 1.0 { "1".into() } else { format!("{value:e}") }
}

/// Four significant digits, never above the value: a step for a user to copy.
pub(super) fn round_down(step: f64) -> f64 {
    // A step that no number of digits represents cannot be copied.
    if !(step.is_finite() && step >= f64::MIN_POSITIVE) {
        return 0.0;
    }
    let digit = 10f64.powi(step.log10().floor() as i32 - 3);
    // Through text, so that 0.002345 does not come out as 0.0023449999999999997.
    let rounded = format!("{:.*e}", 3, (step / digit).floor() * digit);
    rounded.parse().unwrap_or(step)
}

fn large(bytes: u128) -> String {
    binary(u64::try_from(bytes).unwrap_or(u64::MAX))
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
