// Adds the offset gathers of two shots, each times its unit:
//
//   I(to) <- to_unit I(to) + from_unit I(from)
//
// Numbers below the least normal one become zero, as on the host: devices differ in their support
// of them. One value per invocation. Dispatch: rows of ceil(VALUES / WG). Twin:
// src/workflow/rtm/stack.rs.
//
// Generated constants: VALUES of a shot; WG.

// [shot] of VALUES.
@group(0) @binding(0) var<storage, read_write> gathers: array<f32>;

struct Pair {
    to: u32,
    from_shot: u32,
    to_unit: f32,
    from_unit: f32,
}
var<immediate> pair: Pair;

const LEAST: f32 = 1.1754944e-38;

fn normal(value: f32) -> f32 {
    return select(value, 0.0, abs(value) < LEAST);
}

@compute @workgroup_size(WG)
fn sum(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let value = id.y * groups.x * WG + id.x;
    if value >= VALUES {
        return;
    }
    let to = pair.to * VALUES + value;
    let sum = normal(pair.to_unit * gathers[to])
        + normal(pair.from_unit * gathers[pair.from_shot * VALUES + value]);
    gathers[to] = normal(sum);
}
