// Both waves of each shot on a line of the model at some imaging steps, with zeros before and after
// it as far as offsets reach, and their offset gathers (Al Theyab and Clapp, SEP-138, equation 4):
//
//   I(x, h) <- I(x, h) + q_f(x + h) q_b(x - h)
//
// h along x or z: a wave is zero beyond the model.
//
// Generated constants: MODEL_X, MODEL_Z, nodes of the line; OFFSETS, MOST, STEP: offsets, the
// largest in cells, and cells from one to the next; APART, ACROSS: values from a node to the next
// along h and across it; ALONG_X; WAVE, values of a shot; SLOT, of all shots; WG_Z, WG_X.

// [slot][shot] of lines, z or, with offsets along x, zeros along x around [x][z].
@group(0) @binding(0) var<storage, read> forward: array<f32>;
@group(0) @binding(1) var<storage, read> backward: array<f32>;
// [shot][offset][x][z].
@group(0) @binding(2) var<storage, read_write> gathers: array<f32>;

// Index of a node of a wave.
fn node(shot: u32, x: u32, z: u32) -> u32 {
    return shot * WAVE + MOST * APART + select(x * ACROSS + z * APART, x * APART + z * ACROSS, ALONG_X);
}

// Values from x to x + h.
fn away(offset: u32) -> u32 {
    return (offset * STEP - MOST) * APART;
}

fn place(shot: u32, offset: u32, x: u32, z: u32) -> u32 {
    return ((shot * OFFSETS + offset) * MODEL_X + x) * MODEL_Z + z;
}
