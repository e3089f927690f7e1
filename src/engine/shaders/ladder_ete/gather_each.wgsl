// Multi-to-one as the paper counts it: a front that marches along y and gathers the points of each
// node, and reads each point of the diagonals off the slice for itself.
//
//   p_next = 2 sum_j c_j(v) p(x + dx_j) - p_prev,   v = v(y, x, z)
//
// As `gather`, but with a queue for the node's own column only: for each reach of the diagonals it
// reads the four points of the slice above and the four of the slice below, 1 + 8 DIAGONAL reads a
// node. For 73 points these are the 33 reads of Fang and others (2015), section III-A; their z, the
// slowest, is our y.
//
// A column of PLANES nodes along y per invocation. Dispatch: (tiles along z, tiles along x,
// marches).

@group(1) @binding(0) var<storage, read> p: array<f32>;
@group(1) @binding(1) var<storage, read_write> result: array<f32>;

const WIDE: u32 = WG_Z + 2u * RADIUS;
const DEEP: u32 = WG_X + 2u * RADIUS;
var<workgroup> tile: array<array<f32, WIDE>, DEEP>;

// The kth value of the queue is k - RADIUS slices ahead.
const HELD: u32 = 2u * RADIUS + 1u;

// The two points of reach j beside a node, along z and along x.
fn beside(i: u32, j: u32) -> vec2<f32> {
    return vec2(p[i + j] + p[i - j], p[i + j * STRIDE] + p[i - j * STRIDE]);
}

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
    let iz = z + local.x;
    let ix = x + local.y;
    // Invocations outside march along for the barriers, with zeros for the wings of those inside.
    let inside = iz < NZ && ix < NX;
    let kz = local.x + RADIUS;
    let kx = local.y + RADIUS;
    var i = LEAD + first * PLANE + ix * STRIDE + iz;
    var queue: array<f32, HELD>;
    if inside {
        for (var k = 1u; k < HELD; k++) {
            queue[k] = p[i + (k - 1u) * PLANE - RADIUS * PLANE];
        }
    }
    for (var iy = first; iy < min(first + PLANES, NY); iy++) {
        for (var k = 1u; k < HELD; k++) {
            queue[k - 1u] = queue[k];
        }
        if inside {
            queue[HELD - 1u] = p[i + RADIUS * PLANE];
        }
        let centre = queue[RADIUS];
        // All have read the previous slice.
        workgroupBarrier();
        tile[kx][kz] = centre;
        // Includes the corners, for the diagonals of the slice.
        for (var tx = local.y; tx < DEEP; tx += WG_X) {
            for (var tz = local.x; tz < WIDE; tz += WG_Z) {
                let middle = tx >= RADIUS && tx < RADIUS + WG_X && tz >= RADIUS && tz < RADIUS + WG_Z;
                if !middle && z + tz < NZ + 2u * RADIUS && x + tx < NX + 2u * RADIUS {
                    tile[tx][tz] = p[LEAD + iy * PLANE + (x + tx) * STRIDE + z + tz - RADIUS * STRIDE - RADIUS];
                }
            }
        }
        workgroupBarrier();
        if inside {
            let v = bin(i);
            var sum = weight(v, 0u) * centre;
            for (var j = 1u; j <= RADIUS; j++) {
                let along = tile[kx][kz + j] + tile[kx][kz - j];
                let across = tile[kx + j][kz] + tile[kx - j][kz] + queue[RADIUS + j] + queue[RADIUS - j];
                sum += weight(v, ALONG_Z + j) * along + weight(v, ACROSS + j) * across;
            }
            for (var j = 1u; j <= DIAGONAL; j++) {
                let zx = tile[kx - j][kz - j] + tile[kx - j][kz + j] + tile[kx + j][kz - j] + tile[kx + j][kz + j];
                let off = beside(i + j * PLANE, j) + beside(i - j * PLANE, j);
                sum += weight(v, UPRIGHT + j) * (zx + off.x) + weight(v, LEVEL + j) * off.y;
            }
            result[i] = 2.0 * sum - result[i];
        }
        i += PLANE;
    }
}
