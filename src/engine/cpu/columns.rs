//! The arithmetic of [`super::Parallel`], a column at a time: loops that compile to vector code for
//! each radius and each instruction set. The twin of `shaders/step2d.wgsl`.

use super::layers::{BandZ, ColumnX};
use crate::{engine::Layout, plan::Plan, stencil::MAX_RADIUS};
use pulp::{Arch, Simd, WithSimd};

/// Operators and sponge as f32.
pub struct Coefficients {
    second_x: [f32; MAX_RADIUS + 1],
    second_z: [f32; MAX_RADIUS + 1],
    first_x: [f32; MAX_RADIUS],
    first_z: [f32; MAX_RADIUS],
    /// The sponge's factor along each axis, zero after the last node of z; empty where there is none.
    damping_x: Vec<f32>,
    damping_z: Vec<f32>,
}

impl Coefficients {
    pub fn new(plan: &Plan) -> Self {
        let damped = |axis: &crate::boundary::Profile| axis.nodes.iter().any(|n| n.damping != 1.0);
        let sponge = damped(&plan.profile.x) || damped(&plan.profile.z);
        let damping = |axis: &crate::boundary::Profile| match sponge {
            true => axis.nodes.iter().map(|node| node.damping as f32).collect(),
            false => Vec::new(),
        };
        let mut damping_z = damping(&plan.profile.z);
        if sponge {
            damping_z.resize(Layout::new(plan).stride, 0.0);
        }
        Coefficients {
            damping_z,
            second_x: padded(&plan.operator.x.second),
            second_z: padded(&plan.operator.z.second),
            first_x: padded(&plan.operator.x.first),
            first_z: padded(&plan.operator.z.first),
            damping_x: damping(&plan.profile.x),
        }
    }
}

/// Coefficients beyond the operator's length are zero.
fn padded<const N: usize>(values: &[f64]) -> [f32; N] {
    std::array::from_fn(|i| values.get(i).map_or(0.0, |v| *v as f32))
}

/// The instruction set that the loops run with.
pub fn instructions() -> String {
    format!("{:?}", Arch::new()).split('(').next().unwrap_or("scalar").to_lowercase()
}

