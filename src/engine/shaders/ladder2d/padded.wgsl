// Rungs 3 and 4 of the 2-D ladder: global memory with zeros around the model.
//
// Compared with explicit.wgsl, every node runs the same loop, since the wing never leaves the array
// (src/engine/layout.rs). Sadahiro (2014), section 2.4.1.2. In rung 4 the coefficients are in a uniform
// buffer, which a GPU broadcasts to all invocations: the constant memory of his section 2.4.2.
//
// One node per invocation. Dispatch: (tiles along z, tiles along x).

@compute @workgroup_size(WG_Z, WG_X)
fn main(@builtin(global_invocation_id) node: vec3<u32>) {
    let iz = node.x;
    let ix = node.y;
    if iz >= NZ || ix >= NX {
        return;
    }
    let i = LEAD + ix * STRIDE + iz;
    let centre = p[i];
    var laplacian = (operators[0].x + operators[0].y) * centre;
    for (var j = 1u; j <= RADIUS; j++) {
        laplacian += operators[j].x * (p[i + j * STRIDE] + p[i - j * STRIDE]);
        laplacian += operators[j].y * (p[i + j] + p[i - j]);
    }
    update(i, centre, laplacian);
}
