// Where waves that run backward meet: the largest of what the field was at each node, and when.
//
//   v = (|p_1| |p_2| ... |p_G|)^(1/G)                   of the G shots of a map
//   largest <- max(largest, v), or the sum of v^2 over two halves of a window that follow each other
//
// A look every so many steps; four nodes along z an invocation. The windows' sums are there for the energy alone.
// Dispatch: (ceil(NZ / 4 WG_Z), ceil(NX / WG_X), planes x maps). Twin: src/engine/cpu/tap/focus.rs.
//
// Generated constants: NX, NY, NZ, STRIDE, PLANE, LEAD, FIELD, WG_Z, WG_X, GROUPS; ENERGY, whether it is the energy.

@group(0) @binding(0) var<storage, read> p: array<vec4<f32>>;
// [map][y][x][z], in fours of nodes.
@group(0) @binding(1) var<storage, read_write> largest: array<vec4<f32>>;
// The step of each; of the middle of its window.
@group(0) @binding(2) var<storage, read_write> steps: array<vec4<u32>>;
// The sum over this half of a window, and over the half before, side by side; as `largest`.
@group(0) @binding(3) var<storage, read_write> windows: array<vec4<f32>>;

struct Look {
    step: u32,
    // 1 where it ends half a window.
    ends_half: u32,
}
var<immediate> look: Look;

@compute @workgroup_size(WG_Z, WG_X)
fn focus(@builtin(global_invocation_id) id: vec3<u32>) {
    let iz = 4u * id.x;
    if iz >= NZ || id.y >= NX {
        return;
    }
    let map = id.z / NY;
    let iy = id.z % NY;
    let node = (LEAD + iy * PLANE + id.y * STRIDE + iz) / 4u;
    var v = vec4(1.0);
    for (var g = 0u; g < GROUPS; g++) {
        let a = abs(p[(map * GROUPS + g) * (FIELD / 4u) + node]);
        if GROUPS == 1u {
            v = a;
        } else {
            v *= pow(a, vec4(1.0 / f32(GROUPS)));
        }
    }
    let place = ((map * NY + iy) * NX + id.y) * ((NZ + 3u) / 4u) + id.x;
    if ENERGY {
        let sum = windows[2u * place] + v * v;
        if look.ends_half == 0u {
            windows[2u * place] = sum;
            return;
        }
        v = sum + windows[2u * place + 1u];
        windows[2u * place] = vec4(0.0);
        windows[2u * place + 1u] = sum;
    }
    let before = largest[place];
    let more = v > before;
    if any(more) {
        largest[place] = select(before, v, more);
        steps[place] = select(steps[place], vec4(look.step), more);
    }
}
