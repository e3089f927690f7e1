//! The CPML's corrections of a stepped column. The twin of `shaders/lib/layers.wgsl`.

use super::{
    cache,
    coefficients::{Fields, Operator},
    layers::{self, Layer, Layers, Variables, Wide},
    shared::Reader,
    vectors::{Block, VECTORS, blocks, blocks_mut},
};
use crate::grid::Axes;
use pulp::Simd;

/// Adds the corrections of the layers along all axes to a column that a step has written.
#[inline(always)]
pub(crate) fn correct<S: Simd, const R: usize, const D: usize>(
    simd: S,
    fields: Fields<'_>,
    node: Axes<usize>,
    p_next: &mut [f32],
    layers: &mut Layers<'_>,
) {
    correct_along::<S, R, D>(simd, fields, node, p_next, layers);
    correct_across::<S, R, D>(simd, fields, node, p_next, layers);
}

/// [`correct`] along z; false without layers there.
#[inline(always)]
pub(crate) fn correct_along<S: Simd, const R: usize, const D: usize>(
    simd: S,
    fields: Fields<'_>,
    node: Axes<usize>,
    p_next: &mut [f32],
    Layers { along_z, .. }: &mut Layers<'_>,
) -> bool {
    let any = along_z.strip.len() > 0;
    if any {
        correct_z::<S, R, D>(simd, fields, node, p_next, along_z);
    }
    any
}

/// [`correct`] along x and y; false in a column of no layer there.
#[inline(always)]
pub(crate) fn correct_across<S: Simd, const R: usize, const D: usize>(
    simd: S,
    fields: Fields<'_>,
    node: Axes<usize>,
    p_next: &mut [f32],
    Layers { slowest, middle, .. }: &mut Layers<'_>,
) -> bool {
    let Fields { layout, coefficients, .. } = fields;
    let mut any = false;
    let len = layout.n.z.next_multiple_of(VECTORS * S::F32_LANES);
    let Axes { x: second, y: second_y, .. } = &coefficients.second;
    let Axes { x: first, y: first_y, .. } = &coefficients.first;
    let star = &coefficients.fourth.star;
    let x = Line { second, first, fourth: &star.x };
    if !layout.is_volume() {
        if let Some(wide) = slowest.column(0, node.x, 0, len) {
            correct_wide::<S, R, D>(simd, fields, &x, layout.column, node, wide, p_next);
            any = true;
        }
        return any;
    }
    if let Some(wide) = middle.column(node.y, node.x, 0, len) {
        correct_wide::<S, R, D>(simd, fields, &x, layout.column, node, wide, p_next);
        any = true;
    }
    let y = Line { second: second_y, first: first_y, fourth: &star.y };
    if let Some(wide) = slowest.column(0, node.y, node.x * layout.column, len) {
        correct_wide::<S, R, D>(simd, fields, &y, layout.plane, node, wide, p_next);
        any = true;
    }
    any
}

/// An axis as the CPML reads it.
struct Line<'a> {
    second: &'a Operator,
    first: &'a Operator,
    /// The term that explicit time evolution adds to the second derivative, times (v dt)^2.
    fourth: &'a Operator,
}

/// A layer's coefficients at a run of nodes.
enum Gains<'a> {
    /// Across the layer's axis they are the same at all nodes.
    Across(layers::Gains<f32>),
    Along(layers::Gains<&'a [f32]>),
}

