// Indices of four nodes, one per word.

@group(0) @binding(1) var<storage, read> bins: array<vec4<u32>>;

fn model(i: u32) -> vec4<u32> {
    return bins[i];
}
