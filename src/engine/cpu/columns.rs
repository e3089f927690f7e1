//! The arithmetic of [`super::Parallel`], column by column: vector code for each radius and
//! instruction set, chosen at run time. The twin of `shaders/step.wgsl`.

use super::{
    cache,
    cpml::{Column, correct},
    fourth::Fourth,
    layers::{BandAlong, BandWithin},
    surface,
};
use crate::{
    boundary::Profile,
    engine::{Layout, Losses},
    grid::Axes,
    plan::{Plan, PointShot},
    stencil::{MAX_RADIUS, ete},
};
use pulp::{Arch, Simd, WithSimd};
use std::{array, ops::Range};

/// Operators and sponge as f32.
pub struct Coefficients {
    pub second: Axes<Operator>,
    /// d_0 = 0, so both operators count from 1.
    pub first: Axes<Operator>,
    /// The sponge's factor along each axis, zero after the last node of z; empty without a sponge.
    damping: Axes<Vec<f32>>,
    pub free_surface: bool,
    /// Values of a core's private cache that a tile may use.
    tile: usize,
    /// Whether the second field is the increment p - p_prev ([`Plan::by_increments`]).
    pub increments: bool,
    /// The operator of explicit time evolution.
    pub fourth: Fourth,
}

/// Coefficients by distance, zero beyond the radius.
pub type Operator = [f32; MAX_RADIUS + 1];

/// Neighbouring pieces whose columns are stepped in turn: the planes that one reads are then in the
/// first-level cache for the next.
const INTERLEAVED: usize = 2;
/// The largest radius at which a volume's vectors are stepped jointly and read shared values once.
/// At radius 8 in 2-D two vectors along z are faster.
const MAX_JOINT_RADIUS: usize = 4;
/// Columns of the smallest tile. A smaller one reads mostly its neighbours' values.
const SMALLEST_TILE: usize = 16;

/// A value this small relative to the injected ones is negligible. Ahead of a wave the stencil
/// spreads ever smaller values, down to denormal ones, which many processors process slowly.
const NEGLIGIBLE: f64 = 1e-22;

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
            fourth: plan.fourth.as_ref().map(Fourth::new).unwrap_or_default(),
        }
    }

    /// Columns that are stepped in every plane before the next ones.
    pub fn tile(&self, layout: &Layout) -> usize {
        tile(layout, self.tile)
    }
}

/// Coefficients from index `start` on; zero elsewhere.
fn from(start: usize, values: &[f64]) -> Operator {
    std::array::from_fn(|j| {
        j.checked_sub(start).and_then(|j| values.get(j)).map_or(0.0, |c| *c as f32)
    })
}

/// The instruction set of the loops.
pub fn instructions() -> String {
    format!("{:?}", Arch::new()).split('(').next().unwrap_or("scalar").to_lowercase()
}

/// |p| of a shot below this is set to zero.
pub fn negligible(plan: &Plan, shot: &PointShot) -> f32 {
    (NEGLIGIBLE * plan.injected(shot)) as f32
}

/// The inputs of a step.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    pub layout: &'a Layout,
    pub coefficients: &'a Coefficients,
    /// The field from an offset on, with everything that the stencil reaches.
    pub p: &'a [f32],
    /// The offset of its first value.
    pub from: usize,
    pub v2dt2: &'a [f32],
    pub losses: &'a Losses,
    /// |p| below this is set to zero.
    pub negligible: f32,
}

/// Pieces of the slowest axis that one thread alone writes: columns in 2-D, planes in 3-D.
pub struct Band<'a, 'l> {
    /// The first piece.
    pub first: usize,
    /// p_prev from the first piece on; with increments, p - p_prev on entry, p_next - p on return.
    pub p_next: &'a mut [f32],
    pub layers: &'a mut BandLayers<'l>,
}

/// The memory variables of a band's layers: along the slowest axis, along x in 3-D, and along z.
pub struct BandLayers<'a> {
    pub slowest: BandAlong<'a>,
    pub middle: BandWithin<'a>,
    pub along_z: BandWithin<'a>,
}

/// The part of a band that is stepped at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Pieces of the slowest axis.
    pub pieces: Range<usize>,
    /// Columns of each piece; in 2-D a piece is one column.
    pub columns: Range<usize>,
}

