// Offset gathers, the paper's second kernel: a workgroup copies the values that EXTENT offsets of
// its nodes need of both waves to workgroup memory, so that only the sums are read from memory for
// each offset, and written.
//
// One node per invocation. Dispatch: (ceil(MODEL_Z / WG_Z), ceil(MODEL_X / WG_X), shots x
// ceil(OFFSETS / EXTENT)). Twin: src/engine/cpu/tap/offsets.rs.
//
// Generated constants: those of lib/offsets.wgsl; EXTENT, offsets per workgroup.

const WG_ALONG: u32 = select(WG_Z, WG_X, ALONG_X);
const WG_ACROSS: u32 = select(WG_X, WG_Z, ALONG_X);
const NODES_ALONG: u32 = select(MODEL_Z, MODEL_X, ALONG_X);
const NODES_ACROSS: u32 = select(MODEL_X, MODEL_Z, ALONG_X);
// Nodes along h within reach of a workgroup's offsets.
const SPAN: u32 = WG_ALONG + (EXTENT - 1u) * STEP;
// Consecutive lanes along z read and write consecutive values.
const TILE_APART: u32 = select(1u, WG_ACROSS, ALONG_X);
const TILE_ACROSS: u32 = select(SPAN, 1u, ALONG_X);

var<workgroup> ahead: array<f32, SPAN * WG_ACROSS>;
var<workgroup> behind: array<f32, SPAN * WG_ACROSS>;

@compute @workgroup_size(WG_Z, WG_X)
fn gather(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
) {
    let extents = (OFFSETS + EXTENT - 1u) / EXTENT;
    let shot = group.z / extents;
    let first = group.z % extents * EXTENT;
    let along = select(lane.x, lane.y, ALONG_X);
    let across = select(lane.y, lane.x, ALONG_X);
    let corner = select(group.x * WG_Z, group.y * WG_X, ALONG_X);
    let line = select(group.y * WG_X, group.x * WG_Z, ALONG_X) + across;
    // Counted from the first of the zeros before the model; below them it wraps beyond the last.
    let first_ahead = corner + first * STEP;
    let first_behind = corner + 2u * MOST - (first + EXTENT - 1u) * STEP;
    for (var i = along; i < SPAN; i += WG_ALONG) {
        let tile = i * TILE_APART + across * TILE_ACROSS;
        let place = shot * WAVE + line * ACROSS;
        let in_line = line < NODES_ACROSS;
        var wave = vec2(0.0);
        if in_line && first_ahead + i < NODES_ALONG + 2u * MOST {
            wave.x = forward[place + (first_ahead + i) * APART];
        }
        if in_line && first_behind + i < NODES_ALONG + 2u * MOST {
            wave.y = backward[place + (first_behind + i) * APART];
        }
        ahead[tile] = wave.x;
        behind[tile] = wave.y;
    }
    workgroupBarrier();
    let z = group.x * WG_Z + lane.x;
    let x = group.y * WG_X + lane.y;
    if z >= MODEL_Z || x >= MODEL_X {
        return;
    }
    let here = along * TILE_APART + across * TILE_ACROSS;
    let last = (EXTENT - 1u) * STEP * TILE_APART;
    let to = place(shot, first, x, z);
    let count = min(EXTENT, OFFSETS - first);
    // Four at a time, so that as many reads are in flight; beyond the last, the last is repeated.
    for (var i = 0u; i < count; i += 4u) {
        let offsets = min(vec4(i) + vec4(0u, 1u, 2u, 3u), vec4(count - 1u));
        let h = offsets * (STEP * TILE_APART);
        let f = here + h;
        let b = here + last - h;
        let places = to + offsets * (MODEL_X * MODEL_Z);
        var sums = vec4(gathers[places.x], gathers[places.y], gathers[places.z], gathers[places.w]);
        sums += vec4(ahead[f.x], ahead[f.y], ahead[f.z], ahead[f.w])
            * vec4(behind[b.x], behind[b.y], behind[b.z], behind[b.w]);
        gathers[places.x] = sums.x;
        gathers[places.y] = sums.y;
        gathers[places.z] = sums.z;
        gathers[places.w] = sums.w;
    }
}
