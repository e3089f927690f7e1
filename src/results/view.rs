//! The view of a field in pictures: a plane of it or, in a volume, three that meet at a node.

use crate::{
    grid::{Axes, Grid, Position},
    job::JobFile,
    model::{ModelQuantity, VelocityModel},
    render::{
        Backdrop, Extent, Figure, Marks, Plane, Planes, Quantity, RenderError, SnapshotFigure,
        ThreePlaneFigure,
    },
};
use ndarray::{Array3, ArrayView2, ArrayView3, ArrayViewD, Axis};

/// Values beyond this percentile are clipped in a picture of an image or a gradient.
const CLIP: f64 = 99.5;

/// A plane of a model, and the node along its normal.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) plane: Plane,
    pub(crate) node: usize,
}

/// A plane, or the node at which three planes meet.
#[derive(Clone, Copy)]
pub(crate) enum View {
    Plane(Cut),
    Planes(Axes<usize>),
}

/// The title, the colours and the marks of a picture of a field.
#[derive(Clone, Default)]
pub(crate) struct Caption {
    pub(crate) title: String,
    pub(crate) quantity: Quantity,
    /// The colour limit, if not the picture's own.
    pub(crate) largest: Option<f32>,
    pub(crate) marks: Marks<Position>,
    /// Shared by pictures of the same model.
    pub(crate) backdrop: Backdrop,
}

impl Cut {
    /// The only plane of a 2-D model, or the middle plane along y of a volume.
    pub(crate) fn middle(grid: &Grid) -> Self {
        Cut { plane: Plane::Xz, node: grid.n.y / 2 }
    }

    /// The plane of an array of shape `[y][x][z]`.
    pub(crate) fn of(self, values: ArrayView3<'_, f32>) -> ArrayView2<'_, f32> {
        self.plane.cut(values, self.node)
    }

    pub(crate) fn extent(self, grid: &Grid) -> Extent {
        self.plane.extent(grid.last())
    }

    /// The in-plane coordinates of a position within half a cell of the plane.
    pub(crate) fn place(self, grid: &Grid, at: &Position) -> Option<(f64, f64)> {
        let (along, h) = (self.plane.normal(*at).1, self.plane.normal(grid.h).1);
        let near = (along - self.node as f64 * h).abs() <= 0.5 * h;
        (near || !grid.is_volume()).then_some(self.plane.of(*at))
    }

    /// A figure of the plane of a field over that of a model.
    pub(crate) fn figure<'a>(
        self,
        field: ArrayView2<'a, f32>,
        model: &'a VelocityModel,
        Caption { title, quantity, largest, marks, backdrop }: Caption,
    ) -> SnapshotFigure<'a> {
        let grid = model.grid();
        SnapshotFigure {
            plane: self.plane,
            wavefield: field,
            quantity,
            velocity: self.of(model.velocity()),
            backdrop,
            largest,
            extent: self.extent(grid),
            title,
            marks: marks.placed(|at| self.place(grid, at)),
        }
    }

    /// A figure of the plane y = const of a map over that of the job's model. The names of the model
    /// and the plane are added to its title.
    pub(crate) fn map<'a>(
        self,
        values: ArrayView2<'a, f32>,
        file: &JobFile,
        model: &'a VelocityModel,
        caption: Caption,
    ) -> SnapshotFigure<'a> {
        let grid = model.grid();
        let y = match grid.is_volume() {
            true => format!(", y = {:.3} km", self.node as f64 * grid.h.y / 1000.0),
            false => String::new(),
        };
        let title = format!("{}, {}{y}", file.medium_name(), caption.title);
        self.figure(values, model, Caption { title, ..caption })
    }

    /// The same in the job's colours or, by default, with the largest values clipped.
    pub(crate) fn clipped_map<'a>(
        self,
        values: ArrayView2<'a, f32>,
        file: &JobFile,
        model: &'a VelocityModel,
        caption: Caption,
    ) -> SnapshotFigure<'a> {
        let given = caption.largest.or_else(|| file.job.output.figures.largest());
        let largest = given.or_else(|| clip(values));
        self.map(values, file, model, Caption { largest, ..caption })
    }
}

/// The value at the ends of the colours of an image or a gradient, if it is not 0 everywhere.
pub fn clip(values: ArrayView2<'_, f32>) -> Option<f32> {
    percentile(values.iter(), CLIP)
}

/// The percentile of the sizes above 0, if there are any.
pub(crate) fn percentile<'v>(values: impl Iterator<Item = &'v f32>, percent: f64) -> Option<f32> {
    let mut sizes: Vec<f32> = values.map(|value| value.abs()).filter(|size| *size > 0.0).collect();
    let at = (sizes.len() as f64 * percent / 100.0) as usize;
    let at = at.min(sizes.len().checked_sub(1)?);
    Some(*sizes.select_nth_unstable_by(at, f32::total_cmp).1)
}

