//! The reason why a simulation does not fit a device: the exceeded limit, the size of each array,
//! and the size that would fit.

use crate::{
    grid::Axes,
    host::{Bounded, binary},
    message::any_of,
    model::extents,
    plan::Plan,
};
use std::fmt;

/// Arrays of one kind in a device's memory, with the zeros around the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrays {
    /// Their name.
    pub name: &'static str,
    /// Their number.
    pub(crate) count: u64,
    /// Size of each, bytes.
    pub bytes: u64,
}

impl Arrays {
    /// Size of all, bytes.
    pub(crate) fn total(&self) -> u64 {
        self.count * self.bytes
    }
}

/// The limit of a device that a simulation exceeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// An array is larger than a shader can bind.
    Binding {
        /// The array.
        array: Arrays,
        /// The largest binding, bytes.
        most: u64,
    },
    /// An array is larger than any buffer.
    Buffer {
        /// The array.
        array: Arrays,
        /// The largest buffer, bytes.
        most: u64,
    },
    /// A dispatch has too many workgroups along an axis.
    Workgroups {
        /// Workgroups along that axis.
        needed: u64,
        /// The most workgroups.
        most: u64,
    },
    /// All arrays together are larger than the host's memory.
    Host {
        /// The memory that this process may take.
        most: Bounded,
    },
    /// The device is out of memory, and does not report how much it has.
    Memory {
        /// Its driver's message.
        said: String,
    },
}

/// A simulation that a device cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// The device.
    pub(crate) device: String,
    /// The exceeded limit.
    pub(crate) limit: Limit,
    /// The arrays of the simulation.
    pub arrays: Vec<Arrays>,
    /// Shots that were to run at once.
    pub(crate) shots: usize,
    /// Slabs of the fields.
    pub(crate) slabs: usize,
    /// Size of the largest model of the same shape that fits with the same layers, operator,
    /// sources and receivers; `None` if none does, or if it is unknown.
    pub largest: Option<Axes<usize>>,
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = &self.device;
        let total = self.arrays.iter().map(Arrays::total).sum();
        let host = matches!(self.limit, Limit::Host { .. });
        match &self.limit {
            Limit::Binding { array, most } => write!(
                f,
                "{} takes {}, but one binding of {device} holds at most {}",
                array.name,
                binary(array.bytes),
                binary(*most)
            )?,
            Limit::Buffer { array, most } => write!(
                f,
                "{} takes {}, but one buffer of {device} holds at most {}",
                array.name,
                binary(array.bytes),
                binary(*most)
            )?,
            Limit::Workgroups { needed, most } => write!(
                f,
                "the grid, or its receivers, takes {needed} workgroups along an axis, but {device} takes at \
                 most {most}"
            )?,
            Limit::Host { most } => {
                write!(f, "the arrays take {} together, but {most}", binary(total))?
            }
            Limit::Memory { said } => {
                write!(f, "the memory of {device} does not hold the arrays ({said})")?;
            }
        }
        let shots =
            if self.shots > 1 { format!(" of {} shots", self.shots) } else { String::new() };
        let slabs =
            if self.slabs > 1 { format!(" in {} slabs", self.slabs) } else { String::new() };
        let padded = if host { "" } else { ", padding included" };
        write!(f, "; each array{shots}{slabs}{padded}: ")?;
        for Arrays { name, count, bytes } in &self.arrays {
            let count = if *count > 1 { format!("{count} x ") } else { String::new() };
            write!(f, "{name}: {count}{}, ", binary(*bytes))?;
        }
        write!(f, "together: {}; ", binary(total))?;
        match (self.largest, &self.limit) {
            (Some(n), _) => {
                write!(f, "with these layers and this operator {} nodes fit; ", extents(n))?
            }
            (None, Limit::Memory { .. }) => (),
            (None, _) => write!(f, "no model fits with so many sources, receivers and steps; ")?,
        }
        let mut remedies =
            vec!["use a smaller or coarser model", "fewer cells of layer", "fewer receivers"];
        remedies.extend((self.shots > 1).then_some("fewer shots at once"));
        remedies.extend(match self.limit {
            Limit::Host { most } => most.remedy(),
            _ => Some("--backend cpu"),
        });
        f.write_str(&any_of(&remedies))
    }
}

/// Size of the largest model of the same shape that fits, with the layers and the rest of a Plan
/// that does not.
pub(super) fn largest(plan: &Plan, fits: impl Fn(&Plan) -> bool) -> Option<Axes<usize>> {
    let n = plan.model_grid.n;
    let longest = n.z.max(n.x).max(n.y);
    // A volume keeps two planes.
    let least = if plan.grid.is_volume() { 2 } else { 1 };
    let along = |n: usize, size: usize, least: usize| (n * size / longest).max(least);
    let nodes =
        |size| Axes { z: along(n.z, size, 1), x: along(n.x, size, 1), y: along(n.y, size, least) };
    let mut sized = plan.clone();
    let mut fits = |n| {
        sized.resize(n);
        fits(&sized)
    };
    let size = most(longest, |size| fits(nodes(size)));
    let mut largest = (size > 0).then(|| nodes(size))?;
    // Layers are counted in quads along z, so a slightly larger model may need less memory.
    let next = |n: Axes<usize>| Axes { z: n.z + 1, x: n.x + 1, y: n.y + least - 1 };
    while fits(next(largest)) {
        largest = next(largest);
    }
    Some(largest)
}

/// The largest number up to `limit` that fits, if all below it do.
pub(super) fn most(limit: usize, mut fits: impl FnMut(usize) -> bool) -> usize {
    let (mut fitting, mut beyond) = (0, limit + 1);
    while beyond - fitting > 1 {
        let middle = fitting.midpoint(beyond);
        if fits(middle) { fitting = middle } else { beyond = middle }
    }
    fitting
}
