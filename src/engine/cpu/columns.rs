//! The arithmetic of [`super::Parallel`], a column at a time: vector code for each radius and each
//! instruction set, chosen at run time. The twin of `shaders/step.wgsl` and `shaders/lib/layers.wgsl`.

use super::layers::{BandAlong, BandWithin, Wide};
use crate::{
    boundary::Profile,
    engine::Layout,
    grid::Axes,
    plan::{Plan, PointShot},
    stencil::MAX_RADIUS,
};
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Operators and sponge as f32.
pub struct Coefficients {
    second: Axes<Operator>,
    /// d_0 = 0, so that both operators count from 1.
    first: Axes<Operator>,
    /// The sponge's factor along each axis, zero after the last node of z; empty where there is none.
    damping: Axes<Vec<f32>>,
}

/// Coefficients by distance, zero beyond the radius.
type Operator = [f32; MAX_RADIUS + 1];

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
    /// |p| below this is made zero.
    pub nothing: f32,
}

/// The pieces of the slowest axis that a step writes at a time: columns in 2-D, planes in 3-D.
pub struct Band<'a> {
    pub pieces: Range<usize>,
    /// p_prev on entry.
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
        let columns = if layout.is_volume() { layout.n.x } else { 1 };
        for (i, p_next) in p_next.chunks_exact_mut(piece).enumerate() {
            let first = piece_at(layout, pieces.start + i);
            for (x, p_next) in p_next.chunks_exact_mut(layout.column).take(columns).enumerate() {
                let node = Axes { x: first.x + x, ..first };
                step_column::<S, R>(simd, fields, node, p_next);
                if along_z.strip.len() > 0 {
                    correct_z::<S, R>(simd, fields, node, i * columns + x, p_next, &mut along_z);
                }
            }
            if middle.strip.len() > 0 {
                correct_x::<S, R>(simd, fields, first, i, p_next, &mut middle);
            }
        }
        correct_slowest::<S, R>(simd, fields, pieces.start, p_next, &mut slowest);
    }
}

/// The first node of a piece of the slowest axis.
fn piece_at(layout: &Layout, piece: usize) -> Axes<usize> {
    match layout.is_volume() {
        true => Axes { y: piece, ..Axes::default() },
        false => Axes { x: piece, ..Axes::default() },
    }
}

/// Vectors that are worked on together, to overlap their sums.
const VECTORS: usize = 2;

/// Values that a block may have at the most: columns are a whole number of these long.
pub const LARGEST_BLOCK: usize = 32;

/// The block of vectors that starts at `at`.
#[inline(always)]
fn block<S: Simd>(values: &[f32], at: usize) -> &[S::f32s] {
    S::as_simd_f32s(&values[at..at + VECTORS * S::F32_LANES]).0
}

#[inline(always)]
fn block_mut<S: Simd>(values: &mut [f32], at: usize) -> &mut [S::f32s] {
    S::as_mut_simd_f32s(&mut values[at..at + VECTORS * S::F32_LANES]).0
}

/// `p_next = g (2 p + (v dt)^2 lap p) - g^2 p_prev` along a column and the zeros after it, which stay
/// zero because (v dt)^2 is zero there.
#[inline(always)]
fn step_column<S: Simd, const R: usize>(
    simd: S,
    fields: Fields<'_>,
    node: Axes<usize>,
    p_next: &mut [f32],
) {
    let Fields { layout, coefficients, p, v2dt2, nothing } = fields;
    let splat = |value| simd.splat_f32s(value);
    let Axes { z: cz, x: cx, y: cy } = &coefficients.second;
    let volume = layout.is_volume();
    let (centre, two) = (splat(cx[0] + cz[0] + if volume { cy[0] } else { 0.0 }), splat(2.0));
    let (zero, nothing) = (splat(0.0), splat(nothing));
    let size = VECTORS * S::F32_LANES;
    let damping = (!coefficients.damping.x.is_empty()).then(|| {
        let along_y = if volume { coefficients.damping.y[node.y] } else { 1.0 };
        splat(coefficients.damping.x[node.x] * along_y)
    });
    let column = layout.index(node);
    for b in 0..layout.n.z.div_ceil(size) {
        let at = column + b * size;
        let p0 = block::<S>(p, at);
        let mut along_x: [S::f32s; VECTORS] = std::array::from_fn(|l| simd.mul_f32s(centre, p0[l]));
        let mut along_z = [splat(0.0); VECTORS];
        for j in 1..=R {
            let offset = j * layout.column;
            let (right, left) = (block::<S>(p, at + offset), block::<S>(p, at - offset));
            let (below, above) = (block::<S>(p, at + j), block::<S>(p, at - j));
            let (cx, cz) = (splat(cx[j]), splat(cz[j]));
            for l in 0..VECTORS {
                let (x, z) = (simd.add_f32s(right[l], left[l]), simd.add_f32s(below[l], above[l]));
                along_x[l] = simd.mul_add_e_f32s(cx, x, along_x[l]);
                along_z[l] = simd.mul_add_e_f32s(cz, z, along_z[l]);
            }
        }
        if volume {
            for j in 1..=R {
                let offset = j * layout.plane;
                let (after, before) = (block::<S>(p, at + offset), block::<S>(p, at - offset));
                let cy = splat(cy[j]);
                for l in 0..VECTORS {
                    let y = simd.add_f32s(after[l], before[l]);
                    along_x[l] = simd.mul_add_e_f32s(cy, y, along_x[l]);
                }
            }
        }
        let v2dt2 = block::<S>(v2dt2, at);
        let next = block_mut::<S>(p_next, b * size);
        for l in 0..VECTORS {
            let laplacian = simd.add_f32s(along_x[l], along_z[l]);
            let moved = simd.mul_add_e_f32s(v2dt2[l], laplacian, simd.mul_f32s(two, p0[l]));
            let stepped = match damping {
                None => simd.sub_f32s(moved, next[l]),
                Some(along_x) => {
                    let along_z = block::<S>(&coefficients.damping.z, b * size)[l];
                    let g = simd.mul_f32s(along_x, along_z);
                    simd.mul_f32s(g, simd.sub_f32s(moved, simd.mul_f32s(g, next[l])))
                }
            };
            let is_nothing = simd.less_than_f32s(simd.abs_f32s(stepped), nothing);
            next[l] = simd.select_f32s(is_nothing, zero, stepped);
        }
    }
}

