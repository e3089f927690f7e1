//! The values of a model on the computational grid, without a copy of the model.

use super::{Plan, Window};
use crate::{
    grid::{Axes, Grid},
    model::VelocityModel,
};
use ndarray::Array3;
use std::{ops::Range, sync::Arc};

/// Values of a model, such as its velocities in m/s, continued into the absorbing layers; clones and
/// cuts share them.
#[derive(Clone, Debug)]
pub struct ModelValues {
    /// The model's values, shape `[y][x][z]`.
    model: Arc<Vec<f32>>,
    /// Nodes of the model.
    inside: Axes<usize>,
    /// Layer cells before the model's first node.
    before: Axes<usize>,
    /// The first node of a cut.
    first: Axes<usize>,
    /// Nodes along each axis, layers included.
    n: Axes<usize>,
}

impl ModelValues {
    /// Velocities with `before` layer cells before the model's first node, in a grid of `n` nodes.
    pub(super) fn velocities(model: &VelocityModel, before: Axes<usize>, n: Axes<usize>) -> Self {
        ModelValues::new(model.shared(), model.grid().n, before, n)
    }

    /// Values at `inside` nodes, with `before` layer cells before the first, in a grid of `n` nodes.
    pub(crate) fn new(
        model: Arc<Vec<f32>>,
        inside: Axes<usize>,
        before: Axes<usize>,
        n: Axes<usize>,
    ) -> Self {
        ModelValues { model, inside, before, first: Axes::default(), n }
    }

    /// Nodes along each axis.
    pub(crate) fn n(&self) -> Axes<usize> {
        self.n
    }

    /// Nodes of the model.
    pub(crate) fn inside(&self) -> Axes<usize> {
        self.inside
    }

    /// Layer cells before the model's first node.
    pub(crate) fn before(&self) -> Axes<usize> {
        self.before
    }

    /// The value at a node.
    pub fn at(&self, node: Axes<usize>) -> f32 {
        let ModelValues { inside, before, first, .. } = *self;
        let node = node
            .zip(first)
            .zip(before)
            .map(|((i, first), before)| (i + first).saturating_sub(before));
        let Axes { z, x, y } = node.zip(inside).map(|(i, inside)| i.min(inside - 1));
        self.model[(y * inside.x + x) * inside.z + z]
    }

    /// The values of a column from a node on; without an end.
    pub(crate) fn column(&self, from: Axes<usize>) -> impl Iterator<Item = f32> + '_ {
        let ModelValues { inside, before, first, .. } = *self;
        let within =
            |i: usize, before: usize, inside: usize| i.saturating_sub(before).min(inside - 1);
        let (x, y) = (from.x + first.x, from.y + first.y);
        let (x, y) = (within(x, before.x, inside.x), within(y, before.y, inside.y));
        let column = &self.model[(y * inside.x + x) * inside.z..][..inside.z];
        (from.z + first.z..).map(move |z| column[within(z, before.z, inside.z)])
    }

    /// The model's column nearest to a column, which may lie beyond the grid's edges.
    pub(crate) fn nearest_column(&self, x: isize, y: isize) -> &[f32] {
        let ModelValues { inside, before, first, .. } = *self;
        let within = |i: isize, first: usize, before: usize, inside: usize| {
            let i = i + first as isize - before as isize;
            i.clamp(0, inside as isize - 1) as usize
        };
        let x = within(x, first.x, before.x, inside.x);
        let y = within(y, first.y, before.y, inside.y);
        &self.model[(y * inside.x + x) * inside.z..][..inside.z]
    }

    /// The values of a column, which may lie beyond the grid's edges, from a row on; without an end.
    pub(crate) fn rows(&self, x: isize, y: isize, from: usize) -> impl Iterator<Item = f32> + '_ {
        let column = self.nearest_column(x, y);
        (from as isize..).map(move |z| column[self.nearest_row(z)])
    }

    /// The index in [`Self::nearest_column`] of the row nearest to a row, which may lie beyond the
    /// grid's edges.
    pub(crate) fn nearest_row(&self, z: isize) -> usize {
        let z = z + self.first.z as isize - self.before.z as isize;
        z.clamp(0, self.inside.z as isize - 1) as usize
    }

    /// The value at the model's node nearest to a node, which may lie beyond the grid's edges.
    pub(crate) fn nearest(&self, node: Axes<isize>) -> f32 {
        self.nearest_column(node.x, node.y)[self.nearest_row(node.z)]
    }

    /// All values, shape `[y][x][z]`.
    pub fn to_array(&self) -> Array3<f32> {
        let n = self.n;
        Array3::from_shape_fn((n.y, n.x, n.z), |(y, x, z)| self.at(Axes { z, x, y }))
    }

    /// Their size in bytes.
    pub(super) fn bytes(inside: &Grid) -> usize {
        size_of::<f32>() * inside.cells()
    }

    /// True if both are the same values of the same model.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let of = |all: &Self| (all.inside, all.before, all.first, all.n);
        Arc::ptr_eq(&self.model, &other.model) && of(self) == of(other)
    }

    /// Some pieces of the slowest axis.
    pub(crate) fn cut(&self, pieces: Range<usize>) -> Self {
        let mut part = self.clone();
        let (first, n) = match self.n.y > 1 {
            true => (&mut part.first.y, &mut part.n.y),
            false => (&mut part.first.x, &mut part.n.x),
        };
        (*first, *n) = (*first + pieces.start, pieces.len());
        part
    }
}

