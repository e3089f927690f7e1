// One time step of VTI in 2-D and 3-D (src/numbers/medium/vti.rs): the pressure p and an auxiliary field m, u = (p, m),
//
//   u_next = g (2 u + (v dt)^2/b K u) - g^2 u_prev + (v dt)^2/b b(xs) s / (cell volume) of p
//   K u = sum over the axes of (A L u + L(A u)) / 2 + A C u  -  O u
//
// A is across the axis diag(b (1 + 2 epsilon), b (1 - f)), and along it the symmetric matrix of ALONG, CROSS and b (2 - f) less
// ALONG. L is the second derivative, C u the correction of a CPML (lib/layers.wgsl), O the sum of L A / 2. g is a sponge's
// factor. Both fields are odd about a free surface, and A is even. Twins: src/engine/cpu/reference_vti.rs,
// src/engine/cpu/vti.rs.
//
// An invocation steps four nodes along z of both fields, straight from global memory. Of the buffers of lib/field.wgsl
// and lib/layers.wgsl the first half is p, that of all shots, and the second m. (v dt)^2/b is in the place of
// (v dt)^2 in the buffer of lib/model.wgsl; behind the models and the windows, from TERMS on and TERM quads apart, lie
// in the layout of one model the coefficients below.
//
// Generated constants: TERMS, TERM; F, 1 - (vs/vp)^2; BUOYANCY, whether b is there or is 1.

const ACROSS: u32 = TERMS;
const ALONG: u32 = TERMS + TERM;
const CROSS: u32 = TERMS + 2u * TERM;
const OWN_P: u32 = TERMS + 3u * TERM;
const OWN_CROSS: u32 = TERMS + 4u * TERM;
const OWN_M: u32 = TERMS + 5u * TERM;
const B: u32 = TERMS + 6u * TERM;
// From a column to the next and from a plane to the next in the layout of a model, quads.
const TO_X: u32 = select(COLUMN, MODEL_COLUMN, WINDOWED);
const TO_Y: u32 = select(PLANE_4, MODEL_PLANE, WINDOWED);
// From p of a shot to its m, quads.
const TO_M: u32 = SHOTS * (FIELD / 4u);

fn buoyancy(cell: u32) -> vec4<f32> {
    if BUOYANCY {
        return v2dt2[B + cell];
    }
    return vec4(1.0);
}

// The kth of the FOURS quads of a coefficient around the quad at `cell`, the zth of its column; its image above a
// free surface has the same sign.
fn term_around(term: u32, cell: u32, z: u32, k: u32) -> vec4<f32> {
    if FREE_SURFACE && z + k < REACH {
        let m = REACH - (z + k);
        let surface = term + cell - z;
        let near = v2dt2[surface + m - 1u];
        return vec4(v2dt2[surface + m].x, near.w, near.z, near.y);
    }
    return v2dt2[term + cell - REACH + k];
}

// First and second derivatives of both fields, and the second ones of A's products with them.
struct Derivatives {
    d1_p: vec4<f32>,
    d1_m: vec4<f32>,
    d2_p: vec4<f32>,
    d2_m: vec4<f32>,
    of_p: vec4<f32>,
    of_m: vec4<f32>,
}

// Across the axis, along y or else along x: neighbours are `stride` quads apart in the fields and `step` in the coefficients.
fn across(i: u32, cell: u32, stride: u32, step: u32, along_y: bool) -> Derivatives {
    var d = Derivatives();
    let centre = select(operators[0].x, operators[ALONG_Y].x, along_y);
    d.d2_p = centre * p[i];
    d.d2_m = centre * p[i + TO_M];
    d.of_p = centre * (v2dt2[ACROSS + cell] * p[i]);
    d.of_m = centre * (buoyancy(cell) * p[i + TO_M]);
    for (var j = 1u; j <= RADIUS; j++) {
        let second = select(operators[j].x, operators[ALONG_Y + j].x, along_y);
        let first = select(operators[j].z, operators[ALONG_Y + j].y, along_y);
        let on = p[i + j * stride];
        let back = p[i - j * stride];
        d.d2_p += second * (on + back);
        d.d1_p += first * (on - back);
        let a = v2dt2[ACROSS + cell + j * step] * on + v2dt2[ACROSS + cell - j * step] * back;
        d.of_p += second * a;
        let m_on = p[i + TO_M + j * stride];
        let m_back = p[i + TO_M - j * stride];
        d.d2_m += second * (m_on + m_back);
        d.d1_m += first * (m_on - m_back);
        if BUOYANCY {
            let b = v2dt2[B + cell + j * step] * m_on + v2dt2[B + cell - j * step] * m_back;
            d.of_m += second * b;
        }
    }
    if !BUOYANCY {
        d.of_m = d.d2_m;
    }
    return d;
}

