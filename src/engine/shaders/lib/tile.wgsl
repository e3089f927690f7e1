// A tile of WG_Z x WG_X nodes of a plane of p in workgroup memory, with a wing on all four sides and
// without corners; TILES of them in turn.

const WIDE: u32 = WG_Z + 2u * RADIUS;
const DEEP: u32 = WG_X + 2u * RADIUS;
var<workgroup> tiles: array<array<array<f32, WIDE>, DEEP>, TILES>;

// Stores p of an invocation's node, `centre` at i, and its part of the wings. (iz, ix) is the node in
// the plane. Invocations outside the grid have zeros for the wings of those inside.
fn fill(side: u32, local: vec3<u32>, iz: u32, ix: u32, i: u32, centre: f32) {
    let kz = local.x + RADIUS;
    let kx = local.y + RADIUS;
    tiles[side][kx][kz] = centre;
    // The kth value of a wing, before the tile and after it.
    for (var k = local.x; k < 2u * RADIUS; k += WG_Z) {
        let at = select(k + WG_Z, k, k < RADIUS);
        if ix < NX && iz - local.x + at < NZ + 2u * RADIUS {
            tiles[side][kx][at] = p[i + at - kz];
        }
    }
    for (var k = local.y; k < 2u * RADIUS; k += WG_X) {
        let at = select(k + WG_X, k, k < RADIUS);
        if iz < NZ && ix - local.y + at < NX + 2u * RADIUS {
            tiles[side][at][kz] = p[i + at * STRIDE - kx * STRIDE];
        }
    }
}

// The neighbours at distance j along z and along x.
fn around(side: u32, kz: u32, kx: u32, j: u32) -> vec2<f32> {
    return vec2(
        tiles[side][kx][kz + j] + tiles[side][kx][kz - j],
        tiles[side][kx + j][kz] + tiles[side][kx - j][kz],
    );
}
