// One time step of the acoustic wave equation in 2-D and 3-D, (1/v^2) p_tt = lap p + s(t) delta(x -
// xs):
//
//   p_next = g (2 p + (v dt)^2 lap p) - g^2 p_prev + (v dt)^2 s / (cell volume)
//
// g is the sponge's factor (lib/layers.wgsl), if there is one; the CPML's correction
// (lib/layers.wgsl) and the term of explicit time evolution (lib/fourth.wgsl) are added to the
// Laplacian. p_next replaces p_prev. Twins: src/engine/cpu/reference.rs, src/engine/cpu/columns.rs.
//
// An invocation steps four nodes along z, straight from global memory: halos of zeros
// (src/engine/layout.rs) make the stencil free of branches, and (v dt)^2 = 0 keeps the zeros below
// a column. Free surface: lib/surface.wgsl. Workgroups past the last tile along x record p at the
// receivers instead (lib/acquisition.wgsl).
//
// Fields and operators: lib/field.wgsl. Tiles, their constants and the dispatch: lib/region.wgsl.
// (v dt)^2: lib/model.wgsl. Blocks that sleep: lib/sleep.wgsl.

@compute @workgroup_size(WG_Z, WG_X, WG_Y)
fn step(
    @builtin(workgroup_id) tile: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    if tile.y >= TILES_X {
        record_beyond(tile, lane, now.row);
        return;
    }
    let at = place(tile, local);
    if !at.inside {
        return;
    }
    let is_awake = SLEEPS && awake(at.shot, at.z, at.x, at.y);
    if asleep(at, is_awake) {
        return;
    }
    let cell = LEAD / 4u + at.y * PLANE_4 + at.x * COLUMN + at.z;
    let i = at.shot * (FIELD / 4u) + cell;
    var medium = at.shot * MODEL + cell;
    if WINDOWED {
        medium = in_window(at.shot, at.x, at.y, at.z);
    }

    let memory_x = recall_x(at);
    let memory_y = recall_y(at);
    let memory_z = recall_z(at);
    // The layers need the first derivatives too; without layers they are never used.
    let centre = p[i];
    // A layer also stretches the derivative's part of explicit time evolution.
    var m = vec4(0.0);
    var d4x = vec4(0.0);
    var d4z = vec4(0.0);
    if ETE {
        m = model(medium);
        d4x = operators[STAR].x * centre;
        d4z = operators[STAR].y * centre;
    }
    var d1x = vec4(0.0);
    var d2x = operators[0].x * centre;
    for (var j = 1u; j <= RADIUS; j++) {
        let right = p[i + j * COLUMN];
        let left = p[i - j * COLUMN];
        d2x += operators[j].x * (right + left);
        d1x += operators[j].z * (right - left);
        if ETE {
            d4x += operators[STAR + j].x * (right + left);
        }
    }
    var window: array<f32, WINDOW>;
    for (var k = 0u; k < FOURS; k++) {
        put(&window, k, around(i, at.z, k));
    }
    var d1z = vec4(0.0);
    var d2z = operators[0].y * centre;
    for (var j = 1u; j <= RADIUS; j++) {
        let down = below(&window, j);
        let up = above(&window, j);
        d2z += operators[j].y * (down + up);
        d1z += operators[j].w * (down - up);
        if ETE {
            d4z += operators[STAR + j].y * (down + up);
        }
    }
    if ETE {
        d2x += m * d4x;
        d2z += m * d4z;
    }
    var laplacian = d2x + d2z;
    if memory_x.inside {
        laplacian += correction_x(at, memory_x, d1x, d2x);
    }
    if memory_z.inside {
        laplacian += correction_z(at, memory_z, d1z, d2z);
    }
    // Along y after the corrections of the others, which keeps the fewest values alive.
    if VOLUME {
        var d1y = vec4(0.0);
        var d2y = operators[ALONG_Y].x * centre;
        var d4y = vec4(0.0);
        if ETE {
            d4y = operators[STAR].z * centre;
        }
        for (var j = 1u; j <= RADIUS; j++) {
            let behind = p[i + j * PLANE_4];
            let before = p[i - j * PLANE_4];
            d2y += operators[ALONG_Y + j].x * (behind + before);
            d1y += operators[ALONG_Y + j].y * (behind - before);
            if ETE {
                d4y += operators[STAR + j].z * (behind + before);
            }
        }
        if ETE {
            d2y += m * d4y;
        }
        laplacian += d2y;
        if memory_y.inside {
            laplacian += correction_y(at, memory_y, d1y, d2y);
        }
    }

    if ETE {
        laplacian += m * diagonals(i, at.z, centre);
    } else {
        m = model(medium);
    }
    if DENSITY {
        laplacian -= potential(select(cell, medium, WINDOWED)) * centre;
    }
    let push = m * laplacian;
    var next: vec4<f32>;
    if SPONGE {
        next = damped(damping(at), centre, p_next[i], push);
    } else {
        next = stepped(centre, p_next[i], push);
    }
    p_next[i] = next;
    wake(at, is_awake, next);
    inject(at, cell, now.step);
}

// Records without stepping: the last sample of a run. Dispatch: (groups, 1, shots).
@compute @workgroup_size(WG_Z, WG_X, WG_Y)
fn record_only(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    record(group.z, group.x * WG_Z * WG_X * WG_Y + lane, now.row);
}
