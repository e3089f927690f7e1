// One-to-multi: a front that marches along y and adds each slice to all nodes whose stencils
// contain it.
//
//   p_next = 2 sum_j c_j(v) p(x + dx_j) - p_prev,   v = v(y, x, z)
//
// A slice of p is in workgroup memory with a wing on all sides, and a queue of registers holds 2
// RADIUS + 1 sums: those of the nodes of the invocation's column that have points in the slice. The
// slice's points are added to each, with the weights of that node; then the oldest sum is complete,
// and the queue shifts. A value of p is read once, except for the wings. Fang and others (2015),
// section III-A; their z, the slowest, is our y.
//
// STAR and DIAGONALS select the points; ADDED: add to the result of a previous sweep.
//
// A column of PLANES nodes along y per invocation. Dispatch: (tiles along z, tiles along x,
// marches).

@group(1) @binding(0) var<storage, read> p: array<f32>;
@group(1) @binding(1) var<storage, read_write> result: array<f32>;

const WIDE: u32 = WG_Z + 2u * RADIUS;
const DEEP: u32 = WG_X + 2u * RADIUS;
var<workgroup> tile: array<array<f32, WIDE>, DEEP>;

// The kth sum is of the node k - RADIUS slices ahead.
const HELD: u32 = 2u * RADIUS + 1u;

@compute @workgroup_size(WG_Z, WG_X)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    stage(lane);
    let z = group.x * WG_Z;
    let x = group.y * WG_X;
    let first = group.z * PLANES;
    let last = min(first + PLANES, NY);
    let iz = z + local.x;
    let ix = x + local.y;
    // Invocations outside march along for the barriers.
    let inside = iz < NZ && ix < NX;
    let kz = local.x + RADIUS;
    let kx = local.y + RADIUS;
    var sums: array<f32, HELD>;
    var rows: array<u32, HELD>;
    // In the current slice, which starts RADIUS slices before the first node.
    let node = LEAD + ix * STRIDE + iz;
    var corner = LEAD + first * PLANE + x * STRIDE + z - RADIUS * PLANE - RADIUS * STRIDE - RADIUS;
    for (var step = first; step < last + 2u * RADIUS; step++) {
        for (var k = 1u; k < HELD; k++) {
            sums[k - 1u] = sums[k];
            rows[k - 1u] = rows[k];
        }
        sums[HELD - 1u] = 0.0;
        rows[HELD - 1u] = 0u;
        // Nodes past the march have a sum that is never written.
        if inside && step < last {
            rows[HELD - 1u] = bin(node + step * PLANE);
        }
        // All have read the previous slice.
        workgroupBarrier();
        for (var tx = local.y; tx < DEEP; tx += WG_X) {
            for (var tz = local.x; tz < WIDE; tz += WG_Z) {
                if z + tz < NZ + 2u * RADIUS && x + tx < NX + 2u * RADIUS {
                    tile[tx][tz] = p[corner + tx * STRIDE + tz];
                }
            }
        }
        workgroupBarrier();
        if inside {
            let centre = tile[kx][kz];
            if STAR {
                sums[RADIUS] += weight(rows[RADIUS], 0u) * centre;
            }
            for (var j = 1u; j <= RADIUS; j++) {
                let along = tile[kx][kz + j] + tile[kx][kz - j];
                let across = tile[kx + j][kz] + tile[kx - j][kz];
                if STAR {
                    sums[RADIUS] += weight(rows[RADIUS], ALONG_Z + j) * along + weight(rows[RADIUS], ACROSS + j) * across;
                    sums[RADIUS - j] += weight(rows[RADIUS - j], ACROSS + j) * centre;
                    sums[RADIUS + j] += weight(rows[RADIUS + j], ACROSS + j) * centre;
                }
                if DIAGONALS && j <= DIAGONAL {
                    let zx = tile[kx - j][kz - j] + tile[kx - j][kz + j] + tile[kx + j][kz - j] + tile[kx + j][kz + j];
                    sums[RADIUS] += weight(rows[RADIUS], UPRIGHT + j) * zx;
                    sums[RADIUS - j] +=
                        weight(rows[RADIUS - j], UPRIGHT + j) * along + weight(rows[RADIUS - j], LEVEL + j) * across;
                    sums[RADIUS + j] +=
                        weight(rows[RADIUS + j], UPRIGHT + j) * along + weight(rows[RADIUS + j], LEVEL + j) * across;
                }
            }
            if step >= first + 2u * RADIUS {
                let i = node + step * PLANE - 2u * RADIUS * PLANE;
                if ADDED {
                    result[i] += 2.0 * sums[0];
                } else {
                    result[i] = 2.0 * sums[0] - result[i];
                }
            }
        }
        corner += PLANE;
    }
}
