// (v dt)^2, m^2, of four nodes along z: one field for all shots or, MODEL quads apart, one for
// each; zero below a column.

@group(0) @binding(1) var<storage, read> v2dt2: array<vec4<f32>>;

fn model(cell: u32) -> vec4<f32> {
    return v2dt2[cell];
}
