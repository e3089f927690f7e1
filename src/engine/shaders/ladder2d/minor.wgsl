// Rung 5 of the 2-D ladder, second pass: the second derivative along x, the minor axis, through
// workgroup memory, added to that along z.
//
//   lap p (x, z) = partial (x, z) + sum_j cx_j (p(x + j, z) + p(x - j, z))
//
// A tile of WG_Z x WG_X nodes with a wing on either side along x, so that neighbouring invocations
// read neighbours along z. Sadahiro (2014), section 2.4.4.2. major.wgsl goes before.
//
// One node per invocation. Dispatch: (tiles along z, tiles along x).

@group(1) @binding(2) var<storage, read_write> partial: array<f32>;

const DEEP: u32 = WG_X + 2u * RADIUS;
var<workgroup> tile: array<array<f32, WG_Z>, DEEP>;

@compute @workgroup_size(WG_Z, WG_X)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let iz = group.x * WG_Z + local.x;
    let ix = group.y * WG_X + local.y;
    if iz < NZ {
        for (var k = local.y; k < DEEP; k += WG_X) {
            let column = group.y * WG_X + k;
            if column < NX + 2u * RADIUS {
                tile[k][local.x] = p[LEAD - RADIUS * STRIDE + column * STRIDE + iz];
            }
        }
    }
    workgroupBarrier();
    if iz >= NZ || ix >= NX {
        return;
    }
    let k = local.y + RADIUS;
    let centre = tile[k][local.x];
    var sum = operators[0].x * centre;
    for (var j = 1u; j <= RADIUS; j++) {
        sum += operators[j].x * (tile[k + j][local.x] + tile[k - j][local.x]);
    }
    let i = LEAD + ix * STRIDE + iz;
    update(i, centre, partial[i] + sum);
}
