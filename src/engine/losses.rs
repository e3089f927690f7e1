//! The loss factors of a CPML's memory variables. Outside the model the velocity is constant along
//! the axis, so a loss depends only on the end of the axis and the place across it.

use crate::{boundary::Profile, grid::Axes, plan::Plan};

/// The losses of a model's memory variables per step, as b - 1: one for each end of a strip and
/// each place across it, `[strip][end][place]`; empty along an axis without layers.
pub struct Losses {
    /// Along the slowest axis; the places are those of a piece.
    pub slowest: Vec<f32>,
    /// Along x in 3-D; the places are those of a column.
    pub middle: Vec<f32>,
    /// Along z.
    pub along_z: Vec<f32>,
    /// Places per column.
    column: usize,
}

impl Losses {
    /// For columns of `column` places; the losses after the last node are zero.
    pub fn new(plan: &Plan, model: usize, column: usize) -> Self {
        let (n, profile) = (plan.grid.n, &plan.profile);
        // The loss at an end of an axis, for the node at an index along it; zero in the padding.
        let loss = |axis: &Profile, end: usize, at: &dyn Fn(usize) -> Axes<usize>| {
            let node = end * (axis.nodes.len() - 1);
            let at = at(node);
            if at.z >= n.z {
                return 0.0;
            }
            let v2dt2 = plan.v2dt2(model, at);
            -axis.nodes[node].loss(v2dt2.sqrt()) as f32
        };
        let along_x = |y: usize, end: usize, z: usize| loss(&profile.x, end, &|x| Axes { z, x, y });
        let along_y = |x: usize, end: usize, z: usize| loss(&profile.y, end, &|y| Axes { z, x, y });
        let mut losses = Losses { slowest: vec![], middle: vec![], along_z: vec![], column };
        if profile.x.memory != [0, 0] {
            let planes = (0..n.y).flat_map(|y| (0..2).map(move |end| (y, end)));
            let x = planes.flat_map(|(y, end)| (0..column).map(move |z| (y, end, z)));
            let x = x.map(|(y, end, z)| along_x(y, end, z)).collect();
            *(if plan.grid.is_volume() { &mut losses.middle } else { &mut losses.slowest }) = x;
        }
        if profile.y.memory != [0, 0] {
            let columns = (0..2).flat_map(|end| (0..n.x).map(move |x| (x, end)));
            let y = columns.flat_map(|(x, end)| (0..column).map(move |z| (x, end, z)));
            losses.slowest = y.map(|(x, end, z)| along_y(x, end, z)).collect();
        }
        if profile.z.memory != [0, 0] {
            let columns = (0..n.y).flat_map(|y| (0..n.x).map(move |x| (y, x)));
            let ends = columns.flat_map(|(y, x)| (0..2).map(move |end| (y, x, end)));
            let z = ends.map(|(y, x, end)| loss(&profile.z, end, &|z| Axes { z, x, y }));
            losses.along_z = z.collect();
        }
        losses
    }

    /// Both ends along x in a plane.
    pub fn middle_of(&self, y: usize) -> &[f32] {
        let both = 2 * self.column;
        self.middle.get(y * both..(y + 1) * both).unwrap_or_default()
    }

    /// Both ends of the `i`th column.
    pub fn along_z_of(&self, i: usize) -> [f32; 2] {
        [self.along_z[2 * i], self.along_z[2 * i + 1]]
    }
}