/// For a grid without layers, or with explicit values in them.
impl From<Array3<f32>> for ModelValues {
    fn from(values: Array3<f32>) -> Self {
        let (y, x, z) = values.dim();
        let n = Axes { z, x, y };
        let model = Arc::new(values.as_standard_layout().into_owned().into_raw_vec_and_offset().0);
        ModelValues { model, inside: n, before: Axes::default(), first: Axes::default(), n }
    }
}

impl Plan {
    /// (v dt)^2 at a node of a shot's grid, m^2; 0 on a free surface, which then never moves.
    pub fn v2dt2(&self, Window { model, first }: Window, node: Axes<usize>) -> f64 {
        if self.free_surface && node.z == 0 {
            return 0.0;
        }
        let node = node.zip(first).map(|(i, first)| i + first);
        (f64::from(self.velocities[model].at(node)) * self.time.dt).powi(2)
    }
}

impl Plan {
    /// [`Plan::v2dt2`] of the nodes of a column from a node on, for engines that read the whole model.
    pub fn v2dt2_of_column(
        &self,
        Window { model, first }: Window,
        from: Axes<usize>,
        to: &mut [f32],
    ) {
        let dt = self.time.dt;
        let whole = from.zip(first).map(|(i, first)| i + first);
        for (to, velocity) in to.iter_mut().zip(self.velocities[model].column(whole)) {
            *to = (f64::from(velocity) * dt).powi(2) as f32;
        }
        if let (true, 0, Some(top)) = (self.free_surface, from.z, to.first_mut()) {
            *top = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        boundary::Top,
        testing::{setup, shot},
    };
    use ndarray::Array2;

    /// At every node, in the layers and on a free surface too.
    #[test]
    fn a_column_has_the_values_of_its_nodes() {
        let velocity = Array2::from_shape_fn((9, 12), |(x, z)| (1500 + 40 * x + 11 * z) as f32);
        let model = VelocityModel::new(velocity, 10.0, 10.0).expect("a valid model");
        let mut setup = setup(model, vec![shot(40.0, 50.0, Vec::new())]);
        setup.boundary.top = Top::Free;
        let plan = Plan::new(setup).expect("a valid setup");
        let n = plan.grid.n;
        for (x, z) in (0..n.x).flat_map(|x| [0, 1, n.z / 2].map(|z| (x, z))) {
            for first in [0, 1] {
                let window = Window { model: 0, first: Axes { x: first, ..Axes::default() } };
                let from = Axes { z, x: x.min(n.x - 2), y: 0 };
                let mut column = vec![-1.0; n.z - z];
                plan.v2dt2_of_column(window, from, &mut column);
                for (below, value) in column.iter().enumerate() {
                    let node = Axes { z: z + below, ..from };
                    assert_eq!(*value, plan.v2dt2(window, node) as f32, "{node:?}");
                }
            }
        }
    }

    #[test]
    fn edges_are_continued_outside() {
        let velocity = Array2::from_shape_fn((2, 2), |(x, z)| (1000 + 10 * x + z) as f32);
        let model = VelocityModel::new(velocity, 1.0, 1.0).expect("a valid model");
        let (before, n) = (Axes { z: 0, x: 1, y: 0 }, Axes { z: 3, x: 4, y: 1 });
        let all = ModelValues::velocities(&model, before, n);
        let expected = [1000, 1001, 1001, 1000, 1001, 1001, 1010, 1011, 1011, 1010, 1011, 1011];
        let values =
            |some: &ModelValues| some.to_array().map(|v| *v as i32).into_raw_vec_and_offset().0;
        assert_eq!(values(&all), expected);
        // A cut of a cut is a part of the same values.
        let part = all.cut(1..4).cut(1..3);
        assert_eq!(values(&part), expected[6..]);
        let is_same = |pieces| part.is_same(&all.cut(pieces));
        assert!(is_same(2..4) && !is_same(0..4) && !is_same(1..3));
    }
}
