// Rung 1 of the ladder of explicit time evolution: everything from global memory.
//
//   p_next = 2 sum_j c_j(v) p(x + dx_j) - p_prev,   v = v(y, x, z)
//
// One node per invocation; neighbours share values of p and of the table only through the caches.
//
// Dispatch: (tiles of WG_Z nodes along z, tiles of WG_X along x, tiles of WG_Y along y).

@group(1) @binding(0) var<storage, read> p: array<f32>;
@group(1) @binding(1) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(WG_Z, WG_X, WG_Y)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let iz = at.x;
    let ix = at.y;
    let iy = at.z;
    if iz >= NZ || ix >= NX || iy >= NY {
        return;
    }
    let i = LEAD + iy * PLANE + ix * STRIDE + iz;
    let v = bin(i);
    var sum = weight(v, 0u) * p[i];
    for (var j = 1u; j <= RADIUS; j++) {
        let z = p[i + j] + p[i - j];
        let x = p[i + j * STRIDE] + p[i - j * STRIDE];
        let y = p[i + j * PLANE] + p[i - j * PLANE];
        sum += weight(v, ALONG_Z + j) * z + weight(v, ACROSS + j) * (x + y);
    }
    for (var j = 1u; j <= DIAGONAL; j++) {
        let before = i - j * STRIDE;
        let after = i + j * STRIDE;
        let left = i - j * PLANE;
        let right = i + j * PLANE;
        let zx = p[before - j] + p[before + j] + p[after - j] + p[after + j];
        let yz = p[left - j] + p[left + j] + p[right - j] + p[right + j];
        let xy = p[before - j * PLANE] + p[before + j * PLANE] + p[after - j * PLANE] + p[after + j * PLANE];
        sum += weight(v, UPRIGHT + j) * (zx + yz) + weight(v, LEVEL + j) * xy;
    }
    result[i] = 2.0 * sum - result[i];
}