impl View {
    /// In a volume the three planes through the first of its slices along each axis, else through a
    /// position.
    pub(crate) fn through(slices: &Axes<Vec<usize>>, at: Position, grid: &Grid) -> Self {
        let node = |slices: &[usize], at: f64, h: f64, n: usize| {
            slices.first().copied().unwrap_or(((at / h).round() as usize).min(n - 1))
        };
        let (h, n) = (grid.h, grid.n);
        match grid.is_volume() {
            true => View::Planes(Axes {
                z: node(&slices.z, at.z, h.z, n.z),
                x: node(&slices.x, at.x, h.x, n.x),
                y: node(&slices.y, at.y, h.y, n.y),
            }),
            false => View::Plane(Cut::middle(grid)),
        }
    }

    /// The values of a field on its planes, one plane after the other.
    pub(crate) fn values(self, field: ArrayView3<'_, f32>) -> Vec<f32> {
        match self {
            View::Plane(cut) => cut.of(field).iter().copied().collect(),
            View::Planes(at) => joined(&Planes::of(field, at).expect("a node of the model")),
        }
    }

    /// A figure of such values.
    pub(crate) fn of_values<'a>(
        self,
        values: &'a [f32],
        model: &'a VelocityModel,
        caption: Caption,
    ) -> Result<Box<dyn Figure + 'a>, RenderError> {
        let n = model.grid().n;
        match self {
            View::Plane(cut) => {
                let plane = ArrayView2::from_shape((n.x, n.z), values);
                Ok(Box::new(cut.figure(plane.expect("a plane of the model"), model, caption)))
            }
            View::Planes(at) => three(parted(values, n), at, model, caption),
        }
    }

    /// A figure of a field.
    pub(crate) fn figure<'a>(
        self,
        field: ArrayView3<'a, f32>,
        model: &'a VelocityModel,
        caption: Caption,
    ) -> Result<Box<dyn Figure + 'a>, RenderError> {
        match self {
            View::Plane(cut) => Ok(Box::new(cut.figure(cut.of(field), model, caption))),
            View::Planes(at) => three(Planes::of(field, at)?, at, model, caption),
        }
    }
}

fn three<'a>(
    planes: Planes<'a>,
    at: Axes<usize>,
    model: &'a VelocityModel,
    Caption { title, quantity, largest, marks, backdrop }: Caption,
) -> Result<Box<dyn Figure + 'a>, RenderError> {
    let (velocity, spacing) = (Planes::of(model.velocity(), at)?, model.grid().h);
    let wavefield = Some(planes);
    Ok(Box::new(ThreePlaneFigure {
        wavefield,
        quantity,
        model: ModelQuantity::Velocity,
        velocity,
        backdrop,
        largest,
        focus: None,
        ellipses: [const { Vec::new() }; 3],
        range: None,
        spacing,
        at,
        title,
        marks,
    }))
}

/// An array as written: shape `[x][z]`, in a volume `[y][x][z]`.
pub(crate) fn written(values: &Array3<f32>) -> ArrayViewD<'_, f32> {
    match values.len_of(Axis(0)) {
        1 => values.index_axis(Axis(0), 0).into_dyn(),
        _ => values.view().into_dyn(),
    }
}

/// The values of three planes, one plane after the other.
fn joined(planes: &Planes<'_>) -> Vec<f32> {
    let planes = [planes.map, planes.inline, planes.crossline];
    planes.iter().flat_map(|plane| plane.iter().copied()).collect()
}

/// The planes of such values, in a volume of `n` nodes.
fn parted(values: &[f32], n: Axes<usize>) -> Planes<'_> {
    let (map, rest) = values.split_at(n.x * n.y);
    let (inline, crossline) = rest.split_at(n.x * n.z);
    let plane = |values, shape| {
        ArrayView2::from_shape(shape, values).expect("as many values as the plane has")
    };
    Planes {
        map: plane(map, (n.x, n.y)),
        inline: plane(inline, (n.x, n.z)),
        crossline: plane(crossline, (n.y, n.z)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array3;

    #[test]
    fn planes_come_back_as_they_were() {
        let n = Axes { z: 2, x: 3, y: 4 };
        let field = Array3::from_shape_fn((4, 3, 2), |(y, x, z)| (100 * y + 10 * x + z) as f32);
        let planes = Planes::of(field.view(), Axes { z: 1, x: 2, y: 3 }).expect("within");
        let values = joined(&planes);
        let back = parted(&values, n);
        assert_eq!((back.map, back.inline), (planes.map, planes.inline));
        assert_eq!(back.crossline, planes.crossline);
    }
}
