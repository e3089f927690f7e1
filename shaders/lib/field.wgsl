// What every step of the wave equation reads and writes: operators, p, and p_next in the place of p_prev.

// Coefficients j = 0..RADIUS: second derivative along x and z (1/m^2), first along x and z (1/m); from
// ALONG_Y on second and first along y, the first of which also holds what lib/model16.wgsl needs.
@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 34>;
const ALONG_Y: u32 = 17u;
// p and, on entry, p_prev: a field a shot.
@group(1) @binding(0) var<storage, read> p: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read_write> p_next: array<vec4<f32>>;

struct Step {
    // n: p is the field at n dt.
    step: u32,
    // Row of the traces that p is recorded in, where this step records.
    row: u32,
}
var<immediate> now: Step;
