//! The step of VTI ([`crate::medium::Vti`]), column by column, some rows at a time. Sums over neighbours stay in the
//! registers of two vectors; the rest are plain loops, which compilers turn into vectors. The twin of `shaders/vti.wgsl`.

use super::{
    aligned::Aligned,
    bands::Part,
    coefficients::{Coefficients, Fields, damping},
    cpml::{self, NodeRun},
    denormal,
    layers::Layers,
    pool::Pool,
    shared::{Reader, Shared, Writer},
    vectors::{Block, LARGEST_BLOCK, VECTORS, blocks, blocks_mut},
};
use crate::{
    Layout,
    grid::{Axes, Axis},
    medium::VtiTerm,
    plan::{Plan, Window},
    simd::dispatch,
};
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Rows of a column that are stepped jointly; columns are whole multiples of it.
const ROWS: usize = LARGEST_BLOCK;
/// Rows and those beyond either end that the widest operator reads.
const WIDE: usize = ROWS + 2 * crate::stencil::MAX_RADIUS;
type Rows = [f32; ROWS];
type Wide = [f32; WIDE];

/// The coefficients of each node; zero between columns.
pub(crate) struct VtiArrays {
    f: f32,
    across: Aligned,
    along: Aligned,
    cross: Aligned,
    own: [Aligned; 3],
    /// Empty if the density is constant.
    buoyancy: Aligned,
    /// 1 everywhere; empty without layers that have memory.
    ones: Aligned,
}

impl VtiArrays {
    /// `None` without VTI.
    pub(crate) fn new(plan: &Plan, window: Window, layout: &Layout, pool: &Pool) -> Option<Self> {
        let vti = plan.medium.vti()?;
        let term =
            |term| filled(layout, pool, |node, to| plan.vti_of_column(term, window, node, to));
        let none = || Aligned::zeros(0, pool);
        // The layers of an adjoint are stepped by separate code.
        let has_layers = plan.has_cpml() && !plan.adjoint;
        let mut ones = Aligned::zeros(if has_layers { layout.len() } else { 0 }, pool);
        ones.fill(1.0);
        Some(VtiArrays {
            f: vti.f() as f32,
            across: term(VtiTerm::Across),
            along: term(VtiTerm::Along),
            cross: term(VtiTerm::Cross),
            own: [term(VtiTerm::OwnOfP), term(VtiTerm::OwnCross), term(VtiTerm::OwnOfM)],
            buoyancy: if vti.has_density() { term(VtiTerm::Buoyancy) } else { none() },
            ones,
        })
    }
}

impl VtiArrays {
    /// Appends A u along an axis in the equation of a field, at some offsets, of both fields there.
    pub(crate) fn product(
        &self,
        axis: Axis,
        of: usize,
        places: Range<usize>,
        [p, m]: [&[f32]; 2],
        to: &mut Vec<f32>,
    ) {
        let VtiArrays { f, across, along, cross, buoyancy, .. } = self;
        let b = |i: usize| if buoyancy.is_empty() { 1.0 } else { buoyancy[i] };
        let both = places.zip(p.iter().zip(m));
        match (axis, of) {
            (Axis::Z, 0) => to.extend(both.map(|(i, (p, m))| along[i] * p + cross[i] * m)),
            (Axis::Z, _) => {
                to.extend(both.map(|(i, (p, m))| cross[i] * p + ((2.0 - f) * b(i) - along[i]) * m))
            }
            (_, 0) => to.extend(both.map(|(i, (p, _))| across[i] * p)),
            (_, _) => to.extend(both.map(|(i, (_, m))| (1.0 - f) * b(i) * m)),
        }
    }
}

/// An array whose columns `fill` fills from their first node on.
#[allow(unsafe_code, reason = "parts of an array by task; see SAFETY")]
fn filled(layout: &Layout, pool: &Pool, fill: impl Fn(Axes<usize>, &mut [f32]) + Sync) -> Aligned {
    let mut values = Aligned::zeros(layout.len(), pool);
    let shared = Shared::new(&mut values);
    let (n, pieces) = (layout.n, layout.slowest().0);
    let tasks = pieces.min(pool.threads() * 4);
    pool.run(tasks, |task| {
        // SAFETY: each task has its own pieces.
        let mut values = unsafe { shared.writer() };
        for piece in pieces * task / tasks..pieces * (task + 1) / tasks {
            for x in 0..layout.columns() {
                let node = layout.ahead(Axes { x, ..Axes::default() }, piece);
                fill(node, values.part(layout.index(node), n.z));
            }
        }
    });
    values
}

