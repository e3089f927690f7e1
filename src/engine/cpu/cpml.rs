//! The CPML's corrections of a stepped column. The twin of `shaders/lib/layers.wgsl`.

use super::{
    coefficients::{Fields, Operator},
    layers::{self, BandLayers, BandWithin, Variables, Wide},
    vectors::{VECTORS, blocks, blocks_mut},
};
use crate::grid::Axes;
use pulp::Simd;

/// A column that a step has written.
pub struct Column<'a> {
    /// Its first node.
    pub node: Axes<usize>,
    /// Index of its piece in the band.
    pub piece: usize,
    pub p_next: &'a mut [f32],
}

/// Adds the corrections of the layers along all axes to a column.
#[inline(always)]
pub fn correct<S: Simd, const R: usize, const E: bool>(
    simd: S,
    fields: Fields<'_>,
    column: Column<'_>,
    BandLayers { slowest, middle, along_z }: &mut BandLayers<'_>,
) {
    let Fields { layout, coefficients, .. } = fields;
    let Column { node, piece, p_next } = column;
    if along_z.strip.len() > 0 {
        let strip = if layout.is_volume() { piece * layout.n.x + node.x } else { piece };
        correct_z::<S, R, E>(simd, fields, node, strip, p_next, along_z);
    }
    let len = layout.n.z.next_multiple_of(VECTORS * S::F32_LANES);
    let Axes { x: second, y: second_y, .. } = &coefficients.second;
    let Axes { x: first, y: first_y, .. } = &coefficients.first;
    let star = &coefficients.fourth.star;
    let x = Line { stride: layout.column, second, first, fourth: &star.x };
    if !layout.is_volume() {
        if let Some(wide) = slowest.column(node.x, 0, len) {
            correct_wide::<S, R, E>(simd, fields, &x, node, wide, p_next);
        }
        return;
    }
    if let Some(wide) = middle.column(piece, node.x, len) {
        correct_wide::<S, R, E>(simd, fields, &x, node, wide, p_next);
    }
    let y = Line { stride: layout.plane, second: second_y, first: first_y, fourth: &star.y };
    let offset = node.x * layout.column;
    if let Some(wide) = slowest.column(node.y, offset, len) {
        correct_wide::<S, R, E>(simd, fields, &y, node, wide, p_next);
    }
}

/// An axis as the CPML reads it: the distance between neighbours, and the axis' operators.
struct Line<'a> {
    stride: usize,
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

/// Advances the memory variables of a run of nodes, which start at `at` in p, and adds (v dt)^2
/// times the CPML's correction along an axis: `chi + zeta`, see shaders/lib/layers.wgsl.
#[inline(always)]
fn along<S: Simd, const R: usize, const E: bool>(
    simd: S,
    fields: Fields<'_>,
    axis: &Line<'_>,
    at: usize,
    gains: Gains<'_>,
    variables: Variables<&mut [f32]>,
    p_next: &mut [f32],
) {
    let size = VECTORS * S::F32_LANES;
    let count = variables[0].len() / size;
    let p = |at| blocks::<S, VECTORS>(fields.p, at - fields.from, count);
    let p0 = p(at);
    let (mut plus, mut minus) = ([p0; R], [p0; R]);
    for j in 0..R {
        let distance = (j + 1) * axis.stride;
        (plus[j], minus[j]) = (p(at + distance), p(at - distance));
    }
    let v2dt2 = blocks::<S, VECTORS>(fields.v2dt2, at, count);
    let [chi, zeta] = variables.map(|values| blocks_mut::<S, VECTORS>(values, count));
    let p_next = blocks_mut::<S, VECTORS>(p_next, count);
    let zero = simd.splat_f32s(0.0);
    for b in 0..count {
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
        if E {
            let mut fourth = [zero; VECTORS];
            let centre = simd.splat_f32s(axis.fourth[0]);
            for l in 0..VECTORS {
                fourth[l] = simd.mul_f32s(centre, p0[b][l]);
            }
            for j in 0..R {
                let weight = simd.splat_f32s(axis.fourth[j + 1]);
                for l in 0..VECTORS {
                    let pair = simd.add_f32s(plus[j][b][l], minus[j][b][l]);
                    fourth[l] = simd.mul_add_e_f32s(weight, pair, fourth[l]);
                }
            }
            for l in 0..VECTORS {
                d2[l] = simd.mul_add_e_f32s(v2dt2[b][l], fourth[l], d2[l]);
            }
        }
        for l in 0..VECTORS {
            let at = |values: &[f32]| blocks::<S, VECTORS>(values, b * size, 1)[0][l];
            let [loss, share, slope] = match gains {
                Gains::Across(same) => same.map(|gain| simd.splat_f32s(gain)),
                Gains::Along(each) => each.map(at),
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

/// The CPML at both ends of a column, whose strip is the `i`th of a band.
#[inline(always)]
fn correct_z<S: Simd, const R: usize, const E: bool>(
    simd: S,
    fields: Fields<'_>,
    node: Axes<usize>,
    i: usize,
    p_next: &mut [f32],
    layers: &mut BandWithin<'_>,
) {
    let (second, first) = (&fields.coefficients.second.z, &fields.coefficients.first.z);
    let axis = Line { stride: 1, second, first, fourth: &fields.coefficients.fourth.star.z };
    let strip = layers.strip;
    for end in strip.ends() {
        let nodes = end.node..end.node + end.len;
        let each = strip.coefficients.each_ref().map(|values| &values[nodes.clone()]);
        let first = i * strip.len() + end.node;
        let variables = layers.variables.each_mut().map(|values| &mut values[first..][..end.len]);
        let at = fields.layout.index(Axes { z: end.axis, ..node });
        let p_next = &mut p_next[end.axis..];
        along::<S, R, E>(simd, fields, &axis, at, Gains::Along(each), variables, p_next);
    }
}

/// The CPML in a column of a layer along another axis.
#[inline(always)]
fn correct_wide<S: Simd, const R: usize, const E: bool>(
    simd: S,
    fields: Fields<'_>,
    axis: &Line<'_>,
    node: Axes<usize>,
    wide: Wide<'_>,
    p_next: &mut [f32],
) {
    let Wide { coefficients, variables } = wide;
    let (at, gains) = (fields.layout.index(node), Gains::Across(coefficients));
    along::<S, R, E>(simd, fields, axis, at, gains, variables, p_next);
}
