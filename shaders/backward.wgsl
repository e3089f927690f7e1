// Turns the end of a run with increments into the start of a run backward in time:
//
//   p <- p_end - d_end,   d <- -d_end
//
// where d = p - p_prev. Twin: `reversed` in src/engine/state.rs.
//
// Four nodes per invocation. Generated constants: FOURS, quads of nodes of all shots' fields; WG.
// Dispatch: groups of WG quads, in rows along x.

@group(0) @binding(0) var<storage, read> p_end: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> d_end: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> p: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> d: array<vec4<f32>>;

@compute @workgroup_size(WG)
fn turn(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * WG + lane;
    if i < FOURS {
        p[i] = p_end[i] - d_end[i];
        d[i] = -d_end[i];
    }
}
