// The weights FIRST..END of every row from workgroup memory, the others from global memory.
//
// Each workgroup loads them once; the longer its march, the less that costs.

@group(0) @binding(2) var<storage, read> table: array<f32>;

const KEPT: u32 = END - FIRST;
var<workgroup> kept: array<f32, BINS * KEPT>;

fn stage(lane: u32) {
    for (var k = lane; k < BINS * KEPT; k += WG_Z * WG_X * WG_Y) {
        kept[k] = table[k / KEPT * ROW + FIRST + k % KEPT];
    }
    workgroupBarrier();
}

fn weight(v: u32, j: u32) -> f32 {
    if j >= FIRST && j < END {
        return kept[v * KEPT + j - FIRST];
    }
    return table[v * ROW + j];
}
