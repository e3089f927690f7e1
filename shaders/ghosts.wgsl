// The ghosts of two neighbouring parts of a field: what the last pieces of the one and the first of the other are after a step.
//
//   low[its end + i] = high[i],   high[i - ghosts] = low[its end - ghosts + i],   i in 0..ghosts pieces
//
// Four values an invocation. Dispatch: (as many groups of WG fours as there are, in rows, shots). Twin: `Part::padded` in src/engine/gpu/part.rs.
//
// Generated constants: WG; FOURS, fours of the ghosts; LOW_FIELD, HIGH_FIELD, fours from a shot's field to the next; LOW_LAST,
// LOW_GHOSTS, HIGH_FIRST, HIGH_GHOSTS, where pieces and ghosts begin, in fours.

@group(0) @binding(0) var<storage, read_write> low: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> high: array<vec4<f32>>;

@compute @workgroup_size(WG)
fn exchange(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * WG + lane;
    if i >= FOURS {
        return;
    }
    let of_low = group.z * LOW_FIELD + i;
    let of_high = group.z * HIGH_FIELD + i;
    low[of_low + LOW_GHOSTS] = high[of_high + HIGH_FIRST];
    high[of_high + HIGH_GHOSTS] = low[of_low + LOW_LAST];
}
