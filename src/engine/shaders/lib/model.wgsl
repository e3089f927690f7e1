// (v dt)^2, m^2, of four nodes along z: one field for all shots or, MODEL quads apart, one for
// each; zero below a column.
//
// WINDOWED: each shot runs through a window of one model, which begins at the top of a column. The
// model's columns are MODEL_COLUMN quads apart and its planes MODEL_PLANE; its first node is at
// MODEL_LEAD. From WINDOWS on there is a quad for each shot: the x and the y, in nodes of the model, at
// which its window begins.

@group(0) @binding(1) var<storage, read> v2dt2: array<vec4<f32>>;

fn model(cell: u32) -> vec4<f32> {
    return v2dt2[cell];
}

// The index of a quad of a shot's window; x and y in nodes, z in quads.
fn in_window(shot: u32, x: u32, y: u32, z: u32) -> u32 {
    let first = vec2<u32>(v2dt2[WINDOWS + shot].xy);
    return MODEL_LEAD + (first.y + y) * MODEL_PLANE + (first.x + x) * MODEL_COLUMN + z;
}
