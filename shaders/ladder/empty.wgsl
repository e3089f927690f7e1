// The launch floor: a dispatch that does next to nothing. It touches one value, so that it must wait for
// the one before it, as a step must.
//
// Dispatch: (1).

@group(1) @binding(1) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(1)
fn main() {
    result[0] += 0.0;
}