/// The inputs of a step of both fields, p and m.
#[derive(Clone, Copy)]
pub(crate) struct VtiFields<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) coefficients: &'a Coefficients,
    pub(crate) now: [Reader<'a>; 2],
    /// (v dt)^2/b.
    pub(crate) push: &'a [f32],
    pub(crate) vti: &'a VtiArrays,
    pub(crate) negligible: f32,
}

/// What a task writes: each field's previous step on entry, its next one on return.
pub(crate) struct VtiOutput<'a> {
    pub(crate) next: [Writer<'a>; 2],
    pub(crate) layers: [Layers<'a>; 2],
}

/// Steps a part of both fields; compiled for each radius.
pub(crate) type VtiPart = fn(Arch, VtiFields<'_>, &mut VtiOutput<'_>, &Part);

macro_rules! for_radius {
    ($radius:expr, $($r:literal)*) => {
        match $radius {
            $($r => step_part::<$r>,)*
            _ => unreachable!("a Plan's radius is at most 16"),
        }
    };
}

/// The loops for a radius.
pub(crate) fn for_radius(radius: usize) -> VtiPart {
    for_radius!(radius, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
}

fn step_part<const R: usize>(
    arch: Arch,
    fields: VtiFields<'_>,
    output: &mut VtiOutput<'_>,
    part: &Part,
) {
    denormal::as_zeros(|| dispatch(arch, Step::<R> { fields, output, part }));
}

/// [`step_part`] for an instruction set.
struct Step<'a, 'o, const R: usize> {
    fields: VtiFields<'a>,
    output: &'a mut VtiOutput<'o>,
    part: &'a Part,
}

impl<const R: usize> WithSimd for Step<'_, '_, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Step { fields, output: VtiOutput { next, layers }, part } = self;
        let layout = fields.layout;
        let mut corrections = [vec![0.0; layout.column], vec![0.0; layout.column]];
        for piece in part.pieces.clone() {
            for x in part.columns.clone() {
                let node = layout.ahead(Axes { x, ..Axes::default() }, piece);
                for first in (0..layout.n.z).step_by(ROWS) {
                    step_rows::<S, R>(simd, fields, node, first, next);
                }
                if !fields.vti.ones.is_empty() {
                    correct::<S, R>(simd, fields, node, next, layers, &mut corrections);
                }
            }
        }
    }
}

#[inline(always)]
fn rows(values: &[f32]) -> &Rows {
    values.first_chunk().expect("columns have whole multiples of the rows")
}

/// Rows from R before the first on.
#[inline(always)]
fn wide<const R: usize>(values: &[f32]) -> Wide {
    let mut wide = [0.0; WIDE];
    wide[..ROWS + 2 * R].copy_from_slice(&values[..ROWS + 2 * R]);
    wide
}

/// Vectors of values from a place on.
#[inline(always)]
fn vectors<S: Simd>(values: &[f32], at: usize) -> &Block<S, VECTORS> {
    &blocks::<S, VECTORS>(values, at, 1)[0]
}

/// Vectors of rows.
#[inline(always)]
fn vectors_mut<S: Simd>(rows: &mut Rows, at: usize) -> &mut Block<S, VECTORS> {
    &mut blocks_mut::<S, VECTORS>(&mut rows[at..], 1)[0]
}

/// The second derivative along z.
#[inline(always)]
fn along_column<S: Simd, const R: usize>(simd: S, c: &[f32], u: &Wide) -> Rows {
    let mut sum = [0.0; ROWS];
    for first in (0..ROWS).step_by(VECTORS * S::F32_LANES) {
        let sum = vectors_mut::<S>(&mut sum, first);
        let centre = simd.splat_f32s(c[0]);
        let here = vectors::<S>(u, R + first);
        for l in 0..VECTORS {
            sum[l] = simd.mul_f32s(centre, here[l]);
        }
        for j in 1..=R {
            let c = simd.splat_f32s(c[j]);
            let (below, above) = (vectors::<S>(u, R + first + j), vectors::<S>(u, R + first - j));
            for l in 0..VECTORS {
                let pair = simd.add_f32s(below[l], above[l]);
                sum[l] = simd.add_f32s(sum[l], simd.mul_f32s(c, pair));
            }
        }
    }
    sum
}

/// The second derivatives across columns: of p and of its product, then of m and of its product.
struct Across {
    p: Rows,
    of_p: Rows,
    m: Rows,
    of_m: Rows,
}

