//! The first rung of the ladder: one thread and plain loops, in f32 as in the thesis' Fortran; in
//! f64 the oracle of all its kernels. To be read beside `shaders/ladder2d/` and
//! `shaders/ladder3d/`.
//!
//! ```text
//! lap p (y, x, z) = sum_j cx_j (p(x + j) + p(x - j)) + cz_j (p(z + j) + p(z - j))
//!                         + cy_j (p(y + j) + p(y - j))
//! p_next = 2 p - p_prev + (v dt)^2 lap p
//! ```
//!
//! without the sum along y in 2-D. The array ends at the edge of the model, where stencils are cut
//! off, as in `shaders/ladder2d/explicit.wgsl`; a convolution along each axis separately, as in
//! section 2.2 of the thesis.

use crate::{
    grid::Axes,
    plan::{Initial, Plan, Window},
};
use ndarray::Array3;
use num_traits::{AsPrimitive, Float};

/// A Plan's field, model and operator alone; arrays of shape `[y][x][z]`.
pub struct Scalar<T> {
    n: Axes<usize>,
    /// `c_0 ..= c_L` along each axis; empty along y of a plane.
    c: Axes<Vec<T>>,
    v2dt2: Vec<T>,
    p: Vec<T>,
    /// The Laplacian, or p_next and, before the step, p_prev.
    result: Vec<T>,
    /// The Laplacian of the current column.
    column: Vec<T>,
}

impl<T> Scalar<T>
where
    T: Float + 'static,
    f32: AsPrimitive<T>,
    f64: AsPrimitive<T>,
{
    /// The Plan's fields at t = 0.
    pub fn new(plan: &Plan) -> Self {
        let n = plan.grid.n;
        let start = |field: fn(&Initial) -> &Array3<f32>| match &plan.initial {
            Some(initial) => field(initial).iter().map(|p| p.as_()).collect(),
            None => vec![T::zero(); plan.grid.cells()],
        };
        let coefficients = |c: &[f64]| c.iter().map(|c| c.as_()).collect();
        let Axes { z, x, y } = &plan.operator;
        let across = if plan.grid.is_volume() { &y.second[..] } else { &[] };
        Scalar {
            n,
            c: Axes {
                z: coefficients(&z.second),
                x: coefficients(&x.second),
                y: coefficients(across),
            },
            v2dt2: plan.grid.nodes().map(|node| plan.v2dt2(Window::whole(0), node).as_()).collect(),
            p: start(|initial| &initial.now),
            result: start(|initial| &initial.before),
            column: vec![T::zero(); n.z],
        }
    }

    /// The Laplacian of the field.
    pub fn laplacian(&mut self) {
        let mut result = std::mem::take(&mut self.result);
        for (column, laplacian) in result.chunks_exact_mut(self.n.z).enumerate() {
            self.laplacian_of(column, laplacian);
        }
        self.result = result;
    }

    /// A step of the wave equation.
    pub fn step(&mut self) {
        let two = T::one() + T::one();
        let mut laplacian = std::mem::take(&mut self.column);
        let mut result = std::mem::take(&mut self.result);
        for (column, next) in result.chunks_exact_mut(self.n.z).enumerate() {
            self.laplacian_of(column, &mut laplacian);
            let nodes = column * self.n.z..(column + 1) * self.n.z;
            let (p, v2dt2) = (&self.p[nodes.clone()], &self.v2dt2[nodes]);
            for iz in 0..self.n.z {
                next[iz] = two * p[iz] - next[iz] + v2dt2[iz] * laplacian[iz];
            }
        }
        self.result = std::mem::replace(&mut self.p, result);
        self.column = laplacian;
    }

    /// The Laplacian along a column, counted along x and then y: one coefficient after another,
    /// each along the whole column.
    fn laplacian_of(&self, column: usize, laplacian: &mut [T]) {
        let (n, c) = (self.n, &self.c);
        let at = |column: usize| &self.p[column * n.z..(column + 1) * n.z];
        let here = at(column);
        let plane = c.x[0] + c.z[0];
        let centre = c.y.first().map_or(plane, |c| plane + *c);
        for (sum, p) in laplacian.iter_mut().zip(here) {
            *sum = centre * *p;
        }
        // Along an axis of `count` columns, `stride` apart.
        let mut across = |c: &[T], index: usize, count: usize, stride: usize| {
            for (j, c) in c.iter().enumerate().skip(1) {
                if index >= j {
                    add(laplacian, *c, at(column - j * stride));
                }
                if index + j < count {
                    add(laplacian, *c, at(column + j * stride));
                }
            }
        };
        across(&c.x, column % n.x, n.x, 1);
        across(&c.y, column / n.x, n.y, n.x);
        for (j, cz) in c.z.iter().enumerate().take(n.z).skip(1) {
            add(&mut laplacian[j..], *cz, here);
            add(laplacian, *cz, &here[j..]);
        }
    }

    /// The result of [`Scalar::laplacian`].
    pub fn result(&self) -> Array3<T> {
        self.array(&self.result)
    }

    /// The field after the last [`Scalar::step`].
    pub fn field(&self) -> Array3<T> {
        self.array(&self.p)
    }

    fn array(&self, values: &[T]) -> Array3<T> {
        let Axes { z, x, y } = self.n;
        Array3::from_shape_fn((y, x, z), |(iy, ix, iz)| values[(iy * x + ix) * z + iz])
    }
}

/// Adds a coefficient times the neighbours that exist.
fn add<T: Float>(sums: &mut [T], coefficient: T, neighbours: &[T]) {
    for (sum, p) in sums.iter_mut().zip(neighbours) {
        *sum = *sum + coefficient * *p;
    }
}
