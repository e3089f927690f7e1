//! Three planes through one node of a volume.

use crate::{Plane, RenderError, grid::Axes};
use ndarray::{ArrayView2, ArrayView3};

/// Three planes through one node of a volume.
#[derive(Clone, Copy, Debug)]
pub struct Planes<'a> {
    /// The plane z = const, shape [x, y].
    pub map: ArrayView2<'a, f32>,
    /// The plane y = const, shape [x, z].
    pub inline: ArrayView2<'a, f32>,
    /// The plane x = const, shape [y, z].
    pub crossline: ArrayView2<'a, f32>,
}

impl<'a> Planes<'a> {
    /// The planes of a volume of shape [y, x, z] through a node.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if the volume is empty or the node outside.
    pub fn of(volume: ArrayView3<'a, f32>, at: Axes<usize>) -> Result<Self, RenderError> {
        let (ny, nx, nz) = volume.dim();
        RenderError::if_empty("volume", nx * ny, nz)?;
        inside(at, Axes { z: nz, x: nx, y: ny })?;
        let cut = |plane: Plane| plane.cut(volume, plane.normal(at).1);
        Ok(Self { map: cut(Plane::Xy), inline: cut(Plane::Xz), crossline: cut(Plane::Yz) })
    }

    /// Nodes of the volume along each axis, if the planes agree on them.
    pub(super) fn nodes(&self) -> Option<Axes<usize>> {
        let (x, y) = self.map.dim();
        let z = self.inline.ncols();
        (self.inline.dim() == (x, z) && self.crossline.dim() == (y, z)).then_some(Axes { z, x, y })
    }

    pub(super) fn shapes(&self) -> Vec<usize> {
        [self.map, self.inline, self.crossline]
            .iter()
            .flat_map(|plane| plane.shape().to_vec())
            .collect()
    }

    /// A plane as [across, down] with the rows in drawing order.
    pub(super) fn drawn(&self, plane: Plane) -> ArrayView2<'a, f32> {
        plane.upright(match plane {
            Plane::Xz => self.inline,
            Plane::Yz => self.crossline,
            Plane::Xy => self.map,
        })
    }
}

/// Returns an error for planes outside a volume of `n` nodes.
pub(super) fn inside(at: Axes<usize>, n: Axes<usize>) -> Result<(), RenderError> {
    for (axis, node, nodes) in [('x', at.x, n.x), ('y', at.y, n.y), ('z', at.z, n.z)] {
        if node >= nodes {
            return Err(RenderError::Plane { axis, node, nodes });
        }
    }
    Ok(())
}
