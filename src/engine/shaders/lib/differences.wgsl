// The increment of the field at a node of the model: p - p_prev. One node per invocation. Dispatch:
// (ceil(MODEL_Z / WG_Z), ceil(MODEL_X / WG_X), planes of the model x shots).
//
// Generated constants: STRIDE, PLANE, LEAD, FIELD, INCREMENTS, WG_Z, WG_X; MODEL_X, MODEL_Y,
// MODEL_Z, the model's nodes, and ORIGIN_X, ORIGIN_Y, ORIGIN_Z, the first of them on the grid.

@group(0) @binding(0) var<storage, read> p: array<f32>;
// p_prev, or with increments p - p_prev.
@group(0) @binding(1) var<storage, read> second: array<f32>;

fn in_model(id: vec3<u32>) -> bool {
    return id.x < MODEL_Z && id.y < MODEL_X;
}

// Index in an array with one value per node and shot, [shot][y][x][z].
fn place(id: vec3<u32>) -> u32 {
    return (id.z * MODEL_X + id.y) * MODEL_Z + id.x;
}

fn difference(id: vec3<u32>) -> f32 {
    let shot = id.z / MODEL_Y;
    let y = ORIGIN_Y + id.z % MODEL_Y;
    let node = shot * FIELD + LEAD + y * PLANE + (ORIGIN_X + id.y) * STRIDE + ORIGIN_Z + id.x;
    if INCREMENTS {
        return second[node];
    }
    return p[node] - second[node];
}