type Band = fn(Arch, &Layout, &Coefficients, usize, &[f32], &[f32], &mut [f32], &mut BandZ<'_>);
type LayerX = fn(Arch, &Layout, &Coefficients, &[f32], &[f32], &mut [f32], ColumnX<'_>);

/// The loops compiled for one radius.
pub struct Kernels {
    arch: Arch,
    band: Band,
    layer_x: LayerX,
}

macro_rules! for_radius {
    ($radius:expr, $($r:literal)*) => {
        match $radius {
            $($r => (band::<$r> as Band, layer_x::<$r> as LayerX),)*
            _ => unreachable!("a Plan's radius is 1 to {MAX_RADIUS}"),
        }
    };
}

impl Kernels {
    pub fn new(radius: usize) -> Self {
        let (band, layer_x) = for_radius!(radius, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
        Kernels { arch: Arch::new(), band, layer_x }
    }

    /// Steps the columns from `first` on; `p_next` holds p_prev on entry.
    #[allow(clippy::too_many_arguments, reason = "the arrays of one step")]
    pub fn band(
        &self,
        layout: &Layout,
        coefficients: &Coefficients,
        first: usize,
        p: &[f32],
        v2dt2: &[f32],
        p_next: &mut [f32],
        layers: &mut BandZ<'_>,
    ) {
        (self.band)(self.arch, layout, coefficients, first, p, v2dt2, p_next, layers);
    }

    /// Adds the CPML's correction along x to a column that has been stepped.
    pub fn layer_x(
        &self,
        layout: &Layout,
        coefficients: &Coefficients,
        p: &[f32],
        v2dt2: &[f32],
        p_next: &mut [f32],
        column: ColumnX<'_>,
    ) {
        (self.layer_x)(self.arch, layout, coefficients, p, v2dt2, p_next, column);
    }
}

/// A band's worth of [`Kernels::band`], compiled for an instruction set.
struct BandStep<'a, 'b, const R: usize> {
    layout: &'a Layout,
    coefficients: &'a Coefficients,
    first: usize,
    p: &'a [f32],
    v2dt2: &'a [f32],
    p_next: &'a mut [f32],
    layers: &'a mut BandZ<'b>,
}

impl<const R: usize> WithSimd for BandStep<'_, '_, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let BandStep { layout, coefficients, first, p, v2dt2, p_next, layers } = self;
        let (padded, len) = (layers.strip.padded(), layers.strip.len());
        for (i, p_next) in p_next.chunks_mut(layout.stride).enumerate() {
            let ix = first + i;
            step_column::<S, R>(simd, layout, coefficients, ix, p, v2dt2, p_next);
            if len > 0 {
                let phi = &mut layers.phi[i * padded..][..padded];
                let zeta = &mut layers.zeta[i * len..][..len];
                let at = layout.index(ix, 0);
                layer_z::<R>(coefficients, layers.strip, at, p, v2dt2, p_next, phi, zeta);
            }
        }
    }
}

#[allow(clippy::too_many_arguments, reason = "the arrays of one step")]
fn band<const R: usize>(
    arch: Arch,
    layout: &Layout,
    coefficients: &Coefficients,
    first: usize,
    p: &[f32],
    v2dt2: &[f32],
    p_next: &mut [f32],
    layers: &mut BandZ<'_>,
) {
    arch.dispatch(BandStep::<R> { layout, coefficients, first, p, v2dt2, p_next, layers });
}

/// Vectors that are worked on together, to overlap their sums. Columns are a multiple of 32 values
/// long, which is a whole number of blocks for vectors of up to 16.
const VECTORS: usize = 2;

/// The block of vectors that starts at `at`.
#[inline(always)]
fn block<S: Simd>(values: &[f32], at: usize) -> &[S::f32s] {
    S::as_simd_f32s(&values[at..at + VECTORS * S::F32_LANES]).0
}

/// `p_next = g (2 p + (v dt)^2 lap p) - g^2 p_prev` along a column and the zeros after it, which stay
/// zero because (v dt)^2 is zero there.
#[inline(always)]
fn step_column<S: Simd, const R: usize>(
    simd: S,
    layout: &Layout,
    coefficients: &Coefficients,
    ix: usize,
    p: &[f32],
    v2dt2: &[f32],
    p_next: &mut [f32],
) {
    let splat = |value| simd.splat_f32s(value);
    let (cx, cz) = (&coefficients.second_x, &coefficients.second_z);
    let (centre, two) = (splat(cx[0] + cz[0]), splat(2.0));
    let size = VECTORS * S::F32_LANES;
    let damping = (!coefficients.damping_x.is_empty()).then(|| splat(coefficients.damping_x[ix]));
    let column = layout.index(ix, 0);
    for b in 0..layout.nz.div_ceil(size) {
        let at = column + b * size;
        let p0 = block::<S>(p, at);
        let mut along_x: [S::f32s; VECTORS] = std::array::from_fn(|l| simd.mul_f32s(centre, p0[l]));
        let mut along_z = [splat(0.0); VECTORS];
        for j in 1..=R {
            let offset = j * layout.stride;
            let (right, left) = (block::<S>(p, at + offset), block::<S>(p, at - offset));
            let (below, above) = (block::<S>(p, at + j), block::<S>(p, at - j));
            let (cx, cz) = (splat(cx[j]), splat(cz[j]));
            for l in 0..VECTORS {
                let (x, z) = (simd.add_f32s(right[l], left[l]), simd.add_f32s(below[l], above[l]));
                along_x[l] = simd.mul_add_e_f32s(cx, x, along_x[l]);
                along_z[l] = simd.mul_add_e_f32s(cz, z, along_z[l]);
            }
        }
        let v2dt2 = block::<S>(v2dt2, at);
        let next = S::as_mut_simd_f32s(&mut p_next[b * size..(b + 1) * size]).0;
        for l in 0..VECTORS {
            let laplacian = simd.add_f32s(along_x[l], along_z[l]);
            let moved = simd.mul_add_e_f32s(v2dt2[l], laplacian, simd.mul_f32s(two, p0[l]));
            next[l] = match damping {
                None => simd.sub_f32s(moved, next[l]),
                Some(along_x) => {
                    let along_z = block::<S>(&coefficients.damping_z, b * size)[l];
                    let g = simd.mul_f32s(along_x, along_z);
                    simd.mul_f32s(g, simd.sub_f32s(moved, simd.mul_f32s(g, next[l])))
                }
            };
        }
    }
}

/// The CPML at both ends of a column: its correction is added to `p_next`.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the arrays of one step")]
fn layer_z<const R: usize>(
    coefficients: &Coefficients,
    strip: &super::layers::Strip,
    at: usize,
    p: &[f32],
    v2dt2: &[f32],
    p_next: &mut [f32],
    phi: &mut [f32],
    zeta: &mut [f32],
) {
    // Nodes of the same end read phi before it moves on, so it is done in pieces with a copy.
    const PIECE: usize = 64;
    for (first, place, axis, count) in strip.ends() {
        let mut behind = [0.0; MAX_RADIUS];
        let mut done = 0;
        while done < count {
            let n = PIECE.min(count - done);
            // phi as it was: the R nodes behind this piece, the piece, and the R ahead.
            let mut old = [0.0; PIECE + 2 * MAX_RADIUS];
            old[..R].copy_from_slice(&behind[..R]);
            old[R..R + n + R].copy_from_slice(&phi[place + done..][..n + R]);
            behind[..R].copy_from_slice(&old[n..n + R]);
            for i in 0..n {
                let node = &strip.nodes[first + done + i];
                let iz = axis + done + i;
                let (mut d1, mut d2) = (0.0, coefficients.second_z[0] * p[at + iz]);
                let mut slope = 0.0;
                for j in 1..=R {
                    let (plus, minus) = (p[at + iz + j], p[at + iz - j]);
                    d1 += coefficients.first_z[j - 1] * (plus - minus);
                    d2 += coefficients.second_z[j] * (plus + minus);
                    slope += coefficients.first_z[j - 1] * (old[R + i + j] - old[R + i - j]);
                }
                slope += node.gain_slope * d1 + node.gain * d2;
                let memory = &mut zeta[first + done + i];
                *memory = node.decay * *memory + node.gain * (d2 + slope);
                phi[place + done + i] = node.decay * (old[R + i] + node.gain * d1);
                p_next[iz] += v2dt2[at + iz] * (slope + *memory);
            }
            done += n;
        }
    }
}

/// A column's worth of [`Kernels::layer_x`], compiled for an instruction set.
struct LayerStepX<'a, const R: usize> {
    layout: &'a Layout,
    coefficients: &'a Coefficients,
    p: &'a [f32],
    v2dt2: &'a [f32],
    p_next: &'a mut [f32],
    column: ColumnX<'a>,
}

