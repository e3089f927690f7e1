// Copies the ghosts of neighbouring parts of a field, up to four of them in a row: the last pieces
// of one and the first of the other after a step.
//
//   low[its end + i] = high[i],   high[i - ghosts] = low[its end - ghosts + i],   i in 0..ghosts
//
// Four values per invocation. Dispatch: (groups of WG quads, in rows, SEAMS of each shot). Twin:
// `Part::padded` in src/engine/gpu/part.rs.
//
// Generated constants: WG; SEAMS, where two parts meet; FOURS, quads of the ghosts; LEAD, quads
// before a part's first piece; of each part FIELD_, quads from a shot's field to the next, and
// END_, those before its end.

@group(0) @binding(0) var<storage, read_write> part_0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> part_1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> part_2: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> part_3: array<vec4<f32>>;

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
    let shot = group.z / SEAMS;
    // The first piece of a field and the ghosts before it; the ghosts at the end are FOURS after
    // the last pieces.
    let first = LEAD + i;
    let ghosts = first - FOURS;
    switch group.z % SEAMS {
        case 0u: {
            let last = shot * FIELD_0 + END_0 - FOURS + i;
            part_0[last + FOURS] = part_1[shot * FIELD_1 + first];
            part_1[shot * FIELD_1 + ghosts] = part_0[last];
        }
        case 1u: {
            let last = shot * FIELD_1 + END_1 - FOURS + i;
            part_1[last + FOURS] = part_2[shot * FIELD_2 + first];
            part_2[shot * FIELD_2 + ghosts] = part_1[last];
        }
        default: {
            let last = shot * FIELD_2 + END_2 - FOURS + i;
            part_2[last + FOURS] = part_3[shot * FIELD_3 + first];
            part_3[shot * FIELD_3 + ghosts] = part_2[last];
        }
    }
}
