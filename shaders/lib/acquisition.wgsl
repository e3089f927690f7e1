// Sources and receivers.
//
// Sources are sorted by the tile that holds them, so that an invocation looks only at those of its own
// workgroup: nearly always none.
//
// Generated constants: TILES, SHOTS, STEPS, RECEIVERS.

struct Source {
    // Place of its node in a field.
    cell: u32,
    // First sample of its wavelet.
    wavelet: u32,
    // What one unit of the wavelet adds to the next field.
    scale: f32,
}

// First source of each tile of each shot, and one past the last.
@group(0) @binding(3) var<storage, read> source_tiles: array<u32>;
@group(0) @binding(4) var<storage, read> sources: array<Source>;
// Wavelets of STEPS samples.
@group(0) @binding(5) var<storage, read> wavelets: array<f32>;
// Place of each receiver's node in a field, RECEIVERS a shot; place 0, which is always zero, where a
// shot has fewer.
@group(0) @binding(6) var<storage, read> receivers: array<u32>;
// [row][shot][receiver]
@group(0) @binding(7) var<storage, read_write> traces: array<f32>;

// Adds the sources of a tile to p_next, where it is this invocation that steps them: in a plane the four
// that starts at `first` (which counts fours), and the same in the SLICES - 1 planes after it.
fn inject(at: Place, first: u32, step: u32) {
    let tile = at.shot * TILES + at.tile;
    for (var s = source_tiles[tile]; s < source_tiles[tile + 1u]; s++) {
        let source = sources[s];
        let after = source.cell / 4u - first;
        if source.cell / 4u >= first && after % PLANE_4 == 0u && after / PLANE_4 < SLICES {
            var sum = vec4(0.0);
            sum[source.cell % 4u] = source.scale * wavelets[source.wavelet + step];
            p_next[at.shot * (FIELD / 4u) + source.cell / 4u] += sum;
        }
    }
}

// What a workgroup past the last tile along x does.
fn record_beyond(tile: vec3<u32>, lane: u32, row: u32) {
    let group = ((tile.y - TILES_X) * TILES_Y + tile.z % TILES_Y) * TILES_Z + tile.x;
    record(tile.z / TILES_Y, group * WG_Z * WG_X * WG_Y + lane, row);
}

// Writes p at a receiver to a row of the traces.
fn record(shot: u32, receiver: u32, row: u32) {
    if receiver < RECEIVERS {
        let place = shot * RECEIVERS + receiver;
        let at = shot * FIELD + receivers[place];
        traces[row * SHOTS * RECEIVERS + place] = p[at / 4u][at % 4u];
    }
}
