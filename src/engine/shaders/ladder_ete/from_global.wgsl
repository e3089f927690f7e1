// Weights from a table of ROW values per row in global memory.

@group(0) @binding(2) var<storage, read> table: array<f32>;

fn stage(lane: u32) {}

fn weight(v: u32, j: u32) -> f32 {
    return table[v * ROW + j];
}
