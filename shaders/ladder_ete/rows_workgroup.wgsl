// The rows in workgroup memory, which each workgroup loads once.
//
// Generated constants: BINS, ROW_4, WG_Z, WG_X, WG_Y.

@group(0) @binding(2) var<storage, read> table: array<vec4<f32>>;

var<workgroup> kept: array<vec4<f32>, BINS * ROW_4>;

fn stage(lane: u32) {
    for (var k = lane; k < BINS * ROW_4; k += WG_Z * WG_X * WG_Y) {
        kept[k] = table[k];
    }
    workgroupBarrier();
}

fn row(v: u32, k: u32) -> vec4<f32> {
    return kept[v * ROW_4 + k];
}
