// The arrays of every step of the wave equation: operators, p, and p_next in the place of p_prev.
// In steps that are very short for their waves (src/numbers/plan/rounding.rs) the second field is the
// increment d = p - p_prev instead, which keeps the digits that rounding p loses;
// shaders/increments.wgsl then adds it to p.
//
// Generated constants: INCREMENTS.

// Coefficients j = 0..RADIUS: second derivative along x and z (1/m^2), first along x and z (1/m);
// from ALONG_Y on second and first along y; then those of lib/fourth.wgsl.
@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 44>;
const ALONG_Y: u32 = 17u;
// p and, on entry, p_prev: one field per shot.
@group(1) @binding(0) var<storage, read> p: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read_write> p_next: array<vec4<f32>>;

struct Step {
    // n: p is the field at n dt.
    step: u32,
    // Row of the traces that p is recorded in, if this step records.
    row: u32,
}
var<immediate> now: Step;

// p_next of four nodes, or d there, from p, p_prev or d, and (v dt)^2 lap p. 2 p - p_prev first: it
// is hardly rounded, and the rest is small beside it.
fn stepped(centre: vec4<f32>, second: vec4<f32>, push: vec4<f32>) -> vec4<f32> {
    if INCREMENTS {
        return second + push;
    }
    return (2.0 * centre - second) + push;
}

// `stepped` with a sponge's factor g.
fn damped(g: vec4<f32>, centre: vec4<f32>, second: vec4<f32>, push: vec4<f32>) -> vec4<f32> {
    if INCREMENTS {
        return g * (g * second + push) - (1.0 - g) * (1.0 - g) * centre;
    }
    return g * ((2.0 * centre - g * second) + push);
}
