// The rows in workgroup memory, which each workgroup loads once.

var<workgroup> kept: array<Row, BINS * ROW_4>;

fn stage(lane: u32) {
    for (var k = lane; k < BINS * ROW_4; k += WG_Z * WG_X * WG_Y) {
        kept[k] = table[k];
    }
    workgroupBarrier();
}

fn row(v: u32, k: u32) -> vec4<f32> {
    return unpacked(kept[v * ROW_4 + k], k);
}
