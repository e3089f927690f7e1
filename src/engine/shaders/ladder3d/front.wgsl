// Rungs 5 and 7 of the 3-D ladder: a single pass, a 2-D front of invocations that marches along y.
//
// The current slice is in workgroup memory, WG_Z x WG_X nodes with a wing on all four sides; of the
// slices before and after it an invocation needs only its own column, a queue of registers that
// shifts by one at every slice. p is read once, except for the wings. Micikevicius (2009), section
// 3.1 and appendix A; his x, y and z, the slowest, are our z, x and y.
//
// With two tiles (rung 7) consecutive slices use them in turn, so that one barrier per slice is
// enough: an invocation that fills a tile again has passed the barrier of the slice between, and so
// have all that read it.
//
// A column of PLANES nodes along y per invocation. Dispatch: (tiles along z, tiles along x,
// marches).

// Values of the queue: the kth is k - RADIUS slices ahead.
const HELD: u32 = 2u * RADIUS + 1u;

@compute @workgroup_size(WG_Z, WG_X)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let first = group.z * PLANES;
    let iz = group.x * WG_Z + local.x;
    let ix = group.y * WG_X + local.y;
    // Invocations outside march along for the barriers, with zeros for the wings of those inside.
    let inside = iz < NZ && ix < NX;
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
        let side = iy % TILES;
        if TILES == 1u {
            // All have read the previous slice.
            workgroupBarrier();
        }
        fill(side, local, iz, ix, i, centre);
        workgroupBarrier();
        if inside {
            var laplacian = (operators[0].x + operators[0].y + operators[ALONG_Y].x) * centre;
            for (var j = 1u; j <= RADIUS; j++) {
                let pairs = around(side, local.x + RADIUS, local.y + RADIUS, j);
                laplacian += operators[j].y * pairs.x;
                laplacian += operators[j].x * pairs.y;
                laplacian += operators[ALONG_Y + j].x * (queue[RADIUS + j] + queue[RADIUS - j]);
            }
            update(i, centre, laplacian);
        }
        i += PLANE;
    }
}
