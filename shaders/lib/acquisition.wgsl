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

// What the sources add to four nodes of a tile; cell counts fours.
fn injected(shot: u32, tile: u32, cell: u32, step: u32) -> vec4<f32> {
    var sum = vec4(0.0);
    let first = shot * TILES + tile;
    for (var s = source_tiles[first]; s < source_tiles[first + 1u]; s++) {
        let place = sources[s].cell;
        if place / 4u == cell {
            sum[place % 4u] += sources[s].scale * wavelets[sources[s].wavelet + step];
        }
    }
    return sum;
}

// Writes p at a receiver to a row of the traces.
fn record(shot: u32, receiver: u32, row: u32) {
    if receiver < RECEIVERS {
        let place = shot * RECEIVERS + receiver;
        let at = shot * FIELD + receivers[place];
        traces[row * SHOTS * RECEIVERS + place] = p[at / 4u][at % 4u];
    }
}
