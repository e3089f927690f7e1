// The rows in global memory.

@group(0) @binding(2) var<storage, read> table: array<vec4<f32>>;

fn stage(lane: u32) {}

fn row(v: u32, k: u32) -> vec4<f32> {
    return table[v * ROW_4 + k];
}
