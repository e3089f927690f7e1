// The layers of an adjoint: the transpose of the CPML of lib/layers.wgsl, with its lines in reverse
// order,
//
//   zeta <- zeta - e zeta + p
//   chi  <- chi - e (chi + f zeta) + p
//   correction to the Laplacian: d2/dx2 (-e f zeta) - d/dx (-g chi)
//
// After each step, an invocation adds (v dt)^2 times the correction to p_next, or to d, at a node of
// the layers or as far from them as a stencil reaches. At a node of the layers it then advances the
// memory by the field that results, for the next step: what it reads of its neighbours is of this
// one. `begin` advances it by the field at the start, from zeros, before the first step. Dispatch: workgroups of a shot in rows of any
// length, then shots: tiles of the columns near the ends of x, of the rest of the rows near the ends
// of z, and of what is left of the planes near
// those of y. Twin: src/engine/cpu/transposed.rs, before and after a step.

@compute @workgroup_size(WG_Z, WG_X)
fn begin(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let at = node(group.y * groups.x + group.x, group.z, local.xy);
    if !at.inside {
        return;
    }
    // Bound as for the step before: p_next is the field at the start, and the memory of that step zero.
    let i = at.shot * FIELD + at.place;
    if INCREMENTS {
        let here = p[i];
        give(at, here, here);
    } else {
        let here = p_next[i];
        give(at, here, here);
    }
}

@compute @workgroup_size(WG_Z, WG_X)
fn layers(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let at = node(group.y * groups.x + group.x, group.z, local.xy);
    if !at.inside {
        return;
    }
    let m = medium(at);
    let i = at.shot * FIELD + at.place;
    let value = p_next[i] + m * take(at, m);
    p_next[i] = value;
    if INCREMENTS {
        let here = p[i] + value;
        give(at, here, here);
    } else {
        give(at, value, value);
    }
}
