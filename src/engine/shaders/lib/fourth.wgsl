// The term of explicit time evolution, which is added to the Laplacian, times m = (v dt)^2: B p, a
// star and the diagonals of the coordinate planes (src/numbers/stencil/ete/mod.rs),
//
//   p_next = 2 p - p_prev + m (L p + m B p)
//
// The kernels sum the star with the Laplacian's, which has the same neighbours; the diagonals are
// here. Twin: src/engine/cpu/fourth.rs.
//
// Generated constants: DIAGONALS, their length, cells; 0 without B.

const ETE: bool = DIAGONALS > 0u;
// First of the star's weights b_j along x, z and y, and of the diagonals' d_j of the planes zx, xy
// and yz, 1/m^4.
const STAR: u32 = 34u;
const DIAGONAL: u32 = 39u;

// The sum of the neighbours at -j and +j of four nodes of a column.
fn tilted(i: u32, z: u32, j: u32) -> vec4<f32> {
    var window: array<f32, WINDOW>;
    for (var k = 0u; k < FOURS; k++) {
        put(&window, k, around(i, z, k));
    }
    return below(&window, j) + above(&window, j);
}

// The diagonal terms of the four nodes at i, the zth quad of a column.
fn diagonals(i: u32, z: u32, centre: vec4<f32>) -> vec4<f32> {
    var sum = operators[DIAGONAL].x * centre;
    for (var j = 1u; j <= DIAGONALS; j++) {
        sum += operators[DIAGONAL + j].x
            * (tilted(i + j * COLUMN, z, j) + tilted(i - j * COLUMN, z, j));
    }
    if VOLUME {
        sum += operators[DIAGONAL].y * centre;
        sum += operators[DIAGONAL].z * centre;
        for (var j = 1u; j <= DIAGONALS; j++) {
            let behind = i + j * PLANE_4;
            let before = i - j * PLANE_4;
            let across = j * COLUMN;
            sum += operators[DIAGONAL + j].y
                * ((p[behind + across] + p[behind - across]) + (p[before + across] + p[before - across]));
            sum += operators[DIAGONAL + j].z * (tilted(behind, z, j) + tilted(before, z, j));
        }
    }
    return sum;
}
