// Values along z around a quad of nodes, held in registers: the quad itself and as many quads on
// either side as the wing touches. Loops over it have constant bounds, so that compilers unroll
// them.
//
// Generated constants: RADIUS.

// Quads on either side.
const REACH: u32 = (RADIUS + 3u) / 4u;
const FOURS: u32 = 2u * REACH + 1u;
const WINDOW: u32 = 4u * FOURS;

// Stores the kth quad; the middle one is REACH.
fn put(window: ptr<function, array<f32, WINDOW>>, k: u32, four: vec4<f32>) {
    (*window)[4u * k] = four.x;
    (*window)[4u * k + 1u] = four.y;
    (*window)[4u * k + 2u] = four.z;
    (*window)[4u * k + 3u] = four.w;
}

// The four values that start at an index.
fn take(window: ptr<function, array<f32, WINDOW>>, at: u32) -> vec4<f32> {
    return vec4((*window)[at], (*window)[at + 1u], (*window)[at + 2u], (*window)[at + 3u]);
}

// The neighbours j nodes below and j nodes above each node of the middle quad.
fn below(window: ptr<function, array<f32, WINDOW>>, j: u32) -> vec4<f32> {
    return take(window, 4u * REACH + j);
}
fn above(window: ptr<function, array<f32, WINDOW>>, j: u32) -> vec4<f32> {
    return take(window, 4u * REACH - j);
}
