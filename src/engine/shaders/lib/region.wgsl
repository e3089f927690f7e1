// The nodes of a dispatch: along each axis SPAN of them from FIRST on, of which those from CUT on
// lie SKIP further, so that both ends of an axis are one region (src/engine/gpu/region.rs). Along z
// all counts are in quads of nodes.
//
// A workgroup steps a tile of WG_Z x WG_X invocations by WG_Y SLICES planes of one shot. Dispatch:
// (TILES_Z, TILES_X + groups that record, TILES_Y x shots). Tiles go along z, then along x within
// BLOCK of them, then along y, then to the next BLOCK: in large planes the neighbours along y are
// then still in the cache.
//
// Generated constants: FIRST_*, SPAN_*, CUT_*, SKIP_*, TILES_* with Z, X, Y; BLOCK, of which
// TILES_X is a multiple; FIRST_TILE; WG_Z, WG_X, WG_Y, SLICES; VOLUME, RADIUS, NX, NY, NZ, STRIDE,
// PLANE, LEAD, FIELD; MODEL, quads from a shot's model to the next, or 0.

// From a column to the next and from a plane to the next, quads.
const COLUMN: u32 = STRIDE / 4u;
const PLANE_4: u32 = PLANE / 4u;

struct Place {
    shot: u32,
    // The first node of the invocation; z in quads.
    z: u32,
    x: u32,
    y: u32,
    // Its index among the planes of the region.
    plane: u32,
    inside: bool,
    // Index of the tile among those of a shot.
    tile: u32,
}

fn skipped(i: u32, first: u32, cut: u32, skip: u32) -> u32 {
    return first + i + select(0u, skip, i >= cut);
}

fn place(tile: vec3<u32>, local: vec3<u32>) -> Place {
    var tile_x = tile.y;
    var tile_y = tile.z % TILES_Y;
    if BLOCK < TILES_X {
        let number = tile_y * TILES_X + tile_x;
        let within = number % (BLOCK * TILES_Y);
        tile_x = number / (BLOCK * TILES_Y) * BLOCK + within % BLOCK;
        tile_y = within / BLOCK;
    }
    let z = tile.x * WG_Z + local.x;
    let x = tile_x * WG_X + local.y;
    let y = (tile_y * WG_Y + local.z) * SLICES;
    return Place(
        tile.z / TILES_Y,
        skipped(z, FIRST_Z, CUT_Z, SKIP_Z),
        skipped(x, FIRST_X, CUT_X, SKIP_X),
        skipped(y, FIRST_Y, CUT_Y, SKIP_Y),
        y,
        z < SPAN_Z && x < SPAN_X && y < SPAN_Y,
        FIRST_TILE + (tile_y * TILES_X + tile_x) * TILES_Z + tile.x,
    );
}
