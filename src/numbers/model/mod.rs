//! Velocity models: a velocity at each node of a grid, and the built-in ones.
//!
//! To add a built-in model: a function of x, y and z, and a line in `BUILTINS` (`builtin.rs`). Use `+ - * /` and
//! `sqrt` only, so that it has the same bits on every machine. To add a change of a model: a file
//! here and a flag in `src/cli/command/model/convert.rs`.

mod anisotropy;
mod axis_order;
mod builtin;
mod column;
mod crop;
mod density;
mod gaussian;
mod homogeneous;
mod layers;
mod lens;
mod placement;
mod quantity;
mod reflectivity;
mod resample;
mod salt;
mod salt3d;
mod scaled;
mod sea_floor;
mod smooth;
mod uniform;
mod water;

pub use anisotropy::{Anisotropy, AnisotropyError, Lowered, Thomsen};
pub use axis_order::AxisOrder;
pub use builtin::{Builtin, builtin, builtin_volume};
pub use density::{Density, DensityError};
pub use placement::{Placement, Side};
pub use quantity::ModelQuantity;
pub use reflectivity::reflectivity;

use crate::{
    grid::{Axes, Grid, GridError},
    host::{NoMemory, check_memory},
};
use ndarray::{Array2, Array3, ArrayView3, Axis, s};
use rayon::prelude::*;
use std::sync::Arc;

/// The most nodes of a grid: more than a host has memory for, with 64-bit or 32-bit addresses.
pub const MAX_NODES: usize = 1 << if usize::BITS > 36 { 36 } else { 28 };

/// Velocity at each node, m/s.
#[derive(Clone, Debug, PartialEq)]
pub struct VelocityModel {
    grid: Grid,
    /// Shape `[y][x][z]`, shared: a file is read into this memory.
    velocity: Arc<Vec<f32>>,
    /// The smallest and the largest.
    range: (f32, f32),
    placement: Placement,
}

/// Reasons why a velocity model was rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum ModelError {
    #[error(transparent)]
    Grid(#[from] GridError),
    #[error(
        "the velocity at cell {} is {value} m/s; every velocity must be a positive, finite number of m/s",
        cell(*.at, *.volume)
    )]
    Velocity { at: Axes<usize>, volume: bool, value: f32 },
    #[error(
        "a model of {} nodes takes {:.1} GiB, and at most {} nodes are taken; use a coarser spacing or fewer nodes",
        extents(*.n), gib(*.n), MAX_NODES
    )]
    TooLarge { n: Axes<usize> },
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    #[error(
        "a 3-D model of one node along y has no third dimension; give it two or more, or leave y out for a 2-D model"
    )]
    OnePlane,
    #[error(
        "\"{name}\" is a 3-D model; give its nodes and spacing along y too, or neither of them"
    )]
    NoPlane { name: &'static str },
    #[error(
        "no node lies from {from} to {to} m along {axis}, where the model reaches from 0 to {last} m; give a part of \
         that"
    )]
    Crop { axis: char, from: f64, to: f64, last: f64 },
    #[error(
        "a model cannot be smoothed over {length} m; give a length above 0 and up to its longest side, {longest} m"
    )]
    Smooth { length: f64, longest: f64 },
    #[error("stopped while a model was smoothed, as asked")]
    Stopped,
    #[error("water depth must be 0 m or more, not {depth} m")]
    Water { depth: f64 },
    /// No rows of water alone on top, or none below: all is water, or the first velocity, m/s.
    #[error(
        "{}, so that there is no water to leave out above a sea floor; water is from 1400 to 1600 m/s in all of a row",
        if *.all { "every node is water".to_owned() } else { format!("the top row is not all water: it begins with {top} m/s") }
    )]
    NoSeaFloor { all: bool, top: f32 },
    #[error("there is no built-in model \"{name}\"; the built-in models are {known}")]
    NoBuiltin { name: String, known: String },
}

impl VelocityModel {
    /// A 2-D model from velocities of shape `[x][z]` in m/s and the spacings in metres.
    pub fn new(velocity: Array2<f32>, hx: f64, hz: f64) -> Result<Self, ModelError> {
        VelocityModel::volume(velocity.insert_axis(Axis(0)), Axes { z: hz, x: hx, y: 1.0 })
    }

    /// A model from velocities of shape `[y][x][z]` in m/s and the spacings in metres; 3-D if it
    /// has more than one node along y.
    pub fn volume(velocity: Array3<f32>, h: Axes<f64>) -> Result<Self, ModelError> {
        let (ny, nx, nz) = velocity.dim();
        let grid = Grid::volume(Axes { z: nz, x: nx, y: ny }, h)?;
        let velocity = match (velocity.len(), velocity.is_standard_layout()) {
            (count, true) => {
                let (mut values, first) = velocity.into_raw_vec_and_offset();
                let first = first.unwrap_or(0);
                // A view of a larger array has more values around it.
                values.truncate(first + count);
                values.drain(..first);
                values
            }
            (count, false) => {
                let mut values = vec![0.0; count];
                values.par_chunks_exact_mut(nz).enumerate().for_each(|(column, values)| {
                    let from = velocity.slice(s![column / nx, column % nx, ..]);
                    values.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
                });
                values
            }
        };
        match range(&velocity) {
            Ok(range) => {
                let (velocity, placement) = (Arc::new(velocity), Placement::default());
                Ok(VelocityModel { grid, velocity, range, placement })
            }
            Err(index) => {
                let (z, x, y) = (index % nz, index / nz % nx, index / nz / nx);
                let (at, volume) = (Axes { z, x, y }, grid.is_volume());
                Err(ModelError::Velocity { at, volume, value: velocity[index] })
            }
        }
    }

