// The fields of the kernels by fours, and what they add up.

@group(1) @binding(0) var<storage, read> p: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read_write> result: array<vec4<f32>>;

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

// Nodes past the end of a column stay zero.
fn store(i: u32, iz: u32, next: vec4<f32>) {
    if NZ % 4u == 0u {
        result[i] = next;
    } else {
        result[i] = select(vec4(0.0), next, 4u * iz + vec4(0u, 1u, 2u, 3u) < vec4(NZ));
    }
}
