// Rung 2 of the 3-D ladder: global memory.
//
//   lap p (y, x, z) = sum_j cz_j (p(z + j) + p(z - j)) + cx_j (p(x + j) + p(x - j))
//                           + cy_j (p(y + j) + p(y - j))
//
// Zeros around the model give all loops the same length (src/engine/layout.rs). Every node reads
// all 3 k + 1 values of a stencil of order k from memory: Micikevicius (2009), section 3, "the
// naive approach". His x, y and z, the slowest, are our z, x and y. Twin: src/ladder/scalar.rs.
//
// One node per invocation. Dispatch: (tiles along z, tiles along x, tiles along y). Generated
// constants: RADIUS, NX, NY, NZ, STRIDE, PLANE, LEAD, WG_Z, WG_X, WG_Y, and those of
// lib/update.wgsl.

// (cx_j, cz_j), j = 0..RADIUS, and from ALONG_Y on cy_j, 1/m^2.
@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 34>;
const ALONG_Y: u32 = 17u;
@group(1) @binding(0) var<storage, read> p: array<f32>;

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
