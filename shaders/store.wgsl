// Keeps the wave of each shot at an imaging step, for the wave that goes back to meet:
//
//   q <- p - p_prev
//
// or, where it goes backward in time, the same with the other sign: p_prev is p after it.
//
// Twin: src/engine/cpu/tap/store.rs.
//
// Generated constants: BACKWARD.

// [shot][y][x][z] of the model.
@group(0) @binding(2) var<storage, read_write> kept: array<f32>;

@compute @workgroup_size(WG_Z, WG_X)
fn store(@builtin(global_invocation_id) id: vec3<u32>) {
    if in_model(id) {
        let q = difference(id);
        kept[place(id)] = select(q, -q, BACKWARD);
    }
}
