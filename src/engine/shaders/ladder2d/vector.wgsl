// Rung 7 of the 2-D ladder: four nodes along z at once, neighbours in registers.
//
// An invocation computes a quad of nodes along z of COLUMNS neighbouring columns. It holds the
// quads of all the columns that it needs in registers, so that the wing along x is read once for
// COLUMNS results; the neighbours along z come from memory as whole quads, which are in the caches.
// No workgroup memory and no barrier.
//
// Dispatch: (tiles of 4 WG_Z nodes along z, tiles of COLUMNS WG_X along x).

// Columns whose quads are held.
const HELD: u32 = COLUMNS + 2u * RADIUS;

@compute @workgroup_size(WG_Z, WG_X)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let iz = at.x;
    let ix = COLUMNS * at.y;
    if 4u * iz >= NZ || ix >= NX {
        return;
    }
    let first = LEAD / 4u + ix * COLUMN + iz;
    var held: array<vec4<f32>, HELD>;
    for (var k = 0u; k < HELD; k++) {
        held[k] = p[first + k * COLUMN - RADIUS * COLUMN];
    }
    for (var c = 0u; c < COLUMNS; c++) {
        let i = first + c * COLUMN;
        let centre = held[c + RADIUS];
        // Two independent sums.
        var along_x = operators[0].x * centre;
        for (var j = 1u; j <= RADIUS; j++) {
            along_x += operators[j].x * (held[c + RADIUS + j] + held[c + RADIUS - j]);
        }
        var window: array<f32, WINDOW>;
        for (var k = 0u; k < FOURS; k++) {
            put(&window, k, p[i - REACH + k]);
        }
        var along_z = operators[0].y * centre;
        for (var j = 1u; j <= RADIUS; j++) {
            along_z += operators[j].y * (below(&window, j) + above(&window, j));
        }
        if ix + c < NX {
            update(i, centre, along_x + along_z);
        }
    }
}
