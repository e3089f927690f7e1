//! Three planes of a volume as one frame.

use crate::{grid::Axes, render::Planes};
use ndarray::ArrayView2;

/// The values of three planes, one plane after the other.
pub fn joined(planes: &Planes<'_>) -> Vec<f32> {
    let planes = [planes.map, planes.inline, planes.crossline];
    planes.iter().flat_map(|plane| plane.iter().copied()).collect()
}

/// The planes of such values, in a volume of so many nodes.
pub fn parted(values: &[f32], n: Axes<usize>) -> Planes<'_> {
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
