// Rung 8 of the 3-D ladder: the marching front with four nodes along z per invocation.
//
// Compared with front.wgsl, the queue and the two tiles hold quads, and the tiles serve only x,
// the middle axis; the neighbours along z come from memory as whole quads, which are in the caches.
//
// A column of PLANES quads along y per invocation. Dispatch: (tiles of 4 WG_Z nodes along z, tiles
// along x, marches).

const DEEP: u32 = WG_X + 2u * RADIUS;
var<workgroup> tiles: array<array<array<vec4<f32>, WG_Z>, DEEP>, 2>;

// Quads of the queue: the kth is k - RADIUS slices ahead.
const HELD: u32 = 2u * RADIUS + 1u;

@compute @workgroup_size(WG_Z, WG_X)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let x = group.y * WG_X;
    let first = group.z * PLANES;
    let iz = group.x * WG_Z + local.x;
    let ix = x + local.y;
    // Invocations outside march along for the barriers, with zeros for the wings of those inside.
    let inside = 4u * iz < NZ && ix < NX;
    let kz = local.x;
    let kx = local.y + RADIUS;
    var i = LEAD / 4u + first * PLANE_4 + ix * COLUMN + iz;
    var queue: array<vec4<f32>, HELD>;
    if inside {
        for (var k = 1u; k < HELD; k++) {
            queue[k] = p[i + (k - 1u) * PLANE_4 - RADIUS * PLANE_4];
        }
    }
    for (var iy = first; iy < min(first + PLANES, NY); iy++) {
        for (var k = 1u; k < HELD; k++) {
            queue[k - 1u] = queue[k];
        }
        if inside {
            queue[HELD - 1u] = p[i + RADIUS * PLANE_4];
        }
        let centre = queue[RADIUS];
        let side = iy % 2u;
        tiles[side][kx][kz] = centre;
        // The kth quad of a wing, before the tile and after it.
        for (var k = local.y; k < 2u * RADIUS; k += WG_X) {
            let at = select(k + WG_X, k, k < RADIUS);
            if 4u * iz < NZ && x + at < NX + 2u * RADIUS {
                tiles[side][at][kz] = p[i + at * COLUMN - kx * COLUMN];
            }
        }
        workgroupBarrier();
        if inside {
            var window: array<f32, WINDOW>;
            for (var k = 0u; k < FOURS; k++) {
                if k == REACH {
                    put(&window, k, centre);
                } else {
                    put(&window, k, p[i - REACH + k]);
                }
            }
            // Three independent sums.
            var along_z = operators[0].y * centre;
            var along_x = operators[0].x * centre;
            var along_y = operators[ALONG_Y].x * centre;
            for (var j = 1u; j <= RADIUS; j++) {
                along_z += operators[j].y * (below(&window, j) + above(&window, j));
                along_x += operators[j].x * (tiles[side][kx + j][kz] + tiles[side][kx - j][kz]);
                along_y += operators[ALONG_Y + j].x * (queue[RADIUS + j] + queue[RADIUS - j]);
            }
            update(i, centre, along_z + along_x + along_y);
        }
        i += PLANE_4;
    }
}
