// Rungs 9 and 10 of the 2-D ladder: several steps per pass in a tile of workgroup memory.
//
// A tile with a halo of STEPS RADIUS nodes on all four sides is read once; p of the current level
// is in workgroup memory, and each invocation has p, p_prev and (v dt)^2 of its nodes in registers.
// The nodes that are valid after the last step are written.
//
// Four nodes along z of COLUMNS neighbouring columns per invocation. Dispatch: (tiles along z,
// tiles along x).

// Columns of a tile with its halos, and of an invocation with its wings.
const DEEP: u32 = WG_X * COLUMNS;
const HELD: u32 = COLUMNS + 2u * RADIUS;
var<workgroup> tile: array<array<vec4<f32>, WG_Z>, DEEP>;

@compute @workgroup_size(WG_Z, WG_X)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let kz = local.x;
    // Index in the tile of the invocation's first column.
    let kx = COLUMNS * local.y;
    // Below zero they wrap around, to indices that are outside as well.
    let iz = group.x * TILE_Z + kz - HALO;
    let ix = group.y * TILE_X + kx - STEPS * RADIUS;
    let first = LEAD / 4u + ix * COLUMN + iz;
    let near = kz + HALO_1 >= HALO && kz + HALO < WG_Z + HALO_1;
    var now: array<vec4<f32>, COLUMNS>;
    var before: array<vec4<f32>, COLUMNS>;
    var speed: array<vec4<f32>, COLUMNS>;
    for (var c = 0u; c < COLUMNS; c++) {
        let i = first + c * COLUMN;
        if iz < FOURS_Z && ix + c < NX {
            now[c] = p[i];
            // The first step leaves the outermost nodes invalid, so they are not loaded for it.
            if near && kx + c >= RADIUS && kx + c + RADIUS < DEEP {
                before[c] = p_prev[i];
                speed[c] = v2dt2[i];
            }
        }
        tile[kx + c][kz] = now[c];
    }
    for (var step = 1u; step <= STEPS; step++) {
        workgroupBarrier();
        var held: array<vec4<f32>, HELD>;
        for (var k = 0u; k < RADIUS; k++) {
            // The value beyond the tile does not matter.
            held[k] = tile[max(kx + k, RADIUS) - RADIUS][kz];
            held[COLUMNS + RADIUS + k] = tile[min(kx + COLUMNS + k, DEEP - 1u)][kz];
        }
        for (var c = 0u; c < COLUMNS; c++) {
            held[RADIUS + c] = now[c];
        }
        for (var c = 0u; c < COLUMNS; c++) {
            var laplacian = (operators[0].x + operators[0].y) * held[RADIUS + c];
            for (var j = 1u; j <= RADIUS; j++) {
                laplacian += operators[j].x * (held[RADIUS + c + j] + held[RADIUS + c - j]);
            }
            var window: array<f32, WINDOW>;
            for (var k = 0u; k < REACH; k++) {
                put(&window, k, tile[kx + c][max(kz + k, REACH) - REACH]);
                put(&window, REACH + 1u + k, tile[kx + c][min(kz + 1u + k, WG_Z - 1u)]);
            }
            put(&window, REACH, held[RADIUS + c]);
            for (var j = 1u; j <= RADIUS; j++) {
                laplacian += operators[j].y * (below(&window, j) + above(&window, j));
            }
            now[c] = 2.0 * held[RADIUS + c] - before[c] + speed[c] * laplacian;
            before[c] = held[RADIUS + c];
        }
        // All have read the level before it is overwritten.
        workgroupBarrier();
        for (var c = 0u; c < COLUMNS; c++) {
            tile[kx + c][kz] = now[c];
        }
    }
    if kz < HALO || kz + HALO >= WG_Z || iz >= FOURS_Z {
        return;
    }
    for (var c = 0u; c < COLUMNS; c++) {
        let own = kx + c >= STEPS * RADIUS && kx + c + STEPS * RADIUS < DEEP;
        if own && ix + c < NX {
            p_last[first + c * COLUMN] = now[c];
            p_last_prev[first + c * COLUMN] = before[c];
        }
    }
}
