// Indices of four nodes, two per word.

@group(0) @binding(1) var<storage, read> bins: array<vec2<u32>>;

fn model(i: u32) -> vec4<u32> {
    let both = bins[i];
    return vec4(both.x & 0xffffu, both.x >> 16u, both.y & 0xffffu, both.y >> 16u);
}
