// Born modelling: if the model is perturbed by e = v^2 d(1/v^2), the stored wave q changes the
// scattered field by
//
//   dp(n) <- dp(n) - e q(n)         scatter
//   dp(n) <- dp(n) + e q(n - 1)     release
//
// so that over all steps - e (p(n+1) - 2 p(n) + p(n-1)) is injected, with VTI into both fields, each from its own
// wave. Twin: src/engine/cpu/scatter.rs.
//
// One node per invocation, as in lib/differences.wgsl. Generated constants: those of it, and SURVEY_X and SURVEY_Z,
// the nodes of the perturbation along x and z.

@group(0) @binding(0) var<storage, read_write> p: array<f32>;
// p_prev, or with increments p - p_prev.
@group(0) @binding(1) var<storage, read_write> second: array<f32>;
// [shot][y][x][z] of the model, with VTI of p, then of m.
@group(0) @binding(2) var<storage, read> kept: array<f32>;
// [y][x][z] of the model or, with windows, of the whole model.
@group(0) @binding(3) var<storage, read> perturbation: array<f32>;
// The x and y of the perturbation at which each field of each shot begins.
@group(0) @binding(4) var<storage, read> first: array<vec2<u32>>;

fn push(id: vec3<u32>, sign: f32) {
    if id.x >= MODEL_Z || id.y >= MODEL_X {
        return;
    }
    let y = id.z % MODEL_Y;
    let q = kept[(id.z * MODEL_X + id.y) * MODEL_Z + id.x];
    let at = first[id.z / MODEL_Y] + vec2(id.y, y);
    let push = sign * perturbation[(at.y * SURVEY_X + at.x) * SURVEY_Z + id.x] * q;
    let node = id.z / MODEL_Y * FIELD + LEAD + (ORIGIN_Y + y) * PLANE + (ORIGIN_X + id.y) * STRIDE + ORIGIN_Z + id.x;
    p[node] += push;
    if INCREMENTS {
        second[node] += push;
    }
}

@compute @workgroup_size(WG_Z, WG_X)
fn scatter(@builtin(global_invocation_id) id: vec3<u32>) {
    push(id, -1.0);
}

@compute @workgroup_size(WG_Z, WG_X)
fn release(@builtin(global_invocation_id) id: vec3<u32>) {
    push(id, 1.0);
}
