// Weights from a uniform buffer, whose cache serves invocations that read the same address.

const TEXELS: u32 = (ROW + 3u) / 4u;
@group(0) @binding(2) var<uniform> table: array<vec4<f32>, BINS * TEXELS>;

fn stage(lane: u32) {}

fn weight(v: u32, j: u32) -> f32 {
    return table[v * TEXELS + j / 4u][j % 4u];
}
