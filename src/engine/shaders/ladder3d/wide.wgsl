// Rung 6 of the 3-D ladder: the marching front with several nodes of a slice per invocation.
//
// Compared with front.wgsl, a tile has COLUMNS WG_X columns instead of WG_X, so that the wings are
// a smaller fraction of the reads; an invocation works on every WG_Xth column and keeps a queue for
// each. Micikevicius (2009), section 3: a 32x32 tile by 32x16 threads, two nodes each.
//
// COLUMNS columns of PLANES nodes along y per invocation. Dispatch: (tiles along z, tiles of
// COLUMNS WG_X columns along x, marches).

// Columns of the tile without its wings.
const TILE_X: u32 = COLUMNS * WG_X;
const WIDE: u32 = WG_Z + 2u * RADIUS;
const DEEP: u32 = TILE_X + 2u * RADIUS;
var<workgroup> tile: array<array<f32, WIDE>, DEEP>;

// Values of a queue: the kth is k - RADIUS slices ahead.
const HELD: u32 = 2u * RADIUS + 1u;

@compute @workgroup_size(WG_Z, WG_X)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let z = group.x * WG_Z;
    let x = group.y * TILE_X;
    let first = group.z * PLANES;
    let iz = z + local.x;
    let ix = x + local.y;
    let kz = local.x + RADIUS;
    let kx = local.y + RADIUS;
    // Offset of the first of the invocation's columns; the cth is c WG_X columns on.
    var i = LEAD + first * PLANE + ix * STRIDE + iz;
    // Invocations outside march along for the barriers, with zeros for the wings of those inside.
    var queues: array<array<f32, HELD>, COLUMNS>;
    for (var c = 0u; c < COLUMNS; c++) {
        if iz < NZ && ix + c * WG_X < NX {
            for (var k = 1u; k < HELD; k++) {
                queues[c][k] = p[i + c * WG_X * STRIDE + (k - 1u) * PLANE - RADIUS * PLANE];
            }
        }
    }
    for (var iy = first; iy < min(first + PLANES, NY); iy++) {
        // All have read the previous slice.
        workgroupBarrier();
        for (var c = 0u; c < COLUMNS; c++) {
            for (var k = 1u; k < HELD; k++) {
                queues[c][k - 1u] = queues[c][k];
            }
            if iz < NZ && ix + c * WG_X < NX {
                queues[c][HELD - 1u] = p[i + c * WG_X * STRIDE + RADIUS * PLANE];
            }
            tile[kx + c * WG_X][kz] = queues[c][RADIUS];
        }
        // The kth value of a wing, before the tile and after it.
        for (var column = local.y; column < TILE_X; column += WG_X) {
            for (var k = local.x; k < 2u * RADIUS; k += WG_Z) {
                let at = select(k + WG_Z, k, k < RADIUS);
                if x + column < NX && z + at < NZ + 2u * RADIUS {
                    tile[column + RADIUS][at] = p[i + (column - local.y) * STRIDE + at - kz];
                }
            }
        }
        for (var k = local.y; k < 2u * RADIUS; k += WG_X) {
            let at = select(k + TILE_X, k, k < RADIUS);
            if iz < NZ && x + at < NX + 2u * RADIUS {
                tile[at][kz] = p[i + at * STRIDE - kx * STRIDE];
            }
        }
        workgroupBarrier();
        for (var c = 0u; c < COLUMNS; c++) {
            if iz < NZ && ix + c * WG_X < NX {
                let kc = kx + c * WG_X;
                let centre = queues[c][RADIUS];
                var laplacian = (operators[0].x + operators[0].y + operators[ALONG_Y].x) * centre;
                for (var j = 1u; j <= RADIUS; j++) {
                    laplacian += operators[j].y * (tile[kc][kz + j] + tile[kc][kz - j]);
                    laplacian += operators[j].x * (tile[kc + j][kz] + tile[kc - j][kz]);
                    laplacian += operators[ALONG_Y + j].x * (queues[c][RADIUS + j] + queues[c][RADIUS - j]);
                }
                update(i + c * WG_X * STRIDE, centre, laplacian);
            }
        }
        i += PLANE;
    }
}
