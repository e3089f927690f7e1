// The layers of an adjoint: the transpose of the CPML of lib/layers.wgsl, with its lines in reverse
// order,
//
//   zeta <- zeta - e zeta + p
//   chi  <- chi - e (chi + f zeta) + p
//   correction to the Laplacian: d2/dx2 (-e f (chi + zeta)) - d/dx (-e df/dx chi)
//
// The terms are those of the derivatives. After each step, an invocation adds (v dt)^2 times the
// derivatives of this step's terms to p_next, or to d, at a node of the layers or as far from them
// as a stencil reaches. At a node of the layers it then advances the memory by the field that
// results, and leaves the terms of the next step there. Nothing but zeros is given before the first
// step. Dispatch: workgroups of a shot in rows of any length, then shots: tiles of the columns near
// the ends of x, of the rest of the rows near the ends of z, and of what is left of the planes near
// those of y. Twin: src/engine/cpu/transposed.rs, before and after a step.
//
// Along each axis a strip holds [zeros | low | zeros | zeros | high | zeros], RADIUS zeros each;
// see src/engine/transposed.rs.
//
// Generated constants: ETE, INCREMENTS, RADIUS, NX, NY, NZ, STRIDE, PLANE, LEAD, FIELD, MODEL, WG_Z,
// WG_X; of each axis LOW, HIGH and PLACES, and NEAR_LOW and NEAR, the nodes near its low end and near
// both; MEMORY, places of a shot, MEMORY_Y, MEMORY_Z, the start of those of y and z; SHARES_Y,
// SHARES_Z, LOST_X, LOST_Y, LOST_Z, the start of the tables, LOSSES, from a shot's to the next, or 0.

@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 44>;
const ALONG_Y: u32 = 17u;
// The term of explicit time evolution in a second derivative, times (v dt)^2: along x, z and y
// (lib/fourth.wgsl).
const STAR: u32 = 34u;
@group(0) @binding(2) var<storage, read> p: array<f32>;
@group(0) @binding(3) var<storage, read_write> p_next: array<f32>;
// chi, zeta.
@group(0) @binding(4) var<storage, read_write> memory: array<vec2<f32>>;
// f and df/dx of each place of x, y and z; then -e along x, [y][end][z], along y, [end][x][z], and
// along z, [y][x][end].
@group(0) @binding(5) var<storage, read> tables: array<f32>;
// The terms of the derivatives of this step, and of the next.
@group(0) @binding(6) var<storage, read> terms: array<vec2<f32>>;
@group(0) @binding(7) var<storage, read_write> next: array<vec2<f32>>;

struct Node {
    inside: bool,
    shot: u32,
    x: u32,
    y: u32,
    z: u32,
    // Offset in the fields of its shot.
    place: u32,
}

// Tiles of rows and columns.
const TALL: u32 = (NZ + WG_Z - 1u) / WG_Z;
const NEAR_TALL: u32 = (NEAR_Z + WG_Z - 1u) / WG_Z;
const REST_TALL: u32 = (NZ - NEAR_Z + WG_Z - 1u) / WG_Z;
const NEAR_WIDE: u32 = (NEAR_X + WG_X - 1u) / WG_X;
const REST_WIDE: u32 = (NX - NEAR_X + WG_X - 1u) / WG_X;
// The first tile of each kind.
const ROWS: u32 = TALL * NEAR_WIDE * NY;
const PLANES: u32 = ROWS + NEAR_TALL * REST_WIDE * NY;

// z, x and y of an invocation in tiles `tall` by `wide` in each plane.
fn within(tile: u32, tall: u32, wide: u32, local: vec2<u32>) -> vec3<u32> {
    // There is no tile of a kind that has none.
    let row = tile / max(tall, 1u);
    let z = tile % max(tall, 1u) * WG_Z + local.x;
    return vec3(z, row % max(wide, 1u) * WG_X + local.y, row / max(wide, 1u));
}

// A node near an end, by its number among them.
fn near(i: u32, low: u32, both: u32, n: u32) -> u32 {
    return select(n - both + i, i, i < low);
}

fn node(tile: u32, shot: u32, local: vec2<u32>) -> Node {
    var at = vec3(0u);
    var inside = false;
    if tile < ROWS {
        at = within(tile, TALL, NEAR_WIDE, local);
        inside = at.x < NZ && at.y < NEAR_X && at.z < NY;
        at.y = near(at.y, NEAR_LOW_X, NEAR_X, NX);
    } else if tile < PLANES {
        at = within(tile - ROWS, NEAR_TALL, REST_WIDE, local);
        inside = at.x < NEAR_Z && at.y < NX - NEAR_X && at.z < NY;
        at.x = near(at.x, NEAR_LOW_Z, NEAR_Z, NZ);
        at.y += NEAR_LOW_X;
    } else {
        at = within(tile - PLANES, REST_TALL, REST_WIDE, local);
        inside = at.x < NZ - NEAR_Z && at.y < NX - NEAR_X && at.z < NEAR_Y;
        at += vec3(NEAR_LOW_Z, NEAR_LOW_X, 0u);
        at.z = near(at.z, NEAR_LOW_Y, NEAR_Y, NY);
    }
    return Node(inside, shot, at.y, at.z, at.x, LEAD + at.z * PLANE + at.y * STRIDE + at.x);
}