    /// The grid of the model, without absorbing layers.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Where it lies on the map.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// The model at this place on the map.
    #[must_use]
    pub fn placed(self, placement: Placement) -> Self {
        VelocityModel { placement, ..self }
    }

    /// Velocities of shape `[y][x][z]`, m/s.
    pub fn velocity(&self) -> ArrayView3<'_, f32> {
        ArrayView3::from_shape(self.grid.shape(), self.velocity.as_slice())
            .expect("a model holds one velocity a node, checked when it was made")
    }

    /// Smallest and largest velocity, m/s.
    pub fn range(&self) -> (f32, f32) {
        self.range
    }

    /// The velocities in memory order, without a copy.
    pub(crate) fn shared(&self) -> Arc<Vec<f32>> {
        self.velocity.clone()
    }
}

/// Velocities per task.
const TOGETHER: usize = 1 << 16;

/// The smallest and the largest velocity, or the index of the first invalid one.
fn range(velocities: &[f32]) -> Result<(f32, f32), usize> {
    let sound = |v: &f32| v.is_finite() && *v > 0.0;
    let of = |some: &[f32]| {
        let fold =
            |(lo, hi, all): (f32, f32, bool), v: &f32| (lo.min(*v), hi.max(*v), all & sound(v));
        some.iter().fold((f32::INFINITY, 0.0, true), fold)
    };
    let both = |a: (f32, f32, bool), b: (f32, f32, bool)| (a.0.min(b.0), a.1.max(b.1), a.2 & b.2);
    let all = velocities.par_chunks(TOGETHER).map(of).reduce(|| (f32::INFINITY, 0.0, true), both);
    match all {
        (least, most, true) => Ok((least, most)),
        _ => Err(velocities.iter().position(|v| !sound(v)).unwrap_or(0)),
    }
}

/// Returns an error for more nodes than any engine takes, or than there is memory for.
fn check_nodes(n: Axes<usize>) -> Result<(), ModelError> {
    let nodes = n.x.checked_mul(n.y).and_then(|columns| columns.checked_mul(n.z));
    let Some(nodes) = nodes.filter(|nodes| *nodes <= MAX_NODES) else {
        return Err(ModelError::TooLarge { n });
    };
    let what = format!("a model of {} nodes", extents(n));
    Ok(check_memory(&what, (nodes * size_of::<f32>()) as u64)?)
}

/// The smallest and the largest of some numbers.
fn least_and_most(values: &[f32]) -> (f32, f32) {
    let all = || values.par_iter().copied();
    (all().reduce(|| f32::INFINITY, f32::min), all().reduce(|| f32::NEG_INFINITY, f32::max))
}

/// Formats a cell as users write it.
pub fn cell(at: Axes<usize>, volume: bool) -> String {
    let y = if volume { format!(", y = {}", at.y) } else { String::new() };
    format!("x = {}, z = {}{y}", at.x, at.z)
}

/// Formats the nodes along x, y and z as users write them.
pub fn extents(n: Axes<usize>) -> String {
    let y = if n.y == 1 { String::new() } else { format!("{} x ", n.y) };
    format!("{} x {y}{}", n.x, n.z)
}

/// Size of the velocities, GiB.
fn gib(n: Axes<usize>) -> f64 {
    n.x as f64 * n.y as f64 * n.z as f64 * 4.0 / f64::from(1 << 30)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_velocity_is_named_by_its_cell() {
        for bad in [0.0, -1500.0, f32::NAN, f32::INFINITY] {
            let mut velocity = Array2::from_elem((4, 3), 1500.0f32);
            velocity[[2, 1]] = bad;
            let refused = VelocityModel::new(velocity, 10.0, 10.0);
            assert!(
                matches!(refused, Err(ModelError::Velocity { at: Axes { x: 2, z: 1, y: 0 }, .. })),
                "{bad}"
            );
        }
    }

    #[test]
    fn a_part_of_an_array_is_a_model() {
        let mut velocity =
            Array3::from_shape_fn((3, 4, 2), |(y, x, z)| (1000 + 100 * y + 10 * x + z) as f32);
        velocity.slice_axis_inplace(Axis(0), (1..3).into());
        let expected = velocity.clone();
        let h = Axes { z: 1.0, x: 1.0, y: 1.0 };
        let model = VelocityModel::volume(velocity, h).expect("a valid model");
        assert_eq!(model.velocity(), expected);
        assert_eq!(model.range(), (1100.0, 1231.0));
    }
}