/// An axis as the CPML sees it: distances between neighbours, and the axis' operators.
struct Along<'a> {
    /// Between neighbours in p.
    p: usize,
    /// Between neighbours in phi.
    phi: usize,
    second: &'a Operator,
    first: &'a Operator,
}

/// A layer's coefficients at a block: b, a and da/dx.
type Layer<S> = [[<S as Simd>::f32s; VECTORS]; 3];

/// The memory variables of a run of nodes that are neighbours in memory.
struct Run<'a> {
    phi: &'a [f32],
    /// Place of the run's first node in `phi`.
    at: usize,
    phi_next: &'a mut [f32],
    zeta: &'a mut [f32],
}

/// Adds (v dt)^2 times the CPML's correction along an axis to a run of nodes that start at `at` in p:
/// `dpsi/dx + zeta`, see shaders/lib/layers.wgsl.
#[inline(always)]
fn correct<S: Simd, const R: usize>(
    simd: S,
    fields: Fields<'_>,
    axis: &Along<'_>,
    at: usize,
    layer: impl Fn(usize) -> Layer<S>,
    run: Run<'_>,
    p_next: &mut [f32],
) {
    let Fields { p, v2dt2, .. } = fields;
    let splat = |value| simd.splat_f32s(value);
    let size = VECTORS * S::F32_LANES;
    let Run { phi, at: phi_at, phi_next, zeta } = run;
    for b in (0..zeta.len()).step_by(size) {
        let p0 = block::<S>(p, at + b);
        let mut d1 = [splat(0.0); VECTORS];
        let mut slope = [splat(0.0); VECTORS];
        let mut d2: [S::f32s; VECTORS] =
            std::array::from_fn(|l| simd.mul_f32s(splat(axis.second[0]), p0[l]));
        for j in 1..=R {
            let i = at + b;
            let (plus, minus) = (block::<S>(p, i + j * axis.p), block::<S>(p, i - j * axis.p));
            let m = phi_at + b;
            let (phi_plus, phi_minus) =
                (block::<S>(phi, m + j * axis.phi), block::<S>(phi, m - j * axis.phi));
            let (first, second) = (splat(axis.first[j]), splat(axis.second[j]));
            for l in 0..VECTORS {
                d1[l] = simd.mul_add_e_f32s(first, simd.sub_f32s(plus[l], minus[l]), d1[l]);
                d2[l] = simd.mul_add_e_f32s(second, simd.add_f32s(plus[l], minus[l]), d2[l]);
                let difference = simd.sub_f32s(phi_plus[l], phi_minus[l]);
                slope[l] = simd.mul_add_e_f32s(first, difference, slope[l]);
            }
        }
        let [decay, gain, gain_slope] = layer(b);
        let v2dt2 = block::<S>(v2dt2, at + b);
        let old = block::<S>(phi, phi_at + b);
        let (new, zeta) = (block_mut::<S>(phi_next, b), block_mut::<S>(zeta, b));
        let next = block_mut::<S>(p_next, b);
        for l in 0..VECTORS {
            let slope = simd.mul_add_e_f32s(gain_slope[l], d1[l], slope[l]);
            let slope = simd.mul_add_e_f32s(gain[l], d2[l], slope);
            let driven = simd.mul_f32s(gain[l], simd.add_f32s(d2[l], slope));
            zeta[l] = simd.mul_add_e_f32s(decay[l], zeta[l], driven);
            new[l] = simd.mul_f32s(decay[l], simd.mul_add_e_f32s(gain[l], d1[l], old[l]));
            next[l] = simd.mul_add_e_f32s(v2dt2[l], simd.add_f32s(slope, zeta[l]), next[l]);
        }
    }
}

