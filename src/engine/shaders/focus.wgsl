// Where waves that run backward focus: the largest value of the field at each node, and its time.
//
//   v = (|p_1| |p_2| ... |p_G|)^(1/G)                   of the G shots of a map
//   largest <- max(largest, v), or with the energy E = q_0 + 3 q_1 + 3 q_2 + q_3
//
// q are the sums of v^2 over the quarters of a window. Of three windows, a quarter apart, the newest
// counts while E grows, and the vertex of the parabola through them at a summit.
//
// A look every few steps; four nodes along z per invocation. The sums exist for the energy only.
// Dispatch: (ceil(NZ / 4 WG_Z), ceil(NX / WG_X), planes x maps). Twin:
// src/engine/cpu/tap/focus.rs.
//
// Generated constants: NX, NY, NZ, STRIDE, PLANE, LEAD, FIELD, WG_Z, WG_X, GROUPS, MAPS; ENERGY,
// whether it is the energy; QUARTERS, sums that are kept; QUARTER, steps from a window to the next.

@group(0) @binding(0) var<storage, read> p: array<vec4<f32>>;
// [map][y][x][z], in quads of nodes.
@group(0) @binding(1) var<storage, read_write> largest: array<vec4<f32>>;
// The step of each value; with the energy, the middle of its window.
@group(0) @binding(2) var<storage, read_write> steps: array<vec4<u32>>;
// The sums over the last quarters, in a ring: [quarter], then as `largest`.
@group(0) @binding(3) var<storage, read_write> sums: array<vec4<f32>>;

struct Look {
    // With the energy, the middle of the window that ends with it.
    step: i32,
    quarter: u32,
    // 1 if it is the first of its quarter, and the last.
    begins: u32,
    ends: u32,
}
var<immediate> look: Look;

const PLACES: u32 = MAPS * NY * NX * ((NZ + 3u) / 4u);

// The sum of the quarter `before` quarters ago.
fn quarter(place: u32, before: u32) -> vec4<f32> {
    return sums[((look.quarter + QUARTERS - before) % QUARTERS) * PLACES + place];
}

@compute @workgroup_size(WG_Z, WG_X)
fn focus(@builtin(global_invocation_id) id: vec3<u32>) {
    let iz = 4u * id.x;
    if iz >= NZ || id.y >= NX {
        return;
    }
    let map = id.z / NY;
    let iy = id.z % NY;
    let node = (LEAD + iy * PLANE + id.y * STRIDE + iz) / 4u;
    var v = vec4(1.0);
    for (var g = 0u; g < GROUPS; g++) {
        let a = abs(p[(map * GROUPS + g) * (FIELD / 4u) + node]);
        if GROUPS == 1u {
            v = a;
        } else {
            v *= pow(a, vec4(1.0 / f32(GROUPS)));
        }
    }
    let place = ((map * NY + iy) * NX + id.y) * ((NZ + 3u) / 4u) + id.x;
    var step = vec4(look.step);
    if ENERGY {
        let mine = look.quarter * PLACES + place;
        var sum = v * v;
        if look.begins == 0u {
            sum += sums[mine];
        }
        sums[mine] = sum;
        if look.ends == 0u {
            return;
        }
        let q1 = quarter(place, 1u);
        let q2 = quarter(place, 2u);
        let q3 = quarter(place, 3u);
        let q4 = quarter(place, 4u);
        let newest = (sum + q3) + 3.0 * (q1 + q2);
        let middle = (q1 + q4) + 3.0 * (q2 + q3);
        let oldest = (q2 + quarter(place, 5u)) + 3.0 * (q3 + q4);
        let grows = newest > middle;
        let bend = (oldest - middle) + (newest - middle);
        let slope = oldest - newest;
        let vertex = select(vec4(0.0), 0.5 * slope / bend, bend < vec4(0.0));
        let summit = select(vec4(0.0), middle - 0.25 * slope * vertex, middle >= oldest);
        v = select(summit, newest, grows);
        step += select(vec4<i32>(floor((vertex - 1.0) * f32(QUARTER) + 0.5)), vec4(0), grows);
    }
    let before = largest[place];
    let more = v > before;
    if any(more) {
        largest[place] = select(before, v, more);
        steps[place] = select(steps[place], vec4<u32>(max(step, vec4(0))), more);
    }
}
