// Two steps in one march along y, one-to-multi: 3.5-D blocking.
//
//   p_next = 2 sum_j c_j(v) p(x + dx_j) - p_prev,   v = v(y, x, z), twice
//
// As in scatter.wgsl a slice of p is added to the sums of all nodes whose stencils contain it; a
// sum that is complete after RADIUS more slices is a node of the first step, whose slice goes
// through workgroup memory into a second queue of sums. The first step also covers a wing around
// the nodes of the second, so several workgroups repeat it. p at t + dt is not read again, but
// written, as the next step's p_prev. Fang and others (2015), section III-C; their z, the slowest,
// is our y.
//
// A column of PLANES nodes along y per invocation. Dispatch: (tiles of WG_Z - 2 RADIUS along z, of
// WG_X - 2 RADIUS along x, marches).

@group(1) @binding(0) var<storage, read> p: array<f32>;
@group(1) @binding(1) var<storage, read> before: array<f32>;
// p two steps and one step later.
@group(1) @binding(2) var<storage, read_write> result: array<f32>;
@group(1) @binding(3) var<storage, read_write> middle: array<f32>;

const WIDE: u32 = WG_Z + 2u * RADIUS;
const DEEP: u32 = WG_X + 2u * RADIUS;
// A slice of p with its wings, and one of a step later.
var<workgroup> tile: array<array<f32, WIDE>, DEEP>;
var<workgroup> later: array<array<f32, WG_Z>, WG_X>;

// Sums of a step.
const HELD: u32 = 2u * RADIUS + 1u;
// Rows of the nodes of both steps: the kth sum of the first has the row k + RADIUS, of the second
// k.
const ROWS: u32 = 3u * RADIUS + 1u;

// Adds a slice's points at distance j, whose sums are `along` and `across`, to the sums of a step.
fn off(sums: ptr<function, array<f32, HELD>>, k: u32, v: u32, j: u32, centre: f32, along: f32, across: f32) {
    var sum = weight(v, ACROSS + j) * centre;
    if j <= DIAGONAL {
        sum += weight(v, UPRIGHT + j) * along + weight(v, LEVEL + j) * across;
    }
    (*sums)[k] += sum;
}

@compute @workgroup_size(WG_Z, WG_X)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    stage(lane);
    // Counted from RADIUS nodes before the grid's first.
    let z = group.x * (WG_Z - 2u * RADIUS) + local.x;
    let x = group.y * (WG_X - 2u * RADIUS) + local.y;
    let first = group.z * PLANES;
    let last = min(first + PLANES, NY);
    let inside = z >= RADIUS && z < NZ + RADIUS && x >= RADIUS && x < NX + RADIUS;
    let writes = inside && local.x >= RADIUS && local.x < WG_Z - RADIUS && local.y >= RADIUS && local.y < WG_X - RADIUS;
    let kz = local.x + RADIUS;
    let kx = local.y + RADIUS;
    let node = LEAD + x * STRIDE + z - RADIUS * STRIDE - RADIUS;
    var sums: array<f32, HELD>;
    var second: array<f32, HELD>;
    var rows: array<u32, ROWS>;
    // The current slice is step - 2 RADIUS; the nodes of the first step are complete RADIUS slices
    // before it, those of the second 2 RADIUS.
    for (var step = first; step < last + 4u * RADIUS; step++) {
        for (var k = 1u; k < HELD; k++) {
            sums[k - 1u] = sums[k];
            second[k - 1u] = second[k];
        }
        for (var k = 1u; k < ROWS; k++) {
            rows[k - 1u] = rows[k];
        }
        sums[HELD - 1u] = 0.0;
        second[HELD - 1u] = 0.0;
        rows[ROWS - 1u] = 0u;
        if inside && step >= RADIUS && step < NY + RADIUS {
            rows[ROWS - 1u] = bin(node + step * PLANE - RADIUS * PLANE);
        }
        // All have read the previous slice.
        workgroupBarrier();
        for (var tx = local.y; tx < DEEP; tx += WG_X) {
            for (var tz = local.x; tz < WIDE; tz += WG_Z) {
                // From 2 RADIUS nodes before the first; values beyond a wing belong to no node.
                let gz = z - local.x + tz;
                let gx = x - local.y + tx;
                let known = gz >= RADIUS && gz < NZ + 3u * RADIUS && gx >= RADIUS && gx < NX + 3u * RADIUS
                    && step >= RADIUS && step < NY + 3u * RADIUS;
                var value = 0.0;
                if known {
                    value = p[LEAD + step * PLANE + gx * STRIDE + gz - 2u * RADIUS * (PLANE + STRIDE + 1u)];
                }
                tile[tx][tz] = value;
            }
        }
        workgroupBarrier();
        if inside {
            let centre = tile[kx][kz];
            let v = rows[2u * RADIUS];
            sums[RADIUS] += weight(v, 0u) * centre;
            for (var j = 1u; j <= RADIUS; j++) {
                let along = tile[kx][kz + j] + tile[kx][kz - j];
                let across = tile[kx + j][kz] + tile[kx - j][kz];
                sums[RADIUS] += weight(v, ALONG_Z + j) * along + weight(v, ACROSS + j) * across;
                if j <= DIAGONAL {
                    let zx = tile[kx - j][kz - j] + tile[kx - j][kz + j] + tile[kx + j][kz - j] + tile[kx + j][kz + j];
                    sums[RADIUS] += weight(v, UPRIGHT + j) * zx;
                }
                off(&sums, RADIUS - j, rows[2u * RADIUS - j], j, centre, along, across);
                off(&sums, RADIUS + j, rows[2u * RADIUS + j], j, centre, along, across);
            }
        }
        // A node outside the grid is zero at every step.
        var next = 0.0;
        if inside && step >= 3u * RADIUS && step < NY + 3u * RADIUS && step >= first + 2u * RADIUS {
            let i = node + step * PLANE - 3u * RADIUS * PLANE;
            next = 2.0 * sums[0] - before[i];
            if writes && step >= first + 3u * RADIUS && step < last + 3u * RADIUS {
                middle[i] = next;
            }
        }
        later[local.y][local.x] = next;
        workgroupBarrier();
        if writes {
            let centre = next;
            let v = rows[RADIUS];
            let ix = local.y;
            let iz = local.x;
            second[RADIUS] += weight(v, 0u) * centre;
            for (var j = 1u; j <= RADIUS; j++) {
                let along = later[ix][iz + j] + later[ix][iz - j];
                let across = later[ix + j][iz] + later[ix - j][iz];
                second[RADIUS] += weight(v, ALONG_Z + j) * along + weight(v, ACROSS + j) * across;
                if j <= DIAGONAL {
                    let zx = later[ix - j][iz - j] + later[ix - j][iz + j] + later[ix + j][iz - j] + later[ix + j][iz + j];
                    second[RADIUS] += weight(v, UPRIGHT + j) * zx;
                }
                off(&second, RADIUS - j, rows[RADIUS - j], j, centre, along, across);
                off(&second, RADIUS + j, rows[RADIUS + j], j, centre, along, across);
            }
            if step >= first + 4u * RADIUS {
                let i = node + step * PLANE - 4u * RADIUS * PLANE;
                result[i] = 2.0 * second[0] - p[i];
            }
        }
    }
}
