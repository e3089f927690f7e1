// Stores the Laplacian at a node as the result, or takes a step of the wave equation,
//
//   p_next = 2 p - p_prev + (v dt)^2 lap p,
//
// which replaces p_prev. (v dt)^2 is zero between the columns, so p stays zero there.

@group(1) @binding(0) var<storage, read> p: array<f32>;
// (v dt)^2, m^2.
@group(0) @binding(1) var<storage, read> v2dt2: array<f32>;
// The Laplacian, or p_next and, on entry, p_prev.
@group(1) @binding(1) var<storage, read_write> result: array<f32>;

fn update(i: u32, centre: f32, laplacian: f32) {
    if WAVE {
        result[i] = 2.0 * centre - result[i] + v2dt2[i] * laplacian;
    } else {
        result[i] = laplacian;
    }
}