// Along the axis, at the quad at `i`, the zth of its column.
fn along(i: u32, cell: u32, z: u32) -> Derivatives {
    var p_near: array<f32, WINDOW>;
    var m_near: array<f32, WINDOW>;
    var of_p_near: array<f32, WINDOW>;
    var of_m_near: array<f32, WINDOW>;
    for (var k = 0u; k < FOURS; k++) {
        let u = around(i, z, k);
        let w = around(i + TO_M, z, k);
        let a = term_around(ALONG, cell, z, k);
        let c = term_around(CROSS, cell, z, k);
        var b = vec4(1.0);
        if BUOYANCY {
            b = term_around(B, cell, z, k);
        }
        put(&p_near, k, u);
        put(&m_near, k, w);
        put(&of_p_near, k, a * u + c * w);
        put(&of_m_near, k, c * u + ((2.0 - F) * b - a) * w);
    }
    var d = Derivatives();
    let centre = operators[0].y;
    d.d2_p = centre * take(&p_near, 4u * REACH);
    d.d2_m = centre * take(&m_near, 4u * REACH);
    d.of_p = centre * take(&of_p_near, 4u * REACH);
    d.of_m = centre * take(&of_m_near, 4u * REACH);
    for (var j = 1u; j <= RADIUS; j++) {
        let second = operators[j].y;
        let first = operators[j].w;
        d.d2_p += second * (below(&p_near, j) + above(&p_near, j));
        d.d1_p += first * (below(&p_near, j) - above(&p_near, j));
        d.d2_m += second * (below(&m_near, j) + above(&m_near, j));
        d.d1_m += first * (below(&m_near, j) - above(&m_near, j));
        d.of_p += second * (below(&of_p_near, j) + above(&of_p_near, j));
        d.of_m += second * (below(&of_m_near, j) + above(&of_m_near, j));
    }
    return d;
}

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
    var of_m = at;
    of_m.shot += SHOTS;
    let cell = LEAD / 4u + at.y * PLANE_4 + at.x * COLUMN + at.z;
    let i = at.shot * (FIELD / 4u) + cell;
    var medium = at.shot * MODEL + cell;
    var terms = cell;
    if WINDOWED {
        medium = in_window(at.shot, at.x, at.y, at.z);
        terms = medium;
    }
    let p_x = recall_x(at);
    let m_x = recall_x(of_m);
    let p_y = recall_y(at);
    let m_y = recall_y(of_m);
    let p_z = recall_z(at);
    let m_z = recall_z(of_m);
    let p_here = p[i];
    let m_here = p[i + TO_M];
    let a_h = v2dt2[ACROSS + terms];
    let b = buoyancy(terms);
    let b_h = (1.0 - F) * b;
    let own_cross = v2dt2[OWN_CROSS + terms];
    var sum_p = -(v2dt2[OWN_P + terms] * p_here + own_cross * m_here);
    var sum_m = -(own_cross * p_here + v2dt2[OWN_M + terms] * m_here);

    let dx = across(i, terms, COLUMN, TO_X, false);
    sum_p += 0.5 * (a_h * dx.d2_p + dx.of_p);
    sum_m += 0.5 * (1.0 - F) * (b * dx.d2_m + dx.of_m);
    if p_x.inside {
        sum_p += a_h * correction_x(at, p_x, dx.d1_p, dx.d2_p);
        sum_m += b_h * correction_x(at, m_x, dx.d1_m, dx.d2_m);
    }
    if VOLUME {
        let dy = across(i, terms, PLANE_4, TO_Y, true);
        sum_p += 0.5 * (a_h * dy.d2_p + dy.of_p);
        sum_m += 0.5 * (1.0 - F) * (b * dy.d2_m + dy.of_m);
        if p_y.inside {
            sum_p += a_h * correction_y(at, p_y, dy.d1_p, dy.d2_p);
            sum_m += b_h * correction_y(at, m_y, dy.d1_m, dy.d2_m);
        }
    }
    let dz = along(i, terms, at.z);
    let a = v2dt2[ALONG + terms];
    let c = v2dt2[CROSS + terms];
    let d = (2.0 - F) * b - a;
    sum_p += 0.5 * (a * dz.d2_p + c * dz.d2_m + dz.of_p);
    sum_m += 0.5 * (c * dz.d2_p + d * dz.d2_m + dz.of_m);
    if p_z.inside {
        let c_p = correction_z(at, p_z, dz.d1_p, dz.d2_p);
        let c_m = correction_z(at, m_z, dz.d1_m, dz.d2_m);
        sum_p += a * c_p + c * c_m;
        sum_m += c * c_p + d * c_m;
    }

    let push = model(medium);
    if SPONGE {
        let g = damping(at);
        p_next[i] = damped(g, p_here, p_next[i], push * sum_p);
        p_next[i + TO_M] = damped(g, m_here, p_next[i + TO_M], push * sum_m);
    } else {
        p_next[i] = stepped(p_here, p_next[i], push * sum_p);
        p_next[i + TO_M] = stepped(m_here, p_next[i + TO_M], push * sum_m);
    }
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
