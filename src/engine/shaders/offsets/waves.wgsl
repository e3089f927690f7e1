// Copies both waves of each shot at an imaging step, on a line of the model, to the slots for
// offset gathers:
//
//   forward <- q_f,   backward <- p - p_prev
//
// One node per invocation. Dispatch: (ceil(MODEL_Z / WG_Z), ceil(MODEL_X / WG_X), shots).
//
// Generated constants: those of lib/differences.wgsl; LINE, the y of the line, cells; FIRST_X,
// nodes of the line that lie in slabs before; MOST, APART, ACROSS, ALONG_X, WAVE, SLOT, as in
// lib/offsets.wgsl.

// [shot][y][x][z] of the model.
@group(0) @binding(2) var<storage, read> kept: array<f32>;
// [slot][shot] of lines.
@group(0) @binding(3) var<storage, read_write> forward: array<f32>;
@group(0) @binding(4) var<storage, read_write> backward: array<f32>;

struct Given {
    // The slot to copy to.
    slot: u32,
}
var<immediate> given: Given;

@compute @workgroup_size(WG_Z, WG_X)
fn put(@builtin(global_invocation_id) id: vec3<u32>) {
    if in_model(id) {
        let of_line = vec3(id.xy, id.z * MODEL_Y + LINE);
        let x = FIRST_X + id.y;
        let along = select(x * ACROSS + id.x * APART, x * APART + id.x * ACROSS, ALONG_X);
        let here = given.slot * SLOT + id.z * WAVE + MOST * APART + along;
        forward[here] = kept[place(of_line)];
        backward[here] = difference(of_line);
    }
}
