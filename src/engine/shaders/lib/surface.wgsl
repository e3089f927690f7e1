// The free surface: above row 0, where p = 0, lies the negative image of the field below,
// p(-z) = -p(z). The image is read from below where the stencil needs it, so nothing is stored
// above the surface. Twins: src/engine/cpu/surface.rs, `reflect` in src/engine/cpu/reference.rs.
//
// Generated constants: FREE_SURFACE.

// The kth of the FOURS quads of p around the quad at i, which is the zth of its column.
fn around(i: u32, z: u32, k: u32) -> vec4<f32> {
    if FREE_SURFACE && z + k < REACH {
        // Nodes -4 m to -4 m + 3.
        let m = REACH - (z + k);
        let surface = i - z;
        let near = p[surface + m - 1u];
        return -vec4(p[surface + m].x, near.w, near.z, near.y);
    }
    return p[i - REACH + k];
}
