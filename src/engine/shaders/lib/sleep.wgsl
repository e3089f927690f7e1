// Blocks that no wave has reached sleep: a step leaves them out. There p is zero in every node, so all
// that the step would compute is zero.
//
// A block is awake once a node of it is not zero, and stays so. A step computes the nodes of the blocks
// that are awake, those whose stencil may reach one, and the tiles of sources. Each field has its own
// flags, behind the fields of all shots: those of p say which blocks are awake at this step, those of
// p_next are set for the next one. So no invocation writes what another reads.
//
// Generated constants: SLEEPS; AWAKE, quads before the flags, one quad a block, [shot][y][x][z];
// AWAKE_Z in quads, AWAKE_X, AWAKE_Y, the nodes of a block, no fewer than a stencil reaches;
// BLOCKS_Z, BLOCKS_X, BLOCKS_Y, the blocks of a shot along each axis.

// The flag of the block of a node; z in quads.
fn flag(shot: u32, z: u32, x: u32, y: u32) -> u32 {
    let plane = (shot * BLOCKS_Y + y / AWAKE_Y) * BLOCKS_X;
    return AWAKE + (plane + x / AWAKE_X) * BLOCKS_Z + z / AWAKE_Z;
}

fn awake(shot: u32, z: u32, x: u32, y: u32) -> bool {
    return p[flag(shot, z, x, y)].x != 0.0;
}

// True if a step changes nothing in four nodes, whose block is awake or not.
fn asleep(at: Place, is_awake: bool) -> bool {
    if !SLEEPS || is_awake {
        return false;
    }
    let reach = (RADIUS + 3u) / 4u;
    var reached = awake(at.shot, at.z - min(reach, at.z), at.x, at.y)
        || awake(at.shot, min(at.z + reach, (NZ - 1u) / 4u), at.x, at.y)
        || awake(at.shot, at.z, at.x - min(RADIUS, at.x), at.y)
        || awake(at.shot, at.z, min(at.x + RADIUS, NX - 1u), at.y);
    if VOLUME {
        reached = reached || awake(at.shot, at.z, at.x, at.y - min(RADIUS, at.y))
            || awake(at.shot, at.z, at.x, min(at.y + RADIUS, NY - 1u));
    }
    let sources = acquisition[at.shot * TILES + at.tile];
    return !reached && sources.x == sources.y;
}

// Wakes the block of four nodes from the next step on, if one of them is not zero. In a block that is
// awake, its first four nodes pass that on.
fn wake(at: Place, is_awake: bool, stepped: vec4<f32>) {
    if !SLEEPS {
        return;
    }
    // The bits without the sign: some devices compare numbers below 1e-38 as zeros.
    var wakes = any((bitcast<vec4<u32>>(stepped) << vec4(1u)) != vec4(0u));
    if is_awake {
        wakes = at.z % AWAKE_Z == 0u && at.x % AWAKE_X == 0u && at.y % AWAKE_Y == 0u;
    }
    if wakes {
        p_next[flag(at.shot, at.z, at.x, at.y)] = vec4(1.0);
    }
}
