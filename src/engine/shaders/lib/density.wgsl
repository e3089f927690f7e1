// The potential of a density that varies (docs/theory/medium.md). If DENSITY is set, engines step
// q = w p, w the root of the buoyancy, by
//
//   q_next = g (2 q + (v dt)^2 (lap q - V q)) - g^2 q_prev + ...,    V = (lap w) / w, 1/m^2.
//
// V lies behind the models and the windows in the buffer of lib/model.wgsl, from POTENTIAL on, in the
// layout of one model. Twin: src/engine/cpu/potential.rs.

fn potential(cell: u32) -> vec4<f32> {
    return v2dt2[POTENTIAL + cell];
}
