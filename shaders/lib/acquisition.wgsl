// Sources and receivers.
//
// Sources are taken by fours of nodes and sorted by the tile that holds them, so that an invocation looks only at those of its own
// workgroup: nearly always none.
//
// Generated constants: TILES, SHOTS, RECEIVERS; SAMPLES, of each wavelet that are there, and STREAMED, whether it has more; SPLIT, whether other slabs read some of the receivers;
// BETWEEN_NODES, whether any receiver lies between nodes;
// SAMPLES_Z, fours of nodes, SAMPLES_X, SAMPLES_Y, nodes, that such a receiver is taken from.

struct Source {
    // Place of its four nodes in a field, in fours.
    four: u32,
    // First sample of its wavelet.
    wavelet: u32,
    // What one unit of the wavelet adds to each of them in the next field.
    scale: vec4<f32>,
}

// First source of each tile of each shot, and one past the last.
@group(0) @binding(3) var<storage, read> source_tiles: array<u32>;
@group(0) @binding(4) var<storage, read> sources: array<Source>;
// SAMPLES of each wavelet: all or, where they are streamed, those of the steps from a multiple of SAMPLES on.
@group(0) @binding(5) var<storage, read> wavelets: array<f32>;
// RECEIVERS a shot: the place of each one's node in a field; or, where any lies between nodes, the place of the
// first of its fours and the weights along z, x and y as bits (src/acquisition/spread.rs). 0 where a shot has
// fewer: place 0 is always zero. ELSEWHERE where another slab reads it.
@group(0) @binding(6) var<storage, read> receivers: array<u32>;
// [row][shot][receiver]
@group(0) @binding(7) var<storage, read_write> traces: array<f32>;

const ELSEWHERE: u32 = 0xffffffffu;
// Values of a receiver.
const RECORD: u32 = select(1u, 1u + 4u * SAMPLES_Z + SAMPLES_X + SAMPLES_Y, BETWEEN_NODES);

// Adds the sources of a tile to p_next, where it is this invocation that steps them: in a plane the four
// that starts at `first` (which counts fours), and the same in the SLICES - 1 planes after it.
fn inject(at: Place, first: u32, step: u32) {
    let tile = at.shot * TILES + at.tile;
    let start = source_tiles[tile];
    let end = source_tiles[tile + 1u];
    if start == end {
        return;
    }
    let sample = select(step, step % SAMPLES, STREAMED);
    for (var slice = 0u; slice < SLICES; slice++) {
        let four = first + slice * PLANE_4;
        // One store at the end: with one for each source, no load could go before it.
        var sum = vec4(0.0);
        for (var s = start; s < end; s++) {
            let source = sources[s];
            if source.four == four {
                sum += source.scale * wavelets[source.wavelet + sample];
            }
        }
        if any(sum != vec4(0.0)) {
            p_next[at.shot * (FIELD / 4u) + four] += sum;
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
        if SPLIT {
            if receivers[place * RECORD] == ELSEWHERE {
                return;
            }
        }
        traces[row * SHOTS * RECEIVERS + place] = sample(shot * FIELD, place);
    }
}

// p of a shot, whose field starts at `field`, at a receiver.
fn sample(field: u32, receiver: u32) -> f32 {
    if !BETWEEN_NODES {
        let at = field + receivers[receiver];
        return p[at / 4u][at % 4u];
    }
    let record = receiver * RECORD;
    let first = field / 4u + receivers[record];
    let along_z = record + 1u;
    let along_x = along_z + 4u * SAMPLES_Z;
    let along_y = along_x + SAMPLES_X;
    var weights_z: array<vec4<f32>, SAMPLES_Z>;
    for (var z = 0u; z < SAMPLES_Z; z++) {
        let at = along_z + 4u * z;
        weights_z[z] = vec4(weight(at), weight(at + 1u), weight(at + 2u), weight(at + 3u));
    }
    var sum = 0.0;
    for (var y = 0u; y < SAMPLES_Y; y++) {
        for (var x = 0u; x < SAMPLES_X; x++) {
            let column = first + y * PLANE_4 + x * COLUMN;
            var along_column = 0.0;
            for (var z = 0u; z < SAMPLES_Z; z++) {
                along_column += dot(weights_z[z], p[column + z]);
            }
            sum += weight(along_y + y) * weight(along_x + x) * along_column;
        }
    }
    return sum;
}

fn weight(at: u32) -> f32 {
    return bitcast<f32>(receivers[at]);
}
