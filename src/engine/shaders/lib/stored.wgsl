// lib/operators.wgsl of a plane in a storage buffer.

// (cx_j, cz_j), j = 0..RADIUS, 1/m^2.
@group(0) @binding(0) var<storage, read> operators: array<vec4<f32>>;
