//! Offset and angle gathers as panels beside each other.

use crate::{
    grid::Axes,
    job::Rtm,
    ndarray::{ArrayView3, Axis, s},
    render::{Figure, Gain, GatherFigure, PageFigure, Quantity, SampleAxis},
    results::percentile,
};

/// Panels where the job names no places.
const PANELS: usize = 6;
/// Values beyond this percentile are clipped by default.
const CLIP: f64 = 99.5;

/// Gathers, and what their panels share.
pub(super) struct Panels<'a> {
    /// `[offset][x][z]`.
    pub(super) gathers: ArrayView3<'a, f32>,
    /// Each offset, metres, or angle, in thousandths.
    pub(super) axis: Vec<f64>,
    pub(super) across: &'static str,
    /// x of the panels, metres; evenly spread if none are given.
    pub(super) drawn: &'a [f64],
    pub(super) h: Axes<f64>,
    pub(super) title: String,
    pub(super) largest: Option<f32>,
    pub(super) percentile: Option<f64>,
}

/// The offsets or angles of so many gathers, as positions along the axis of a panel, and its label.
pub(super) fn axis(stem: &str, count: usize, h: Axes<f64>, rtm: &Rtm) -> (Vec<f64>, &'static str) {
    let middle = (count as f64 - 1.0) / 2.0;
    let at = |step: f64| (0..count).map(|k| (k as f64 - middle) * step).collect();
    if stem.starts_with("angles") {
        // Drawn in thousands, as kilometres are.
        return (at(1000.0 * rtm.angles.map_or(1.0, |angles| angles.step)), "Angle (degrees)");
    }
    let along_z = stem.starts_with("offsets-z");
    let cell = if along_z { h.z } else { h.x };
    let given = rtm.offsets.as_ref().and_then(|offsets| offsets.step);
    let step = given.map_or(cell, |step| (step / cell).round().max(1.0) * cell);
    (at(step), if along_z { "Offset along z (km)" } else { "Offset (km)" })
}

impl<'a> Panels<'a> {
    /// One panel for each place, all with one scale.
    pub(super) fn page(&self) -> PageFigure<'a> {
        let nx = self.gathers.len_of(Axis(1));
        let mut places: Vec<usize> =
            self.drawn.iter().map(|x| ((x / self.h.x).round() as usize).min(nx - 1)).collect();
        if places.is_empty() {
            let count = PANELS.min(nx);
            places = (0..count).map(|k| (2 * k + 1) * nx / (2 * count)).collect();
        }
        let shown = places.iter().flat_map(|x| self.gathers.slice_move(s![.., *x, ..]));
        let percent = self.percentile.unwrap_or(CLIP);
        let largest = self.largest.unwrap_or_else(|| percentile(shown, percent).unwrap_or(1.0));
        let panel = |x: &usize| {
            Box::new(GatherFigure {
                traces: self.gathers.slice_move(s![.., *x, ..]),
                quantity: Quantity::IMAGE,
                samples: SampleAxis::Depth { from: 0.0 },
                interval: self.h.z,
                positions: self.axis.clone(),
                across: self.across.into(),
                title: format!("x = {:.3} km", *x as f64 * self.h.x / 1000.0),
                gain: Gain::default(),
                largest: Some(largest),
                zero_line: true,
            }) as Box<dyn Figure + 'a>
        };
        PageFigure {
            title: self.title.clone(),
            panels: places.iter().map(panel).collect(),
            columns: places.len().clamp(1, 3),
            least: GatherFigure::LEAST,
            height: 1.2,
        }
    }
}
