// The layers of an adjoint of VTI: as shaders/transposed.wgsl, of both fields. A step multiplies the corrections C u of
// its layers by the matrix A along or across the axis (shaders/vti.wgsl), so the transposed layers, C' A u, are driven
// by A u. An invocation works on both fields of a node, as A couples them. Twin: src/engine/cpu/transposed.rs.
//
// Generated constants: those of lib/transposed.wgsl; SHOTS; TERMS, TERM, F and BUOYANCY of shaders/vti.wgsl.

const ACROSS: u32 = TERMS;
const ALONG: u32 = TERMS + TERM;
const CROSS: u32 = TERMS + 2u * TERM;
const B: u32 = TERMS + 6u * TERM;

fn of_m(at: Node) -> Node {
    var other = at;
    other.shot += SHOTS;
    return other;
}

// A coefficient of a node.
fn term(first: u32, at: Node) -> f32 {
    var quad = at.place / 4u;
    if WINDOWED {
        quad = in_window(at.shot, at.x, at.y, at.z / 4u);
    }
    let four = v2dt2[first + quad];
    return four[at.place % 4u];
}

fn give_both(at: Node, p_here: f32, m_here: f32) {
    var b = 1.0;
    if BUOYANCY {
        b = term(B, at);
    }
    let a = term(ALONG, at);
    let c = term(CROSS, at);
    let d = (2.0 - F) * b - a;
    give(at, term(ACROSS, at) * p_here, a * p_here + c * m_here);
    give(of_m(at), (1.0 - F) * b * m_here, c * p_here + d * m_here);
}

@compute @workgroup_size(WG_Z, WG_X)
fn begin(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let at = node(group.y * groups.x + group.x, group.z, local.xy);
    if !at.inside {
        return;
    }
    let i = at.shot * FIELD + at.place;
    let j = i + SHOTS * FIELD;
    if INCREMENTS {
        give_both(at, p[i], p[j]);
    } else {
        give_both(at, p_next[i], p_next[j]);
    }
}

@compute @workgroup_size(WG_Z, WG_X)
fn layers(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let at = node(group.y * groups.x + group.x, group.z, local.xy);
    if !at.inside {
        return;
    }
    let push = medium(at);
    let i = at.shot * FIELD + at.place;
    let j = i + SHOTS * FIELD;
    let value = p_next[i] + push * take(at, push);
    let value_m = p_next[j] + push * take(of_m(at), push);
    p_next[i] = value;
    p_next[j] = value_m;
    if INCREMENTS {
        give_both(at, p[i] + value, p[j] + value_m);
    } else {
        give_both(at, value, value_m);
    }
}
