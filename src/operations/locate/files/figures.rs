//! Pictures of the located sources.

use crate::{
    engine::Snapshot,
    grid::{Axes, Position},
    model::VelocityModel,
    operations::locate::{Back, Ellipse, Peak},
    plan::{Condition, Plan},
    render::{FocusFigure, Marks, Outline, Plane, Quantity, SnapshotFigure},
    results::{Caption, Cut},
};
use ndarray::Array3;

/// The data that all pictures share.
pub(crate) struct Shown<'a> {
    /// The model's name.
    pub(crate) name: &'a str,
    /// The plan of the run.
    pub(crate) plan: &'a Plan,
    /// The model of the run.
    pub(crate) model: &'a VelocityModel,
    /// The backpropagated recording.
    pub(crate) back: &'a Back,
    /// The located sources, strongest first.
    pub(crate) peaks: &'a [Peak],
}

/// A map as a fraction of its highest peak; larger values, near the receivers, saturate the
/// colours.
pub(crate) fn scaled(map: &Array3<f32>, peaks: &[Peak]) -> Array3<f32> {
    let most = peaks.first().map_or(0.0, |peak| peak.value);
    let most = if most > 0.0 { most } else { map.iter().copied().fold(0.0, f32::max).max(1e-30) };
    map.mapv(|value| value / most)
}

/// The sum over the receiver groups' fields, which is the field of all receivers, in the order of
/// their steps.
pub(crate) fn summed(snapshots: &[Snapshot]) -> Vec<Snapshot> {
    let mut all: Vec<Snapshot> = Vec::new();
    for snapshot in snapshots {
        match all.iter_mut().find(|known| known.step == snapshot.step) {
            Some(known) => known.field += &snapshot.field,
            None => all.push(snapshot.clone()),
        }
    }
    all
}

impl<'a> Shown<'a> {
    /// The focus map; in a volume the three planes through the strongest peak.
    pub(crate) fn focus(
        &self,
        map: &'a Array3<f32>,
        condition: Condition,
    ) -> Vec<(String, FocusFigure<'a>)> {
        let what = match condition {
            Condition::Amplitude => "Largest |p| / peak",
            Condition::Energy { .. } => "Largest energy / peak",
        };
        let grid = &self.plan.model_grid;
        let marks = Marks {
            sources: self.back.sources.clone(),
            receivers: self.receivers(),
            found: self.peaks.iter().map(|peak| peak.at).collect(),
        };
        let figure = |(name, cut): (&str, Cut)| {
            let outline = |peak: &Peak| Some(outline(peak, cut.plane, cut.place(grid, &peak.at)?));
            let figure = FocusFigure {
                plane: cut.plane,
                map: cut.of(map.view()),
                velocity: cut.of(self.model.velocity()),
                extent: cut.extent(grid),
                title: format!("{}, focus of the waves", self.name),
                label: what.into(),
                marks: marks.placed(|at| cut.place(grid, at)),
                ellipses: self.peaks.iter().filter_map(outline).collect(),
            };
            (format!("focus{name}.png"), figure)
        };
        self.cuts().into_iter().map(figure).collect()
    }

    /// The backpropagated field, named and titled by the time of the recording.
    pub(crate) fn snapshots(&self, snapshots: &'a [Snapshot]) -> Vec<(String, SnapshotFigure<'a>)> {
        let figure = |snapshot: &'a Snapshot, (name, cut): (&str, Cut)| {
            let step = self.plan.time.steps - snapshot.step;
            let field = cut.of(snapshot.field.view());
            let figure = cut.figure(field, self.model, self.caption(snapshot.step));
            (format!("snapshots/back-t{step:07}{name}.png"), figure)
        };
        let all = snapshots.iter().flat_map(|s| self.cuts().into_iter().map(move |c| (s, c)));
        all.map(|(snapshot, cut)| figure(snapshot, cut)).collect()
    }

    /// The caption of a step of the backward run: marks the located sources or, if there are none,
    /// the job's sources; and the receivers. The title gives the time of the recording.
    pub(super) fn caption(&self, step: usize) -> Caption {
        let time = &self.plan.time;
        let found: Vec<_> = self.peaks.iter().map(|peak| peak.at).collect();
        let sources = if found.is_empty() { self.back.sources.clone() } else { Vec::new() };
        let title = format!("{}, back at t = {:.3} s", self.name, time.at(time.steps - step));
        let marks = Marks { sources, receivers: self.receivers(), found };
        // Neither the recording nor the scale by which it was divided is in pascals.
        Caption { title, quantity: Quantity::AMPLITUDE, largest: None, marks }
    }

    fn receivers(&self) -> Vec<Position> {
        self.back.recording.receivers.clone()
    }

    /// Title of the movie.
    pub(crate) fn movie_title(&self) -> String {
        format!("{}, wavefield running back", self.name)
    }

    /// The planes shown, with the suffix of their names; in a volume the three through the
    /// strongest peak.
    fn cuts(&self) -> Vec<(&'static str, Cut)> {
        let grid = &self.plan.model_grid;
        if !grid.is_volume() {
            return vec![("", Cut::middle(grid))];
        }
        let at = self.peaks.first().map(|peak| peak.at).unwrap_or_default();
        let node = |at: f64, h: f64, n: usize| ((at / h).round() as usize).min(n - 1);
        let Axes { z, x, y } = grid.n;
        let cut = |plane, node| Cut { plane, node };
        vec![
            ("-xz", cut(Plane::Xz, node(at.y, grid.h.y, y))),
            ("-yz", cut(Plane::Yz, node(at.x, grid.h.x, x))),
            ("-xy", cut(Plane::Xy, node(at.z, grid.h.z, z))),
        ]
    }
}

/// The focus of a peak with its centre at `middle` in a plane, as drawn on that plane.
fn outline(peak: &Peak, plane: Plane, middle: (f64, f64)) -> Outline {
    let Ellipse { half, zx, zy, xy } = peak.extent;
    let (across, down) = plane.of(half);
    let both = plane.normal(Axes { z: xy, x: zy, y: zx }).1;
    Outline { middle, across, down, both }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{acquisition::Recording, job::JobFile, operations::locate::Search};
    use ndarray::Array2;
    use std::path::PathBuf;

    const JOB: &str = "[model]\nvelocity = \"builtin:homogeneous\"\nnodes = { x = 31, z = 21 }\n\
                       spacing = 10.0\n[time]\nduration = 0.2\n[locate]\ngather = \"none.sgy\"\n";

    /// The recording is in no known unit, and was divided by a power of two.
    #[test]
    fn waves_that_run_back_have_no_unit() {
        let file = JobFile::parse("a job", JOB, PathBuf::new()).expect("a job");
        let receivers = (1..30).map(|x| Position { x: 10.0 * f64::from(x), y: 0.0, z: 0.0 });
        let gather = Array2::from_shape_fn((29, 101), |(_, t)| 1e-9 * (t as f32 * 0.3).sin());
        let recording = Recording { gather, interval: 0.002, receivers: receivers.collect() };
        let back = file.back_of(recording).expect("a recording");
        let search = Search::new(&file, &back).expect("keys of a location");
        let plan = search.plan(back.through(0), &back).expect("a plan");
        let model = &back.models[0].1;
        let shown = Shown { name: "model", plan: &plan, model, back: &back, peaks: &[] };
        let field = Array3::zeros(model.velocity().dim());
        let pictures = [Snapshot { shot: 0, step: 3, field }];
        let (_, figure) = &shown.snapshots(&pictures)[0];
        assert_eq!(figure.quantity, Quantity::AMPLITUDE);
    }
}
