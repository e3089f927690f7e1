// Rung 5 of the 3-D ladder: a single pass, a 2-D front of invocations that marches along y.
//
//   lap p (y, x, z) = sum_j cz_j (p(z + j) + p(z - j)) + cx_j (p(x + j) + p(x - j))
//                           + cy_j (p(y + j) + p(y - j))
//
// The current slice is in workgroup memory, WG_Z x WG_X nodes with a wing on all four sides; of the
// slices before and after it an invocation needs only its own column, a queue of registers that
// shifts by one at every slice. p is read once, except for the wings. Micikevicius (2009), section
// 3.1 and appendix A; his x, y and z, the slowest, are our z, x and y. Twin:
// src/ladder/scalar.rs.
//
// A column of PLANES nodes along y per invocation. Dispatch: (tiles along z, tiles along x,
// marches). Generated constants: RADIUS, NX, NY, NZ, STRIDE, PLANE, LEAD, WG_Z, WG_X, PLANES, and
// those of lib/update.wgsl.

// (cx_j, cz_j), j = 0..RADIUS, and from ALONG_Y on cy_j, 1/m^2.
@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 34>;
const ALONG_Y: u32 = 17u;
@group(1) @binding(0) var<storage, read> p: array<f32>;

const WIDE: u32 = WG_Z + 2u * RADIUS;
const DEEP: u32 = WG_X + 2u * RADIUS;
var<workgroup> tile: array<array<f32, WIDE>, DEEP>;

// Values of the queue: the kth is k - RADIUS slices ahead.
const HELD: u32 = 2u * RADIUS + 1u;

@compute @workgroup_size(WG_Z, WG_X)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
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
        // The kth value of a wing, before the tile and after it.
        for (var k = local.x; k < 2u * RADIUS; k += WG_Z) {
            let at = select(k + WG_Z, k, k < RADIUS);
            if ix < NX && z + at < NZ + 2u * RADIUS {
                tile[kx][at] = p[i + at - kz];
            }
        }
        for (var k = local.y; k < 2u * RADIUS; k += WG_X) {
            let at = select(k + WG_X, k, k < RADIUS);
            if iz < NZ && x + at < NX + 2u * RADIUS {
                tile[at][kz] = p[i + at * STRIDE - kx * STRIDE];
            }
        }
        workgroupBarrier();
        if inside {
            var laplacian = (operators[0].x + operators[0].y + operators[ALONG_Y].x) * centre;
            for (var j = 1u; j <= RADIUS; j++) {
                laplacian += operators[j].y * (tile[kx][kz + j] + tile[kx][kz - j]);
                laplacian += operators[j].x * (tile[kx + j][kz] + tile[kx - j][kz]);
                laplacian += operators[ALONG_Y + j].x * (queue[RADIUS + j] + queue[RADIUS - j]);
            }
            update(i, centre, laplacian);
        }
        i += PLANE;
    }
}
