// Offset gathers, the paper's first kernel: for each offset both waves and the sum are read,
// through the caches, and the sum is written.
//
// One node per invocation. Dispatch: (ceil(MODEL_Z / WG_Z), ceil(MODEL_X / WG_X), shots). Twin:
// src/engine/cpu/tap/offsets.rs.

@compute @workgroup_size(WG_Z, WG_X)
fn gather(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= MODEL_Z || id.y >= MODEL_X {
        return;
    }
    let here = node(id.z, id.y, id.x);
    for (var offset = 0u; offset < OFFSETS; offset++) {
        let h = away(offset);
        gathers[place(id.z, offset, id.y, id.x)] += forward[here + h] * backward[here - h];
    }
}
