//! The arithmetic of [`super::Parallel`], a column at a time: vector code for each radius and each
//! instruction set, chosen at run time. The twin of `shaders/step.wgsl`.

use super::{
    cache,
    cpml::{Column, correct},
    layers::{BandAlong, BandWithin},
    surface,
};
use crate::{
    boundary::Profile,
    engine::{Layout, Losses},
    grid::Axes,
    plan::{Plan, PointShot},
    stencil::MAX_RADIUS,
};
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Operators and sponge as f32.
pub struct Coefficients {
    pub second: Axes<Operator>,
    /// d_0 = 0, so that both operators count from 1.
    pub first: Axes<Operator>,
    /// The sponge's factor along each axis, zero after the last node of z; empty where there is none.
    damping: Axes<Vec<f32>>,
    pub free_surface: bool,
    /// Values that a tile may take of the cache that a core has to itself.
    tile: usize,
    /// Whether the second field is the increment p - p_prev ([`Plan::by_increments`]).
    pub increments: bool,
}

/// Coefficients by distance, zero beyond the radius.
pub type Operator = [f32; MAX_RADIUS + 1];

/// Neighbouring pieces whose columns are stepped in turn: what one reads of the planes around it is then in
/// the first cache for the other.
const JAM: usize = 2;
/// Columns of the smallest tile: with fewer, most of what it reads belongs to its neighbours.
const SMALLEST_TILE: usize = 16;

/// Against what is injected, what is too small to be told from nothing. Ahead of a wave the stencil
/// spreads ever smaller values, down to denormal ones, which many processors are slow at.
const NOTHING: f64 = 1e-22;

impl Coefficients {
    pub fn new(plan: &Plan, layout: &Layout) -> Self {
        let of = |axis: &Profile| axis.nodes.iter().map(|node| node.damping as f32).collect();
        let Axes { z, x, y } = &plan.profile;
        let mut damping: Axes<Vec<f32>> = Axes { z: of(z), x: of(x), y: of(y) };
        if [&damping.z, &damping.x, &damping.y].into_iter().flatten().all(|g| *g == 1.0) {
            damping = Axes::default();
        } else {
            damping.z.resize(layout.column, 0.0);
        }
        let Axes { z, x, y } = &plan.operator;
        Coefficients {
            second: Axes { z: from(0, &z.second), x: from(0, &x.second), y: from(0, &y.second) },
            first: Axes { z: from(1, &z.first), x: from(1, &x.first), y: from(1, &y.first) },
            damping,
            free_surface: plan.free_surface,
            tile: cache::second() / size_of::<f32>() * 3 / 4,
            increments: plan.by_increments,
        }
    }
}

/// Coefficients from index `start` on; zero elsewhere.
fn from(start: usize, values: &[f64]) -> Operator {
    std::array::from_fn(|j| {
        j.checked_sub(start).and_then(|j| values.get(j)).map_or(0.0, |c| *c as f32)
    })
}

/// The instruction set that the loops run with.
pub fn instructions() -> String {
    format!("{:?}", Arch::new()).split('(').next().unwrap_or("scalar").to_lowercase()
}

/// |p| of a shot below this is made zero.
pub fn nothing(plan: &Plan, shot: &PointShot) -> f32 {
    (NOTHING * plan.injected(shot)) as f32
}

/// What a step reads.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    pub layout: &'a Layout,
    pub coefficients: &'a Coefficients,
    pub p: &'a [f32],
    pub v2dt2: &'a [f32],
    pub losses: &'a Losses,
    /// |p| below this is made zero.
    pub nothing: f32,
}

/// The pieces of the slowest axis that a step writes at a time: columns in 2-D, planes in 3-D.
pub struct Band<'a> {
    pub pieces: Range<usize>,
    /// p_prev on entry; by increments p - p_prev, and then p_next - p.
    pub p_next: &'a mut [f32],
    /// Layers along the slowest axis, along x in 3-D, and along z.
    pub slowest: BandAlong<'a>,
    pub middle: BandWithin<'a>,
    pub along_z: BandWithin<'a>,
}

/// Steps a band; compiled for each radius.
pub type StepBand = fn(Arch, Fields<'_>, Band<'_>);

macro_rules! for_radius {
    ($radius:expr, $($r:literal)*) => {
        match $radius {
            $($r => step_band::<$r>,)*
            _ => unreachable!("a Plan's radius is 1 to {MAX_RADIUS}"),
        }
    };
}

/// The loops for a radius.
pub fn for_radius(radius: usize) -> StepBand {
    for_radius!(radius, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
}

fn step_band<const R: usize>(arch: Arch, fields: Fields<'_>, band: Band<'_>) {
    arch.dispatch(Step::<R> { fields, band });
}

/// [`step_band`] for an instruction set.
struct Step<'a, const R: usize> {
    fields: Fields<'a>,
    band: Band<'a>,
}

