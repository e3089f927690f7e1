//! Changes that keep the waves of a Plan in step.

use crate::grid::Axes;
use serde::Serialize;
use std::fmt;

/// A sufficient change, all else unchanged. `Display` prints it in keys of a job.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "change")]
#[allow(missing_docs, reason = "Display says what each is")]
#[non_exhaustive]
pub enum Remedy {
    /// A Taylor operator of a higher order, with the time step that it needs.
    Order { order: usize, step: Option<NewStep> },
    /// A windowed sinc of a longer wing, cells on every axis, with the time step that it needs.
    Wing { wing: usize, step: Option<NewStep> },
    /// A finer grid over the same model, metres, with nodes that cover it, for a model that is
    /// sampled at its nodes.
    Spacing { spacing: Axes<f64>, nodes: Axes<usize>, volume: bool, step: Option<NewStep> },
    /// A time step, s.
    Step { step: f64 },
    /// Time dispersion corrected in the traces.
    Corrected,
    /// The highest peak frequency, Hz, if all sources have one wavelet that is given by it.
    Frequency { peak_hz: f64 },
    /// A factor on all frequencies of all wavelets.
    Frequencies { factor: f64 },
}

/// The time step of a change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NewStep {
    /// Time step, s.
    pub seconds: f64,
    /// True if an automatic step would do as well.
    pub(crate) auto: bool,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remedy::Order { order, step } => write!(f, "order = {order}{}", with(step)),
            Remedy::Wing { wing, step } => write!(f, "wing = {wing}{}", with(step)),
            Remedy::Spacing { spacing: h, nodes, volume, step } => {
                match h.z == h.x && (!volume || h.z == h.y) {
                    true => write!(f, "spacing = {}", h.z)?,
                    false => write!(f, "spacing = {}", table(h, *volume))?,
                }
                write!(f, " and nodes = {}{}", table(nodes, *volume), with(step))
            }
            Remedy::Step { step } => write!(f, "step = {step}"),
            Remedy::Corrected => f.write_str("dispersion = \"corrected\" (traces only)"),
            Remedy::Frequency { peak_hz } => write!(f, "peak_hz = {peak_hz}"),
            Remedy::Frequencies { factor } => {
                write!(f, "wavelets of frequencies {factor} times as high")
            }
        }
    }
}

/// The time step that a change requires.
fn with(step: &Option<NewStep>) -> String {
    step.map_or_else(String::new, |NewStep { seconds, auto }| {
        format!(" with step = {seconds}{}", if auto { " or \"auto\"" } else { "" })
    })
}

/// One value per axis.
fn table(Axes { z, x, y }: &Axes<impl fmt::Display>, volume: bool) -> String {
    let y = if volume { format!(", y = {y}") } else { String::new() };
    format!("{{ z = {z}, x = {x}{y} }}")
}
