// The layers of an adjoint: the transpose of the CPML of lib/layers.wgsl, with its lines in reverse
// order,
//
//   zeta <- zeta - e zeta + p
//   chi  <- chi - e (chi + f zeta) + p
//   correction to the Laplacian: d2/dx2 (-e f (chi + zeta)) - d/dx (-e df/dx chi)
//
// `give` advances the memory of the layers' nodes and leaves the terms of the derivatives there;
// `take` adds, after the step, (v dt)^2 times the derivatives to p_next, or to d, in the layers and
// as far from them as a stencil reaches. One node per invocation. Dispatch: (ceil(NZ / WG_Z),
// ceil(NX / WG_X), planes x shots). Twin: src/engine/cpu/transposed.rs.
//
// Along each axis a strip holds [zeros | low | zeros | zeros | high | zeros], RADIUS zeros each;
// see src/engine/transposed.rs.
//
// Generated constants: ETE, RADIUS, NX, NY, NZ, STRIDE, PLANE, LEAD, FIELD, MODEL, WG_Z, WG_X; of
// each axis LOW, HIGH and PLACES; MEMORY, places of a shot, MEMORY_Y, MEMORY_Z, the start of those
// of y and z; SHARES_Y, SHARES_Z, LOST_X, LOST_Y, LOST_Z, the start of the tables, LOSSES, from a
// shot's to the next, or 0.

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
// The terms of the derivatives, apart from the memory, which `take` need not read.
@group(0) @binding(6) var<storage, read_write> taken: array<vec2<f32>>;

struct Node {
    shot: u32,
    x: u32,
    y: u32,
    z: u32,
    // Offset in the fields of its shot.
    place: u32,
}

fn node(id: vec3<u32>) -> Node {
    let y = id.z % NY;
    return Node(id.z / NY, id.y, y, id.x, LEAD + y * PLANE + id.y * STRIDE + id.x);
}

fn moved(place: u32, p: f32, lost: f32, share: u32) {
    let before = memory[place];
    let f = tables[share];
    let slope = tables[share + 1u];
    let zeta = before.y + p + lost * before.y;
    let chi = before.x + p + lost * (before.x + f * zeta);
    memory[place] = vec2(chi, zeta);
    taken[place] = vec2(lost * slope * chi, lost * f * (chi + zeta));
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

@compute @workgroup_size(WG_Z, WG_X)
fn give(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= NZ || id.y >= NX {
        return;
    }
    let at = node(id);
    let here = p[at.shot * FIELD + at.place];
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
    var sum = second(axis, 0u) * taken[place].y;
    for (var j = 1u; j <= RADIUS; j++) {
        let after = taken[place + j * apart];
        let before = taken[place - j * apart];
        sum += second(axis, j) * (after.y + before.y) - first(axis, j) * (after.x - before.x);
    }
    if ETE {
        var added = operators[STAR][axis] * taken[place].y;
        for (var j = 1u; j <= RADIUS; j++) {
            added += operators[STAR + j][axis] * (taken[place + j * apart].y + taken[place - j * apart].y);
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

@compute @workgroup_size(WG_Z, WG_X)
fn take(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= NZ || id.y >= NX {
        return;
    }
    let at = node(id);
    var m = 0.0;
    if ETE {
        m = medium(at);
    }
    var sum = 0.0;
    var near = false;
    if LOW_X > 0u && at.x < LOW_X + RADIUS {
        sum += derivatives(place_x(at, in_low(at.x)), NZ, 0u, m);
        near = true;
    }
    if HIGH_X > 0u && at.x + RADIUS >= NX - HIGH_X {
        sum += derivatives(place_x(at, in_high(at.x, LOW_X, HIGH_X, NX)), NZ, 0u, m);
        near = true;
    }
    if LOW_Y > 0u && at.y < LOW_Y + RADIUS {
        sum += derivatives(place_y(at, in_low(at.y)), NX * NZ, 2u, m);
        near = true;
    }
    if HIGH_Y > 0u && at.y + RADIUS >= NY - HIGH_Y {
        sum += derivatives(place_y(at, in_high(at.y, LOW_Y, HIGH_Y, NY)), NX * NZ, 2u, m);
        near = true;
    }
    if LOW_Z > 0u && at.z < LOW_Z + RADIUS {
        sum += derivatives(place_z(at, in_low(at.z)), 1u, 1u, m);
        near = true;
    }
    if HIGH_Z > 0u && at.z + RADIUS >= NZ - HIGH_Z {
        sum += derivatives(place_z(at, in_high(at.z, LOW_Z, HIGH_Z, NZ)), 1u, 1u, m);
        near = true;
    }
    if near {
        p_next[at.shot * FIELD + at.place] += medium(at) * sum;
    }
}
