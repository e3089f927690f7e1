// Saves p on the ring of nodes just outside the model, as wide as the stencil's reach, on the way
// forward in time and restores it on the way backward:
//
//   saved(n) <- p(n)        save
//   p(n)     <- saved(n)    put
//
// In 32-bit floats, or in 16-bit ones times a scale. Twins: src/engine/cpu/tap/boundaries.rs,
// src/engine/cpu/rebuilt.rs.
//
// One word per invocation: one node, or two in 16 bits. Dispatch: groups of WG words of all shots,
// in rows along x.
//
// Generated constants: FIELD, INCREMENTS, WG; SHOTS; WORDS, per shot and step; HALVES, SCALE (its
// bits).

@group(0) @binding(0) var<storage, read_write> p: array<f32>;
// p_prev, or with increments p - p_prev.
@group(0) @binding(1) var<storage, read_write> second: array<f32>;
// [step][shot][word]
@group(0) @binding(2) var<storage, read_write> saved: array<u32>;
// The offset of each node of the ring in a field; if the last word has only one 16-bit value, its
// other offset is 0, where the field is zero.
@group(0) @binding(3) var<storage, read> places: array<u32>;

// A struct, because Direct3D requires one.
struct Row {
    // The first word of the step.
    first: u32,
}
var<immediate> row: Row;

// The largest 16-bit float.
const MOST: f32 = 65504.0;

struct Word {
    inside: bool,
    shot: u32,
    // Its index among those of a shot, and its offset.
    number: u32,
    place: u32,
}

fn word(group: vec3<u32>, groups: vec3<u32>, lane: u32) -> Word {
    let i = (group.y * groups.x + group.x) * WG + lane;
    return Word(i < SHOTS * WORDS, i / WORDS, i % WORDS, row.first + i);
}

fn put_node(node: u32, value: f32) {
    if INCREMENTS {
        second[node] = value - (p[node] - second[node]);
    }
    p[node] = value;
}

@compute @workgroup_size(WG)
fn save(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let here = word(group, groups, lane);
    if !here.inside {
        return;
    }
    let field = here.shot * FIELD;
    if HALVES {
        let one = p[field + places[2u * here.number]];
        let other = p[field + places[2u * here.number + 1u]];
        let both = bitcast<f32>(SCALE) * vec2(one, other);
        saved[here.place] = pack2x16float(clamp(both, vec2(-MOST), vec2(MOST)));
    } else {
        saved[here.place] = bitcast<u32>(p[field + places[here.number]]);
    }
}

@compute @workgroup_size(WG)
fn put(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let here = word(group, groups, lane);
    if !here.inside {
        return;
    }
    let field = here.shot * FIELD;
    if HALVES {
        // The scale is a power of two.
        let both = unpack2x16float(saved[here.place]) / bitcast<f32>(SCALE);
        put_node(field + places[2u * here.number], both.x);
        put_node(field + places[2u * here.number + 1u], both.y);
    } else {
        put_node(field + places[here.number], bitcast<f32>(saved[here.place]));
    }
}
