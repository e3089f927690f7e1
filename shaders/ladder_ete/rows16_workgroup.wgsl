// rows16.wgsl in workgroup memory, which each workgroup loads once: 24 or 32 bytes per row.
//
// Generated constants: BINS, ROW_4, WG_Z, WG_X, WG_Y.

// The base of each of a row's quads, and from SCALE on its scale.
@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 16>;
const SCALE: u32 = 8u;
@group(0) @binding(2) var<storage, read> table: array<vec2<u32>>;

var<workgroup> kept: array<vec2<u32>, BINS * ROW_4>;

fn stage(lane: u32) {
    for (var k = lane; k < BINS * ROW_4; k += WG_Z * WG_X * WG_Y) {
        kept[k] = table[k];
    }
    workgroupBarrier();
}

fn row(v: u32, k: u32) -> vec4<f32> {
    let words = kept[v * ROW_4 + k];
    return operators[k] + operators[SCALE + k] * vec4(unpack2x16unorm(words.x), unpack2x16unorm(words.y));
}
