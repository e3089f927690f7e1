// lib/update.wgsl for four nodes along z at once; i counts quads.

@group(1) @binding(0) var<storage, read> p: array<vec4<f32>>;
// (v dt)^2, m^2.
@group(0) @binding(1) var<storage, read> v2dt2: array<vec4<f32>>;
// The Laplacian, or p_next and, on entry, p_prev.
@group(1) @binding(1) var<storage, read_write> result: array<vec4<f32>>;

fn update(i: u32, centre: vec4<f32>, laplacian: vec4<f32>) {
    if WAVE {
        result[i] = 2.0 * centre - result[i] + v2dt2[i] * laplacian;
    } else {
        result[i] = laplacian;
    }
}
