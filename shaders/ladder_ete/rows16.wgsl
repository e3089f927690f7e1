// Rows of 16-bit unorm between the extremes of each weight over the table, two per word:
//
//   c = base + scale u
//
// The base of each of a row's quads, and from SCALE on its scale.
@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 16>;
const SCALE: u32 = 8u;
@group(0) @binding(2) var<storage, read> table: array<vec2<u32>>;

fn stage(lane: u32) {}

fn row(v: u32, k: u32) -> vec4<f32> {
    let words = table[v * ROW_4 + k];
    return operators[k] + operators[SCALE + k] * vec4(unpack2x16unorm(words.x), unpack2x16unorm(words.y));
}
