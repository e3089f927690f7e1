// p <- p + d, after a step has left d = p_next - p in the second field (lib/field.wgsl). Twin:
// `arrive` in src/engine/cpu/parallel.rs.
//
// Generated constants: FOURS, quads of nodes of all shots' fields; WG. Dispatch: groups of WG
// quads, in rows along x.

@group(0) @binding(0) var<storage, read_write> p: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> d: array<vec4<f32>>;

@compute @workgroup_size(WG)
fn add(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * WG + lane;
    if i < FOURS {
        p[i] += d[i];
    }
}
