// The layers of an adjoint at a node: shaders/transposed.wgsl has the equations, and those of VTI are in
// shaders/transposed_vti.wgsl.
//
// Along each axis a strip holds [zeros | low | zeros | zeros | high | zeros], RADIUS zeros each;
// see src/engine/transposed.rs.
//
// Generated constants: ETE, INCREMENTS, RADIUS, NX, NY, NZ, STRIDE, PLANE, LEAD, FIELD, MODEL, WG_Z,
// WG_X; of each axis LOW, HIGH and PLACES, and NEAR_LOW and NEAR, the nodes near its low end and near
// both; MEMORY, places of a shot, MEMORY_Y, MEMORY_Z, the start of those of y and z; GAINS_Y,
// GAINS_Z, the start of those in the table.

@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 44>;
const ALONG_Y: u32 = 17u;
// The term of explicit time evolution in a second derivative, times (v dt)^2: along x, z and y
// (lib/fourth.wgsl).
const STAR: u32 = 34u;
@group(0) @binding(2) var<storage, read> p: array<f32>;
@group(0) @binding(3) var<storage, read_write> p_next: array<f32>;
// chi, zeta of this step.
@group(0) @binding(4) var<storage, read> memory: array<vec2<f32>>;
// -e, f and -g of each place of x, y and z.
@group(0) @binding(5) var<storage, read> table: array<f32>;
// Those of the next.
@group(0) @binding(6) var<storage, read_write> next: array<vec2<f32>>;

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
    // Both sizes are 0 for a kind without tiles, to which no invocation belongs.
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

fn moved(place: u32, p: f32, gains: u32) {
    let before = memory[place];
    let lost = table[gains];
    let f = table[gains + 1u];
    let zeta = before.y + p + lost * before.y;
    let chi = before.x + p + lost * (before.x + f * zeta);
    next[place] = vec2(chi, zeta);
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

// Advances the memory of a node of the layers, by what drives that of x and y, and that of z.
fn give(at: Node, across: f32, along: f32) {
    if at.x < LOW_X || at.x >= NX - HIGH_X {
        let place = strip(at.x, LOW_X, HIGH_X, NX);
        moved(place_x(at, place), across, 3u * place);
    }
    if at.y < LOW_Y || at.y >= NY - HIGH_Y {
        let place = strip(at.y, LOW_Y, HIGH_Y, NY);
        moved(place_y(at, place), across, GAINS_Y + 3u * place);
    }
    if at.z < LOW_Z || at.z >= NZ - HIGH_Z {
        let place = strip(at.z, LOW_Z, HIGH_Z, NZ);
        moved(place_z(at, place), along, GAINS_Z + 3u * place);
    }
}

// A stencil along an axis: its place in the memory, how far apart its neighbours are there, and its
// place in the table.
struct Line {
    place: u32,
    apart: u32,
    gains: u32,
}

// The terms of the first and the second derivative at a place.
fn terms(place: u32, gains: u32) -> vec2<f32> {
    let kept = memory[place];
    return vec2(table[gains + 2u] * kept.x, table[gains] * table[gains + 1u] * kept.y);
}

fn after(at: Line, j: u32) -> vec2<f32> {
    return terms(at.place + j * at.apart, at.gains + 3u * j);
}

fn before(at: Line, j: u32) -> vec2<f32> {
    return terms(at.place - j * at.apart, at.gains - 3u * j);
}

// The correction with an axis' coefficients.
fn derivatives(at: Line, axis: u32, m: f32) -> f32 {
    let here = after(at, 0u).y;
    var sum = second(axis, 0u) * here;
    var added = operators[STAR][axis] * here;
    for (var j = 1u; j <= RADIUS; j++) {
        let next = after(at, j);
        let last = before(at, j);
        sum += second(axis, j) * (next.y + last.y) - first(axis, j) * (next.x - last.x);
        if ETE {
            added += operators[STAR + j][axis] * (next.y + last.y);
        }
    }
    if ETE {
        sum += m * added;
    }
    return sum;
}

fn medium(at: Node) -> f32 {
    var quad = at.shot * MODEL + at.place / 4u;
    if WINDOWED {
        quad = in_window(at.shot, at.x, at.y, at.z / 4u);
    }
    let four = model(quad);
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

fn along_x(at: Node, place: u32) -> Line {
    return Line(place_x(at, place), NZ, 3u * place);
}

fn along_y(at: Node, place: u32) -> Line {
    return Line(place_y(at, place), NX * NZ, GAINS_Y + 3u * place);
}

fn along_z(at: Node, place: u32) -> Line {
    return Line(place_z(at, place), 1u, GAINS_Z + 3u * place);
}

// The correction to the Laplacian at a node.
fn take(at: Node, m: f32) -> f32 {
    var sum = 0.0;
    if LOW_X > 0u && at.x < LOW_X + RADIUS {
        sum += derivatives(along_x(at, in_low(at.x)), 0u, m);
    }
    if HIGH_X > 0u && at.x + RADIUS >= NX - HIGH_X {
        sum += derivatives(along_x(at, in_high(at.x, LOW_X, HIGH_X, NX)), 0u, m);
    }
    if LOW_Y > 0u && at.y < LOW_Y + RADIUS {
        sum += derivatives(along_y(at, in_low(at.y)), 2u, m);
    }
    if HIGH_Y > 0u && at.y + RADIUS >= NY - HIGH_Y {
        sum += derivatives(along_y(at, in_high(at.y, LOW_Y, HIGH_Y, NY)), 2u, m);
    }
    if LOW_Z > 0u && at.z < LOW_Z + RADIUS {
        sum += derivatives(along_z(at, in_low(at.z)), 1u, m);
    }
    if HIGH_Z > 0u && at.z + RADIUS >= NZ - HIGH_Z {
        sum += derivatives(along_z(at, in_high(at.z, LOW_Z, HIGH_Z, NZ)), 1u, m);
    }
    return sum;
}
