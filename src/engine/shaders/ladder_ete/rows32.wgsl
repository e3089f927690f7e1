// Rows of f32.

alias Row = vec4<f32>;
@group(0) @binding(2) var<storage, read> table: array<Row>;

fn unpacked(row: Row, k: u32) -> vec4<f32> {
    return row;
}
