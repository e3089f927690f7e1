// The pass along z of the 2-D ladder's rung 5, in another division: whole columns per workgroup,
// addressed as a plane.
//
//   partial (x, z) = sum_j cz_j (p(x, z + j) + p(x, z - j))
//
// As major_columns.wgsl, by a 2-D workgroup with a wing of zeros before each column: no division to
// find the column. Sadahiro (2014), section 2.4.4.3, method 4.
//
// One value of the columns per invocation. Dispatch: (1, groups of columns).

@group(1) @binding(0) var<storage, read> p: array<f32>;
@group(1) @binding(2) var<storage, read_write> partial: array<f32>;

var<workgroup> columns: array<array<f32, RADIUS + STRIDE>, WG_X>;

@compute @workgroup_size(STRIDE, WG_X)
fn main(
    @builtin(global_invocation_id) node: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let iz = node.x;
    let ix = node.y;
    if local.x < RADIUS {
        columns[local.y][local.x] = 0.0;
    }
    if ix < NX {
        columns[local.y][RADIUS + local.x] = p[LEAD + ix * STRIDE + iz];
    }
    workgroupBarrier();
    if ix >= NX || iz >= NZ {
        return;
    }
    let k = local.x + RADIUS;
    var sum = operators[0].y * columns[local.y][k];
    for (var j = 1u; j <= RADIUS; j++) {
        sum += operators[j].y * (columns[local.y][k + j] + columns[local.y][k - j]);
    }
    partial[LEAD + ix * STRIDE + iz] = sum;
}
