// Transposes a submit's recording, one row per sample, into traces:
//
//   traces[shot][receiver][sample] = rows[sample][shot][receiver]
//
// Tile by tile through workgroup memory, so that whole lines are read and written. Each line of a
// tile has one extra value, so that a column lies in different banks. Dispatch: (tiles of TILE
// receivers, over x and z if there are many; tiles of TILE samples along y). Twin:
// src/engine/cpu/tap/traces.rs, whose blocks are transposed as they are filled.
//
// Generated constants: TILE; COLUMNS, receivers of all shots.

@group(0) @binding(0) var<storage, read> rows: array<f32>;
@group(0) @binding(1) var<storage, read_write> traces: array<f32>;

struct Submit {
    samples: u32,
}
var<immediate> submit: Submit;

var<workgroup> tile: array<f32, TILE * (TILE + 1u)>;

@compute @workgroup_size(TILE, TILE)
fn turn(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
) {
    let column = (group.z * groups.x + group.x) * TILE;
    let sample = group.y * TILE;
    if column + lane.x < COLUMNS && sample + lane.y < submit.samples {
        tile[lane.y * (TILE + 1u) + lane.x] = rows[(sample + lane.y) * COLUMNS + column + lane.x];
    }
    workgroupBarrier();
    if column + lane.y < COLUMNS && sample + lane.x < submit.samples {
        traces[(column + lane.y) * submit.samples + sample + lane.x] = tile[lane.x * (TILE + 1u) + lane.y];
    }
}
