// Correlates the stored wave q_f of a shot with its backward wave:
//
//   image        <- image + q_f (p - p_prev)
//   illumination <- illumination + q_f^2
//
// With VTI the same of the auxiliary field m is added: both fields have the factor b/v^2. Twin:
// src/engine/cpu/tap/imaging.rs.
//
// Generated constants: those of lib/differences.wgsl; AUXILIARY, planes from p of a shot to its m, 0 without VTI.

// [shot][y][x][z] of the model, with VTI of p, then of m.
@group(0) @binding(2) var<storage, read> kept: array<f32>;
// The image and the illumination, [shot][y][x][z].
@group(0) @binding(3) var<storage, read_write> sums: array<vec2<f32>>;

@compute @workgroup_size(WG_Z, WG_X)
fn meet(@builtin(global_invocation_id) id: vec3<u32>) {
    if in_model(id) {
        let here = place(id);
        let q = kept[here];
        sums[here] += q * vec2(difference(id), q);
        if AUXILIARY > 0u {
            let of_m = id + vec3(0u, 0u, AUXILIARY);
            let m = kept[place(of_m)];
            sums[here] += m * vec2(difference(of_m), m);
        }
    }
}
