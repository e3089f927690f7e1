// Weights through the texture units, whose cache serves neighbouring texels: four weights per
// texel, a row of texels per row of the table.

@group(0) @binding(2) var table: texture_2d<f32>;

fn stage(lane: u32) {}

fn weight(v: u32, j: u32) -> f32 {
    return textureLoad(table, vec2(j / 4u, v), 0)[j % 4u];
}
