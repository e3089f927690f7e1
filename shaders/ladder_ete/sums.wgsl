// The contribution of a reach at each of four nodes: sums of its points minus the centre.
struct Sums {
    // Along z, two points.
    along: vec4<f32>,
    // Along x and y, four.
    across: vec4<f32>,
    // On the diagonals of the two vertical planes, eight.
    upright: vec4<f32>,
    // On the diagonals of the horizontal plane, four.
    level: vec4<f32>,
}
