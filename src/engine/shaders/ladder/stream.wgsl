// The stream ceiling: the memory traffic of a step of the wave equation, without a stencil.
//
//   result = 2 p - result - (v dt)^2 p / 10
//
// Three reads and a write of four values each: the most that memory allows a kernel that does the
// work. The field stays bounded, as a stencil's does.
//
// Four values per invocation. Dispatch: (groups), over two axes if there are many.

@compute @workgroup_size(WG_Z)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * WG_Z + lane;
    if i < FIELD / 4u {
        update(i, p[i], -0.1 * p[i]);
    }
}