fn moved(place: u32, p: f32, lost: f32, share: u32) {
    let before = memory[place];
    let f = tables[share];
    let slope = tables[share + 1u];
    let zeta = before.y + p + lost * before.y;
    let chi = before.x + p + lost * (before.x + f * zeta);
    memory[place] = vec2(chi, zeta);
    next[place] = vec2(lost * slope * chi, lost * f * (chi + zeta));
}

// The place in a strip of a node, in a layer or near one.
fn in_low(node: u32) -> u32 {
    return RADIUS + node;
}

fn in_high(node: u32, low: u32, high: u32, n: u32) -> u32 {
    return low + 3u * RADIUS + node - (n - high);
}

fn strip(node: u32, low: u32, high: u32, n: u32) -> u32 {
    return select(in_high(node, low, high, n), in_low(node), node < low);
}

fn place_x(at: Node, place: u32) -> u32 {
    return at.shot * MEMORY + (at.y * PLACES_X + place) * NZ + at.z;
}

fn place_y(at: Node, place: u32) -> u32 {
    return at.shot * MEMORY + MEMORY_Y + (place * NX + at.x) * NZ + at.z;
}

fn place_z(at: Node, place: u32) -> u32 {
    return at.shot * MEMORY + MEMORY_Z + (at.y * NX + at.x) * PLACES_Z + place;
}

// Advances the memory of a node of the layers by its field.
fn give(at: Node, here: f32) {
    let losses = at.shot * LOSSES;
    if at.x < LOW_X || at.x >= NX - HIGH_X {
        let place = strip(at.x, LOW_X, HIGH_X, NX);
        let lost = tables[losses + LOST_X + (2u * at.y + u32(at.x >= LOW_X)) * NZ + at.z];
        moved(place_x(at, place), here, lost, 2u * place);
    }
    if at.y < LOW_Y || at.y >= NY - HIGH_Y {
        let place = strip(at.y, LOW_Y, HIGH_Y, NY);
        let lost = tables[losses + LOST_Y + (u32(at.y >= LOW_Y) * NX + at.x) * NZ + at.z];
        moved(place_y(at, place), here, lost, SHARES_Y + 2u * place);
    }
    if at.z < LOW_Z || at.z >= NZ - HIGH_Z {
        let place = strip(at.z, LOW_Z, HIGH_Z, NZ);
        let lost = tables[losses + LOST_Z + 2u * (at.y * NX + at.x) + u32(at.z >= LOW_Z)];
        moved(place_z(at, place), here, lost, SHARES_Z + 2u * place);
    }
}

// The derivatives about a place whose neighbours are `apart` away, with an axis' coefficients.
fn derivatives(place: u32, apart: u32, axis: u32, m: f32) -> f32 {
    var sum = second(axis, 0u) * terms[place].y;
    for (var j = 1u; j <= RADIUS; j++) {
        let after = terms[place + j * apart];
        let before = terms[place - j * apart];
        sum += second(axis, j) * (after.y + before.y) - first(axis, j) * (after.x - before.x);
    }
    if ETE {
        var added = operators[STAR][axis] * terms[place].y;
        for (var j = 1u; j <= RADIUS; j++) {
            added += operators[STAR + j][axis] * (terms[place + j * apart].y + terms[place - j * apart].y);
        }
        sum += m * added;
    }
    return sum;
}

fn medium(at: Node) -> f32 {
    let four = model(at.shot * MODEL + at.place / 4u);
    return four[at.place % 4u];
}

fn second(axis: u32, j: u32) -> f32 {
    let along = operators[j];
    return select(select(along.x, along.y, axis == 1u), operators[ALONG_Y + j].x, axis == 2u);
}

fn first(axis: u32, j: u32) -> f32 {
    let along = operators[j];
    return select(select(along.z, along.w, axis == 1u), operators[ALONG_Y + j].y, axis == 2u);
}

// The correction to the Laplacian at a node.
fn take(at: Node, m: f32) -> f32 {
    var sum = 0.0;
    if LOW_X > 0u && at.x < LOW_X + RADIUS {
        sum += derivatives(place_x(at, in_low(at.x)), NZ, 0u, m);
    }
    if HIGH_X > 0u && at.x + RADIUS >= NX - HIGH_X {
        sum += derivatives(place_x(at, in_high(at.x, LOW_X, HIGH_X, NX)), NZ, 0u, m);
    }
    if LOW_Y > 0u && at.y < LOW_Y + RADIUS {
        sum += derivatives(place_y(at, in_low(at.y)), NX * NZ, 2u, m);
    }
    if HIGH_Y > 0u && at.y + RADIUS >= NY - HIGH_Y {
        sum += derivatives(place_y(at, in_high(at.y, LOW_Y, HIGH_Y, NY)), NX * NZ, 2u, m);
    }
    if LOW_Z > 0u && at.z < LOW_Z + RADIUS {
        sum += derivatives(place_z(at, in_low(at.z)), 1u, 1u, m);
    }
    if HIGH_Z > 0u && at.z + RADIUS >= NZ - HIGH_Z {
        sum += derivatives(place_z(at, in_high(at.z, LOW_Z, HIGH_Z, NZ)), 1u, 1u, m);
    }
    return sum;
}

@compute @workgroup_size(WG_Z, WG_X)
fn layers(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let at = node(group.y * groups.x + group.x, group.z, local.xy);
    if !at.inside {
        return;
    }
    let m = medium(at);
    let i = at.shot * FIELD + at.place;
    let after = p_next[i] + m * take(at, m);
    p_next[i] = after;
    if INCREMENTS {
        give(at, p[i] + after);
    } else {
        give(at, after);
    }
}
