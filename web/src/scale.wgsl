// The pressure at the ends of the colours, found where the field is, as the pictures of the command line have it:
// a percentile of |p|, of the values above a fraction of its peak. Three dispatches, one after the other: `peak`
// and `count` over the nodes of the model, then `choose` by one invocation.
//
// 0: the view, and the fraction and the percentile. 1: the field of the engine. 2: the result, and what is counted on
// the way. 3: what makes a pressure of the field, [x][z]; one value where the field is a pressure.

struct View {
    first: u32,
    column: u32,
    nx: u32,
    nz: u32,
    reached: f32,
    part: f32,
}

// Counted in bins of even width in the logarithm, of 1.8 % each where the fraction is a hundredth.
const BINS = 256u;

struct Scale {
    // Bits of a float that is not negative, which sort as it does.
    peak: atomic<u32>,
    largest: f32,
    counts: array<atomic<u32>, BINS>,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> field: array<f32>;
@group(0) @binding(2) var<storage, read_write> scale: Scale;
@group(0) @binding(3) var<storage, read> factors: array<f32>;

fn size(id: vec3u) -> u32 {
    var value = field[view.first + id.y * view.column + id.x];
    if arrayLength(&factors) > 1u {
        value *= factors[id.y * view.nz + id.x];
    }
    return bitcast<u32>(value) & 0x7fffffffu;
}

const INFINITE = 0x7f800000u;

@compute @workgroup_size(64)
fn peak(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= view.nz || id.y >= view.nx {
        return;
    }
    let bits = size(id);
    // Most values are small, and a look costs less than an exchange.
    if bits < INFINITE && bits > atomicLoad(&scale.peak) {
        atomicMax(&scale.peak, bits);
    }
}

@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= view.nz || id.y >= view.nx {
        return;
    }
    let bits = size(id);
    let share = bitcast<f32>(bits) / bitcast<f32>(atomicLoad(&scale.peak));
    if bits < INFINITE && share > view.reached {
        let bin = f32(BINS) * (1.0 - log(share) / log(view.reached));
        atomicAdd(&scale.counts[min(u32(max(bin, 0.0)), BINS - 1u)], 1u);
    }
}

@compute @workgroup_size(1)
fn choose() {
    var total = 0u;
    for (var bin = 0u; bin < BINS; bin++) {
        total += atomicLoad(&scale.counts[bin]);
    }
    let sought = u32(ceil(view.part * f32(total)));
    var seen = 0u;
    var found = BINS;
    for (var bin = 0u; bin < BINS; bin++) {
        seen += atomicExchange(&scale.counts[bin], 0u);
        if found == BINS && seen >= sought {
            found = bin;
        }
    }
    let middle = (f32(found) + 0.5) / f32(BINS);
    let top = bitcast<f32>(atomicExchange(&scale.peak, 0u));
    scale.largest = select(0.0, top * pow(view.reached, 1.0 - middle), total > 0u);
}
