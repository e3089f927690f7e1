// One time step of the acoustic wave equation in 2-D and 3-D, (1/v^2) p_tt = lap p + s(t) delta(x - xs):
//
//   p_next = g (2 p + (v dt)^2 lap p) - g^2 p_prev + (v dt)^2 s / (cell volume)
//
// g is the sponge's factor (lib/layers.wgsl), where there is one; the Laplacian gets the CPML's
// correction (lib/layers.wgsl). p_next replaces p_prev. Twins: src/engine/cpu/reference.rs,
// src/engine/cpu/columns.rs.
//
// An invocation steps four nodes along z, straight from global memory: halos of zeros
// (src/engine/layout.rs) make the stencil free of branches, and (v dt)^2 = 0 keeps the zeros below a
// column. A workgroup steps a tile of 4 WG_Z x WG_X nodes of one plane (in 2-D the only one) of one shot.
// Workgroups past the last tile along x record p at the receivers instead (lib/acquisition.wgsl), so a step
// is one dispatch. Dispatch: (TILES_Z, TILES_X + groups that record, planes x shots).
//
// Generated constants: VOLUME, RADIUS, NX, NY, NZ, STRIDE, PLANE, LEAD, FIELD, WG_Z, WG_X, TILES_Z, TILES_X,
// and those of the lib/ files.

// Coefficients j = 0..RADIUS: second derivative along x and z (1/m^2), first along x and z (1/m); from
// ALONG_Y on second and first along y.
@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 34>;
const ALONG_Y: u32 = 17u;
// (v dt)^2, m^2, one field.
@group(0) @binding(1) var<storage, read> v2dt2: array<vec4<f32>>;
// p and, on entry, p_prev: a field a shot.
@group(1) @binding(0) var<storage, read> p: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read_write> p_next: array<vec4<f32>>;

struct Step {
    // n: p is the field at n dt.
    step: u32,
    // Row of the traces that p is recorded in, where this step records.
    row: u32,
}
var<immediate> now: Step;

// From a column to the next and from a plane to the next, fours.
const COLUMN: u32 = STRIDE / 4u;
const PLANE_4: u32 = PLANE / 4u;

@compute @workgroup_size(WG_Z, WG_X)
fn step(
    @builtin(workgroup_id) tile: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let shot = tile.z / NY;
    let iy = tile.z % NY;
    if tile.y >= TILES_X {
        let group = ((tile.y - TILES_X) * NY + iy) * TILES_Z + tile.x;
        record(shot, group * WG_Z * WG_X + lane, now.row);
        return;
    }
    // Along z all counts are in fours.
    let iz = tile.x * WG_Z + local.x;
    let ix = tile.y * WG_X + local.y;
    if 4u * iz >= NZ || ix >= NX {
        return;
    }
    let cell = LEAD / 4u + iy * PLANE_4 + ix * COLUMN + iz;
    let i = shot * (FIELD / 4u) + cell;

    let centre = p[i];
    var d2x = operators[0].x * centre;
    for (var j = 1u; j <= RADIUS; j++) {
        d2x += operators[j].x * (p[i + j * COLUMN] + p[i - j * COLUMN]);
    }
    var window: array<f32, WINDOW>;
    for (var k = 0u; k < FOURS; k++) {
        put(&window, k, p[i - REACH + k]);
    }
    var d2z = operators[0].y * centre;
    for (var j = 1u; j <= RADIUS; j++) {
        d2z += operators[j].y * (below(&window, j) + above(&window, j));
    }
    var laplacian = d2x + d2z;
    if CPML {
        laplacian += correction_x(shot, iy, ix, iz, i, d2x);
        laplacian += correction_z(shot, iy, ix, iz, &window, d2z);
    }
    if VOLUME {
        var d2y = operators[ALONG_Y].x * centre;
        for (var j = 1u; j <= RADIUS; j++) {
            d2y += operators[ALONG_Y + j].x * (p[i + j * PLANE_4] + p[i - j * PLANE_4]);
        }
        laplacian += d2y;
        if CPML {
            laplacian += correction_y(shot, iy, ix, iz, i, d2y);
        }
    }

    var next = 2.0 * centre + v2dt2[cell] * laplacian;
    if SPONGE {
        var g = layers[ix].x * layers[NX + 4u * iz];
        if VOLUME {
            g *= layers[LAYERS_Y + iy].x;
        }
        next = g * (next - g * p_next[i]);
    } else {
        next -= p_next[i];
    }
    let place = (iy * TILES_X + tile.y) * TILES_Z + tile.x;
    p_next[i] = next + injected(shot, place, cell, now.step);
}

// Records and does not step: the last sample of a run. Dispatch: (groups, 1, shots).
@compute @workgroup_size(WG_Z, WG_X)
fn record_only(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    record(group.z, group.x * WG_Z * WG_X + lane, now.row);
}
