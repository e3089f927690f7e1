// Weights from the engine's two terms in m = (v dt)^2, without a table; m itself takes the place of
// a row:
//
//   c_j = second_j m + fourth_j m^2, and for the centre 1 more
//
// Twin: src/numbers/stencil/ete/table.rs, Evolution::row.

// From SCALARS on (second_j, fourth_j), in the order of a row.
@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 33>;
const SCALARS: u32 = 16u;
// m over the square of the smallest spacing.
@group(0) @binding(1) var<storage, read> squares: array<f32>;

fn stage(lane: u32) {}

fn bin(i: u32) -> u32 {
    return bitcast<u32>(squares[i]);
}

fn weight(v: u32, j: u32) -> f32 {
    let m = bitcast<f32>(v);
    let two = operators[SCALARS + j];
    let c = m * (two.x + m * two.y);
    if j == 0u {
        return 1.0 + c;
    }
    return c;
}