impl<const R: usize> WithSimd for Step<'_, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Step { fields, band: Band { pieces, p_next, mut slowest, mut middle, mut along_z } } =
            self;
        let layout = fields.layout;
        let (_, piece) = layout.slowest();
        // Tile by tile: of the 2 R + 1 planes that a step reads the tile stays in the cache.
        for tile in tiles(layout, fields.coefficients.tile) {
            for jam in (0..pieces.len()).step_by(JAM) {
                let jam = jam..(jam + JAM).min(pieces.len());
                for x in tile.clone() {
                    for i in jam.clone() {
                        let p_next = &mut p_next[i * piece + x * layout.column..];
                        let (p_next, after) = p_next.split_at_mut(layout.column);
                        let first = piece_at(layout, pieces.start + i);
                        let node = Axes { x: first.x + x, ..first };
                        step_column::<S, R>(simd, fields, node, p_next, after);
                        if fields.coefficients.free_surface {
                            surface::add_images::<R>(fields, node, p_next);
                        }
                        let column = Column { node, piece: i, p_next };
                        let layers = (&mut along_z, &mut middle, &mut slowest);
                        correct::<S, R>(simd, fields, column, layers);
                    }
                }
            }
        }
    }
}

/// The columns of a piece in tiles of about the same width.
fn tiles(layout: &Layout, cache: usize) -> impl Iterator<Item = Range<usize>> {
    let columns = if layout.is_volume() { layout.n.x } else { 1 };
    // Of p what a stencil reaches, and a plane of (v dt)^2 and of p_next.
    let planes = 2 * layout.radius + 3;
    let width = (cache / (planes * layout.column)).saturating_sub(2 * layout.radius);
    let width = columns.div_ceil(columns.div_ceil(width.max(SMALLEST_TILE)));
    (0..columns).step_by(width).map(move |first| first..(first + width).min(columns))
}

/// The first node of a piece of the slowest axis.
fn piece_at(layout: &Layout, piece: usize) -> Axes<usize> {
    match layout.is_volume() {
        true => Axes { y: piece, ..Axes::default() },
        false => Axes { x: piece, ..Axes::default() },
    }
}

/// Vectors that are worked on together, to overlap their sums.
pub const VECTORS: usize = 2;

/// Values that a block may have at the most: columns are a whole number of these long.
pub const LARGEST_BLOCK: usize = 32;

/// Vectors that are worked on together.
pub type Block<S> = [<S as Simd>::f32s; VECTORS];

/// So many blocks from `at` on.
#[inline(always)]
pub fn blocks<S: Simd>(values: &[f32], at: usize, count: usize) -> &[Block<S>] {
    let values = &values[at..][..count * VECTORS * S::F32_LANES];
    &S::as_simd_f32s(values).0.as_chunks().0[..count]
}

/// [`blocks`] to write to.
#[inline(always)]
pub fn blocks_mut<S: Simd>(values: &mut [f32], count: usize) -> &mut [Block<S>] {
    let values = &mut values[..count * VECTORS * S::F32_LANES];
    &mut S::as_mut_simd_f32s(values).0.as_chunks_mut().0[..count]
}

