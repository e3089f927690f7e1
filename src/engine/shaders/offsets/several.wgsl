// Offset gathers of several imaging steps at a time: the sums stay in registers, so that they are
// read from memory and written once for all of these steps.
//
// One node and four offsets per invocation. Dispatch: (ceil(MODEL_Z / WG_Z), ceil(MODEL_X / WG_X),
// shots x ceil(OFFSETS / 4)). Twin: src/engine/cpu/tap/offsets.rs.

struct Given {
    // Slots that hold waves.
    slots: u32,
}
var<immediate> given: Given;

@compute @workgroup_size(WG_Z, WG_X)
fn gather(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= MODEL_Z || id.y >= MODEL_X {
        return;
    }
    let quads = (OFFSETS + 3u) / 4u;
    let shot = id.z / quads;
    // Beyond the last offset, the last is repeated.
    let offsets = min(vec4(id.z % quads * 4u) + vec4(0u, 1u, 2u, 3u), vec4(OFFSETS - 1u));
    let h = (offsets * STEP - MOST) * APART;
    let here = node(shot, id.y, id.x);
    var ahead = here + h;
    var behind = here - h;
    let places = place(shot, 0u, id.y, id.x) + offsets * (MODEL_X * MODEL_Z);
    var sums = vec4(gathers[places.x], gathers[places.y], gathers[places.z], gathers[places.w]);
    for (var slot = 0u; slot < given.slots; slot++) {
        let f = vec4(forward[ahead.x], forward[ahead.y], forward[ahead.z], forward[ahead.w]);
        let b = vec4(backward[behind.x], backward[behind.y], backward[behind.z], backward[behind.w]);
        sums += f * b;
        ahead += SLOT;
        behind += SLOT;
    }
    gathers[places.x] = sums.x;
    gathers[places.y] = sums.y;
    gathers[places.z] = sums.z;
    gathers[places.w] = sums.w;
}
