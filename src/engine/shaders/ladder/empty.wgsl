// The launch floor: a dispatch that does almost nothing. It writes one value, so that it must wait
// for the previous one, as a step must.
//
// Dispatch: (1).

@group(1) @binding(1) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(1)
fn main() {
    result[0] += 0.0;
}
