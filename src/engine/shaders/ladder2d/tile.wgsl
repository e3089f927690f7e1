// Rung 6 of the 2-D ladder: both axes at once through workgroup memory.
//
// A tile of WG_Z x WG_X nodes with a wing on all four sides, corners left out; p is read from
// memory once per workgroup and the Laplacian makes no detour through memory.
//
// One node per invocation. Dispatch: (tiles along z, tiles along x).

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
    // Offset of the tile's corner, a wing before its first node along both axes.
    let corner = LEAD + x * STRIDE + z - RADIUS * (STRIDE + 1u);
    // Along z, with both wings.
    if x + local.y < NX {
        for (var k = local.x; k < WIDE; k += WG_Z) {
            if z + k < NZ + 2u * RADIUS {
                tile[local.y + RADIUS][k] = p[corner + (local.y + RADIUS) * STRIDE + k];
            }
        }
    }
    // Along x, the wings only.
    if z + local.x < NZ {
        for (var k = local.y; k < DEEP; k += WG_X) {
            if (k < RADIUS || k >= RADIUS + WG_X || x + k >= RADIUS + NX) && x + k < NX + 2u * RADIUS {
                tile[k][local.x + RADIUS] = p[corner + k * STRIDE + local.x + RADIUS];
            }
        }
    }
    workgroupBarrier();
    let iz = z + local.x;
    let ix = x + local.y;
    if iz >= NZ || ix >= NX {
        return;
    }
    let kz = local.x + RADIUS;
    let kx = local.y + RADIUS;
    let centre = tile[kx][kz];
    var laplacian = (operators[0].x + operators[0].y) * centre;
    for (var j = 1u; j <= RADIUS; j++) {
        laplacian += operators[j].x * (tile[kx + j][kz] + tile[kx - j][kz]);
        laplacian += operators[j].y * (tile[kx][kz + j] + tile[kx][kz - j]);
    }
    update(LEAD + ix * STRIDE + iz, centre, laplacian);
}
