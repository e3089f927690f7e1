// Copies pieces of a padded array, without the padding, to or from a message: what a share sends to
// its neighbour, and what it receives; or the nodes of a model, a snapshot's values.
//
//   message[BEFORE + (piece NX + x) NZ + z] = array[FIRST + piece PIECE + x COLUMN + z]      pack
//   array[FIRST + piece PIECE + x COLUMN + z] = message[BEFORE + (piece NX + x) NZ + z]      unpack
//
// One node per invocation. Dispatch: (groups of WG nodes, in rows, shots). Twin: `pack` and
// `unpack` in src/engine/cpu/share.rs.
//
// Generated constants: WG; NODES, NX, NZ, of the pieces; FIRST, PIECE, COLUMN, their position in an
// array; SHOT, values from a shot's array to the next; BEFORE, the offset of all shots' values in
// the message.

@group(0) @binding(0) var<storage, read_write> array_of_shots: array<f32>;
@group(0) @binding(1) var<storage, read_write> message: array<f32>;

/// The offset in an array of a node of the pieces.
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
        message[BEFORE + group.z * NODES + i] = array_of_shots[group.z * SHOT + place(i)];
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
        array_of_shots[group.z * SHOT + place(i)] = message[BEFORE + group.z * NODES + i];
    }
}
