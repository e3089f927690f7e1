//! The content of the pictures of exploding reflectors.

use crate::{
    job::{Inputs, JobFile},
    operations::shot::files::{PlacedBy, along},
    render::{GatherFigure, Quantity, SampleAxis},
    results::gain,
};
use ndarray::{Array2, s};

/// The section; for a grid of receivers that of its middle line.
pub(crate) fn section<'a>(
    file: &JobFile,
    inputs: &Inputs,
    section: &'a Array2<f32>,
    interval: f64,
) -> GatherFigure<'a> {
    let receivers = &inputs.setup.shots[0].receivers;
    let (line, which) = match file.receiver_lines(0, receivers) {
        Some(length) if length < receivers.len() => {
            let middle = receivers.len() / length / 2 * length;
            let y = receivers[middle].y / 1000.0;
            (middle..middle + length, format!(" of the receiver line at y = {y:.3} km"))
        }
        _ => (0..receivers.len(), String::new()),
    };
    let (positions, across) = along(&receivers[line.clone()], PlacedBy::Coordinate);
    GatherFigure {
        traces: section.slice(s![line, ..]),
        quantity: Quantity::REFLECTIVITY,
        samples: SampleAxis::TwoWayTime,
        interval,
        positions,
        across: across.into(),
        title: format!("{}, zero-offset section{which}", file.medium_name()),
        gain: gain(&file.job.output.figures),
        largest: None,
        zero_line: false,
    }
}
