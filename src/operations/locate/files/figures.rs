//! Pictures of the located sources.

use crate::{
    engine::Snapshot,
    grid::{Axes, Grid, Position},
    model::{ModelQuantity, VelocityModel},
    operations::locate::{Back, Ellipse, Peak},
    plan::{Condition, Plan},
    render::{
        Backdrop, Figure, FocusFigure, Marks, Outline, Plane, Planes, Quantity, RenderError,
        ThreePlaneFigure,
    },
    results::{Caption, Pictures, View},
};
use ndarray::{Array3, ArrayView3};

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
pub(crate) fn scaled(map: &Array3<f32>, highest: Option<f32>) -> Array3<f32> {
    let most = highest.unwrap_or(0.0);
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

/// A located source in pictures.
#[derive(Clone, Copy)]
pub(crate) struct Focus {
    /// Metres from the model's first node.
    pub(crate) at: Position,
    pub(crate) extent: Ellipse,
}

/// The focus map `[y][x][z]` as a picture; in a volume three planes through the first of the located
/// sources.
pub(crate) fn focus_figure<'a>(
    name: &str,
    model: &'a VelocityModel,
    map: ArrayView3<'a, f32>,
    condition: Condition,
    foci: &[Focus],
    marks: Marks<Position>,
) -> Result<Box<dyn Figure + 'a>, RenderError> {
    let label = match condition {
        Condition::Amplitude => "Largest |p| / peak",
        Condition::Energy { .. } => "Largest energy / peak",
    };
    let (grid, title) = (model.grid(), format!("{name}, focus of the waves"));
    match view(grid, foci.first().map(|focus| focus.at)) {
        View::Plane(cut) => {
            let outlined =
                |focus: &Focus| Some(outline(focus, cut.plane, cut.place(grid, &focus.at)?));
            Ok(Box::new(FocusFigure {
                plane: cut.plane,
                map: cut.of(map),
                velocity: cut.of(model.velocity()),
                extent: cut.extent(grid),
                title,
                label: label.into(),
                marks: marks.placed(|at| cut.place(grid, at)),
                ellipses: foci.iter().filter_map(outlined).collect(),
            }))
        }
        View::Planes(at) => {
            let on = |plane: Plane| {
                let outlined = |focus: &Focus| outline(focus, plane, plane.of(focus.at));
                foci.iter().map(outlined).collect::<Vec<_>>()
            };
            Ok(Box::new(ThreePlaneFigure {
                wavefield: Some(Planes::of(map, at)?),
                quantity: Quantity::AMPLITUDE,
                model: ModelQuantity::Velocity,
                velocity: Planes::of(model.velocity(), at)?,
                backdrop: Backdrop::default(),
                largest: None,
                focus: Some(label.into()),
                ellipses: [on(Plane::Xy), on(Plane::Xz), on(Plane::Yz)],
                range: None,
                spacing: grid.h,
                at,
                title,
                marks,
            }))
        }
    }
}

/// The only plane of a 2-D model; in a volume the three through a position.
fn view(grid: &Grid, at: Option<Position>) -> View {
    let none = Axes { z: Vec::new(), x: Vec::new(), y: Vec::new() };
    View::through(&none, at.unwrap_or_default(), grid)
}

impl<'a> Shown<'a> {
    /// The focus map; in a volume the three planes through the strongest peak.
    pub(crate) fn focus(
        &self,
        map: &'a Array3<f32>,
        condition: Condition,
    ) -> Result<Box<dyn Figure + 'a>, RenderError> {
        let marks = Marks {
            sources: self.back.sources.clone(),
            receivers: self.receivers(),
            found: self.peaks.iter().map(|peak| peak.at).collect(),
        };
        let focus = |peak: &Peak| Focus { at: peak.at, extent: peak.extent };
        let foci: Vec<_> = self.peaks.iter().map(focus).collect();
        focus_figure(self.name, self.model, map.view(), condition, &foci, marks)
    }

    /// The backpropagated field, named and titled by the time of the recording.
    pub(crate) fn snapshots(&self, snapshots: &'a [Snapshot]) -> Result<Pictures<'a>, RenderError> {
        let view = view(&self.plan.model_grid, self.peaks.first().map(|peak| peak.at));
        let figure = |snapshot: &'a Snapshot| {
            let step = self.plan.time.steps - snapshot.step;
            let caption = self.caption(snapshot.step);
            let figure = view.figure(snapshot.field.view(), self.model, caption)?;
            Ok((format!("snapshots/back-t{step:07}"), figure))
        };
        snapshots.iter().map(figure).collect()
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
        Caption { title, quantity: Quantity::AMPLITUDE, largest: None, marks, ..Caption::default() }
    }

    fn receivers(&self) -> Vec<Position> {
        self.back.recording.receivers.clone()
    }

    /// Title of the movie.
    pub(crate) fn movie_title(&self) -> String {
        format!("{}, wavefield running back", self.name)
    }
}

/// The focus of a peak with its centre at `middle` in a plane, as drawn on that plane.
fn outline(focus: &Focus, plane: Plane, middle: (f64, f64)) -> Outline {
    let Ellipse { half, zx, zy, xy } = focus.extent;
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
        assert_eq!(shown.snapshots(&pictures).expect("pictures").len(), 1);
        assert_eq!(shown.caption(3).quantity, Quantity::AMPLITUDE);
    }
}