impl<const R: usize> WithSimd for LayerStepX<'_, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let LayerStepX { layout, coefficients, p, v2dt2, p_next, column } = self;
        let ColumnX { ix, at: phi_at, node, phi, phi_next, zeta } = column;
        let (first, second) = (&coefficients.first_x, &coefficients.second_x);
        let (at, stride, n) = (layout.index(ix, 0), layout.stride, layout.nz);
        for iz in 0..n {
            let i = at + iz;
            let m = phi_at + iz;
            let (mut d1, mut d2, mut slope) = (0.0, second[0] * p[i], 0.0);
            for j in 1..=R {
                let (right, left) = (p[i + j * stride], p[i - j * stride]);
                d1 += first[j - 1] * (right - left);
                d2 += second[j] * (right + left);
                slope += first[j - 1] * (phi[m + j * n] - phi[m - j * n]);
            }
            slope += node.gain_slope * d1 + node.gain * d2;
            zeta[iz] = node.decay * zeta[iz] + node.gain * (d2 + slope);
            phi_next[iz] = node.decay * (phi[m] + node.gain * d1);
            p_next[iz] += v2dt2[i] * (slope + zeta[iz]);
        }
    }
}

fn layer_x<const R: usize>(
    arch: Arch,
    layout: &Layout,
    coefficients: &Coefficients,
    p: &[f32],
    v2dt2: &[f32],
    p_next: &mut [f32],
    column: ColumnX<'_>,
) {
    arch.dispatch(LayerStepX::<R> { layout, coefficients, p, v2dt2, p_next, column });
}
