// Rows of 16-bit unorm between the extremes of each weight over the table, two per word:
//
//   c = base + scale u

// The base of each of a row's quads, and from SCALE on its scale.
@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 16>;
const SCALE: u32 = 8u;
alias Row = vec2<u32>;
@group(0) @binding(2) var<storage, read> table: array<Row>;

fn unpacked(row: Row, k: u32) -> vec4<f32> {
    return operators[k] + operators[SCALE + k] * vec4(unpack2x16unorm(row.x), unpack2x16unorm(row.y));
}
