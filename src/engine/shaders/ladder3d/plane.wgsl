// Rung 4 of the 3-D ladder, first pass: the 2-D stencil of every plane, through workgroup memory.
//
//   partial (y, x, z) = sum_j cz_j (p(z + j) + p(z - j)) + cx_j (p(x + j) + p(x - j))
//
// A tile of a plane (lib/tile.wgsl) is read once per workgroup. Micikevicius (2009), section 3.1,
// "two-pass"; his x, y and z, the slowest, are our z, x and y. across.wgsl follows.
//
// One node per invocation. Dispatch: (tiles along z, tiles along x, planes).

@group(1) @binding(0) var<storage, read> p: array<f32>;
@group(1) @binding(2) var<storage, read_write> partial: array<f32>;

@compute @workgroup_size(WG_Z, WG_X)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let iz = group.x * WG_Z + local.x;
    let ix = group.y * WG_X + local.y;
    let i = LEAD + group.z * PLANE + ix * STRIDE + iz;
    let inside = iz < NZ && ix < NX;
    var centre = 0.0;
    if inside {
        centre = p[i];
    }
    fill(0u, local, iz, ix, i, centre);
    workgroupBarrier();
    if !inside {
        return;
    }
    var sum = (operators[0].x + operators[0].y) * centre;
    for (var j = 1u; j <= RADIUS; j++) {
        let pairs = around(0u, local.x + RADIUS, local.y + RADIUS, j);
        sum += operators[j].y * pairs.x;
        sum += operators[j].x * pairs.y;
    }
    partial[i] = sum;
}
