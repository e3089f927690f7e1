// Rung 4 of the 3-D ladder, first pass: the 2-D stencil of every plane, through workgroup memory.
//
//   partial (y, x, z) = sum_j cz_j (p(z + j) + p(z - j)) + cx_j (p(x + j) + p(x - j))
//
// A tile of WG_Z x WG_X nodes of a plane with a wing on all four sides, corners left out, is read
// once per workgroup. Micikevicius (2009), section 3.1, "two-pass"; his x, y and z, the slowest,
// are our z, x and y. across.wgsl follows. Twin: src/ladder/scalar.rs.
//
// One node per invocation. Dispatch: (tiles along z, tiles along x, planes). Generated constants:
// RADIUS, NX, NZ, STRIDE, PLANE, LEAD, WG_Z, WG_X.

// (cx_j, cz_j), j = 0..RADIUS, 1/m^2.
@group(0) @binding(0) var<uniform> operators: array<vec4<f32>, 34>;
@group(1) @binding(0) var<storage, read> p: array<f32>;
@group(1) @binding(2) var<storage, read_write> partial: array<f32>;

const WIDE: u32 = WG_Z + 2u * RADIUS;
const DEEP: u32 = WG_X + 2u * RADIUS;
var<workgroup> tile: array<array<f32, WIDE>, DEEP>;

@compute @workgroup_size(WG_Z, WG_X)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let z = group.x * WG_Z;
    let x = group.y * WG_X;
    let iz = z + local.x;
    let ix = x + local.y;
    let kz = local.x + RADIUS;
    let kx = local.y + RADIUS;
    let i = LEAD + group.z * PLANE + ix * STRIDE + iz;
    // Invocations outside the grid have zeros for the wings of those inside.
    let inside = iz < NZ && ix < NX;
    var centre = 0.0;
    if inside {
        centre = p[i];
    }
    tile[kx][kz] = centre;
    // The kth value of a wing, before the tile and after it.
    for (var k = local.x; k < 2u * RADIUS; k += WG_Z) {
        let at = select(k + WG_Z, k, k < RADIUS);
        if ix < NX && z + at < NZ + 2u * RADIUS {
            tile[kx][at] = p[i + at - kz];
        }
    }
    for (var k = local.y; k < 2u * RADIUS; k += WG_X) {
        let at = select(k + WG_X, k, k < RADIUS);
        if iz < NZ && x + at < NX + 2u * RADIUS {
            tile[at][kz] = p[i + at * STRIDE - kx * STRIDE];
        }
    }
    workgroupBarrier();
    if !inside {
        return;
    }
    var sum = (operators[0].x + operators[0].y) * centre;
    for (var j = 1u; j <= RADIUS; j++) {
        sum += operators[j].y * (tile[kx][kz + j] + tile[kx][kz - j]);
        sum += operators[j].x * (tile[kx + j][kz] + tile[kx - j][kz]);
    }
    partial[i] = sum;
}
