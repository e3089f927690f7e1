// Rung 4 of the 2-D ladder: zeros around the model and the coefficients in a uniform buffer.
//
//   lap p (x, z) = sum_j cx_j (p(x + j, z) + p(x - j, z)) + cz_j (p(x, z + j) + p(x, z - j))
//
// Compared with padded.wgsl, the coefficients are in memory that a GPU broadcasts to all
// invocations, the constant memory of Sadahiro (2014), section 2.4.2. Twin:
// src/ladder/scalar.rs.
//
// One node per invocation. Dispatch: (tiles along z, tiles along x). Generated constants: RADIUS,
// NX, NZ, STRIDE, LEAD, WG_Z, WG_X, and those of lib/update.wgsl.

// (cx_j, cz_j), j = 0..RADIUS, 1/m^2.
@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 17>;
@group(1) @binding(0) var<storage, read> p: array<f32>;

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