/// The CPML at both ends of a column, the `i`th of a band.
#[inline(always)]
fn correct_z<S: Simd, const R: usize>(
    simd: S,
    fields: Fields<'_>,
    node: Axes<usize>,
    i: usize,
    p_next: &mut [f32],
    layers: &mut BandWithin<'_>,
) {
    let (second, first) = (&fields.coefficients.second.z, &fields.coefficients.first.z);
    let axis = Along { p: 1, phi: 1, second, first };
    let strip = layers.strip;
    let (padded, len) = (strip.padded(), strip.len());
    for end in strip.ends() {
        let (phi_at, zeta_at) = (i * padded + end.place, i * len + end.node);
        let layer = |b: usize| {
            let load = |values: &[f32]| {
                let block = block::<S>(values, end.node + b);
                std::array::from_fn(|l| block[l])
            };
            [load(&strip.decay), load(&strip.gain), load(&strip.gain_slope)]
        };
        let run = Run {
            phi: layers.phi,
            at: phi_at,
            phi_next: &mut layers.phi_next[phi_at..phi_at + end.len],
            zeta: &mut layers.zeta[zeta_at..zeta_at + end.len],
        };
        let at = fields.layout.index(Axes { z: end.axis, ..node });
        let p_next = &mut p_next[end.axis..];
        correct::<S, R>(simd, fields, &axis, at, layer, run, p_next);
    }
}

/// The CPML along x in a plane, the `i`th of a band.
#[inline(always)]
fn correct_x<S: Simd, const R: usize>(
    simd: S,
    fields: Fields<'_>,
    plane: Axes<usize>,
    i: usize,
    p_next: &mut [f32],
    layers: &mut BandWithin<'_>,
) {
    let (layout, coefficients) = (fields.layout, fields.coefficients);
    let (second, first) = (&coefficients.second.x, &coefficients.first.x);
    let axis = Along { p: layout.column, phi: layout.column, second, first };
    for column in layers.columns(i) {
        let p_next = &mut p_next[column.at * layout.column..][..layout.column];
        let at = layout.index(Axes { x: column.at, ..plane });
        correct_wide::<S, R>(simd, fields, &axis, at, layout.n.z, column, p_next);
    }
}

/// The CPML in the pieces of a band that lie in the layers along the slowest axis.
#[inline(always)]
fn correct_slowest<S: Simd, const R: usize>(
    simd: S,
    fields: Fields<'_>,
    first_piece: usize,
    p_next: &mut [f32],
    layers: &mut BandAlong<'_>,
) {
    let (layout, coefficients) = (fields.layout, fields.coefficients);
    let (_, size) = layout.slowest();
    // In 3-D a plane is one run of nodes, with the zeros between its columns.
    let (second, first, nodes) = match layout.is_volume() {
        true => (&coefficients.second.y, &coefficients.first.y, layout.n.x * layout.column),
        false => (&coefficients.second.x, &coefficients.first.x, layout.n.z),
    };
    let axis = Along { p: size, phi: size, second, first };
    for piece in layers.pieces() {
        let p_next = &mut p_next[(piece.at - first_piece) * size..][..size];
        let at = layout.index(piece_at(layout, piece.at));
        correct_wide::<S, R>(simd, fields, &axis, at, nodes, piece, p_next);
    }
}

/// The CPML in a strip's node that is a run of so many nodes, from `at` in p on.
#[inline(always)]
fn correct_wide<S: Simd, const R: usize>(
    simd: S,
    fields: Fields<'_>,
    axis: &Along<'_>,
    at: usize,
    nodes: usize,
    wide: Wide<'_>,
    p_next: &mut [f32],
) {
    let Wide { coefficients, place, phi, phi_next, zeta, .. } = wide;
    let nodes = nodes.next_multiple_of(VECTORS * S::F32_LANES);
    let layer = |_| coefficients.map(|c| [simd.splat_f32s(c); VECTORS]);
    let run = Run { phi, at: place, phi_next: &mut phi_next[..nodes], zeta: &mut zeta[..nodes] };
    correct::<S, R>(simd, fields, axis, at, layer, run, p_next);
}
