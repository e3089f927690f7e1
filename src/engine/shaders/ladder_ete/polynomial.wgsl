// Weights from the engine's two terms in m = (v dt)^2, without a table:
//
//   2 sum_j c_j p(x + dx_j) = 2 p + m (L p + m B p)
//
// L along the axes, B along the axes and on the diagonals. Twin: src/numbers/stencil/ete/mod.rs, Evolution.

// (L along z, L across) of reach j, and from FOURTH on (B along z, across, upright, level) of reach
// j, by m.
@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 16>;
const FOURTH: u32 = 8u;
// m over the square of the smallest spacing, as L and B are.
@group(0) @binding(1) var<storage, read> squares: array<vec4<f32>>;

alias Model = vec4<f32>;

fn stage(lane: u32) {}

fn model(i: u32) -> Model {
    return squares[i];
}

fn added(m: Model, j: u32, s: Sums) -> vec4<f32> {
    let second = operators[j];
    let fourth = operators[FOURTH + j];
    var sum = (second.x + m * fourth.x) * s.along + (second.y + m * fourth.y) * s.across;
    if j <= DIAGONAL {
        sum += m * (fourth.z * s.upright + fourth.w * s.level);
    }
    return sum;
}

fn whole(m: Model, sum: vec4<f32>) -> vec4<f32> {
    return m * sum;
}
