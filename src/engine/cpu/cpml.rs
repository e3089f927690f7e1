//! The CPML's corrections of a stepped column. The twin of `shaders/lib/layers.wgsl`.

use super::{
    columns::{Fields, Operator, VECTORS, blocks, blocks_mut},
    layers::{BandAlong, BandWithin, Wide},
};
use crate::grid::Axes;
use pulp::Simd;

/// A column that a step has written.
pub struct Column<'a> {
    /// Its first node.
    pub node: Axes<usize>,
    /// Which piece of the band it lies in.
    pub piece: usize,
    pub p_next: &'a mut [f32],
}

/// Adds what the layers add to a column: those along z, along x in 3-D, and along the slowest axis.
#[inline(always)]
pub fn correct<S: Simd, const R: usize>(
    simd: S,
    fields: Fields<'_>,
    column: Column<'_>,
    (along_z, middle, slowest): (&mut BandWithin<'_>, &mut BandWithin<'_>, &mut BandAlong<'_>),
) {
    let Fields { layout, coefficients, .. } = fields;
    let Column { node, piece, p_next } = column;
    if along_z.strip.len() > 0 {
        let strip = if layout.is_volume() { piece * layout.n.x + node.x } else { piece };
        correct_z::<S, R>(simd, fields, node, strip, p_next, along_z);
    }
    let len = layout.n.z.next_multiple_of(VECTORS * S::F32_LANES);
    let Axes { x: second, y: second_y, .. } = &coefficients.second;
    let Axes { x: first, y: first_y, .. } = &coefficients.first;
    let x = Line { p: layout.column, phi: layout.column, second, first };
    if !layout.is_volume() {
        if let Some(wide) = slowest.column(node.x, 0, len) {
            correct_wide::<S, R>(simd, fields, &x, node, wide, p_next);
        }
        return;
    }
    if let Some(wide) = middle.column(piece, node.x, len) {
        correct_wide::<S, R>(simd, fields, &x, node, wide, p_next);
    }
    let y = Line { p: layout.plane, phi: layout.plane, second: second_y, first: first_y };
    if let Some(wide) = slowest.column(node.y, node.x * layout.column, len) {
        correct_wide::<S, R>(simd, fields, &y, node, wide, p_next);
    }
}

/// An axis as the CPML sees it: distances between neighbours, and the axis' operators.
struct Line<'a> {
    /// Between neighbours in p.
    p: usize,
    /// Between neighbours in phi.
    phi: usize,
    second: &'a Operator,
    first: &'a Operator,
}