/// Adds the second derivatives along x or y, whose neighbours are `stride` apart.
#[inline(always)]
fn add_across<S: Simd, const R: usize>(
    simd: S,
    fields: VtiFields<'_>,
    c: &[f32],
    NodeRun { at, stride }: NodeRun,
    to: &mut Across,
) {
    let VtiFields { now: [p, m], vti, .. } = fields;
    let (across, buoyancy) = (&vti.across[..], &vti.buoyancy[..]);
    let size = VECTORS * S::F32_LANES;
    for first in (0..ROWS).step_by(size) {
        let to_p = vectors_mut::<S>(&mut to.p, first);
        let to_of_p = vectors_mut::<S>(&mut to.of_p, first);
        let to_m = vectors_mut::<S>(&mut to.m, first);
        let to_of_m = vectors_mut::<S>(&mut to.of_m, first);
        let (mut sum_p, mut sum_of_p) = (*to_p, *to_of_p);
        let (mut sum_m, mut sum_of_m) = (*to_m, *to_of_m);
        for j in 0..=R {
            let c = simd.splat_f32s(c[j]);
            for sign in 0..if j == 0 { 1 } else { 2 } {
                let at = at + first;
                let at = if sign == 0 { at + j * stride } else { at - j * stride };
                let p = vectors::<S>(p.part(at, size), 0);
                let m = vectors::<S>(m.part(at, size), 0);
                let a = vectors::<S>(across, at);
                for l in 0..VECTORS {
                    let of_p = simd.mul_f32s(a[l], p[l]);
                    sum_p[l] = simd.add_f32s(sum_p[l], simd.mul_f32s(c, p[l]));
                    sum_of_p[l] = simd.add_f32s(sum_of_p[l], simd.mul_f32s(c, of_p));
                    sum_m[l] = simd.add_f32s(sum_m[l], simd.mul_f32s(c, m[l]));
                }
                if !buoyancy.is_empty() {
                    let b = vectors::<S>(buoyancy, at);
                    for l in 0..VECTORS {
                        let of_m = simd.mul_f32s(b[l], m[l]);
                        sum_of_m[l] = simd.add_f32s(sum_of_m[l], simd.mul_f32s(c, of_m));
                    }
                }
            }
        }
        (*to_p, *to_of_p, *to_m, *to_of_m) = (sum_p, sum_of_p, sum_m, sum_of_m);
    }
}

