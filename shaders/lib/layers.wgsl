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
// Generated constants: SPONGE; CPML_X, CPML_Y, CPML_Z, whether a region reaches into those layers; ENDS_X,
// ENDS_Y, ENDS_Z, whether it is nothing else; LOW_X, HIGH_X, columns; LOW_Y, HIGH_Y, planes; LOW_Z, HIGH_Z, MEMORY, fours.

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

// The sponge's factor at four nodes.
fn damping(at: Place) -> vec4<f32> {
    var g = layers[at.x].x * layers[NX + 4u * at.z];
    if VOLUME {
        g *= layers[LAYERS_Y + at.y].x;
    }
    return g;
}

// Place in a strip of a node of the layers at the ends of n nodes.
fn strip(i: u32, low: u32, high: u32, n: u32, halo: u32) -> u32 {
    return select(2u * halo + low + i - (n - high), halo + i, i < low);
}

// The correction along x at four nodes whose plain derivatives there are d1 and d2.
fn correction_x(at: Place, d1: vec4<f32>, d2: vec4<f32>) -> vec4<f32> {
    if !ENDS_X && at.x >= LOW_X && at.x < NX - HIGH_X {
        return vec4(0.0);
    }
    let strip = strip(at.x, LOW_X, HIGH_X, NX, RADIUS);
    let m = at.shot * MEMORY + at.y * PLANE_X + strip * NZ_4 + at.z;
    let layer = layers[at.x];
    var slope = layer.w * d1 + layer.z * d2;
    for (var j = 1u; j <= RADIUS; j++) {
        slope += operators[j].z * (memory[PHI_X + m + j * NZ_4] - memory[PHI_X + m - j * NZ_4]);
    }
    // Where the stencil only reaches into the layer, nothing is remembered.
    if layer.y == 0.0 {
        return slope;
    }
    let zeta = layer.y * memory[ZETA_X + m] + layer.z * (d2 + slope);
    memory_next[ZETA_X + m] = zeta;
    memory_next[PHI_X + m] = layer.y * (memory[PHI_X + m] + layer.z * d1);
    return slope + zeta;
}

// The correction along z.
fn correction_z(at: Place, d1: vec4<f32>, d2: vec4<f32>) -> vec4<f32> {
    if !ENDS_Z && at.z >= LOW_Z && at.z < NZ_4 - HIGH_Z {
        return vec4(0.0);
    }
    let strip = strip(at.z, LOW_Z, HIGH_Z, NZ_4, REACH);
    let m = at.shot * MEMORY + at.y * PLANE_Z + at.x * STRIP_Z + strip;
    let layer = NX + 4u * at.z;
    let decay = layers[layer + 1u];
    let gain = layers[layer + 2u];
    var slope = layers[layer + 3u] * d1 + gain * d2;
    var phi: array<f32, WINDOW>;
    for (var k = 0u; k < FOURS; k++) {
        put(&phi, k, memory[PHI_Z + m - REACH + k]);
    }
    for (var j = 1u; j <= RADIUS; j++) {
        slope += operators[j].w * (below(&phi, j) - above(&phi, j));
    }
    let zeta = decay * memory[ZETA_Z + m] + gain * (d2 + slope);
    memory_next[ZETA_Z + m] = zeta;
    memory_next[PHI_Z + m] = decay * (memory[PHI_Z + m] + gain * d1);
    return slope + zeta;
}

// The correction along y.
fn correction_y(at: Place, d1: vec4<f32>, d2: vec4<f32>) -> vec4<f32> {
    if !ENDS_Y && at.y >= LOW_Y && at.y < NY - HIGH_Y {
        return vec4(0.0);
    }
    let strip = strip(at.y, LOW_Y, HIGH_Y, NY, RADIUS);
    let m = at.shot * MEMORY + strip * PLANE_Y + at.x * NZ_4 + at.z;
    let layer = layers[LAYERS_Y + at.y];
    var slope = layer.w * d1 + layer.z * d2;
    for (var j = 1u; j <= RADIUS; j++) {
        let first = operators[ALONG_Y + j].y;
        slope += first * (memory[PHI_Y + m + j * PLANE_Y] - memory[PHI_Y + m - j * PLANE_Y]);
    }
    // Where the stencil only reaches into the layer, nothing is remembered.
    if layer.y == 0.0 {
        return slope;
    }
    let zeta = layer.y * memory[ZETA_Y + m] + layer.z * (d2 + slope);
    memory_next[ZETA_Y + m] = zeta;
    memory_next[PHI_Y + m] = layer.y * (memory[PHI_Y + m] + layer.z * d1);
    return slope + zeta;
}
