// The arrays of a kernel of several steps per pass: the fields of steps n and n - 1, and those of
// n + STEPS and n + STEPS - 1, which are other arrays, since neighbouring tiles still read the old
// ones.
//
//   p_next = 2 p - p_prev + (v dt)^2 lap p,    STEPS times
//
// A tile overlaps its neighbours by the stencil's reach in STEPS steps; the overlap is stepped by
// both, and each step reduces the valid part of a tile by RADIUS nodes on every side. Outside of
// the grid p, p_prev and (v dt)^2 are taken as zero, so p stays zero there at every level.
//
// STEPS is at most 4. TILE_Z: quads of a tile along z without the overlap.

// (v dt)^2, m^2.
@group(0) @binding(1) var<storage, read> v2dt2: array<vec4<f32>>;
@group(1) @binding(0) var<storage, read> p: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> p_prev: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read_write> p_last: array<vec4<f32>>;
@group(1) @binding(3) var<storage, read_write> p_last_prev: array<vec4<f32>>;

// Quads of a column, and those along z that two tiles share at either end of one.
const FOURS_Z: u32 = (NZ + 3u) / 4u;
const HALO: u32 = (STEPS * RADIUS + 3u) / 4u;
// Quads of the halo that must be valid after the first step.
const HALO_1: u32 = ((STEPS - 1u) * RADIUS + 3u) / 4u;

// Columns or planes of a queue: the kth is k - RADIUS ahead of the middle one.
const QUEUE: u32 = 2u * RADIUS + 1u;

fn shift(queue: ptr<function, array<vec4<f32>, QUEUE>>) {
    for (var k = 1u; k < QUEUE; k++) {
        (*queue)[k - 1u] = (*queue)[k];
    }
}
