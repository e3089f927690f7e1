// Rung 2 of the 3-D ladder: global memory.
//
// Zeros around the model give all loops the same length (src/engine/layout.rs). Every node reads
// all 3 k + 1 values of a stencil of order k from memory: Micikevicius (2009), section 3, "the
// naive approach". His x, y and z, the slowest, are our z, x and y.
//
// One node per invocation. Dispatch: (tiles along z, tiles along x, tiles along y).

@compute @workgroup_size(WG_Z, WG_X, WG_Y)
fn main(@builtin(global_invocation_id) node: vec3<u32>) {
    let iz = node.x;
    let ix = node.y;
    let iy = node.z;
    if iz >= NZ || ix >= NX || iy >= NY {
        return;
    }
    let i = LEAD + iy * PLANE + ix * STRIDE + iz;
    let centre = p[i];
    var laplacian = (operators[0].x + operators[0].y + operators[ALONG_Y].x) * centre;
    for (var j = 1u; j <= RADIUS; j++) {
        laplacian += operators[j].y * (p[i + j] + p[i - j]);
        laplacian += operators[j].x * (p[i + j * STRIDE] + p[i - j * STRIDE]);
        laplacian += operators[ALONG_Y + j].x * (p[i + j * PLANE] + p[i - j * PLANE]);
    }
    update(i, centre, laplacian);
}
