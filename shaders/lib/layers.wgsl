// Absorbing layers as coefficients a node (src/boundary/): a sponge's factor, and the CPML of Pasalic
// and McGarry (2010) in the form of src/boundary/cpml.rs, with phi = b psi:
//
//   dpsi/dx = dphi/dx + da/dx dp/dx + a d2p/dx2
//   zeta   <- b zeta + a (d2p/dx2 + dpsi/dx)
//   phi    <- b (phi + a dp/dx)
//   correction to the Laplacian: dpsi/dx + zeta
//
// Memory variables exist in the layers only. Along each axis a strip holds both ends,
// [halo | low | halo | high | halo], the halos always zero. A shot's memory is phi x, zeta x (in each plane
// a strip of columns, [y][strip][z]), phi z, zeta z (the strip of each column, [y][x][strip]) and in 3-D
// phi y, zeta y (a strip of planes, [strip][x][z]). Everything along z is in fours of nodes: a layer that
// ends inside a four has a whole one, where a = b = 0.
//
// Generated constants: SPONGE, CPML; LOW_X, HIGH_X, columns; LOW_Y, HIGH_Y, planes; LOW_Z, HIGH_Z, MEMORY,
// fours.

// Along x (g, b, a, da/dx) of each column; along z g, b, a and da/dx of each four nodes; along y
// (g, b, a, da/dy) of each plane.
@group(0) @binding(2) var<storage, read> layers: array<vec4<f32>>;
// Memory variables of the step before and of this one.
@group(1) @binding(2) var<storage, read> memory: array<vec4<f32>>;
@group(1) @binding(3) var<storage, read_write> memory_next: array<vec4<f32>>;

// Fours of a column.
const NZ_4: u32 = (NZ + 3u) / 4u;
const STRIP_X: u32 = LOW_X + HIGH_X + 3u * RADIUS;
const STRIP_Z: u32 = LOW_Z + HIGH_Z + 3u * REACH;
const STRIP_Y: u32 = LOW_Y + HIGH_Y + 3u * RADIUS;
// Values of a memory variable in a plane.
const PLANE_X: u32 = STRIP_X * NZ_4;
const PLANE_Z: u32 = NX * STRIP_Z;
const PLANE_Y: u32 = NX * NZ_4;
const PHI_X: u32 = 0u;
const ZETA_X: u32 = NY * PLANE_X;
const PHI_Z: u32 = 2u * NY * PLANE_X;
const ZETA_Z: u32 = PHI_Z + NY * PLANE_Z;
const PHI_Y: u32 = PHI_Z + 2u * NY * PLANE_Z;
const ZETA_Y: u32 = PHI_Y + STRIP_Y * PLANE_Y;
// First of the planes' coefficients.
const LAYERS_Y: u32 = NX + 4u * NZ_4;

// The correction along x at four nodes whose plain second derivatives there are d2.
fn correction_x(shot: u32, iy: u32, ix: u32, iz: u32, i: u32, d2: vec4<f32>) -> vec4<f32> {
    var strip = RADIUS + ix;
    if ix >= LOW_X {
        if ix < NX - HIGH_X {
            return vec4(0.0);
        }
        strip = 2u * RADIUS + LOW_X + ix - (NX - HIGH_X);
    }
    let layer = layers[ix];
    let m = shot * MEMORY + iy * PLANE_X + strip * NZ_4 + iz;
    var d1 = vec4(0.0);
    var slope = vec4(0.0);
    for (var j = 1u; j <= RADIUS; j++) {
        d1 += operators[j].z * (p[i + j * COLUMN] - p[i - j * COLUMN]);
        slope += operators[j].z * (memory[PHI_X + m + j * NZ_4] - memory[PHI_X + m - j * NZ_4]);
    }
    slope += layer.w * d1 + layer.z * d2;
    let zeta = layer.y * memory[ZETA_X + m] + layer.z * (d2 + slope);
    memory_next[ZETA_X + m] = zeta;
    memory_next[PHI_X + m] = layer.y * (memory[PHI_X + m] + layer.z * d1);
    return slope + zeta;
}

// The correction along z, from the window of p.
fn correction_z(
    shot: u32,
    iy: u32,
    ix: u32,
    iz: u32,
    window: ptr<function, array<f32, WINDOW>>,
    d2: vec4<f32>,
) -> vec4<f32> {
    var strip = REACH + iz;
    if iz >= LOW_Z {
        if iz < NZ_4 - HIGH_Z {
            return vec4(0.0);
        }
        strip = 2u * REACH + LOW_Z + iz - (NZ_4 - HIGH_Z);
    }
    let layer = NX + 4u * iz;
    let decay = layers[layer + 1u];
    let gain = layers[layer + 2u];
    let gain_slope = layers[layer + 3u];
    let m = shot * MEMORY + iy * PLANE_Z + ix * STRIP_Z + strip;
    var phi: array<f32, WINDOW>;
    for (var k = 0u; k < FOURS; k++) {
        put(&phi, k, memory[PHI_Z + m - REACH + k]);
    }
    var d1 = vec4(0.0);
    var slope = vec4(0.0);
    for (var j = 1u; j <= RADIUS; j++) {
        d1 += operators[j].w * (below(window, j) - above(window, j));
        slope += operators[j].w * (below(&phi, j) - above(&phi, j));
    }
    slope += gain_slope * d1 + gain * d2;
    let zeta = decay * memory[ZETA_Z + m] + gain * (d2 + slope);
    memory_next[ZETA_Z + m] = zeta;
    memory_next[PHI_Z + m] = decay * (memory[PHI_Z + m] + gain * d1);
    return slope + zeta;
}

// The correction along y.
fn correction_y(shot: u32, iy: u32, ix: u32, iz: u32, i: u32, d2: vec4<f32>) -> vec4<f32> {
    var strip = RADIUS + iy;
    if iy >= LOW_Y {
        if iy < NY - HIGH_Y {
            return vec4(0.0);
        }
        strip = 2u * RADIUS + LOW_Y + iy - (NY - HIGH_Y);
    }
    let layer = layers[LAYERS_Y + iy];
    let m = shot * MEMORY + strip * PLANE_Y + ix * NZ_4 + iz;
    var d1 = vec4(0.0);
    var slope = vec4(0.0);
    for (var j = 1u; j <= RADIUS; j++) {
        let first = operators[ALONG_Y + j].y;
        d1 += first * (p[i + j * PLANE_4] - p[i - j * PLANE_4]);
        slope += first * (memory[PHI_Y + m + j * PLANE_Y] - memory[PHI_Y + m - j * PLANE_Y]);
    }
    slope += layer.w * d1 + layer.z * d2;
    let zeta = layer.y * memory[ZETA_Y + m] + layer.z * (d2 + slope);
    memory_next[ZETA_Y + m] = zeta;
    memory_next[PHI_Y + m] = layer.y * (memory[PHI_Y + m] + layer.z * d1);
    return slope + zeta;
}
