//! The pictures of what was found.

use crate::cli::movie::parted;
use huygens::{
    engine::Snapshot,
    grid::{Axes, Position},
    job::Back,
    model::VelocityModel,
    plan::{Condition, Plan},
    render::{
        Figure, FocusFigure, Marks, Outline, Plane, Planes, Quantity, RenderError, SnapshotFigure,
        ThreePlaneFigure,
    },
    workflow::locate::{Ellipse, Peak},
};
use ndarray::{Array3, ArrayView2};

/// What all pictures are of.
pub struct Shown<'a> {
    /// The model's name.
    pub name: &'a str,
    pub plan: &'a Plan,
    pub model: &'a VelocityModel,
    pub back: &'a Back,
    pub peaks: &'a [Peak],
}

/// A map as a part of its highest peak; what is above it, near the receivers, ends the colours.
pub fn scaled(map: &Array3<f32>, peaks: &[Peak]) -> Array3<f32> {
    let most = peaks.first().map_or(0.0, |peak| peak.value);
    let most = if most > 0.0 { most } else { map.iter().copied().fold(0.0, f32::max).max(1e-30) };
    map.mapv(|value| value / most)
}

/// The fields of the receivers' groups added up: that of all receivers. In the order of their steps.
pub fn together(snapshots: &[Snapshot]) -> Vec<Snapshot> {
    let mut all: Vec<Snapshot> = Vec::new();
    for snapshot in snapshots {
        match all.iter_mut().find(|known| known.step == snapshot.step) {
            Some(known) => known.field += &snapshot.field,
            None => all.push(snapshot.clone()),
        }
    }
    all
}

