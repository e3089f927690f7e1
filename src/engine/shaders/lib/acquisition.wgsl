// Sources and receivers.
//
// Sources are grouped by quads of nodes and sorted by the tile that holds them, so that an
// invocation reads only those of its own workgroup: nearly always none.
//
// Generated constants: TILES, SHOTS, RECEIVERS; SAMPLES, the resident samples of each wavelet, and
// STREAMED, whether it has more; SPLIT, whether other slabs read some of the receivers;
// BETWEEN_NODES, whether any receiver lies between nodes; SAMPLES_Z, quads of nodes, SAMPLES_X,
// SAMPLES_Y, nodes, that such a receiver interpolates.

// Three tables share a binding, because WebGPU guarantees only eight. All consist of quads of
// values. f32 values are stored as their bits:
// - for each tile of each shot its first source, and one past its last;
// - for RECEIVERS receivers per shot: the offset of each one's node in a field, four receivers per
//   quad; or, if any lies between nodes, the offset of its first quad, and in separate quads the
//   weights along z, x and y (src/numbers/acquisition/spread.rs), or with DENSITY those of each node,
//   because p = q / w. 0 if a shot has fewer: the value at
//   offset 0 is always zero. ELSEWHERE if another slab reads it;
// - for each source the offset of its quad of nodes in a field, in quads, and the first sample of
//   its wavelet; and the increment of each of the four in the next field per unit of the wavelet.
@group(0) @binding(3) var<storage, read> acquisition: array<vec4<u32>>;
// SAMPLES of each wavelet: all or, if they are streamed, those of the steps from a multiple of
// SAMPLES on.
@group(0) @binding(4) var<storage, read> wavelets: array<f32>;
// [row][shot][receiver]
@group(0) @binding(5) var<storage, read_write> traces: array<f32>;

const ELSEWHERE: u32 = 0xffffffffu;
// Start of the weights of a receiver between nodes, and the number of its quads.
const WEIGHTS_X: u32 = 1u + SAMPLES_Z;
const WEIGHTS_Y: u32 = WEIGHTS_X + (SAMPLES_X + 3u) / 4u;
const WEIGHTS_BY_AXIS: u32 = WEIGHTS_Y + (SAMPLES_Y + 3u) / 4u;
const RECORD: u32 = select(WEIGHTS_BY_AXIS, 1u + SAMPLES_X * SAMPLES_Y * SAMPLES_Z, DENSITY);
// Start of the receivers and of the sources.
const FIRST_RECEIVER: u32 = TILES * SHOTS;
const FIRST_SOURCE: u32 = FIRST_RECEIVER
    + select((RECEIVERS * SHOTS + 3u) / 4u, RECEIVERS * SHOTS * RECORD, BETWEEN_NODES);

// Adds the sources of a tile to p_next where this invocation steps them: in a plane the quad that
// starts at `first` (counted in quads), and the same in the SLICES - 1 planes after it.
fn inject(at: Place, first: u32, step: u32) {
    let here = acquisition[at.shot * TILES + at.tile];
    let start = here.x;
    let end = here.y;
    if start == end {
        return;
    }
    let sample = select(step, step % SAMPLES, STREAMED);
    for (var slice = 0u; slice < SLICES; slice++) {
        let four = first + slice * PLANE_4;
        // One store at the end: with one for each source, no load could precede it.
        var sum = vec4(0.0);
        for (var s = start; s < end; s++) {
            let source = acquisition[FIRST_SOURCE + 2u * s];
            if source.x == four {
                let scale = bitcast<vec4<f32>>(acquisition[FIRST_SOURCE + 2u * s + 1u]);
                sum += scale * wavelets[source.y + sample];
            }
        }
        if any(sum != vec4(0.0)) {
            p_next[at.shot * (FIELD / 4u) + four] += sum;
            wake(at, false, sum);
        }
    }
}

// The work of a workgroup past the last tile along x.
fn record_beyond(tile: vec3<u32>, lane: u32, row: u32) {
    let group = ((tile.y - TILES_X) * TILES_Y + tile.z % TILES_Y) * TILES_Z + tile.x;
    record(tile.z / TILES_Y, group * WG_Z * WG_X * WG_Y + lane, row);
}

// Writes p at a receiver to a row of the traces.
fn record(shot: u32, receiver: u32, row: u32) {
    if receiver < RECEIVERS {
        let number = shot * RECEIVERS + receiver;
        let place = place_of(number);
        if SPLIT {
            if place == ELSEWHERE {
                return;
            }
        }
        traces[row * SHOTS * RECEIVERS + number] = sample(shot * FIELD, number, place);
    }
}

// The offset of a receiver.
fn place_of(receiver: u32) -> u32 {
    if BETWEEN_NODES {
        return acquisition[FIRST_RECEIVER + receiver * RECORD].x;
    }
    return acquisition[FIRST_RECEIVER + receiver / 4u][receiver % 4u];
}

// p of a shot, whose field starts at `field`, at a receiver.
fn sample(field: u32, receiver: u32, place: u32) -> f32 {
    if !BETWEEN_NODES {
        let at = field + place;
        return p[at / 4u][at % 4u];
    }
    let record = FIRST_RECEIVER + receiver * RECORD;
    let first = field / 4u + place;
    var weights_z: array<vec4<f32>, SAMPLES_Z>;
    for (var z = 0u; z < SAMPLES_Z; z++) {
        weights_z[z] = bitcast<vec4<f32>>(acquisition[record + 1u + z]);
    }
    var sum = 0.0;
    for (var y = 0u; y < SAMPLES_Y; y++) {
        for (var x = 0u; x < SAMPLES_X; x++) {
            let column = first + y * PLANE_4 + x * COLUMN;
            var along_column = 0.0;
            if DENSITY {
                let quads = record + 1u + (y * SAMPLES_X + x) * SAMPLES_Z;
                for (var z = 0u; z < SAMPLES_Z; z++) {
                    along_column += dot(bitcast<vec4<f32>>(acquisition[quads + z]), p[column + z]);
                }
                sum += along_column;
                continue;
            }
            for (var z = 0u; z < SAMPLES_Z; z++) {
                along_column += dot(weights_z[z], p[column + z]);
            }
            sum += weight(record + WEIGHTS_Y, y) * weight(record + WEIGHTS_X, x) * along_column;
        }
    }
    return sum;
}

fn weight(first: u32, i: u32) -> f32 {
    return bitcast<f32>(acquisition[first + i / 4u][i % 4u]);
}
