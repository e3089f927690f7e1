// Rung 3 of the 3-D ladder: global memory, four nodes along z at once.
//
// Compared with naive.wgsl, a quarter of the memory instructions, and the wing along z comes in
// whole quads.
//
// Four nodes per invocation. Dispatch: (tiles of 4 WG_Z nodes along z, tiles along x, tiles along
// y).

@compute @workgroup_size(WG_Z, WG_X, WG_Y)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let iz = at.x;
    let ix = at.y;
    let iy = at.z;
    if 4u * iz >= NZ || ix >= NX || iy >= NY {
        return;
    }
    let i = LEAD / 4u + iy * PLANE_4 + ix * COLUMN + iz;
    var window: array<f32, WINDOW>;
    for (var k = 0u; k < FOURS; k++) {
        put(&window, k, p[i - REACH + k]);
    }
    let centre = p[i];
    // Three independent sums.
    var along_z = operators[0].y * centre;
    var along_x = operators[0].x * centre;
    var along_y = operators[ALONG_Y].x * centre;
    for (var j = 1u; j <= RADIUS; j++) {
        along_z += operators[j].y * (below(&window, j) + above(&window, j));
        along_x += operators[j].x * (p[i + j * COLUMN] + p[i - j * COLUMN]);
        along_y += operators[ALONG_Y + j].x * (p[i + j * PLANE_4] + p[i - j * PLANE_4]);
    }
    update(i, centre, along_z + along_x + along_y);
}