/// A plane of the model: its name, which it is, and the node along its normal.
type Cut = (&'static str, Plane, usize);

impl<'a> Shown<'a> {
    /// The focus map: of a volume the three planes through the strongest peak.
    pub fn focus(
        &self,
        map: &'a Array3<f32>,
        condition: Condition,
    ) -> Vec<(String, FocusFigure<'a>)> {
        let what = match condition {
            Condition::Amplitude => "Largest |p| / peak",
            Condition::Energy { .. } => "Largest energy / peak",
        };
        let known = if self.back.sources.is_empty() { "" } else { "; star, the job's source" };
        let marks = Marks {
            sources: self.back.sources.clone(),
            receivers: self.receivers(),
            found: self.peaks.iter().map(|peak| peak.at).collect(),
        };
        let figure = |(name, plane, node): Cut| {
            let in_plane = |at: &Position| self.in_plane(plane, node, *at);
            let figure = FocusFigure {
                plane,
                map: plane.cut(map.view(), node),
                velocity: plane.cut(self.model.velocity(), node),
                extent: plane.extent(self.plan.model_grid.last()),
                title: format!("{}: ring, found; ellipse, its focus{known}", self.name),
                label: what.into(),
                marks: marks.placed(in_plane),
                ellipses: self
                    .peaks
                    .iter()
                    .filter_map(|peak| outline(peak, plane, in_plane))
                    .collect(),
            };
            (format!("focus{name}.png"), figure)
        };
        self.cuts().into_iter().map(figure).collect()
    }

    /// The field as it runs back, named and titled by the time of the recording.
    pub fn snapshots(&self, snapshots: &'a [Snapshot]) -> Vec<(String, SnapshotFigure<'a>)> {
        let steps = self.plan.time.steps;
        let marks = self.marked();
        let figure = |snapshot: &'a Snapshot, (name, plane, node): Cut| {
            let step = steps - snapshot.step;
            let in_plane = |at: &Position| self.in_plane(plane, node, *at);
            let figure = SnapshotFigure {
                plane,
                wavefield: plane.cut(snapshot.field.view(), node),
                quantity: Quantity::PRESSURE,
                velocity: plane.cut(self.model.velocity(), node),
                largest: None,
                extent: plane.extent(self.plan.model_grid.last()),
                title: self.moment(snapshot.step),
                marks: marks.placed(in_plane),
            };
            (format!("snapshots/back-t{step:07}{name}.png"), figure)
        };
        let all = snapshots.iter().flat_map(|s| self.cuts().into_iter().map(move |c| (s, c)));
        all.map(|(snapshot, cut)| figure(snapshot, cut)).collect()
    }

    /// A frame of the movie: the plane of a 2-D model, or three planes of a volume that meet at a node. Its colours end
    /// at a pressure.
    pub fn frame<'f>(
        &'f self,
        step: usize,
        values: &'f [f32],
        at: Option<Axes<usize>>,
        largest: f32,
    ) -> Result<Box<dyn Figure + 'f>, RenderError> {
        let (grid, velocity) = (&self.plan.model_grid, self.model.velocity());
        let (largest, title) = (Some(largest), self.moment(step));
        let marks = self.marked();
        if let Some(at) = at {
            return Ok(Box::new(ThreePlaneFigure {
                wavefield: Some(parted(values, grid.n)),
                velocity: Planes::of(velocity, at)?,
                largest,
                spacing: grid.h,
                at,
                title,
                marks,
            }));
        }
        let (plane, field) = (Plane::Xz, ArrayView2::from_shape((grid.n.x, grid.n.z), values));
        Ok(Box::new(SnapshotFigure {
            plane,
            wavefield: field.expect("a plane of the model"),
            quantity: Quantity::PRESSURE,
            velocity: plane.cut(velocity, 0),
            largest,
            extent: plane.extent(grid.last()),
            title,
            marks: marks.placed(|at| Some(plane.of(*at))),
        }))
    }

    /// What is marked of a field: what was found, or where nothing was found the job's sources; and the receivers.
    fn marked(&self) -> Marks<Position> {
        let found: Vec<_> = self.peaks.iter().map(|peak| peak.at).collect();
        let sources = if found.is_empty() { self.back.sources.clone() } else { Vec::new() };
        Marks { sources, receivers: self.receivers(), found }
    }

    /// Where the recording was made.
    fn receivers(&self) -> Vec<Position> {
        self.back.recording.receivers.clone()
    }

    /// What the movie shows.
    pub fn movie_title(&self) -> String {
        format!("{}, wavefield running back", self.name)
    }

    /// When in the recording a step of the run back is, for titles.
    fn moment(&self, step: usize) -> String {
        let time = &self.plan.time;
        format!("{}, back at t = {:.3} s", self.name, time.at(time.steps - step))
    }

    fn cuts(&self) -> Vec<Cut> {
        let grid = &self.plan.model_grid;
        if !grid.is_volume() {
            return vec![("", Plane::Xz, 0)];
        }
        let at = self.peaks.first().map(|peak| peak.at).unwrap_or_default();
        let node = |at: f64, h: f64, n: usize| ((at / h).round() as usize).min(n - 1);
        let Axes { z, x, y } = grid.n;
        vec![
            ("-xz", Plane::Xz, node(at.y, grid.h.y, y)),
            ("-yz", Plane::Yz, node(at.x, grid.h.x, x)),
            ("-xy", Plane::Xy, node(at.z, grid.h.z, z)),
        ]
    }

    /// Where a position lies in a plane, if it is within half a cell of it.
    fn in_plane(&self, plane: Plane, node: usize, at: Position) -> Option<(f64, f64)> {
        let grid = &self.plan.model_grid;
        let (along, h) = (plane.normal(at).1, plane.normal(grid.h).1);
        let near = (along - node as f64 * h).abs() <= 0.5 * h;
        (near || !grid.is_volume()).then_some(plane.of(at))
    }
}

/// The focus of a peak that lies in a plane, as that shows it.
fn outline(
    peak: &Peak,
    plane: Plane,
    in_plane: impl Fn(&Position) -> Option<(f64, f64)>,
) -> Option<Outline> {
    let Ellipse { half, zx, zy, xy } = peak.extent;
    let (across, down) = plane.of(half);
    let both = plane.normal(Axes { z: xy, x: zy, y: zx }).1;
    in_plane(&peak.at).map(|middle| Outline { middle, across, down, both })
}
