// The zero-lag correlation of the fields of each pair of shots,
//
//   image <- image + p_1 p_2
//
// A look every few steps; four nodes along z per invocation. Dispatch: (ceil(NZ / 4 WG_Z), ceil(NX
// / WG_X), planes x pairs). Twin: src/engine/cpu/tap/correlation.rs.
//
// Generated constants: NX, NY, NZ, STRIDE, PLANE, LEAD, FIELD, WG_Z, WG_X.

@group(0) @binding(0) var<storage, read> p: array<vec4<f32>>;
// [pair][y][x][z], in quads of nodes.
@group(0) @binding(1) var<storage, read_write> image: array<vec4<f32>>;

@compute @workgroup_size(WG_Z, WG_X)
fn correlate(@builtin(global_invocation_id) id: vec3<u32>) {
    let iz = 4u * id.x;
    if iz >= NZ || id.y >= NX {
        return;
    }
    let pair = id.z / NY;
    let iy = id.z % NY;
    let node = (LEAD + iy * PLANE + id.y * STRIDE + iz) / 4u;
    let first = p[2u * pair * (FIELD / 4u) + node];
    let second = p[(2u * pair + 1u) * (FIELD / 4u) + node];
    let place = ((pair * NY + iy) * NX + id.y) * ((NZ + 3u) / 4u) + id.x;
    image[place] += first * second;
}
