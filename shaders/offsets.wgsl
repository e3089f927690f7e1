// Offset gathers (Al Theyab and Clapp, SEP-138, equation 4): where the wave of a shot, kept as q_f, meets the one that goes back, at points
// on either side of each node,
//
//   I(x, h) <- I(x, h) + q_f(x + h) q_b(x - h),   q_b = p - p_prev
//
// h along x or z; beyond the model both waves are zero. An invocation an offset and node: each is read from memory, where the caches do not have it.
// Dispatch: (ceil(MODEL_Z / WG_Z), ceil(MODEL_X / WG_X), shots x OFFSETS). Twin: src/engine/cpu/tap/offsets.rs.
//
// Generated constants: those of lib/differences.wgsl; OFFSETS, MOST, STEP: offsets, the largest in cells, and cells from one to the next; ALONG_X.

// [shot][x][z] of the model.
@group(0) @binding(2) var<storage, read> kept: array<f32>;
// [shot][offset][x][z].
@group(0) @binding(3) var<storage, read_write> gathers: array<f32>;

@compute @workgroup_size(WG_Z, WG_X)
fn meet(@builtin(global_invocation_id) id: vec3<u32>) {
    if !in_model(id) {
        return;
    }
    let shot = id.z / OFFSETS;
    let h = i32(id.z % OFFSETS * STEP) - i32(MOST);
    let along_x = select(0, h, ALONG_X);
    let along_z = h - along_x;
    let forward = vec2(i32(id.y) + along_x, i32(id.x) + along_z);
    let backward = vec2(i32(id.y) - along_x, i32(id.x) - along_z);
    let n = vec2(i32(MODEL_X), i32(MODEL_Z));
    if any(forward < vec2(0)) || any(backward < vec2(0)) || any(forward >= n) || any(backward >= n) {
        return;
    }
    let q = kept[place(vec3(u32(forward.y), u32(forward.x), shot))];
    gathers[place(id)] += q * difference(vec3(u32(backward.y), u32(backward.x), shot));
}
