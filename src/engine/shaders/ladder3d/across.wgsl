// Rung 4 of the 3-D ladder, second pass: the 1-D stencil across the planes, added to the 2-D one of
// each.
//
//   lap p (y, x, z) = partial (y, x, z) + sum_j cy_j (p(y + j) + p(y - j))
//
// A 2-D front of WG_Z x WG_X invocations marches along y through PLANES planes; each keeps its
// column's values in a queue of registers, so that it reads p once. Micikevicius (2009), section
// 3.1, "two-pass". plane.wgsl goes before.
//
// Dispatch: (tiles along z, tiles along x, marches).

@group(1) @binding(2) var<storage, read_write> partial: array<f32>;

// Values of the queue: the kth is k - RADIUS planes ahead.
const HELD: u32 = 2u * RADIUS + 1u;

@compute @workgroup_size(WG_Z, WG_X)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let iz = at.x;
    let ix = at.y;
    if iz >= NZ || ix >= NX {
        return;
    }
    let first = at.z * PLANES;
    var i = LEAD + first * PLANE + ix * STRIDE + iz;
    var queue: array<f32, HELD>;
    for (var k = 1u; k < HELD; k++) {
        queue[k] = p[i + (k - 1u) * PLANE - RADIUS * PLANE];
    }
    for (var iy = first; iy < min(first + PLANES, NY); iy++) {
        for (var k = 1u; k < HELD; k++) {
            queue[k - 1u] = queue[k];
        }
        queue[HELD - 1u] = p[i + RADIUS * PLANE];
        let centre = queue[RADIUS];
        var sum = operators[ALONG_Y].x * centre;
        for (var j = 1u; j <= RADIUS; j++) {
            sum += operators[ALONG_Y + j].x * (queue[RADIUS + j] + queue[RADIUS - j]);
        }
        update(i, centre, partial[i] + sum);
        i += PLANE;
    }
}
