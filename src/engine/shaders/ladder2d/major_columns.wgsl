// The pass along z of the 2-D ladder's rung 5, in another division: whole columns per workgroup.
//
//   partial (x, z) = sum_j cz_j (p(x, z + j) + p(x, z - j))
//
// WG_X columns with the zeros after each, and only the first column's wing besides. Only for
// columns that fit a workgroup. Sadahiro (2014), section 2.4.4.3, method 2 with one column and
// method 3 with several.
//
// One value of the columns per invocation, in a 1-D workgroup. Dispatch: (groups of columns).

@group(1) @binding(0) var<storage, read> p: array<f32>;
@group(1) @binding(2) var<storage, read_write> partial: array<f32>;

const WG: u32 = STRIDE * WG_X;
var<workgroup> columns: array<f32, RADIUS + WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ix = group.x * WG_X + lane / STRIDE;
    let iz = lane % STRIDE;
    if lane < RADIUS {
        columns[lane] = 0.0;
    }
    if ix < NX {
        columns[RADIUS + lane] = p[LEAD + ix * STRIDE + iz];
    }
    workgroupBarrier();
    if ix >= NX || iz >= NZ {
        return;
    }
    let k = lane + RADIUS;
    var sum = operators[0].y * columns[k];
    for (var j = 1u; j <= RADIUS; j++) {
        sum += operators[j].y * (columns[k + j] + columns[k - j]);
    }
    partial[LEAD + ix * STRIDE + iz] = sum;
}
