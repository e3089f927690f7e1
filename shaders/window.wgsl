// Copies the nodes of a model out of a padded field, without the padding: a snapshot's values.
//
//   window[(y NX + x) NZ + z] = p[FIRST + y PLANE + x COLUMN + z]
//
// One node per invocation. Dispatch: (groups of WG nodes, in rows, shots). Twin: `Layout::window`
// in src/engine/layout.rs.
//
// Generated constants: WG; NODES, NX, NZ, of the model; FIRST, COLUMN, PLANE, the position of its
// nodes in a field; FIELD, values from a shot's field to the next.

@group(0) @binding(0) var<storage, read> p: array<f32>;
@group(0) @binding(1) var<storage, read_write> window: array<f32>;

@compute @workgroup_size(WG)
fn window_of(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * WG + lane;
    if i >= NODES {
        return;
    }
    let column = i / NZ;
    let place = FIRST + column / NX * PLANE + column % NX * COLUMN + i % NZ;
    window[group.z * NODES + i] = p[group.z * FIELD + place];
}
