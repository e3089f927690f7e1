// Rungs 11 and 12 of the 2-D ladder: several steps per pass in a front that marches along x.
//
// The 1.5-D form of the 3.5-D blocking of Nguyen et al. (2010). Each level has a queue of 2 RADIUS
// + 1 columns in registers, which ends RADIUS columns behind the previous level's and feeds the
// next; its last column is the p_prev of the level after that. Compared with tile_steps.wgsl,
// strips overlap only along z, and at the ends of a march. All the middle columns are known before
// any level is stepped, so one barrier per column is enough for all of them, with two sets of lines
// in turn.
//
// Four nodes along z of COLUMNS columns per invocation. Dispatch: (strips along z, marches).

// The middle column of each level, for this column of the march and the previous one.
var<workgroup> lines: array<array<array<vec4<f32>, WG_Z>, STEPS>, 2>;

// The next level of the middle column of a queue, with the given line.
fn next(
    queue: ptr<function, array<vec4<f32>, QUEUE>>,
    side: u32,
    level: u32,
    kz: u32,
    before: vec4<f32>,
    speed: vec4<f32>,
) -> vec4<f32> {
    let centre = (*queue)[RADIUS];
    var laplacian = (operators[0].x + operators[0].y) * centre;
    for (var j = 1u; j <= RADIUS; j++) {
        laplacian += operators[j].x * ((*queue)[RADIUS + j] + (*queue)[RADIUS - j]);
    }
    var window: array<f32, WINDOW>;
    for (var k = 0u; k < REACH; k++) {
        // The value beyond the strip does not matter.
        put(&window, k, lines[side][level][max(kz + k, REACH) - REACH]);
        put(&window, REACH + 1u + k, lines[side][level][min(kz + 1u + k, WG_Z - 1u)]);
    }
    put(&window, REACH, centre);
    for (var j = 1u; j <= RADIUS; j++) {
        laplacian += operators[j].y * (below(&window, j) + above(&window, j));
    }
    return 2.0 * centre - before + speed * laplacian;
}

@compute @workgroup_size(WG_Z)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let kz = local.x;
    // Below zero they wrap around, to indices that are outside as well.
    let iz = group.x * TILE_Z + kz - HALO;
    let inside = iz < FOURS_Z;
    let near = inside && kz + HALO_1 >= HALO && kz + HALO < WG_Z + HALO_1;
    let own = inside && kz >= HALO && kz + HALO < WG_Z;
    let first = group.y * COLUMNS;
    let columns = min(COLUMNS, NX - first);
    let base = LEAD / 4u + iz;
    var q0: array<vec4<f32>, QUEUE>;
    var q1: array<vec4<f32>, QUEUE>;
    var q2: array<vec4<f32>, QUEUE>;
    var q3: array<vec4<f32>, QUEUE>;
    // The newest column of p. Each level is RADIUS columns behind the previous one.
    var x = first - STEPS * RADIUS;
    // The next column of the march is loaded one column ahead.
    var coming = vec4<f32>();
    var coming_prev = vec4<f32>();
    var coming_speed = vec4<f32>();
    if inside && x < NX {
        coming = p[base + x * COLUMN];
    }
    for (var k = 0u; k < columns + 2u * STEPS * RADIUS; k++) {
        shift(&q0);
        q0[2u * RADIUS] = coming;
        let prev = coming_prev;
        let speed = coming_speed;
        coming = vec4<f32>();
        if inside && x + 1u < NX {
            coming = p[base + (x + 1u) * COLUMN];
        }
        coming_prev = vec4<f32>();
        coming_speed = vec4<f32>();
        let x1 = x + 1u - RADIUS;
        if near && x1 < NX && k + 1u >= 2u * RADIUS {
            coming_prev = p_prev[base + x1 * COLUMN];
            coming_speed = v2dt2[base + x1 * COLUMN];
        }
        // `% STEPS`: an index must be valid in unreachable code too.
        let side = k % 2u;
        lines[side][0][kz] = q0[RADIUS];
        if STEPS > 1u {
            shift(&q1);
            lines[side][1u % STEPS][kz] = q1[RADIUS];
        }
        if STEPS > 2u {
            shift(&q2);
            lines[side][2u % STEPS][kz] = q2[RADIUS];
        }
        if STEPS > 3u {
            shift(&q3);
            lines[side][3u % STEPS][kz] = q3[RADIUS];
        }
        workgroupBarrier();
        var last = next(&q0, side, 0u, kz, prev, speed);
        var last_prev = q0[RADIUS];
        if STEPS > 1u {
            q1[2u * RADIUS] = last;
            last = next(&q1, side, 1u % STEPS, kz, q0[0], speed_at(inside, base, x - 2u * RADIUS));
            last_prev = q1[RADIUS];
        }
        if STEPS > 2u {
            q2[2u * RADIUS] = last;
            last = next(&q2, side, 2u % STEPS, kz, q1[0], speed_at(inside, base, x - 3u * RADIUS));
            last_prev = q2[RADIUS];
        }
        if STEPS > 3u {
            q3[2u * RADIUS] = last;
            last = next(&q3, side, 3u % STEPS, kz, q2[0], speed_at(inside, base, x - 4u * RADIUS));
            last_prev = q3[RADIUS];
        }
        if own && k >= 2u * STEPS * RADIUS {
            let i = base + (x - STEPS * RADIUS) * COLUMN;
            p_last[i] = last;
            p_last_prev[i] = last_prev;
        }
        x++;
    }
}

// (v dt)^2 of a later level, which the first level has left in a cache.
fn speed_at(inside: bool, base: u32, x: u32) -> vec4<f32> {
    if inside && x < NX {
        return v2dt2[base + x * COLUMN];
    }
    return vec4<f32>();
}