/// Steps a part of a band; compiled for each radius.
pub type StepBand = fn(Arch, Fields<'_>, Band<'_, '_>, &Part);

macro_rules! for_radius {
    ($radius:expr, $($r:literal)*) => {
        match $radius {
            $($r => step_band::<$r, false>,)*
            _ => unreachable!("a Plan's radius is 1 to {MAX_RADIUS}"),
        }
    };
}

/// The loops for a radius, or for explicit time evolution.
pub fn for_radius(radius: usize, fourth: bool) -> StepBand {
    if fourth {
        return step_band::<{ ete::RADIUS }, true>;
    }
    for_radius!(radius, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
}

fn step_band<const R: usize, const E: bool>(
    arch: Arch,
    fields: Fields<'_>,
    band: Band<'_, '_>,
    part: &Part,
) {
    arch.dispatch(Step::<R, E> { fields, band, part });
}

/// [`step_band`] for an instruction set.
struct Step<'a, 'l, const R: usize, const E: bool> {
    fields: Fields<'a>,
    band: Band<'a, 'l>,
    part: &'a Part,
}

impl<const R: usize, const E: bool> WithSimd for Step<'_, '_, R, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Step { fields, band: Band { first, p_next, layers }, part } = self;
        let layout = fields.layout;
        let (_, piece) = layout.slowest();
        let pieces = part.pieces.start - first..part.pieces.end - first;
        // Tile by tile, so that the 2 R + 1 planes that a step reads of it stay in the cache.
        for tile in tiles(layout, &part.columns, fields.coefficients.tile) {
            for from in pieces.clone().step_by(INTERLEAVED) {
                let interleaved = from..(from + INTERLEAVED).min(pieces.end);
                let p_next = &mut p_next[from * piece..];
                for x in tile.clone() {
                    let node = |i| layout.ahead(Axes { x, ..Axes::default() }, first + i);
                    let p_next = &mut p_next[x * layout.column..];
                    if R <= MAX_JOINT_RADIUS
                        && layout.is_volume()
                        && interleaved.len() == INTERLEAVED
                    {
                        step_columns::<S, R, E, INTERLEAVED, 1>(simd, fields, node(from), p_next);
                    } else {
                        for i in interleaved.clone() {
                            let p_next = &mut p_next[(i - from) * piece..];
                            step_columns::<S, R, E, 1, VECTORS>(simd, fields, node(i), p_next);
                        }
                    }
                    for i in interleaved.clone() {
                        let p_next = &mut p_next[(i - from) * piece..][..layout.column];
                        if fields.coefficients.free_surface {
                            surface::add_images::<R>(fields, node(i), p_next);
                        }
                        let column = Column { node: node(i), piece: i, p_next };
                        correct::<S, R, E>(simd, fields, column, layers);
                    }
                }
            }
        }
    }
}

/// Splits the columns of a piece into tiles of about the same width.
fn tiles(
    layout: &Layout,
    columns: &Range<usize>,
    cache: usize,
) -> impl Iterator<Item = Range<usize>> {
    let Range { start, end } = *columns;
    let count = (end - start).div_ceil(tile(layout, cache)).max(1);
    let width = (end - start).div_ceil(count).max(1);
    (start..end).step_by(width).map(move |first| first..(first + width).min(end))
}

/// The largest number of columns of a tile.
fn tile(layout: &Layout, cache: usize) -> usize {
    // The planes of p that a stencil reaches, and one each of (v dt)^2 and p_next.
    let planes = 2 * layout.radius + 3;
    let width = (cache / (planes * layout.column)).saturating_sub(2 * layout.radius);
    width.max(SMALLEST_TILE)
}

/// Vectors that are stepped jointly, to overlap their sums.
pub const VECTORS: usize = 2;

/// The largest number of values in a block. The length of a column is a multiple of it.
pub const LARGEST_BLOCK: usize = 32;

/// Vectors that are stepped jointly.
pub type Block<S, const L: usize> = [<S as Simd>::f32s; L];

/// `count` blocks from `at` on.
#[inline(always)]
pub fn blocks<S: Simd, const L: usize>(values: &[f32], at: usize, count: usize) -> &[Block<S, L>] {
    let values = &values[at..][..count * L * S::F32_LANES];
    &S::as_simd_f32s(values).0.as_chunks().0[..count]
}

/// [`blocks`] for writing.
#[inline(always)]
pub fn blocks_mut<S: Simd, const L: usize>(values: &mut [f32], count: usize) -> &mut [Block<S, L>] {
    let values = &mut values[..count * L * S::F32_LANES];
    &mut S::as_mut_simd_f32s(values).0.as_chunks_mut().0[..count]
}

