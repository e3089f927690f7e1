// lib/model.wgsl in half the memory: 16-bit unorm u between the extremes over the model,
//
//   (v dt)^2 = base + scale u,
//
// base and scale being operators[ALONG_Y].zw. u = 0 represents the zero below a column and on a
// free surface, where nothing moves. Twin: src/engine/gpu/model.rs.

@group(0) @binding(1) var<storage, read> v2dt2: array<vec2<u32>>;

fn model(cell: u32) -> vec4<f32> {
    let words = v2dt2[cell];
    let u = vec4(unpack2x16unorm(words.x), unpack2x16unorm(words.y));
    let base_and_scale = operators[ALONG_Y].zw;
    return select(vec4(0.0), base_and_scale.x + base_and_scale.y * u, u > vec4(0.0));
}
