// Absorbing layers as coefficients per node (src/numbers/boundary/): a sponge's factor, or the CPML of
// src/numbers/boundary/cpml.rs:
//
//   chi  <- chi - e chi - g dp/dx
//   zeta <- zeta - e (zeta + f (d2p/dx2 + chi))
//   correction to the Laplacian: chi + zeta
//
// Memory variables exist in the layers only, and no node reads those of another. Along each axis a
// strip holds both ends, [low | high]. A shot's memory is that of x, in each plane a strip of
// columns, [y][strip][chi, zeta][z]; of z, in each column the low end and the high one,
// [y][x][end][chi, zeta][z]; and in 3-D of y, a strip of planes, [strip][x][chi, zeta][z].
// Everything along z is in quads of nodes: a layer that ends inside a quad has a whole one, where e,
// f and g are zero.
//
// Memory is loaded before the stencil reads the field: it is not in the caches, so all of it is
// waited for at once. No store stands between these loads, since a compiler would have to assume
// that it may alias.
//
// Generated constants: SPONGE; CPML_X, CPML_Y, CPML_Z, whether a region reaches into those layers;
// ENDS_X, ENDS_Y, ENDS_Z, whether it is exactly those; LOW_X, HIGH_X, columns; LOW_Y, HIGH_Y,
// planes; LOW_Z, HIGH_Z, MEMORY, quads.

// Along x (-e, f, -g, 0) or (the sponge's factor, 0, 0, 0) of each column; along z the same four of
// each quad; along y as along x of each plane.
@group(0) @binding(2) var<storage, read> layers: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read_write> memory: array<vec4<f32>>;

// Quads of a column.
const NZ_4: u32 = (NZ + 3u) / 4u;
const STRIP_X: u32 = LOW_X + HIGH_X;
const STRIP_Z: u32 = LOW_Z + HIGH_Z;
// Start of the memory of z and of y.
const MEMORY_Z: u32 = 2u * NY * STRIP_X * NZ_4;
const MEMORY_Y: u32 = MEMORY_Z + 2u * NY * NX * STRIP_Z;
// Start of the planes' coefficients.
const LAYERS_Y: u32 = NX + 4u * NZ_4;

// The sponge's factor at four nodes.
fn damping(at: Place) -> vec4<f32> {
    var g = layers[at.x].x * layers[NX + 4u * at.z];
    if VOLUME {
        g *= layers[LAYERS_Y + at.y].x;
    }
    return g;
}

// The memory of four nodes along an axis.
struct Memory {
    // Whether they lie in the layers of that axis.
    inside: bool,
    // Offset of chi, and from there to zeta.
    place: u32,
    to_zeta: u32,
    chi: vec4<f32>,
    zeta: vec4<f32>,
}

fn recall(place: u32, to_zeta: u32) -> Memory {
    return Memory(true, place, to_zeta, memory[place], memory[place + to_zeta]);
}

// Index in a strip of a node of the layers at the ends of n nodes.
fn strip(i: u32, low: u32, high: u32, n: u32) -> u32 {
    return select(low + i - (n - high), i, i < low);
}

fn recall_x(at: Place) -> Memory {
    if !CPML_X || (!ENDS_X && at.x >= LOW_X && at.x < NX - HIGH_X) {
        return Memory();
    }
    let column = at.y * STRIP_X + strip(at.x, LOW_X, HIGH_X, NX);
    return recall(at.shot * MEMORY + 2u * column * NZ_4 + at.z, NZ_4);
}

fn recall_y(at: Place) -> Memory {
    if !CPML_Y || (!ENDS_Y && at.y >= LOW_Y && at.y < NY - HIGH_Y) {
        return Memory();
    }
    let column = strip(at.y, LOW_Y, HIGH_Y, NY) * NX + at.x;
    return recall(at.shot * MEMORY + MEMORY_Y + 2u * column * NZ_4 + at.z, NZ_4);
}

fn recall_z(at: Place) -> Memory {
    if !CPML_Z || (!ENDS_Z && at.z >= LOW_Z && at.z < NZ_4 - HIGH_Z) {
        return Memory();
    }
    let low = at.z < LOW_Z;
    let end = select(2u * LOW_Z + at.z - (NZ_4 - HIGH_Z), at.z, low);
    let column = at.y * NX + at.x;
    let first = at.shot * MEMORY + MEMORY_Z + 2u * column * STRIP_Z;
    return recall(first + end, select(HIGH_Z, LOW_Z, low));
}

// Advances the memory; returns the correction at four nodes whose plain derivatives are d1 and d2.
fn correction(
    before: Memory,
    lost: vec4<f32>,
    f: vec4<f32>,
    slope: vec4<f32>,
    d1: vec4<f32>,
    d2: vec4<f32>,
) -> vec4<f32> {
    let chi = before.chi + lost * before.chi + slope * d1;
    let zeta = before.zeta + lost * (before.zeta + f * (d2 + chi));
    memory[before.place] = chi;
    memory[before.place + before.to_zeta] = zeta;
    return chi + zeta;
}

fn correction_x(at: Place, before: Memory, d1: vec4<f32>, d2: vec4<f32>) -> vec4<f32> {
    let layer = layers[at.x];
    return correction(before, layer.xxxx, layer.yyyy, layer.zzzz, d1, d2);
}

fn correction_y(at: Place, before: Memory, d1: vec4<f32>, d2: vec4<f32>) -> vec4<f32> {
    let layer = layers[LAYERS_Y + at.y];
    return correction(before, layer.xxxx, layer.yyyy, layer.zzzz, d1, d2);
}

fn correction_z(at: Place, before: Memory, d1: vec4<f32>, d2: vec4<f32>) -> vec4<f32> {
    let layer = NX + 4u * at.z;
    return correction(before, layers[layer], layers[layer + 1u], layers[layer + 2u], d1, d2);
}
