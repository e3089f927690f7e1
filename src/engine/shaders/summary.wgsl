// Reduces a focus map, block by block, to its highest summit and measures of its sharpness; the
// host merges blocks.
//
//   v = map |weight|;  largest = max v of the nodes that the mask admits
//   square  = sum (v / largest)^2,  fourth = sum (v / largest)^4
//   summit  = the highest v that no neighbour exceeds, with at least one lower neighbour
//
// A block is PER_Z WG_Z nodes along z and WG_X along x of a plane of the model. Dispatch: (blocks
// along z, blocks along x, planes x maps). Twin: src/engine/focus.rs, whose parts are columns.
//
// Generated constants: N_X, N_Y, N_Z of the computational grid; M_X, M_Y, M_Z of the model, from
// ORIGIN_X, ORIGIN_Y, ORIGIN_Z on; WG_Z, WG_X, whose product is a power of two; PER_Z.

// [map][y][x][z] of the computational grid, columns rounded up to four.
@group(0) @binding(0) var<storage, read> map: array<f32>;
@group(0) @binding(1) var<storage, read> steps: array<u32>;
// The weight of a node of the model, [y][x][z]; negative if it is excluded.
@group(0) @binding(2) var<storage, read> weight: array<f32>;

struct Part {
    largest: f32,
    square: f32,
    fourth: f32,
    // Of the summit; 0 if there is none.
    value: f32,
    // Its index in the model, [y][x][z].
    node: u32,
    step: u32,
    // v before and after it; -1 beyond the model.
    along_z: vec2<f32>,
    along_x: vec2<f32>,
    along_y: vec2<f32>,
}
// [map][y][block along x][block along z]
@group(0) @binding(3) var<storage, read_write> parts: array<Part>;

const INVOCATIONS: u32 = WG_Z * WG_X;
var<workgroup> largest: array<f32, INVOCATIONS>;
var<workgroup> sums: array<vec2<f32>, INVOCATIONS>;
var<workgroup> summit: array<f32, INVOCATIONS>;
var<workgroup> summit_node: array<u32, INVOCATIONS>;

// The offset of a map's node, given by its indices in the model.
fn place(of_map: u32, y: u32, x: u32, z: u32) -> u32 {
    let column = (of_map * N_Y + ORIGIN_Y + y) * N_X + ORIGIN_X + x;
    return column * (4u * ((N_Z + 3u) / 4u)) + ORIGIN_Z + z;
}

fn node_of(y: u32, x: u32, z: u32) -> u32 {
    return (y * M_X + x) * M_Z + z;
}

fn is_left(y: u32, x: u32, z: u32) -> bool {
    return weight[node_of(y, x, z)] > 0.0;
}

fn value(of_map: u32, y: u32, x: u32, z: u32) -> f32 {
    return map[place(of_map, y, x, z)] * abs(weight[node_of(y, x, z)]);
}

fn is_summit(of_map: u32, y: u32, x: u32, z: u32, v: f32) -> bool {
    var below = false;
    for (var j = max(y, 1u) - 1u; j <= min(y + 1u, M_Y - 1u); j++) {
        for (var i = max(x, 1u) - 1u; i <= min(x + 1u, M_X - 1u); i++) {
            for (var k = max(z, 1u) - 1u; k <= min(z + 1u, M_Z - 1u); k++) {
                let other = value(of_map, j, i, k);
                if other > v {
                    return false;
                }
                below |= other < v;
            }
        }
    }
    return below;
}

// v before and after a node, the `i`th of `n` along an axis on which nodes are `apart` in the map,
// and `step` in the model.
fn beside(at: u32, node: u32, i: u32, n: u32, apart: u32, step: u32) -> vec2<f32> {
    var v = vec2(-1.0);
    if i > 0u {
        v.x = map[at - apart] * abs(weight[node - step]);
    }
    if i + 1u < n {
        v.y = map[at + apart] * abs(weight[node + step]);
    }
    return v;
}

@compute @workgroup_size(WG_Z, WG_X)
fn summary(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) mine: u32,
) {
    let of_map = group.z / M_Y;
    let y = group.z % M_Y;
    let x = group.y * WG_X + id.y;
    var v: array<f32, PER_Z>;
    largest[mine] = 0.0;
    summit[mine] = 0.0;
    summit_node[mine] = 0u;
    for (var k = 0u; k < PER_Z; k++) {
        let z = (group.x * PER_Z + k) * WG_Z + id.x;
        v[k] = 0.0;
        if x < M_X && z < M_Z {
            if is_left(y, x, z) {
                v[k] = value(of_map, y, x, z);
                largest[mine] = max(largest[mine], v[k]);
                if v[k] > summit[mine] {
                    if is_summit(of_map, y, x, z, v[k]) {
                        summit[mine] = v[k];
                        summit_node[mine] = node_of(y, x, z);
                    }
                }
            }
        }
    }
    for (var n = INVOCATIONS / 2u; n > 0u; n /= 2u) {
        workgroupBarrier();
        if mine < n {
            let other = mine + n;
            largest[mine] = max(largest[mine], largest[other]);
            let higher = summit[other] > summit[mine];
            let first = summit[other] == summit[mine] && summit_node[other] < summit_node[mine];
            if higher || first {
                summit[mine] = summit[other];
                summit_node[mine] = summit_node[other];
            }
        }
    }
    workgroupBarrier();
    sums[mine] = vec2(0.0);
    for (var k = 0u; k < PER_Z; k++) {
        if v[k] > 0.0 {
            let part = v[k] / largest[0];
            sums[mine] += vec2(part * part, part * part * part * part);
        }
    }
    for (var n = INVOCATIONS / 2u; n > 0u; n /= 2u) {
        workgroupBarrier();
        if mine < n {
            sums[mine] += sums[mine + n];
        }
    }
    if mine > 0u {
        return;
    }
    let node = summit_node[0];
    let top_y = node / (M_X * M_Z);
    let top_x = node / M_Z % M_X;
    let top_z = node % M_Z;
    let at = place(of_map, top_y, top_x, top_z);
    let column = 4u * ((N_Z + 3u) / 4u);
    var part: Part;
    part.largest = largest[0];
    part.square = sums[0].x;
    part.fourth = sums[0].y;
    part.value = summit[0];
    part.node = node;
    part.step = steps[at];
    part.along_z = beside(at, node, top_z, M_Z, 1u, 1u);
    part.along_x = beside(at, node, top_x, M_X, column, M_Z);
    part.along_y = beside(at, node, top_y, M_Y, column * N_X, M_Z * M_X);
    parts[(group.z * groups.y + group.y) * groups.x + group.x] = part;
}
