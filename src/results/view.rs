//! What pictures show of a field: a plane of it or, in a volume, three that meet at a node.

use crate::{
    grid::{Axes, Grid, Position},
    job::JobFile,
    model::VelocityModel,
    render::{
        Extent, Figure, Plane, Planes, ReflectivityFigure, RenderError, SnapshotFigure,
        ThreePlaneFigure,
    },
};
use ndarray::{Array3, ArrayView2, ArrayView3, ArrayViewD, Axis};

/// A plane of a model, and the node along its normal.
#[derive(Clone, Copy)]
pub struct Cut {
    pub plane: Plane,
    pub node: usize,
}

/// A plane, or the node at which three meet.
#[derive(Clone, Copy)]
pub enum View {
    Plane(Cut),
    Planes(Axes<usize>),
}

/// What a picture has beside its field.
#[derive(Clone, Default)]
pub struct Marks {
    pub title: String,
    /// The value at the ends of the colours, where it is not that of the picture alone.
    pub largest: Option<f32>,
    pub sources: Vec<Position>,
    pub found: Vec<Position>,
}

impl Cut {
    /// The only plane of a 2-D model, the one in the middle of y of a volume.
    pub fn middle(grid: &Grid) -> Self {
        Cut { plane: Plane::Xz, node: grid.n.y / 2 }
    }

    /// The plane of an array of shape `[y][x][z]`.
    pub fn of(self, values: ArrayView3<'_, f32>) -> ArrayView2<'_, f32> {
        match self.plane {
            Plane::Xz => values.index_axis_move(Axis(0), self.node),
            Plane::Yz => values.index_axis_move(Axis(1), self.node),
            Plane::Xy => values.index_axis_move(Axis(2), self.node).reversed_axes(),
        }
    }

    pub fn extent(self, grid: &Grid) -> Extent {
        let last = grid.last();
        let (across, down) = match self.plane {
            Plane::Xz => (last.x, last.z),
            Plane::Yz => (last.y, last.z),
            Plane::Xy => (last.x, last.y),
        };
        Extent { across: (0.0, across), down: (0.0, down) }
    }

    /// Where a position lies in it, if it is within half a cell of it.
    pub fn place(self, grid: &Grid, at: &Position) -> Option<(f64, f64)> {
        let h = grid.h;
        let (along, h, place) = match self.plane {
            Plane::Xz => (at.y, h.y, (at.x, at.z)),
            Plane::Yz => (at.x, h.x, (at.y, at.z)),
            Plane::Xy => (at.z, h.z, (at.x, at.y)),
        };
        let is_in = !grid.is_volume() || (along - self.node as f64 * h).abs() <= 0.5 * h;
        is_in.then_some(place)
    }

    /// Those of some positions that lie in it.
    pub fn places<'p>(
        self,
        grid: &Grid,
        of: impl IntoIterator<Item = &'p Position>,
    ) -> Vec<(f64, f64)> {
        of.into_iter().filter_map(|at| self.place(grid, at)).collect()
    }

    /// The plane of a field over that of a model.
    pub fn figure<'a>(
        self,
        field: ArrayView2<'a, f32>,
        model: &'a VelocityModel,
        Marks { title, largest, sources, found }: Marks,
    ) -> SnapshotFigure<'a> {
        let grid = model.grid();
        SnapshotFigure {
            plane: self.plane,
            wavefield: field,
            velocity: self.of(model.velocity()),
            largest,
            extent: self.extent(grid),
            title,
            sources: self.places(grid, &sources),
            found: self.places(grid, &found),
        }
    }

    /// The plane y = const of an image over that of the job's model; its colours may be told to end at a value.
    pub fn reflectivity<'a>(
        self,
        image: ArrayView2<'a, f32>,
        (file, model): (&JobFile, &'a VelocityModel),
        what: &str,
        largest: Option<f32>,
    ) -> ReflectivityFigure<'a> {
        let grid = model.grid();
        let y = match grid.is_volume() {
            true => format!(", y = {:.3} km", self.node as f64 * grid.h.y / 1000.0),
            false => String::new(),
        };
        let title = format!("{}, {what}{y}", file.model_name());
        let marks = Marks { title, largest, ..Marks::default() };
        ReflectivityFigure { map: self.figure(image, model, marks) }
    }
}

impl View {
    /// Of a volume the three planes through the first of its slices along each axis, else through a position.
    pub fn through(slices: &Axes<Vec<usize>>, at: Position, grid: &Grid) -> Self {
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

    /// The values that it shows of a field, one plane after the other.
    pub fn values(self, field: ArrayView3<'_, f32>) -> Vec<f32> {
        match self {
            View::Plane(cut) => cut.of(field).iter().copied().collect(),
            View::Planes(at) => joined(&Planes::of(field, at).expect("a node of the model")),
        }
    }

    /// A picture of such values.
    pub fn of_values<'a>(
        self,
        values: &'a [f32],
        model: &'a VelocityModel,
        marks: Marks,
    ) -> Result<Box<dyn Figure + 'a>, RenderError> {
        let n = model.grid().n;
        match self {
            View::Plane(cut) => {
                let plane = ArrayView2::from_shape((n.x, n.z), values);
                Ok(Box::new(cut.figure(plane.expect("a plane of the model"), model, marks)))
            }
            View::Planes(at) => three(parted(values, n), at, model, marks),
        }
    }

    /// A picture of a field.
    pub fn figure<'a>(
        self,
        field: ArrayView3<'a, f32>,
        model: &'a VelocityModel,
        marks: Marks,
    ) -> Result<Box<dyn Figure + 'a>, RenderError> {
        match self {
            View::Plane(cut) => Ok(Box::new(cut.figure(cut.of(field), model, marks))),
            View::Planes(at) => three(Planes::of(field, at)?, at, model, marks),
        }
    }
}

fn three<'a>(
    planes: Planes<'a>,
    at: Axes<usize>,
    model: &'a VelocityModel,
    Marks { title, largest, sources, found }: Marks,
) -> Result<Box<dyn Figure + 'a>, RenderError> {
    let (velocity, spacing) = (Planes::of(model.velocity(), at)?, model.grid().h);
    let wavefield = Some(planes);
    Ok(Box::new(ThreePlaneFigure {
        wavefield,
        velocity,
        largest,
        spacing,
        at,
        title,
        sources,
        found,
    }))
}

/// An array as it is written: of shape `[x][z]`, in a volume `[y][x][z]`.
pub fn written(values: &Array3<f32>) -> ArrayViewD<'_, f32> {
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

/// The planes of such values, in a volume of so many nodes.
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