/// A layer's b, a and da/dx.
enum Gains<'a> {
    /// The same at all nodes of a run.
    Same([f32; 3]),
    /// Of each node.
    Each([&'a [f32]; 3]),
}

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
fn along<S: Simd, const R: usize>(
    simd: S,
    fields: Fields<'_>,
    axis: &Line<'_>,
    at: usize,
    gains: Gains<'_>,
    run: Run<'_>,
    p_next: &mut [f32],
) {
    let Run { phi, at: phi_at, phi_next, zeta } = run;
    let size = VECTORS * S::F32_LANES;
    let count = zeta.len() / size;
    let p = |at| blocks::<S>(fields.p, at, count);
    let phi = |at| blocks::<S>(phi, at, count);
    let (p0, phi0) = (p(at), phi(phi_at));
    let (mut plus, mut minus) = ([p0; R], [p0; R]);
    let (mut phi_plus, mut phi_minus) = ([phi0; R], [phi0; R]);
    for j in 0..R {
        let distance = (j + 1) * axis.p;
        (plus[j], minus[j]) = (p(at + distance), p(at - distance));
        let distance = (j + 1) * axis.phi;
        (phi_plus[j], phi_minus[j]) = (phi(phi_at + distance), phi(phi_at - distance));
    }
    let v2dt2 = blocks::<S>(fields.v2dt2, at, count);
    let (phi_next, zeta) = (blocks_mut::<S>(phi_next, count), blocks_mut::<S>(zeta, count));
    let p_next = blocks_mut::<S>(p_next, count);
    let zero = simd.splat_f32s(0.0);
    for b in 0..count {
        let (mut d1, mut d2) = ([zero; VECTORS], [zero; VECTORS]);
        let mut slope = [zero; VECTORS];
        let centre = simd.splat_f32s(axis.second[0]);
        for l in 0..VECTORS {
            d2[l] = simd.mul_f32s(centre, p0[b][l]);
        }
        for j in 0..R {
            let (plus, minus) = (&plus[j][b], &minus[j][b]);
            let (phi_plus, phi_minus) = (&phi_plus[j][b], &phi_minus[j][b]);
            let (first, second) =
                (simd.splat_f32s(axis.first[j + 1]), simd.splat_f32s(axis.second[j + 1]));
            for l in 0..VECTORS {
                d1[l] = simd.mul_add_e_f32s(first, simd.sub_f32s(plus[l], minus[l]), d1[l]);
                d2[l] = simd.mul_add_e_f32s(second, simd.add_f32s(plus[l], minus[l]), d2[l]);
                let difference = simd.sub_f32s(phi_plus[l], phi_minus[l]);
                slope[l] = simd.mul_add_e_f32s(first, difference, slope[l]);
            }
        }
        for l in 0..VECTORS {
            let [decay, gain, gain_slope] = match &gains {
                Gains::Same([b, a, slope]) => {
                    [simd.splat_f32s(*b), simd.splat_f32s(*a), simd.splat_f32s(*slope)]
                }
                Gains::Each([decay, gain, slope]) => {
                    let at = b * size;
                    let (decay, gain) = (blocks::<S>(decay, at, 1), blocks::<S>(gain, at, 1));
                    [decay[0][l], gain[0][l], blocks::<S>(slope, at, 1)[0][l]]
                }
            };
            let slope = simd.mul_add_e_f32s(gain_slope, d1[l], slope[l]);
            let slope = simd.mul_add_e_f32s(gain, d2[l], slope);
            let driven = simd.mul_f32s(gain, simd.add_f32s(d2[l], slope));
            let (zeta, next) = (&mut zeta[b][l], &mut p_next[b][l]);
            *zeta = simd.mul_add_e_f32s(decay, *zeta, driven);
            let phi = simd.mul_add_e_f32s(gain, d1[l], phi0[b][l]);
            phi_next[b][l] = simd.mul_f32s(decay, phi);
            *next = simd.mul_add_e_f32s(v2dt2[b][l], simd.add_f32s(slope, *zeta), *next);
        }
    }
}

/// The CPML at both ends of a column, whose strip is the `i`th of a band.
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
    let axis = Line { p: 1, phi: 1, second, first };
    let strip = layers.strip;
    let (padded, len) = (strip.padded(), strip.len());
    for end in strip.ends() {
        let (phi_at, zeta_at) = (i * padded + end.place, i * len + end.node);
        let nodes = end.node..end.node + end.len;
        let each =
            [&strip.decay[nodes.clone()], &strip.gain[nodes.clone()], &strip.gain_slope[nodes]];
        let run = Run {
            phi: layers.phi,
            at: phi_at,
            phi_next: &mut layers.phi_next[phi_at..phi_at + end.len],
            zeta: &mut layers.zeta[zeta_at..zeta_at + end.len],
        };
        let at = fields.layout.index(Axes { z: end.axis, ..node });
        let p_next = &mut p_next[end.axis..];
        along::<S, R>(simd, fields, &axis, at, Gains::Each(each), run, p_next);
    }
}

/// The CPML in a column of a layer along another axis.
#[inline(always)]
fn correct_wide<S: Simd, const R: usize>(
    simd: S,
    fields: Fields<'_>,
    axis: &Line<'_>,
    node: Axes<usize>,
    wide: Wide<'_>,
    p_next: &mut [f32],
) {
    let Wide { coefficients, place, phi, phi_next, zeta } = wide;
    let run = Run { phi, at: place, phi_next, zeta };
    along::<S, R>(
        simd,
        fields,
        axis,
        fields.layout.index(node),
        Gains::Same(coefficients),
        run,
        p_next,
    );
}
