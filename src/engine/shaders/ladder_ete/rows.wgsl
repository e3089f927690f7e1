// Weights of four nodes from a table whose rows are ROW_4 quads: (along z, across, upright, level)
// of reach 1 and so on; if only reach 1 has diagonals, reaches 2 and 3 share a quad, and 4 has half
// of one. The centre's is left out.
//
// The file beside it has stage() and row(), and model() of the four indices.

alias Model = vec4<u32>;

// The weights of reach j.
fn reach(v: u32, j: u32) -> vec4<f32> {
    if DIAGONAL == RADIUS || j == 1u {
        return row(v, j - 1u);
    }
    let two = row(v, j / 2u);
    if j % 2u == 0u {
        return vec4(two.xy, 0.0, 0.0);
    }
    return vec4(two.zw, 0.0, 0.0);
}

fn added(v: Model, j: u32, s: Sums) -> vec4<f32> {
    let x = reach(v.x, j);
    let y = reach(v.y, j);
    let z = reach(v.z, j);
    let w = reach(v.w, j);
    var sum = vec4(x.x, y.x, z.x, w.x) * s.along + vec4(x.y, y.y, z.y, w.y) * s.across;
    if j <= DIAGONAL {
        sum += vec4(x.z, y.z, z.z, w.z) * s.upright + vec4(x.w, y.w, z.w, w.w) * s.level;
    }
    return sum;
}

fn whole(v: Model, sum: vec4<f32>) -> vec4<f32> {
    return 2.0 * sum;
}
