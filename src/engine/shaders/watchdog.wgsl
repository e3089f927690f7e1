// Looks for |p| above a limit, or NaN. Twin: src/engine/cpu/tap/watchdog.rs.
//
// Compares bits: without its sign, a float orders as its bits do, infinity and NaN above all
// numbers, and no fast mathematics of a driver can lose a NaN. A healthy field costs one read and
// writes nothing. Four nodes along z per invocation. Dispatch: (ceil(NZ / 4 WG_Z), ceil(NX / WG_X),
// planes x shots).
//
// Generated constants: NX, NY, NZ, STRIDE, PLANE, LEAD, FIELD, WG_Z, WG_X, SHOTS, LIMIT (bits of
// the limit), BINS, BIN_SHIFT.

@group(0) @binding(0) var<storage, read> p: array<vec4<f32>>;

struct Alarm {
    // Largest bits of |p| above the limit.
    peak: atomic<u32>,
    // For every factor of 16 of |p|: NX NY NZ minus the first node above the limit, in the order
    // [y][x][z]; 0 if there is none. The highest bin gives one of the largest.
    first: array<atomic<u32>, BINS>,
}
// [look][shot]
@group(0) @binding(1) var<storage, read_write> alarms: array<Alarm>;

// A struct, because Direct3D requires one.
struct Look {
    // Its index among the submit's looks.
    index: u32,
}
var<immediate> look: Look;

@compute @workgroup_size(WG_Z, WG_X)
fn watch(@builtin(global_invocation_id) id: vec3<u32>) {
    let iz = 4u * id.x;
    if iz >= NZ || id.y >= NX {
        return;
    }
    let shot = id.z / NY;
    let iy = id.z % NY;
    let four = p[(shot * FIELD + LEAD + iy * PLANE + id.y * STRIDE + iz) / 4u];
    let bits = bitcast<vec4<u32>>(four) & vec4(0x7fffffffu);
    let above = bits > vec4(LIMIT);
    if any(above) {
        let alarm = look.index * SHOTS + shot;
        let left = NX * NY * NZ - ((iy * NX + id.y) * NZ + iz);
        // The last quad of a column may reach past it, where an overflow turns the padding into 0
        // inf = NaN.
        let inside = NZ - iz;
        for (var k = 0u; k < min(4u, inside); k++) {
            raise(alarm, bits[k], left - k);
        }
    }
}

// `left` nodes remain from this one on, itself included.
fn raise(alarm: u32, bits: u32, left: u32) {
    if bits > LIMIT {
        atomicMax(&alarms[alarm].peak, bits);
        atomicMax(&alarms[alarm].first[bits >> BIN_SHIFT], left);
    }
}
