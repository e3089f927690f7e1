// Correlates the stored wave q_f of a shot with its backward wave:
//
//   image        <- image + q_f (p - p_prev)
//   illumination <- illumination + q_f^2
//
// Twin: src/engine/cpu/tap/imaging.rs.

// [shot][y][x][z] of the model.
@group(0) @binding(2) var<storage, read> kept: array<f32>;
// The image and the illumination, likewise.
@group(0) @binding(3) var<storage, read_write> sums: array<vec2<f32>>;

@compute @workgroup_size(WG_Z, WG_X)
fn meet(@builtin(global_invocation_id) id: vec3<u32>) {
    if in_model(id) {
        let here = place(id);
        let q = kept[here];
        sums[here] += q * vec2(difference(id), q);
    }
}
