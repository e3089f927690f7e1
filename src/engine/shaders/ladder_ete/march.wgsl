// Four nodes along z at once, marching along y: 37 points with little more than a star's reads.
//
//   p_next = 2 sum_j c_j(v) p(x + dx_j) - p_prev
//          = 2 p - p_prev + 2 sum_j c_j(v) (p(x + dx_j) - p),   v = v(y, x, z)
//
// Compared with fours.wgsl, a queue of registers holds the quads of the column along y; and for the
// previous, current and next slices the quads before and after in the column, and the sums of the
// two columns beside it, which serve the diagonals of all three planes. Nine quads are read ahead
// of each slice, and six at it: a star reads eleven.
//
// Four nodes of PLANES slices, one after another, per invocation. Dispatch: (tiles of 4 WG_Z nodes
// along z, tiles along x, marches).

// Quads of the queue: the kth is k - RADIUS slices ahead.
const HELD: u32 = 2u * RADIUS + 1u;

// A slice's quads before and after the column's own, and the sums of the columns on either side:
// the quads before, at and after the node.
struct Slice {
    before: vec4<f32>,
    after: vec4<f32>,
    beside: array<vec4<f32>, 3>,
}

fn slice(i: u32) -> Slice {
    var s: Slice;
    s.before = p[i - 1u];
    s.after = p[i + 1u];
    for (var k = 0u; k < 3u; k++) {
        s.beside[k] = p[i - COLUMN + k - 1u] + p[i + COLUMN + k - 1u];
    }
    return s;
}

// The neighbours of a quad along z, from it and those before and after.
fn neighbours(before: vec4<f32>, at: vec4<f32>, after: vec4<f32>) -> vec4<f32> {
    return vec4(before.w, at.xyz) + vec4(at.yzw, after.x);
}

@compute @workgroup_size(WG_Z, WG_X)
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
    var i = LEAD / 4u + first * PLANE_4 + ix * COLUMN + iz;
    var queue: array<vec4<f32>, HELD>;
    for (var k = 1u; k < HELD; k++) {
        queue[k] = p[i + (k - 1u) * PLANE_4 - RADIUS * PLANE_4];
    }
    var behind: Slice;
    var here = slice(i - PLANE_4);
    var ahead = slice(i);
    for (var iy = first; iy < min(first + PLANES, NY); iy++) {
        for (var k = 1u; k < HELD; k++) {
            queue[k - 1u] = queue[k];
        }
        queue[HELD - 1u] = p[i + RADIUS * PLANE_4];
        behind = here;
        here = ahead;
        ahead = slice(i + PLANE_4);
        let kind = model(i);
        let centre = queue[RADIUS];
        var window: array<f32, WINDOW>;
        put(&window, 0u, here.before);
        put(&window, 1u, centre);
        put(&window, 2u, here.after);
        var s: Sums;
        s.along = below(&window, 1u) + above(&window, 1u) - 2.0 * centre;
        s.across = here.beside[1] + queue[RADIUS - 1u] + queue[RADIUS + 1u] - 4.0 * centre;
        s.upright = neighbours(here.beside[0], here.beside[1], here.beside[2])
            + neighbours(behind.before, queue[RADIUS - 1u], behind.after)
            + neighbours(ahead.before, queue[RADIUS + 1u], ahead.after) - 8.0 * centre;
        s.level = behind.beside[1] + ahead.beside[1] - 4.0 * centre;
        var sum = added(kind, 1u, s);
        for (var j = 2u; j <= RADIUS; j++) {
            var s: Sums;
            s.along = below(&window, j) + above(&window, j) - 2.0 * centre;
            s.across = p[i - j * COLUMN] + p[i + j * COLUMN] + queue[RADIUS - j] + queue[RADIUS + j] - 4.0 * centre;
            sum += added(kind, j, s);
        }
        store(i, iz, 2.0 * centre + whole(kind, sum) - result[i]);
        i += PLANE_4;
    }
}
