// The rows in global memory.

fn stage(lane: u32) {}

fn row(v: u32, k: u32) -> vec4<f32> {
    return unpacked(table[v * ROW_4 + k], k);
}