/// `p_next = g (2 p + (v dt)^2 lap p) - g^2 p_prev` along a column and the zeros after it, which stay
/// zero because (v dt)^2 is zero there; or p_next - p, by shaders/lib/field.wgsl.
#[inline(always)]
fn step_column<S: Simd, const R: usize>(
    simd: S,
    fields: Fields<'_>,
    node: Axes<usize>,
    p_next: &mut [f32],
    beyond: &[f32],
) {
    let Fields { layout, coefficients, p, v2dt2: model, nothing, .. } = fields;
    let Axes { z: cz, x: cx, y: cy } = &coefficients.second;
    let volume = layout.is_volume();
    // Each axis adds its own centre: so its weights cancel in a constant field.
    let centres = [cx[0], cz[0], cy[0]].map(|c| simd.splat_f32s(c));
    let [two, one, zero, nothing] = [2.0, 1.0, 0.0, nothing].map(|value| simd.splat_f32s(value));
    let size = VECTORS * S::F32_LANES;
    let count = layout.n.z.div_ceil(size);
    let at = layout.index(node);
    // Every slice is as long as the loop, which then looks at none of their lengths.
    let column = |at| blocks::<S>(p, at, count);
    let here = column(at);
    let around_z = &p[at - R..][..count * size + 2 * R];
    let (mut right, mut left) = ([here; R], [here; R]);
    let (mut after, mut before) = ([here; R], [here; R]);
    for j in 0..R {
        let distance = (j + 1) * layout.column;
        (right[j], left[j]) = (column(at + distance), column(at - distance));
        if volume {
            let distance = (j + 1) * layout.plane;
            (after[j], before[j]) = (column(at + distance), column(at - distance));
        }
    }
    let v2dt2 = blocks::<S>(model, at, count);
    let p_next = blocks_mut::<S>(p_next, count);
    let damping = damping(coefficients, node, volume);
    // Of the next column what no column before it has read.
    let next = at + layout.column;
    let fresh = [(p, next + R * layout.plane), (model, next), (beyond, 0)];
    for b in 0..count {
        if volume {
            for line in (b * size..(b + 1) * size).step_by(cache::LINE) {
                fresh.iter().for_each(|(values, first)| cache::fetch(values, first + line));
            }
        }
        let p0 = &here[b];
        let around_z = &around_z[b * size..][..size + 2 * R];
        let (mut along_x, mut along_z) = ([zero; VECTORS], [zero; VECTORS]);
        for l in 0..VECTORS {
            along_x[l] = simd.mul_f32s(centres[0], p0[l]);
            along_z[l] = simd.mul_f32s(centres[1], p0[l]);
        }
        for j in 0..R {
            let (right, left) = (&right[j][b], &left[j][b]);
            let above = &blocks::<S>(around_z, R - 1 - j, 1)[0];
            let below = &blocks::<S>(around_z, R + 1 + j, 1)[0];
            let (cx, cz) = (simd.splat_f32s(cx[j + 1]), simd.splat_f32s(cz[j + 1]));
            for l in 0..VECTORS {
                let (x, z) = (simd.add_f32s(right[l], left[l]), simd.add_f32s(below[l], above[l]));
                along_x[l] = simd.mul_add_e_f32s(cx, x, along_x[l]);
                along_z[l] = simd.mul_add_e_f32s(cz, z, along_z[l]);
            }
        }
        if volume {
            for l in 0..VECTORS {
                along_x[l] = simd.mul_add_e_f32s(centres[2], p0[l], along_x[l]);
            }
            for j in 0..R {
                let (after, before) = (&after[j][b], &before[j][b]);
                let cy = simd.splat_f32s(cy[j + 1]);
                for l in 0..VECTORS {
                    let y = simd.add_f32s(after[l], before[l]);
                    along_x[l] = simd.mul_add_e_f32s(cy, y, along_x[l]);
                }
            }
        }
        let (v2dt2, next) = (&v2dt2[b], &mut p_next[b]);
        for l in 0..VECTORS {
            let laplacian = simd.add_f32s(along_x[l], along_z[l]);
            // 2 p - p_prev first: it is hardly rounded, and what is added to it is small.
            let twice = simd.mul_f32s(two, p0[l]);
            let g = damping.map(|(along_x, along_z)| {
                let along_z = blocks::<S>(along_z, b * size, 1)[0][l];
                simd.mul_f32s(simd.splat_f32s(along_x), along_z)
            });
            let stepped = match (g, coefficients.increments) {
                (None, false) => {
                    simd.mul_add_e_f32s(v2dt2[l], laplacian, simd.sub_f32s(twice, next[l]))
                }
                (None, true) => simd.mul_add_e_f32s(v2dt2[l], laplacian, next[l]),
                (Some(g), false) => {
                    let kept = simd.sub_f32s(twice, simd.mul_f32s(g, next[l]));
                    simd.mul_f32s(g, simd.mul_add_e_f32s(v2dt2[l], laplacian, kept))
                }
                (Some(g), true) => {
                    let moved = simd.mul_add_e_f32s(v2dt2[l], laplacian, simd.mul_f32s(g, next[l]));
                    let lost = simd.sub_f32s(one, g);
                    let lost = simd.mul_f32s(simd.mul_f32s(lost, lost), p0[l]);
                    simd.sub_f32s(simd.mul_f32s(g, moved), lost)
                }
            };
            // Not simd.abs_f32s(): a part of it is not inlined.
            let size = simd.max_f32s(stepped, simd.sub_f32s(zero, stepped));
            let is_nothing = simd.less_than_f32s(size, nothing);
            next[l] = simd.select_f32s(is_nothing, zero, stepped);
        }
    }
}

/// The sponge's factor along x and y of a column, and its factors along z; None without one.
pub fn damping(
    coefficients: &Coefficients,
    node: Axes<usize>,
    volume: bool,
) -> Option<(f32, &[f32])> {
    let Axes { z, x, y } = &coefficients.damping;
    let along_x = x.get(node.x)?;
    Some((if volume { along_x * y[node.y] } else { *along_x }, z))
}
