//! The layers of an adjoint. The twin of `shaders/transposed.wgsl`.

use super::columns::Operator;
use crate::{
    engine::{
        Layout,
        transposed::{self, Strip},
    },
    grid::Axes,
    plan::Plan,
};
use rayon::prelude::*;

/// chi, zeta, and what a step gives the first and the second derivative.
type Memory = [f32; 4];

/// What does not change.
pub struct Tables {
    strips: Axes<Strip>,
    shares: Axes<Vec<[f32; 2]>>,
    losses: Axes<Vec<f32>>,
}

impl Tables {
    /// Those of a model; none of what is no adjoint through a CPML.
    pub fn new(plan: &Plan, model: usize) -> Option<Self> {
        if transposed::lens(plan) == [0; 3] {
            return None;
        }
        let (strips, profile) = (transposed::strips(plan), &plan.profile);
        let [x, y, z] = transposed::losses(plan, model);
        Some(Tables {
            strips,
            shares: Axes {
                z: transposed::shares(&strips.z, &profile.z),
                x: transposed::shares(&strips.x, &profile.x),
                y: transposed::shares(&strips.y, &profile.y),
            },
            losses: Axes { z, x, y },
        })
    }
}

/// The strips of a shot.
pub struct Transposed {
    x: Vec<Memory>,
    y: Vec<Memory>,
    z: Vec<Memory>,
}

impl Transposed {
    /// At rest.
    pub fn new(plan: &Plan) -> Self {
        let [x, y, z] = transposed::lens(plan).map(|len| vec![[0.0; 4]; len]);
        Transposed { x, y, z }
    }

    /// All of them, for a state.
    pub fn values(&self) -> impl Iterator<Item = &[f32]> {
        [&self.x, &self.y, &self.z].into_iter().map(|all| all.as_flattened())
    }

    /// The same, to change.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        [&mut self.x, &mut self.y, &mut self.z].into_iter().map(|all| all.as_flattened_mut())
    }

    /// Moves the memory on by the field at a step, and works out what it gives the derivatives.
    pub fn give(&mut self, Tables { strips, shares, losses }: &Tables, layout: &Layout, p: &[f32]) {
        let n = layout.n;
        let column = |x: usize, y: usize| &p[layout.column_at(x, y)];
        let nodes = |strip: &Strip| strip.nodes().collect::<Vec<_>>();
        let (along_x, along_y, along_z) = (nodes(&strips.x), nodes(&strips.y), nodes(&strips.z));
        self.x.par_chunks_mut(n.z).enumerate().for_each(|(line, memory)| {
            let (y, place) = (line / along_x.len(), line % along_x.len());
            let Some(x) = along_x[place] else { return };
            let lost = &losses.x[(2 * y + usize::from(x >= strips.x.low)) * n.z..];
            let of = memory.iter_mut().zip(column(x, y)).zip(lost);
            of.for_each(|((memory, p), lost)| move_on(memory, *p, *lost, shares.x[place]));
        });
        self.y.par_chunks_mut(n.z).enumerate().for_each(|(line, memory)| {
            let (place, x) = (line / n.x, line % n.x);
            let Some(y) = along_y[place] else { return };
            let lost = &losses.y[(usize::from(y >= strips.y.low) * n.x + x) * n.z..];
            let of = memory.iter_mut().zip(column(x, y)).zip(lost);
            of.for_each(|((memory, p), lost)| move_on(memory, *p, *lost, shares.y[place]));
        });
        self.z.par_chunks_mut(along_z.len().max(1)).enumerate().for_each(|(at, memory)| {
            let p = column(at % n.x, at / n.x);
            for (place, z) in along_z.iter().enumerate() {
                let Some(z) = *z else { continue };
                let lost = losses.z[2 * at + usize::from(z >= strips.z.low)];
                move_on(&mut memory[place], p[z], lost, shares.z[place]);
            }
        });
    }

    /// Adds (v dt)^2 times what the derivatives take of it.
    pub fn take(
        &self,
        Tables { strips, .. }: &Tables,
        layout: &Layout,
        (second, first): (&Axes<Operator>, &Axes<Operator>),
        v2dt2: &[f32],
        p_next: &mut [f32],
    ) {
        let (n, radius) = (layout.n, layout.radius);
        let columns = p_next[layout.lead..].par_chunks_mut(layout.column).enumerate();
        columns.for_each_init(
            || vec![0.0f32; n.z],
            |sum, (i, p_next)| {
                let (x, y) = (
                    i * layout.column % layout.plane / layout.column,
                    i * layout.column / layout.plane,
                );
                if x >= n.x || y >= n.y {
                    return;
                }
                sum.fill(0.0);
                for place in strips.x.about(x) {
                    let line = |place: usize| &self.x[(y * strips.x.len() + place) * n.z..][..n.z];
                    across(sum, (second.x, first.x), radius, place, line);
                }
                for place in strips.y.about(y) {
                    let line = |place: usize| &self.y[(place * n.x + x) * n.z..][..n.z];
                    across(sum, (second.y, first.y), radius, place, line);
                }
                let along_z = strips.z.len();
                let line = &self.z[(y * n.x + x) * along_z..][..along_z];
                for (z, sum) in sum.iter_mut().enumerate() {
                    for place in strips.z.about(z) {
                        *sum += second.z[0] * line[place][3];
                        for j in 1..=radius {
                            let (after, before) = (line[place + j], line[place - j]);
                            *sum += second.z[j] * (after[3] + before[3])
                                - first.z[j] * (after[2] - before[2]);
                        }
                    }
                }
                let v2dt2 = &v2dt2[layout.column_at(x, y)];
                for ((p, v2dt2), sum) in p_next.iter_mut().zip(v2dt2).zip(sum) {
                    *p += v2dt2 * *sum;
                }
            },
        );
    }
}

/// The memory of a node, whose field is p, of which a step takes -`lost` away.
fn move_on([chi, zeta, to_first, to_second]: &mut Memory, p: f32, lost: f32, [f, slope]: [f32; 2]) {
    *zeta += p + lost * *zeta;
    *chi += p + lost * (*chi + f * *zeta);
    *to_first = lost * slope * *chi;
    *to_second = lost * f * (*chi + *zeta);
}

/// Adds what the derivatives across columns take of the lines about a place.
fn across<'a>(
    sum: &mut [f32],
    (second, first): (Operator, Operator),
    radius: usize,
    place: usize,
    line: impl Fn(usize) -> &'a [Memory],
) {
    for (sum, here) in sum.iter_mut().zip(line(place)) {
        *sum += second[0] * here[3];
    }
    for j in 1..=radius {
        for ((sum, after), before) in sum.iter_mut().zip(line(place + j)).zip(line(place - j)) {
            *sum += second[j] * (after[3] + before[3]) - first[j] * (after[2] - before[2]);
        }
    }
}