/// Steps some rows of a column of both fields, without layers that have memory.
#[inline(always)]
fn step_rows<S: Simd, const R: usize>(
    simd: S,
    fields: VtiFields<'_>,
    node: Axes<usize>,
    first: usize,
    next: &mut [Writer<'_>; 2],
) {
    let VtiFields { layout, coefficients, now, push, vti, negligible } = fields;
    let at = layout.index(node) + first;
    let (here, size) = (at - R, ROWS + 2 * R);
    let mut p = wide::<R>(now[0].part(here, size));
    let mut m = wide::<R>(now[1].part(here, size));
    let along = wide::<R>(&vti.along[here..]);
    let cross = wide::<R>(&vti.cross[here..]);
    let mut b = [1.0; WIDE];
    if !vti.buoyancy.is_empty() {
        b = wide::<R>(&vti.buoyancy[here..]);
    }
    let (two_f, one_f) = (2.0 - vti.f, 1.0 - vti.f);
    let (mut of_p, mut of_m) = ([0.0; WIDE], [0.0; WIDE]);
    for i in 0..size {
        of_p[i] = along[i] * p[i] + cross[i] * m[i];
        of_m[i] = cross[i] * p[i] + (two_f * b[i] - along[i]) * m[i];
    }
    if coefficients.free_surface && first == 0 {
        for j in 1..=R {
            p[R - j] = -p[R + j];
            m[R - j] = -m[R + j];
            of_p[R - j] = -of_p[R + j];
            of_m[R - j] = -of_m[R + j];
        }
    }
    let c = &coefficients.second.z;
    let (lp, lm) = (along_column::<S, R>(simd, c, &p), along_column::<S, R>(simd, c, &m));
    let l_of_p = along_column::<S, R>(simd, c, &of_p);
    let l_of_m = along_column::<S, R>(simd, c, &of_m);
    let nil = [0.0; ROWS];
    let mut h = Across { p: nil, of_p: nil, m: nil, of_m: nil };
    let run = NodeRun { at, stride: layout.column };
    add_across::<S, R>(simd, fields, &coefficients.second.x, run, &mut h);
    if layout.is_volume() {
        let run = NodeRun { at, stride: layout.plane };
        add_across::<S, R>(simd, fields, &coefficients.second.y, run, &mut h);
    }
    if vti.buoyancy.is_empty() {
        h.of_m = h.m;
    }
    let across = rows(&vti.across[at..]);
    let [own_p, own_c, own_m] =
        [rows(&vti.own[0][at..]), rows(&vti.own[1][at..]), rows(&vti.own[2][at..])];
    let push = rows(&push[at..]);
    let (mut to_p, mut to_m) = (nil, nil);
    for i in 0..ROWS {
        let (p, m, a, c, b) = (p[R + i], m[R + i], along[R + i], cross[R + i], b[R + i]);
        let z = a * lp[i] + c * lm[i] + l_of_p[i];
        let x = across[i] * h.p[i] + h.of_p[i];
        to_p[i] = push[i] * (0.5 * (z + x) - (own_p[i] * p + own_c[i] * m));
        let z = c * lp[i] + (two_f * b - a) * lm[i] + l_of_m[i];
        let x = one_f * (b * h.m[i] + h.of_m[i]);
        to_m[i] = push[i] * (0.5 * (z + x) - (own_c[i] * p + own_m[i] * m));
    }
    let damping = damping(coefficients, node, layout.is_volume());
    let [next_p, next_m] = next;
    for (to, now, pushed) in [(next_p, &p, &to_p), (next_m, &m, &to_m)] {
        let mut g = [1.0; ROWS];
        if let Some((beside, along)) = damping {
            let along = &along[first..first + ROWS];
            for i in 0..ROWS {
                g[i] = beside * along[i];
            }
        }
        let to = to.part(at, ROWS);
        for i in 0..ROWS {
            let stepped = if coefficients.increments {
                g[i] * (g[i] * to[i] + pushed[i]) - (1.0 - g[i]) * (1.0 - g[i]) * now[R + i]
            } else {
                g[i] * ((2.0 * now[R + i] - g[i] * to[i]) + pushed[i])
            };
            to[i] = if stepped.abs() < negligible { 0.0 } else { stepped };
        }
    }
}

/// Adds the corrections of the layers to a stepped column of both fields.
#[inline(always)]
fn correct<S: Simd, const R: usize>(
    simd: S,
    fields: VtiFields<'_>,
    node: Axes<usize>,
    next: &mut [Writer<'_>; 2],
    layers: &mut [Layers<'_>; 2],
    corrections: &mut [Vec<f32>; 2],
) {
    for axis in [Axis::Z, Axis::X] {
        let mut any = false;
        for which in 0..2 {
            let of = Fields {
                layout: fields.layout,
                coefficients: fields.coefficients,
                p: fields.now[which],
                v2dt2: &fields.vti.ones,
                potential: &[],
                negligible: 0.0,
            };
            corrections[which].fill(0.0);
            let (to, layers) = (&mut corrections[which][..], &mut layers[which]);
            any |= match axis {
                Axis::Z => cpml::correct_along::<S, R, 0>(simd, of, node, to, layers),
                _ => cpml::correct_across::<S, R, 0>(simd, of, node, to, layers),
            };
        }
        if any {
            add_corrections(fields, node, axis, corrections, next);
        }
    }
}

/// Adds (v dt)^2/b A times the corrections of both fields along or across the axis.
#[inline(always)]
fn add_corrections(
    fields: VtiFields<'_>,
    node: Axes<usize>,
    axis: Axis,
    corrections: &[Vec<f32>; 2],
    [next_p, next_m]: &mut [Writer<'_>; 2],
) {
    let VtiFields { layout, push, vti, .. } = fields;
    let (at, len) = (layout.index(node), layout.n.z);
    let (to_p, to_m) = (next_p.part(at, len), next_m.part(at, len));
    let (of_p, of_m) = (&corrections[0][..len], &corrections[1][..len]);
    let push = &push[at..at + len];
    let (along, cross) = (&vti.along[at..at + len], &vti.cross[at..at + len]);
    let across = &vti.across[at..at + len];
    let b = if vti.buoyancy.is_empty() { &vti.ones } else { &vti.buoyancy };
    let b = &b[at..at + len];
    // One loop for each axis and field: compilers turn these into vectors.
    if axis == Axis::Z {
        for i in 0..len {
            to_p[i] += push[i] * (along[i] * of_p[i] + cross[i] * of_m[i]);
        }
        for i in 0..len {
            to_m[i] += push[i] * (cross[i] * of_p[i] + ((2.0 - vti.f) * b[i] - along[i]) * of_m[i]);
        }
    } else {
        for i in 0..len {
            to_p[i] += push[i] * (across[i] * of_p[i]);
        }
        for i in 0..len {
            to_m[i] += push[i] * ((1.0 - vti.f) * b[i] * of_m[i]);
        }
    }
}
