// Stores the wave of each shot at an imaging step, to correlate it with the backward wave:
//
//   q <- p - p_prev
//
// with VTI of both fields. Twin: src/engine/cpu/tap/store.rs.

// [shot][y][x][z] of the model, with VTI of p, then of m.
@group(0) @binding(2) var<storage, read_write> kept: array<f32>;

@compute @workgroup_size(WG_Z, WG_X)
fn store(@builtin(global_invocation_id) id: vec3<u32>) {
    if in_model(id) {
        kept[place(id)] = difference(id);
    }
}
