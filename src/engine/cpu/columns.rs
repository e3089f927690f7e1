//! The arithmetic of a step, column by column. The twin of `shaders/step.wgsl`.

use super::{
    cache,
    coefficients::{Fields, damping},
    fourth::Diagonals,
    shared::Writer,
    vectors::{Block, blocks},
};
use crate::grid::Axes;
use pulp::Simd;
use std::array;

/// `p_next = g (2 p + (v dt)^2 lap p) - g^2 p_prev`, or p_next - p by shaders/lib/field.wgsl, along
/// columns of neighbouring pieces, the first from `node` on. The zeros after a column stay zero
/// because (v dt)^2 is zero there.
///
/// D: length of the diagonals of explicit time evolution, whose term (v dt)^2 B p is added; 0
/// without it.
#[inline(always)]
pub(crate) fn step_columns<
    S: Simd,
    const R: usize,
    const D: usize,
    const K: usize,
    const L: usize,
>(
    simd: S,
    fields: Fields<'_>,
    node: Axes<usize>,
    p_next: &mut Writer<'_>,
) {
    let Fields { layout, coefficients, p, v2dt2: model, negligible, .. } = fields;
    let Axes { z: cz, x: cx, y: cy } = &coefficients.second;
    let volume = layout.is_volume();
    // Along the slowest axis the pieces share their neighbours.
    let slowest = if volume { cy } else { cx };
    let fourth = &coefficients.fourth;
    let fourth_slowest = if volume { &fourth.star.y } else { &fourth.star.x };
    // Each axis adds its own centre, so its weights cancel in a constant field.
    let (centre_x, centre_z) = (simd.splat_f32s(cx[0]), simd.splat_f32s(cz[0]));
    let centre_y = simd.splat_f32s(cy[0]);
    let (two, one, zero) = (simd.splat_f32s(2.0), simd.splat_f32s(1.0), simd.splat_f32s(0.0));
    let negligible = simd.splat_f32s(negligible);
    let size = L * S::F32_LANES;
    let count = layout.n.z.div_ceil(size);
    let (_, piece) = layout.slowest();
    let at = layout.index(node);
    // Every slice is as long as the loop, so the loop needs no bounds checks.
    let column = |at| p.blocks::<S, L>(at, count);
    let here = column(at);
    // The pieces after the last and before the first.
    let (mut beyond, mut before) = ([here; R], [here; R]);
    for j in 0..R {
        beyond[j] = column(at + (K + j) * piece);
        before[j] = column(at - (j + 1) * piece);
    }
    let (mut right, mut left) = ([[here; R]; K], [[here; R]; K]);
    let (mut columns, mut around_z, mut v2dt2) = ([here; K], [&[][..]; K], [here; K]);
    for k in 0..K {
        let at = at + k * piece;
        columns[k] = column(at);
        around_z[k] = p.part(at - R, count * size + 2 * R);
        v2dt2[k] = blocks::<S, L>(model, at, count);
        if volume {
            for j in 0..R {
                let distance = (j + 1) * layout.column;
                (right[k][j], left[k][j]) = (column(at + distance), column(at - distance));
            }
        }
    }
    let p_next = p_next.blocks::<S, L, K>(at, piece, count);
    let diagonals = Diagonals::<S, D, K, L>::new(layout, p, at, count);
    let centres = if D > 0 { fourth.centres(volume) } else { [0.0; 6] };
    let damping: [_; K] = array::from_fn(|k| damping(coefficients, layout.ahead(node, k), volume));
    for b in 0..count {
        if volume {
            // Lines that no earlier column has read.
            for line in (b * size..(b + 1) * size).step_by(cache::LINE) {
                for (k, p_next) in p_next.iter().enumerate() {
                    let ahead = line + cache::AHEAD;
                    let ahead_of = at + k * piece + ahead;
                    cache::fetch(p.first(), ahead_of + R * piece);
                    cache::fetch(model.as_ptr(), ahead_of);
                    cache::fetch(p_next.as_ptr().cast(), ahead);
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
                    if D > 0 {
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
                if D > 0 {
                    let c = simd.splat_f32s(fourth_slowest[j + 1]);
                    add_pair(simd, c, &plus[k], &minus[k], &mut extra[k]);
                    let c = simd.splat_f32s(fourth.star.z[j + 1]);
                    add_pair(simd, c, below, above, &mut extra[k]);
                }
            }
        }
        if D > 0 {
            for k in 0..K {
                for centre in &centres[..if volume { 6 } else { 3 }] {
                    for l in 0..L {
                        let centre = simd.splat_f32s(*centre);
                        extra[k][l] = simd.mul_add_e_f32s(centre, p0[k][l], extra[k][l]);
                    }
                }
                diagonals.add(simd, fourth, k, b, &mut extra[k]);
            }
        }
        for k in 0..K {
            let next = &mut p_next[k][b];
            for l in 0..L {
                let (p0, v2dt2) = (p0[k][l], v2dt2[k][b][l]);
                let mut laplacian = simd.add_f32s(across[k][l], along_z[k][l]);
                if D > 0 {
                    laplacian = simd.mul_add_e_f32s(v2dt2, extra[k][l], laplacian);
                }
                // 2 p - p_prev first: it is hardly rounded, and the rest is small beside it.
                let twice = simd.mul_f32s(two, p0);
                let g = match damping[k] {
                    None => None,
                    Some((along_x, along_z)) => {
                        let along_z = blocks::<S, L>(along_z, b * size, 1)[0][l];
                        Some(simd.mul_f32s(simd.splat_f32s(along_x), along_z))
                    }
                };
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
