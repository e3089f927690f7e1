// Rung 2 of the 2-D ladder: global memory with an explicit boundary.
//
// The array ends at the edge of the model, where the wing is cut off; the coefficients are in a
// storage buffer. Sadahiro (2014), section 2.4.1.
//
// One node per invocation. Dispatch: (tiles along z, tiles along x).

@compute @workgroup_size(WG_Z, WG_X)
fn main(@builtin(global_invocation_id) node: vec3<u32>) {
    let iz = node.x;
    let ix = node.y;
    if iz >= NZ || ix >= NX {
        return;
    }
    let i = ix * STRIDE + iz;
    let centre = p[i];
    var laplacian = (operators[0].x + operators[0].y) * centre;
    for (var j = 1u; j <= min(RADIUS, ix); j++) {
        laplacian += operators[j].x * p[i - j * STRIDE];
    }
    for (var j = 1u; j <= min(RADIUS, NX - 1u - ix); j++) {
        laplacian += operators[j].x * p[i + j * STRIDE];
    }
    for (var j = 1u; j <= min(RADIUS, iz); j++) {
        laplacian += operators[j].y * p[i - j];
    }
    for (var j = 1u; j <= min(RADIUS, NZ - 1u - iz); j++) {
        laplacian += operators[j].y * p[i + j];
    }
    update(i, centre, laplacian);
}