/// `p_next = g (2 p + (v dt)^2 lap p) - g^2 p_prev`, or p_next - p by shaders/lib/field.wgsl, along
/// columns of neighbouring pieces, the first from `node` on. The zeros after a column stay zero
/// because (v dt)^2 is zero there. The first value of `p_next` belongs to `node`.
///
/// E: adds the term of explicit time evolution, (v dt)^2 B p.
#[inline(always)]
fn step_columns<S: Simd, const R: usize, const E: bool, const K: usize, const L: usize>(
    simd: S,
    fields: Fields<'_>,
    node: Axes<usize>,
    p_next: &mut [f32],
) {
    let Fields { layout, coefficients, p, from, v2dt2: model, negligible, .. } = fields;
    let Axes { z: cz, x: cx, y: cy } = &coefficients.second;
    let volume = layout.is_volume();
    // Along the slowest axis the pieces share their neighbours.
    let slowest = if volume { cy } else { cx };
    let fourth = &coefficients.fourth;
    let fourth_slowest = if volume { &fourth.star.y } else { &fourth.star.x };
    // Each axis adds its own centre, so its weights cancel in a constant field.
    let [centre_x, centre_z, centre_y] = [cx[0], cz[0], cy[0]].map(|c| simd.splat_f32s(c));
    let [two, one, zero, negligible] =
        [2.0, 1.0, 0.0, negligible].map(|value| simd.splat_f32s(value));
    let size = L * S::F32_LANES;
    let count = layout.n.z.div_ceil(size);
    let (_, piece) = layout.slowest();
    let place = layout.index(node);
    let at = place - from;
    // Every slice is as long as the loop, so the loop needs no bounds checks.
    let column = |at| blocks::<S, L>(p, at, count);
    let here = column(at);
    // The pieces after the last and before the first.
    let (mut beyond, mut before) = ([here; R], [here; R]);
    for j in 0..R {
        beyond[j] = column(at + (K + j) * piece);
        before[j] = column(at - (j + 1) * piece);
    }
    let (mut right, mut left) = ([[here; R]; K], [[here; R]; K]);
    let (mut columns, mut around_z, mut v2dt2) = ([here; K], [p; K], [here; K]);
    for k in 0..K {
        let at = at + k * piece;
        columns[k] = column(at);
        around_z[k] = &p[at - R..][..count * size + 2 * R];
        v2dt2[k] = blocks::<S, L>(model, place + k * piece, count);
        if volume {
            for j in 0..R {
                let distance = (j + 1) * layout.column;
                (right[k][j], left[k][j]) = (column(at + distance), column(at - distance));
            }
        }
    }
    let mut pieces = p_next.chunks_mut(piece);
    let p_next: [_; K] =
        array::from_fn(|_| blocks_mut::<S, L>(pieces.next().unwrap_or_default(), count));
    let damping: [_; K] = array::from_fn(|k| damping(coefficients, layout.ahead(node, k), volume));
    for b in 0..count {
        if volume {
            // Lines that no earlier column has read.
            for line in (b * size..(b + 1) * size).step_by(cache::LINE) {
                for (k, p_next) in p_next.iter().enumerate() {
                    let ahead = line + cache::AHEAD;
                    let ahead_of = k * piece + ahead;
                    cache::fetch(p, at + ahead_of + R * piece);
                    cache::fetch(model, place + ahead_of);
                    cache::fetch(p_next, ahead);
                }
            }
        }
        let nil = [zero; L];
        let (mut across, mut along_z, mut p0) = ([nil; K], [nil; K], [nil; K]);
        let mut extra = [nil; K];
        for k in 0..K {
            p0[k] = columns[k][b];
            for l in 0..L {
                across[k][l] = simd.mul_f32s(centre_x, p0[k][l]);
                along_z[k][l] = simd.mul_f32s(centre_z, p0[k][l]);
            }
        }
        if volume {
            for j in 0..R {
                let c = simd.splat_f32s(cx[j + 1]);
                for k in 0..K {
                    add_pair(simd, c, &right[k][j][b], &left[k][j][b], &mut across[k]);
                    if E {
                        let c = simd.splat_f32s(fourth.star.x[j + 1]);
                        add_pair(simd, c, &right[k][j][b], &left[k][j][b], &mut extra[k]);
                    }
                }
            }
            for k in 0..K {
                for l in 0..L {
                    across[k][l] = simd.mul_add_e_f32s(centre_y, p0[k][l], across[k][l]);
                }
            }
        }
        // One step further out, the neighbours of a piece are the next piece's, shifted by one.
        let (mut plus, mut minus) = (p0, p0);
        for j in 0..R {
            for k in 1..K {
                (plus[k - 1], minus[K - k]) = (plus[k], minus[K - k - 1]);
            }
            (plus[K - 1], minus[0]) = (beyond[j][b], before[j][b]);
            let (c, cz) = (simd.splat_f32s(slowest[j + 1]), simd.splat_f32s(cz[j + 1]));
            for k in 0..K {
                add_pair(simd, c, &plus[k], &minus[k], &mut across[k]);
                let around_z = &around_z[k][b * size..][..size + 2 * R];
                let above = &blocks::<S, L>(around_z, R - 1 - j, 1)[0];
                let below = &blocks::<S, L>(around_z, R + 1 + j, 1)[0];
                add_pair(simd, cz, below, above, &mut along_z[k]);
                if E {
                    let c = simd.splat_f32s(fourth_slowest[j + 1]);
                    add_pair(simd, c, &plus[k], &minus[k], &mut extra[k]);
                    let c = simd.splat_f32s(fourth.star.z[j + 1]);
                    add_pair(simd, c, below, above, &mut extra[k]);
                }
            }
        }
        if E {
            for k in 0..K {
                for centre in fourth.centres(volume) {
                    for l in 0..L {
                        let centre = simd.splat_f32s(centre);
                        extra[k][l] = simd.mul_add_e_f32s(centre, p0[k][l], extra[k][l]);
                    }
                }
                let place = at + k * piece + b * size;
                fourth.add_diagonals::<S, L>(simd, layout, p, place, &mut extra[k]);
            }
        }
        for k in 0..K {
            let next = &mut p_next[k][b];
            for l in 0..L {
                let (p0, v2dt2) = (p0[k][l], v2dt2[k][b][l]);
                let mut laplacian = simd.add_f32s(across[k][l], along_z[k][l]);
                if E {
                    laplacian = simd.mul_add_e_f32s(v2dt2, extra[k][l], laplacian);
                }
                // 2 p - p_prev first: it is hardly rounded, and the rest is small beside it.
                let twice = simd.mul_f32s(two, p0);
                let g = damping[k].map(|(along_x, along_z)| {
                    let along_z = blocks::<S, L>(along_z, b * size, 1)[0][l];
                    simd.mul_f32s(simd.splat_f32s(along_x), along_z)
                });
                let stepped = match (g, coefficients.increments) {
                    (None, false) => {
                        simd.mul_add_e_f32s(v2dt2, laplacian, simd.sub_f32s(twice, next[l]))
                    }
                    (None, true) => simd.mul_add_e_f32s(v2dt2, laplacian, next[l]),
                    (Some(g), false) => {
                        let kept = simd.sub_f32s(twice, simd.mul_f32s(g, next[l]));
                        simd.mul_f32s(g, simd.mul_add_e_f32s(v2dt2, laplacian, kept))
                    }
                    (Some(g), true) => {
                        let moved =
                            simd.mul_add_e_f32s(v2dt2, laplacian, simd.mul_f32s(g, next[l]));
                        let lost = simd.sub_f32s(one, g);
                        let lost = simd.mul_f32s(simd.mul_f32s(lost, lost), p0);
                        simd.sub_f32s(simd.mul_f32s(g, moved), lost)
                    }
                };
                // Not simd.abs_f32s(): a part of it is not inlined.
                let size = simd.max_f32s(stepped, simd.sub_f32s(zero, stepped));
                let is_negligible = simd.less_than_f32s(size, negligible);
                next[l] = simd.select_f32s(is_negligible, zero, stepped);
            }
        }
    }
}

/// Adds `c (a + b)` to a sum.
#[inline(always)]
fn add_pair<S: Simd, const L: usize>(
    simd: S,
    c: S::f32s,
    a: &Block<S, L>,
    b: &Block<S, L>,
    sum: &mut Block<S, L>,
) {
    for l in 0..L {
        sum[l] = simd.mul_add_e_f32s(c, simd.add_f32s(a[l], b[l]), sum[l]);
    }
}

/// The sponge's factor along x and y of a column, and its factors along z; `None` without a sponge.
pub fn damping(
    coefficients: &Coefficients,
    node: Axes<usize>,
    volume: bool,
) -> Option<(f32, &[f32])> {
    let Axes { z, x, y } = &coefficients.damping;
    let along_x = x.get(node.x)?;
    Some((if volume { along_x * y[node.y] } else { *along_x }, z))
}
