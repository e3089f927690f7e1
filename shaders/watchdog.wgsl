// Looks for |p| above a limit, or NaN. Twin: src/engine/cpu/tap/watchdog.rs.
//
// Compares bits: without its sign, a float orders as its bits do, infinity and NaN above all numbers,
// and no driver's idea of fast mathematics can lose a NaN. A healthy field costs one read and writes
// nothing. Dispatch: (ceil(NZ / WG_Z), ceil(NX / WG_X), shots).
//
// Generated constants: NX, NZ, STRIDE, LEAD, FIELD, WG_Z, WG_X, SHOTS, LIMIT (bits of the limit).

@group(0) @binding(0) var<storage, read> p: array<f32>;

struct Alarm {
    // Largest bits of |p| above the limit.
    peak: atomic<u32>,
    // NX NZ minus the first node above the limit, in the order [x][z]; 0 where there is none.
    first: atomic<u32>,
}
// [look][shot]
@group(0) @binding(1) var<storage, read_write> alarms: array<Alarm>;

// Index of this look.
var<immediate> look: u32;

@compute @workgroup_size(WG_Z, WG_X)
fn watch(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= NZ || id.y >= NX {
        return;
    }
    let bits = bitcast<u32>(p[id.z * FIELD + LEAD + id.y * STRIDE + id.x]) & 0x7fffffffu;
    if bits > LIMIT {
        let alarm = look * SHOTS + id.z;
        atomicMax(&alarms[alarm].peak, bits);
        atomicMax(&alarms[alarm].first, NX * NZ - (id.y * NZ + id.x));
    }
}
