// Rung 5 of the 2-D ladder, first pass: the second derivative along z, the major axis, through
// workgroup memory.
//
//   partial (x, z) = sum_j cz_j (p(x, z + j) + p(x, z - j))
//
// The columns and the zeros between them are one long strip, cut into pieces of WG_Z values; a
// workgroup reads its piece and a wing on either side once. Sadahiro (2014), section 2.4.4.3,
// method 1. minor.wgsl follows.
//
// One value of the strip per invocation. Dispatch: (pieces), over two axes if there are many.

@group(1) @binding(0) var<storage, read> p: array<f32>;
@group(1) @binding(2) var<storage, read_write> partial: array<f32>;

const PIECE: u32 = WG_Z + 2u * RADIUS;
var<workgroup> piece: array<f32, PIECE>;

@compute @workgroup_size(WG_Z)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = (group.y * groups.x + group.x) * WG_Z;
    for (var k = lane; k < PIECE; k += WG_Z) {
        // There is nothing past the strip's end.
        if first + k < NX * STRIDE + RADIUS {
            piece[k] = p[LEAD - RADIUS + first + k];
        }
    }
    workgroupBarrier();
    let s = first + lane;
    if s >= NX * STRIDE || s % STRIDE >= NZ {
        return;
    }
    let k = lane + RADIUS;
    var sum = operators[0].y * piece[k];
    for (var j = 1u; j <= RADIUS; j++) {
        sum += operators[j].y * (piece[k + j] + piece[k - j]);
    }
    partial[LEAD + s] = sum;
}
