// Rungs 12 to 14 of the 3-D ladder: several steps per pass in a front that marches along y.
//
// The 3.5-D blocking of Nguyen et al. (2010). Each level has a queue of 2 RADIUS + 1 planes in
// registers, which ends RADIUS planes behind the previous level's and feeds the next; its last
// plane is the p_prev of the level after that. Tiles overlap along z and x by the stencil's reach
// in STEPS steps. The middle plane of each level is in workgroup memory; all of them are known
// before any level is stepped, so two barriers per plane are enough for all of them.
//
// Four nodes along z of PLANES planes per invocation. Dispatch: (tiles along z, tiles along x,
// marches).

// The middle plane of each level.
var<workgroup> tiles: array<array<array<vec4<f32>, WG_Z>, WG_X>, STEPS>;

// The next level of the middle plane of a queue, with the given tile.
fn next(
    queue: ptr<function, array<vec4<f32>, QUEUE>>,
    level: u32,
    kz: u32,
    kx: u32,
    before: vec4<f32>,
    speed: vec4<f32>,
) -> vec4<f32> {
    let centre = (*queue)[RADIUS];
    // Rows that are no longer valid at this level are skipped.
    let least = (level + 1u) * RADIUS;
    if kx < least || kx + least >= WG_X {
        return centre;
    }
    var laplacian = (operators[0].x + operators[0].y + operators[ALONG_Y].x) * centre;
    for (var j = 1u; j <= RADIUS; j++) {
        laplacian += operators[j].x * (tiles[level][kx + j][kz] + tiles[level][kx - j][kz]);
    }
    var window: array<f32, WINDOW>;
    for (var k = 0u; k < REACH; k++) {
        // The value beyond the tile does not matter.
        put(&window, k, tiles[level][kx][max(kz + k, REACH) - REACH]);
        put(&window, REACH + 1u + k, tiles[level][kx][min(kz + 1u + k, WG_Z - 1u)]);
    }
    put(&window, REACH, centre);
    for (var j = 1u; j <= RADIUS; j++) {
        laplacian += operators[j].y * (below(&window, j) + above(&window, j));
    }
    for (var j = 1u; j <= RADIUS; j++) {
        laplacian += operators[ALONG_Y + j].x * ((*queue)[RADIUS + j] + (*queue)[RADIUS - j]);
    }
    return 2.0 * centre - before + speed * laplacian;
}

@compute @workgroup_size(WG_Z, WG_X)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let kz = local.x;
    let kx = local.y;
    // Below zero they wrap around, to indices that are outside as well.
    let iz = group.x * TILE_Z + kz - HALO;
    let ix = group.y * TILE_X + kx - STEPS * RADIUS;
    let inside = iz < FOURS_Z && ix < NX;
    // The nodes that are valid after the first level, and after the last.
    let near = inside && kz + HALO_1 >= HALO && kz + HALO < WG_Z + HALO_1 && kx >= RADIUS && kx + RADIUS < WG_X;
    let own = inside && kz >= HALO && kz + HALO < WG_Z && kx >= STEPS * RADIUS && kx + STEPS * RADIUS < WG_X;
    let first = group.z * PLANES;
    let planes = min(PLANES, NY - first);
    let base = LEAD / 4u + ix * COLUMN + iz;
    var q0: array<vec4<f32>, QUEUE>;
    var q1: array<vec4<f32>, QUEUE>;
    var q2: array<vec4<f32>, QUEUE>;
    var q3: array<vec4<f32>, QUEUE>;
    // The newest plane of p. Each level is RADIUS planes behind the previous one.
    var y = first - STEPS * RADIUS;
    // The next plane of the march is loaded one plane ahead.
    var coming = vec4<f32>();
    var coming_prev = vec4<f32>();
    var coming_speed = vec4<f32>();
    if inside && y < NY {
        coming = p[base + y * PLANE_4];
    }
    for (var k = 0u; k < planes + 2u * STEPS * RADIUS; k++) {
        shift(&q0);
        q0[2u * RADIUS] = coming;
        let prev = coming_prev;
        let speed = coming_speed;
        coming = vec4<f32>();
        if inside && y + 1u < NY {
            coming = p[base + (y + 1u) * PLANE_4];
        }
        coming_prev = vec4<f32>();
        coming_speed = vec4<f32>();
        let y1 = y + 1u - RADIUS;
        if near && y1 < NY && k + 1u >= 2u * RADIUS {
            coming_prev = p_prev[base + y1 * PLANE_4];
            coming_speed = v2dt2[base + y1 * PLANE_4];
        }
        // `% STEPS`: an index must be valid in unreachable code too.
        tiles[0][kx][kz] = q0[RADIUS];
        if STEPS > 1u {
            shift(&q1);
            tiles[1u % STEPS][kx][kz] = q1[RADIUS];
        }
        if STEPS > 2u {
            shift(&q2);
            tiles[2u % STEPS][kx][kz] = q2[RADIUS];
        }
        if STEPS > 3u {
            shift(&q3);
            tiles[3u % STEPS][kx][kz] = q3[RADIUS];
        }
        workgroupBarrier();
        var last = next(&q0, 0u, kz, kx, prev, speed);
        var last_prev = q0[RADIUS];
        if STEPS > 1u {
            q1[2u * RADIUS] = last;
            last = next(&q1, 1u % STEPS, kz, kx, q0[0], speed_at(inside, base, y - 2u * RADIUS));
            last_prev = q1[RADIUS];
        }
        if STEPS > 2u {
            q2[2u * RADIUS] = last;
            last = next(&q2, 2u % STEPS, kz, kx, q1[0], speed_at(inside, base, y - 3u * RADIUS));
            last_prev = q2[RADIUS];
        }
        if STEPS > 3u {
            q3[2u * RADIUS] = last;
            last = next(&q3, 3u % STEPS, kz, kx, q2[0], speed_at(inside, base, y - 4u * RADIUS));
            last_prev = q3[RADIUS];
        }
        if own && k >= 2u * STEPS * RADIUS {
            let i = base + (y - STEPS * RADIUS) * PLANE_4;
            p_last[i] = last;
            p_last_prev[i] = last_prev;
        }
        // All have read the planes before they are overwritten.
        workgroupBarrier();
        y++;
    }
}

// (v dt)^2 of a later level, which the first level has left in a cache.
fn speed_at(inside: bool, base: u32, y: u32) -> vec4<f32> {
    if inside && y < NY {
        return v2dt2[base + y * PLANE_4];
    }
    return vec4<f32>();
}
