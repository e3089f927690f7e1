// Four nodes along z at once, straight from memory.
//
//   p_next = 2 sum_j c_j(v) p(x + dx_j) - p_prev
//          = 2 p - p_prev + 2 sum_j c_j(v) (p(x + dx_j) - p),   v = v(y, x, z)
//
// The weights of a row add up to 1, so the centre's is not needed. The four columns at distance j
// along x or y are added first, as whole quads with those before and after: the middle of the sum
// is the across term of reach j, its neighbours are the diagonals of both vertical planes. The
// source of the weights is a separate file: a table, or the two terms of the engine.
//
// Four nodes of PLANES slices, one after another, per invocation. Dispatch: (tiles of 4 WG_Z nodes
// along z, tiles along x, marches).

@compute @workgroup_size(WG_Z, WG_X, WG_Y)
fn main(
    @builtin(global_invocation_id) at: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    stage(lane);
    let iz = at.x;
    let ix = at.y;
    let first = at.z * PLANES;
    if 4u * iz >= NZ || ix >= NX {
        return;
    }
    for (var iy = first; iy < min(first + PLANES, NY); iy++) {
        let i = LEAD / 4u + iy * PLANE_4 + ix * COLUMN + iz;
        let here = model(i);
        let centre = p[i];
        var window: array<f32, WINDOW>;
        for (var k = 0u; k < FOURS; k++) {
            put(&window, k, p[i - REACH + k]);
        }
        var sum = vec4(0.0);
        for (var j = 1u; j <= RADIUS; j++) {
            let before = i - j * COLUMN;
            let after = i + j * COLUMN;
            let left = i - j * PLANE_4;
            let right = i + j * PLANE_4;
            var s: Sums;
            s.along = below(&window, j) + above(&window, j) - 2.0 * centre;
            if j <= DIAGONAL {
                var beside: array<f32, WINDOW>;
                for (var k = 0u; k < FOURS; k++) {
                    let to = k - REACH;
                    put(&beside, k, p[before + to] + p[after + to] + p[left + to] + p[right + to]);
                }
                s.across = take(&beside, 4u * REACH) - 4.0 * centre;
                s.upright = below(&beside, j) + above(&beside, j) - 8.0 * centre;
                s.level = p[before - j * PLANE_4] + p[before + j * PLANE_4] + p[after - j * PLANE_4] + p[after + j * PLANE_4]
                    - 4.0 * centre;
            } else {
                s.across = p[before] + p[after] + p[left] + p[right] - 4.0 * centre;
            }
            sum += added(here, j, s);
        }
        store(i, iz, 2.0 * centre + whole(here, sum) - result[i]);
    }
}
