// Rung 10 of the 3-D ladder: a march of quads with a queue in registers, and no tile.
//
// Compared with slices4.wgsl, the slices are stepped one after another, in a loop that is not
// unrolled, so that only a queue of 2 RADIUS + 1 quads is held; and one sum takes x first, then z,
// then y, so that few values are alive at a time. Registers are the limit: the fewer, the more
// invocations are in flight. The march of shaders/march.wgsl.
//
// A column of PLANES quads along y per invocation. Dispatch: (tiles of 4 WG_Z nodes along z, tiles
// along x, marches).

// Quads of the queue: the kth is k - RADIUS slices ahead.
const HELD: u32 = 2u * RADIUS + 1u;

@compute @workgroup_size(WG_Z, WG_X)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let iz = at.x;
    let ix = at.y;
    let first = at.z * PLANES;
    if 4u * iz >= NZ || ix >= NX {
        return;
    }
    var i = LEAD / 4u + first * PLANE_4 + ix * COLUMN + iz;
    var queue: array<vec4<f32>, HELD>;
    for (var k = 1u; k < HELD; k++) {
        queue[k] = p[i + (k - 1u) * PLANE_4 - RADIUS * PLANE_4];
    }
    for (var iy = first; iy < min(first + PLANES, NY); iy++) {
        for (var k = 1u; k < HELD; k++) {
            queue[k - 1u] = queue[k];
        }
        queue[HELD - 1u] = p[i + RADIUS * PLANE_4];
        let centre = queue[RADIUS];
        var laplacian = (operators[0].x + operators[0].y + operators[ALONG_Y].x) * centre;
        for (var j = 1u; j <= RADIUS; j++) {
            laplacian += operators[j].x * (p[i + j * COLUMN] + p[i - j * COLUMN]);
        }
        var window: array<f32, WINDOW>;
        for (var k = 0u; k < FOURS; k++) {
            if k == REACH {
                put(&window, k, centre);
            } else {
                put(&window, k, p[i - REACH + k]);
            }
        }
        for (var j = 1u; j <= RADIUS; j++) {
            laplacian += operators[j].y * (below(&window, j) + above(&window, j));
        }
        for (var j = 1u; j <= RADIUS; j++) {
            laplacian += operators[ALONG_Y + j].x * (queue[RADIUS + j] + queue[RADIUS - j]);
        }
        update(i, centre, laplacian);
        i += PLANE_4;
    }
}
