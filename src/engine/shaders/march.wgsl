// The step of shaders/step.wgsl without layers, by the register queue of Micikevicius (2009):
//
//   p_next = 2 p - p_prev + (v dt)^2 lap p + (v dt)^2 s / (cell volume)
//
// with the term of explicit time evolution (lib/fourth.wgsl). An invocation marches along y through
// SLICES planes and steps four nodes along z in each. The stencil's values along y are kept in
// registers; x and z neighbours come straight from memory, where neighbouring invocations have just
// loaded them into the cache. The sum along x comes first and that along y last, which keeps the
// fewest values alive: registers are the limit. Twins: src/engine/cpu/reference.rs,
// src/engine/cpu/columns.rs.
//
// Tiles, their constants and the dispatch: lib/region.wgsl. (v dt)^2: lib/model.wgsl.
// Bindings as in shaders/step.wgsl.

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
    let first = LEAD / 4u + at.y * PLANE_4 + at.x * COLUMN + at.z;
    let end = min(at.plane + SLICES, SPAN_Y);

    var cell = first;
    var i = at.shot * (FIELD / 4u) + first;
    var window = 0u;
    if WINDOWED {
        window = in_window(at.shot, at.x, at.y, at.z);
    }
    // p from RADIUS planes before to RADIUS planes after the current one.
    var queue: array<vec4<f32>, 2u * RADIUS + 1u>;
    for (var k = 1u; k <= 2u * RADIUS; k++) {
        queue[k] = p[i + (k - 1u) * PLANE_4 - RADIUS * PLANE_4];
    }
    for (var plane = at.plane; plane < end; plane++) {
        for (var k = 0u; k < 2u * RADIUS; k++) {
            queue[k] = queue[k + 1u];
        }
        queue[2u * RADIUS] = p[i + RADIUS * PLANE_4];
        let centre = queue[RADIUS];
        var fourth = vec4(0.0);
        if ETE {
            fourth = diagonals(i, at.z, centre);
            fourth += operators[STAR].x * centre;
            fourth += operators[STAR].y * centre;
            fourth += operators[STAR].z * centre;
        }
        // Each axis adds its own centre, so its weights cancel in a constant field.
        var laplacian = operators[0].x * centre;
        for (var j = 1u; j <= RADIUS; j++) {
            let pair = p[i + j * COLUMN] + p[i - j * COLUMN];
            laplacian += operators[j].x * pair;
            if ETE {
                fourth += operators[STAR + j].x * pair;
            }
        }
        var along_z: array<f32, WINDOW>;
        for (var k = 0u; k < FOURS; k++) {
            var four = centre;
            if k != REACH {
                four = around(i, at.z, k);
            }
            put(&along_z, k, four);
        }
        laplacian += operators[0].y * centre;
        for (var j = 1u; j <= RADIUS; j++) {
            let pair = below(&along_z, j) + above(&along_z, j);
            laplacian += operators[j].y * pair;
            if ETE {
                fourth += operators[STAR + j].y * pair;
            }
        }
        laplacian += operators[ALONG_Y].x * centre;
        for (var j = 1u; j <= RADIUS; j++) {
            let pair = queue[RADIUS + j] + queue[RADIUS - j];
            laplacian += operators[ALONG_Y + j].x * pair;
            if ETE {
                fourth += operators[STAR + j].z * pair;
            }
        }
        var m = vec4(0.0);
        if DENSITY {
            laplacian -= potential(select(cell, window, WINDOWED)) * centre;
        }
        if WINDOWED {
            m = model(window);
            window += MODEL_PLANE;
        } else {
            m = model(at.shot * MODEL + cell);
        }
        if ETE {
            laplacian += m * fourth;
        }
        p_next[i] = stepped(centre, p_next[i], m * laplacian);
        i += PLANE_4;
        cell += PLANE_4;
    }
    inject(at, first, now.step);
}
