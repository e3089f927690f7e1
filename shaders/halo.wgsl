// Pieces at an end of a padded field, without what lies between their columns: what a share gives its neighbour, and what it takes from it.
//
//   message[(piece NX + x) NZ + z] = p[FIRST + piece PIECE + x COLUMN + z]      pack
//   p[FIRST + piece PIECE + x COLUMN + z] = message[(piece NX + x) NZ + z]      unpack
//
// A node an invocation. Dispatch: (as many groups of WG nodes as there are, in rows, shots). Twin: `pack` and `unpack` in
// src/engine/gpu/halo/columns.rs.
//
// Generated constants: WG; NODES, NX, NZ, of the pieces; FIRST, PIECE, COLUMN, where they lie in a field; FIELD, values from a shot's field to
// the next.

@group(0) @binding(0) var<storage, read_write> p: array<f32>;
@group(0) @binding(1) var<storage, read_write> message: array<f32>;

/// The place in a field of a node of the pieces.
fn place(i: u32) -> u32 {
    let column = i / NZ;
    return FIRST + column / NX * PIECE + column % NX * COLUMN + i % NZ;
}

@compute @workgroup_size(WG)
fn pack(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * WG + lane;
    if i < NODES {
        message[group.z * NODES + i] = p[group.z * FIELD + place(i)];
    }
}

@compute @workgroup_size(WG)
fn unpack(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * WG + lane;
    if i < NODES {
        p[group.z * FIELD + place(i)] = message[group.z * NODES + i];
    }
}
