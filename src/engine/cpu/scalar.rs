//! The ladder's first rung: one thread and plain loops, in f32, as the thesis' Fortran; in f64 the oracle
//! of all its kernels. Reads side by side with `shaders/ladder2d/`.
//!
//! ```text
//! lap p (x, z) = sum_j cx_j (p(x + j, z) + p(x - j, z)) + cz_j (p(x, z + j) + p(x, z - j))
//! p_next = 2 p - p_prev + (v dt)^2 lap p
//! ```
//!
//! The array ends where the model ends and the wing is cut there, as in `shaders/ladder2d/explicit.wgsl`; a
//! convolution along each axis by itself, as in section 2.2 of the thesis.

use crate::plan::{Initial, Plan};
use ndarray::{Array2, Array3};
use num_traits::{AsPrimitive, Float};

/// A 2-D Plan's field, model and operator, without layers, sources and receivers; arrays of shape `[x][z]`.
pub struct Scalar<T> {
    nx: usize,
    nz: usize,
    /// `c_0 ..= c_L` along each axis.
    cx: Vec<T>,
    cz: Vec<T>,
    v2dt2: Vec<T>,
    p: Vec<T>,
    /// The Laplacian, or p_next and, before the step, p_prev.
    result: Vec<T>,
    /// The Laplacian of the column at hand.
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
            None => vec![T::zero(); n.x * n.z],
        };
        let coefficients = |c: &[f64]| c.iter().map(|c| c.as_()).collect();
        Scalar {
            nx: n.x,
            nz: n.z,
            cx: coefficients(&plan.operator.x.second),
            cz: coefficients(&plan.operator.z.second),
            v2dt2: (0..n.x * n.z).map(|i| plan.v2dt2(i).as_()).collect(),
            p: start(|initial| &initial.now),
            result: start(|initial| &initial.before),
            column: vec![T::zero(); n.z],
        }
    }

    /// The Laplacian of the field.
    pub fn laplacian(&mut self) {
        let mut result = std::mem::take(&mut self.result);
        for (ix, column) in result.chunks_exact_mut(self.nz).enumerate() {
            self.laplacian_of(ix, column);
        }
        self.result = result;
    }

    /// A step of the wave equation.
    pub fn step(&mut self) {
        let two = T::one() + T::one();
        let mut laplacian = std::mem::take(&mut self.column);
        let mut result = std::mem::take(&mut self.result);
        for (ix, next) in result.chunks_exact_mut(self.nz).enumerate() {
            self.laplacian_of(ix, &mut laplacian);
            let nodes = ix * self.nz..(ix + 1) * self.nz;
            let (p, v2dt2) = (&self.p[nodes.clone()], &self.v2dt2[nodes]);
            for iz in 0..self.nz {
                next[iz] = two * p[iz] - next[iz] + v2dt2[iz] * laplacian[iz];
            }
        }
        self.result = std::mem::replace(&mut self.p, result);
        self.column = laplacian;
    }

    /// The Laplacian along a column: one coefficient after another, each along the whole column.
    fn laplacian_of(&self, ix: usize, laplacian: &mut [T]) {
        let column = |ix: usize| &self.p[ix * self.nz..(ix + 1) * self.nz];
        let here = column(ix);
        for (sum, p) in laplacian.iter_mut().zip(here) {
            *sum = (self.cx[0] + self.cz[0]) * *p;
        }
        for (j, cx) in self.cx.iter().enumerate().skip(1) {
            if ix >= j {
                add(laplacian, *cx, column(ix - j));
            }
            if ix + j < self.nx {
                add(laplacian, *cx, column(ix + j));
            }
        }
        for (j, cz) in self.cz.iter().enumerate().take(self.nz).skip(1) {
            add(&mut laplacian[j..], *cz, here);
            add(laplacian, *cz, &here[j..]);
        }
    }

    /// What [`Scalar::laplacian`] left.
    pub fn result(&self) -> Array2<T> {
        self.array(&self.result)
    }

    /// The field that [`Scalar::step`] has reached.
    pub fn field(&self) -> Array2<T> {
        self.array(&self.p)
    }

    fn array(&self, values: &[T]) -> Array2<T> {
        Array2::from_shape_fn((self.nx, self.nz), |(ix, iz)| values[ix * self.nz + iz])
    }
}

/// Adds a coefficient times neighbours, as far as there are neighbours.
fn add<T: Float>(sums: &mut [T], coefficient: T, neighbours: &[T]) {
    for (sum, p) in sums.iter_mut().zip(neighbours) {
        *sum = *sum + coefficient * *p;
    }
}