/// The neighbours of a run of nodes along an axis, by distance, as slices as long as the run.
struct Neighbours<'a, S: Simd, const R: usize> {
    plus: [&'a [Block<S, VECTORS>]; R],
    minus: [&'a [Block<S, VECTORS>]; R],
}

impl<'a, S: Simd, const R: usize> Neighbours<'a, S, R> {
    #[inline(always)]
    fn new(p: Reader<'a>, at: usize, stride: usize, count: usize) -> Self {
        let p = |at| p.blocks::<S, VECTORS>(at, count);
        let (mut plus, mut minus) = ([&[][..]; R], [&[][..]; R]);
        for j in 0..R {
            let distance = (j + 1) * stride;
            (plus[j], minus[j]) = (p(at + distance), p(at - distance));
        }
        Neighbours { plus, minus }
    }
}

/// A run of nodes in p.
pub(crate) struct NodeRun {
    /// Place of the first.
    pub(crate) at: usize,
    /// From a node to its neighbour along an axis.
    pub(crate) stride: usize,
}

/// Advances the memory variables of a run of nodes, and adds (v dt)^2
/// times the CPML's correction along an axis: `chi + zeta`, see shaders/lib/layers.wgsl.
#[inline(always)]
fn along<S: Simd, const R: usize, const D: usize>(
    simd: S,
    fields: Fields<'_>,
    axis: &Line<'_>,
    run: NodeRun,
    gains: Gains<'_>,
    variables: Variables<&mut [f32]>,
    p_next: &mut [f32],
) {
    let NodeRun { at, stride } = run;
    let size = VECTORS * S::F32_LANES;
    let count = variables[0].len() / size;
    let p0 = fields.p.blocks::<S, VECTORS>(at, count);
    let Neighbours { plus, minus } = Neighbours::<S, R>::new(fields.p, at, stride, count);
    let v2dt2 = blocks::<S, VECTORS>(fields.v2dt2, at, count);
    let [chi, zeta] = variables;
    let (chi, zeta) = (blocks_mut::<S, VECTORS>(chi, count), blocks_mut::<S, VECTORS>(zeta, count));
    let p_next = blocks_mut::<S, VECTORS>(p_next, count);
    let zero = simd.splat_f32s(0.0);
    // No `map` over arrays of vectors: the compiler does not inline it, and vectors of another
    // function's instruction set go through memory.
    let (same, each) = match gains {
        Gains::Across([loss, share, slope]) => {
            let of = [simd.splat_f32s(loss), simd.splat_f32s(share), simd.splat_f32s(slope)];
            (of, None)
        }
        Gains::Along([loss, share, slope]) => {
            let loss = blocks::<S, VECTORS>(loss, 0, count);
            let share = blocks::<S, VECTORS>(share, 0, count);
            let slope = blocks::<S, VECTORS>(slope, 0, count);
            ([zero; 3], Some([loss, share, slope]))
        }
    };
    let is_volume = fields.layout.is_volume();
    for b in 0..count {
        if is_volume {
            // The memory of the next nodes and columns lies behind this one's.
            for line in (b * size..(b + 1) * size).step_by(cache::LINE) {
                cache::fetch(chi.as_ptr().cast(), line + cache::AHEAD);
                cache::fetch(zeta.as_ptr().cast(), line + cache::AHEAD);
            }
        }
        let (mut d1, mut d2) = ([zero; VECTORS], [zero; VECTORS]);
        let centre = simd.splat_f32s(axis.second[0]);
        for l in 0..VECTORS {
            d2[l] = simd.mul_f32s(centre, p0[b][l]);
        }
        for j in 0..R {
            let (plus, minus) = (&plus[j][b], &minus[j][b]);
            let (first, second) =
                (simd.splat_f32s(axis.first[j + 1]), simd.splat_f32s(axis.second[j + 1]));
            for l in 0..VECTORS {
                d1[l] = simd.mul_add_e_f32s(first, simd.sub_f32s(plus[l], minus[l]), d1[l]);
                d2[l] = simd.mul_add_e_f32s(second, simd.add_f32s(plus[l], minus[l]), d2[l]);
            }
        }
        if D > 0 {
            let mut fourth = [zero; VECTORS];
            let centre = simd.splat_f32s(axis.fourth[0]);
            for l in 0..VECTORS {
                fourth[l] = simd.mul_f32s(centre, p0[b][l]);
            }
            for j in 0..R {
                let weight = simd.splat_f32s(axis.fourth[j + 1]);
                let (plus, minus) = (&plus[j][b], &minus[j][b]);
                for l in 0..VECTORS {
                    let pair = simd.add_f32s(plus[l], minus[l]);
                    fourth[l] = simd.mul_add_e_f32s(weight, pair, fourth[l]);
                }
            }
            for l in 0..VECTORS {
                d2[l] = simd.mul_add_e_f32s(v2dt2[b][l], fourth[l], d2[l]);
            }
        }
        for l in 0..VECTORS {
            let [loss, share, slope] = match &each {
                None => same,
                Some([loss, share, slope]) => [loss[b][l], share[b][l], slope[b][l]],
            };
            let (chi, zeta) = (&mut chi[b][l], &mut zeta[b][l]);
            *chi = simd.mul_add_e_f32s(slope, d1[l], simd.mul_add_e_f32s(loss, *chi, *chi));
            let driven = simd.mul_add_e_f32s(share, simd.add_f32s(d2[l], *chi), *zeta);
            *zeta = simd.mul_add_e_f32s(loss, driven, *zeta);
            let next = &mut p_next[b][l];
            *next = simd.mul_add_e_f32s(v2dt2[b][l], simd.add_f32s(*chi, *zeta), *next);
        }
    }
}

/// The CPML at both ends of a column.
#[inline(always)]
fn correct_z<S: Simd, const R: usize, const D: usize>(
    simd: S,
    fields: Fields<'_>,
    node: Axes<usize>,
    p_next: &mut [f32],
    layer: &mut Layer<'_>,
) {
    let (second, first) = (&fields.coefficients.second.z, &fields.coefficients.first.z);
    let axis = Line { second, first, fourth: &fields.coefficients.fourth.star.z };
    let strip = layer.strip;
    for end in strip.ends() {
        let nodes = end.node..end.node + end.len;
        let [loss, share, slope] = &strip.coefficients;
        let each = [&loss[nodes.clone()], &share[nodes.clone()], &slope[nodes.clone()]];
        let column = node.y * fields.layout.n.x + node.x;
        let variables = layer.nodes(column, end.node, 0, end.len);
        let at = fields.layout.index(Axes { z: end.axis, ..node });
        let p_next = &mut p_next[end.axis..];
        let run = NodeRun { at, stride: 1 };
        along::<S, R, D>(simd, fields, &axis, run, Gains::Along(each), variables, p_next);
    }
}

/// The CPML in a column of a layer along another axis, whose neighbours are `stride` apart.
#[inline(always)]
fn correct_wide<S: Simd, const R: usize, const D: usize>(
    simd: S,
    fields: Fields<'_>,
    axis: &Line<'_>,
    stride: usize,
    node: Axes<usize>,
    wide: Wide<'_>,
    p_next: &mut [f32],
) {
    let Wide { coefficients, variables } = wide;
    let (at, gains) = (fields.layout.index(node), Gains::Across(coefficients));
    along::<S, R, D>(simd, fields, axis, NodeRun { at, stride }, gains, variables, p_next);
}
