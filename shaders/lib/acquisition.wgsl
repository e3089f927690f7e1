// Sources and receivers.
//
// Sources are taken by fours of nodes and sorted by the tile that holds them, so that an invocation looks only at those of its own
// workgroup: nearly always none.
//
// Generated constants: TILES, SHOTS, RECEIVERS; SAMPLES, of each wavelet that are there, and STREAMED, whether it has more; SPLIT, whether other slabs read some of the receivers;
// BETWEEN_NODES, whether any receiver lies between nodes;
// SAMPLES_Z, fours of nodes, SAMPLES_X, SAMPLES_Y, nodes, that such a receiver is taken from.

// Three tables in one binding, of which WebGPU promises eight:
// - the first source of each tile of each shot, and one past the last;
// - RECEIVERS a shot: the place of each one's node in a field; or, where any lies between nodes, the place of the
//   first of its fours and the weights along z, x and y as bits (src/acquisition/spread.rs). 0 where a shot has
//   fewer: place 0 is always zero. ELSEWHERE where another slab reads it;
// - the sources: of each the place of its four nodes in a field, in fours; the first sample of its wavelet; and what one unit of
//   the wavelet adds to each of the four in the next field, as bits.
@group(0) @binding(3) var<storage, read> acquisition: array<u32>;
// SAMPLES of each wavelet: all or, where they are streamed, those of the steps from a multiple of SAMPLES on.
@group(0) @binding(4) var<storage, read> wavelets: array<f32>;
// [row][shot][receiver]
@group(0) @binding(5) var<storage, read_write> traces: array<f32>;

const ELSEWHERE: u32 = 0xffffffffu;
// Values of a receiver, and where the receivers and the sources begin.
const RECORD: u32 = select(1u, 1u + 4u * SAMPLES_Z + SAMPLES_X + SAMPLES_Y, BETWEEN_NODES);
const FIRST_RECEIVER: u32 = TILES * SHOTS + 1u;
const FIRST_SOURCE: u32 = FIRST_RECEIVER + RECEIVERS * SHOTS * RECORD;

// A value of acquisition that is a number's bits.
fn number(at: u32) -> f32 {
    return bitcast<f32>(acquisition[at]);
}

// Adds the sources of a tile to p_next, where it is this invocation that steps them: in a plane the four
// that starts at `first` (which counts fours), and the same in the SLICES - 1 planes after it.
fn inject(at: Place, first: u32, step: u32) {
    let tile = at.shot * TILES + at.tile;
    let start = acquisition[tile];
    let end = acquisition[tile + 1u];
    if start == end {
        return;
    }
    let sample = select(step, step % SAMPLES, STREAMED);
    for (var slice = 0u; slice < SLICES; slice++) {
        let four = first + slice * PLANE_4;
        // One store at the end: with one for each source, no load could go before it.
        var sum = vec4(0.0);
        for (var s = start; s < end; s++) {
            let at = FIRST_SOURCE + 6u * s;
            if acquisition[at] == four {
                let scale = vec4(number(at + 2u), number(at + 3u), number(at + 4u), number(at + 5u));
                sum += scale * wavelets[acquisition[at + 1u] + sample];
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
            if acquisition[FIRST_RECEIVER + place * RECORD] == ELSEWHERE {
                return;
            }
        }
        traces[row * SHOTS * RECEIVERS + place] = sample(shot * FIELD, place);
    }
}

// p of a shot, whose field starts at `field`, at a receiver.
fn sample(field: u32, receiver: u32) -> f32 {
    let record = FIRST_RECEIVER + receiver * RECORD;
    if !BETWEEN_NODES {
        let at = field + acquisition[record];
        return p[at / 4u][at % 4u];
    }
    let first = field / 4u + acquisition[record];
    let along_z = record + 1u;
    let along_x = along_z + 4u * SAMPLES_Z;
    let along_y = along_x + SAMPLES_X;
    var weights_z: array<vec4<f32>, SAMPLES_Z>;
    for (var z = 0u; z < SAMPLES_Z; z++) {
        let at = along_z + 4u * z;
        weights_z[z] = vec4(number(at), number(at + 1u), number(at + 2u), number(at + 3u));
    }
    var sum = 0.0;
    for (var y = 0u; y < SAMPLES_Y; y++) {
        for (var x = 0u; x < SAMPLES_X; x++) {
            let column = first + y * PLANE_4 + x * COLUMN;
            var along_column = 0.0;
            for (var z = 0u; z < SAMPLES_Z; z++) {
                along_column += dot(weights_z[z], p[column + z]);
            }
            sum += number(along_y + y) * number(along_x + x) * along_column;
        }
    }
    return sum;
}
