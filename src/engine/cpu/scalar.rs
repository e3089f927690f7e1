//! The ladder's first rung: one thread and plain loops, in f32, as the thesis' Fortran; in f64 the oracle
//! of all its kernels. Reads side by side with `shaders/ladder2d/`.
//!
//! ```text
//! lap p (x, z) = sum_j cx_j (p(x + j, z) + p(x - j, z)) + cz_j (p(x, z + j) + p(x, z - j))
//! p_next = 2 p - p_prev + (v dt)^2 lap p
//! ```
//!
//! The array ends where the model ends and the wing is cut there, as in `shaders/ladder2d/explicit.wgsl`.

use crate::plan::{Initial, Plan};
use ndarray::Array2;
use num_traits::{AsPrimitive, Float};

/// A Plan's field, model and operator, without layers, sources and receivers; arrays of shape `[x][z]`.
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
        let start = |field: fn(&Initial) -> &Array2<f32>| match &plan.initial {
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
        }
    }

    /// The Laplacian of the field.
    pub fn laplacian(&mut self) {
        for ix in 0..self.nx {
            for iz in 0..self.nz {
                self.result[ix * self.nz + iz] = self.laplacian_at(ix, iz);
            }
        }
    }

    /// A step of the wave equation.
    pub fn step(&mut self) {
        let two = T::one() + T::one();
        for ix in 0..self.nx {
            for iz in 0..self.nz {
                let i = ix * self.nz + iz;
                let laplacian = self.laplacian_at(ix, iz);
                self.result[i] = two * self.p[i] - self.result[i] + self.v2dt2[i] * laplacian;
            }
        }
        std::mem::swap(&mut self.p, &mut self.result);
    }

    #[inline(always)]
    fn laplacian_at(&self, ix: usize, iz: usize) -> T {
        let (p, nz) = (&self.p, self.nz);
        let i = ix * nz + iz;
        let mut sum = (self.cx[0] + self.cz[0]) * p[i];
        let (wing_x, wing_z) = (self.cx.len() - 1, self.cz.len() - 1);
        for j in 1..=wing_x.min(ix) {
            sum = sum + self.cx[j] * p[i - j * nz];
        }
        for j in 1..=wing_x.min(self.nx - 1 - ix) {
            sum = sum + self.cx[j] * p[i + j * nz];
        }
        for j in 1..=wing_z.min(iz) {
            sum = sum + self.cz[j] * p[i - j];
        }
        for j in 1..=wing_z.min(nz - 1 - iz) {
            sum = sum + self.cz[j] * p[i + j];
        }
        sum
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
