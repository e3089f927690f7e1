// The wave over its model, as the pictures of the command line show it: the field between its nodes by
// Catmull-Rom's cubic, the model's grey linearly, and the colour of the pressure over that grey.
//
// 0: the view. 1: the field of the engine, of every node with its halo. 2: the greys of the model, [x][z]. 3: the
// colours from the largest negative to the largest positive pressure. 4: the largest, as scale.wgsl found it. 5: what
// makes a pressure of the field, [x][z]; one value where the field is a pressure.

struct View {
    first: u32,
    column: u32,
    nx: u32,
    nz: u32,
}

struct Scale {
    peak: u32,
    largest: f32,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> field: array<f32>;
@group(0) @binding(2) var<storage, read> greys: array<f32>;
@group(0) @binding(3) var<storage, read> colours: array<vec4f>;
@group(0) @binding(4) var<storage, read> scale: Scale;
@group(0) @binding(5) var<storage, read> factors: array<f32>;

struct Corner {
    @builtin(position) at: vec4f,
    @location(0) share: vec2f,
}

// A triangle that covers the picture.
@vertex
fn corner(@builtin(vertex_index) index: u32) -> Corner {
    let share = vec2f(f32((index << 1u) & 2u), f32(index & 2u));
    return Corner(vec4f(2.0 * share.x - 1.0, 1.0 - 2.0 * share.y, 0.0, 1.0), share);
}

fn held(node: i32, n: u32) -> u32 {
    return u32(clamp(node, 0, i32(n) - 1));
}

fn weights(t: f32) -> vec4f {
    let t2 = t * t;
    let t3 = t2 * t;
    return 0.5 * vec4f(-t3 + 2.0 * t2 - t, 3.0 * t3 - 5.0 * t2 + 2.0, -3.0 * t3 + 4.0 * t2 + t, t3 - t2);
}

fn at_node(x: u32, z: u32) -> f32 {
    let value = field[view.first + x * view.column + z];
    if arrayLength(&factors) == 1u {
        return value;
    }
    return value * factors[x * view.nz + z];
}

fn pressure(at: vec2f) -> f32 {
    let node = floor(at);
    let across = weights(at.x - node.x);
    let down = weights(at.y - node.y);
    var sum = 0.0;
    for (var i = 0; i < 4; i++) {
        let x = held(i32(node.x) + i - 1, view.nx);
        for (var k = 0; k < 4; k++) {
            sum += across[i] * down[k] * at_node(x, held(i32(node.y) + k - 1, view.nz));
        }
    }
    return sum;
}

fn grey(at: vec2f) -> f32 {
    let node = floor(at);
    let t = at - node;
    let left = held(i32(node.x), view.nx) * view.nz;
    let right = held(i32(node.x) + 1, view.nx) * view.nz;
    let above = held(i32(node.y), view.nz);
    let below = held(i32(node.y) + 1, view.nz);
    return mix(mix(greys[left + above], greys[right + above], t.x), mix(greys[left + below], greys[right + below], t.x), t.y);
}

@fragment
fn colour(corner: Corner) -> @location(0) vec4f {
    let at = corner.share * vec2f(f32(view.nx - 1u), f32(view.nz - 1u));
    let value = pressure(at);
    // Neither finite nor a number: the one colour of no map.
    if (bitcast<u32>(value) & 0x7f800000u) == 0x7f800000u {
        return vec4f(1.0, 0.0, 1.0, 1.0);
    }
    let half = f32(arrayLength(&colours) / 2u);
    let share = select(0.0, clamp(value / scale.largest, -1.0, 1.0), scale.largest > 0.0);
    let shade = colours[u32(share * half + half + 0.5)];
    return vec4f((shade.rgb + grey(at) * shade.a) / 255.0, 1.0);
}
