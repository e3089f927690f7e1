// Rung 9 of the 3-D ladder: several slices per invocation in registers, and no tile.
//
// An invocation computes a quad of nodes along z of PLANES consecutive slices. It loads their
// values along y at once, PLANES + 2 RADIUS quads, so that the wing along y is read once for PLANES
// results; the neighbours along x and z come from memory, through the caches. No march, no
// workgroup memory and no barrier.
//
// Dispatch: (tiles of 4 WG_Z nodes along z, tiles along x, groups of PLANES slices).

// Slices whose quads are held.
const HELD: u32 = PLANES + 2u * RADIUS;

@compute @workgroup_size(WG_Z, WG_X)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let iz = at.x;
    let ix = at.y;
    let iy = at.z * PLANES;
    if 4u * iz >= NZ || ix >= NX {
        return;
    }
    let first = LEAD / 4u + iy * PLANE_4 + ix * COLUMN + iz;
    // There is nothing past the last slice and its halo.
    let last = NY + 2u * RADIUS - 1u - iy;
    var held: array<vec4<f32>, HELD>;
    for (var k = 0u; k < HELD; k++) {
        held[k] = p[first + min(k, last) * PLANE_4 - RADIUS * PLANE_4];
    }
    for (var s = 0u; s < PLANES; s++) {
        if iy + s < NY {
            let i = first + s * PLANE_4;
            let centre = held[s + RADIUS];
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
                along_x += operators[j].x * (p[i + j * COLUMN] + p[i - j * COLUMN]);
                along_y += operators[ALONG_Y + j].x * (held[s + RADIUS + j] + held[s + RADIUS - j]);
            }
            update(i, centre, along_z + along_x + along_y);
        }
    }
}
