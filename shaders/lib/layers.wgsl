// Absorbing layers as coefficients a node (src/boundary/): a sponge's factor, and the CPML of Pasalic
// and McGarry (2010) in the form of src/boundary/cpml.rs, with phi = b psi:
//
//   dpsi/dx = dphi/dx + da/dx dp/dx + a d2p/dx2
//   zeta   <- b zeta + a (d2p/dx2 + dpsi/dx)
//   phi    <- b (phi + a dp/dx)
//   correction to the Laplacian: dpsi/dx + zeta
//
// Memory variables exist in the layers only. Along each axis a strip holds both ends,
// [halo | low | halo | high | halo], the halos RADIUS wide and always zero. A shot's memory is
// phi x, zeta x (strips of columns, [strip][z]), phi z, zeta z (the strip of each column, [x][strip]).
//
// Generated constants: SPONGE, CPML, LOW_X, HIGH_X, LOW_Z, HIGH_Z, MEMORY.

// (g, b, a, da/dx) at each node along x, then along z.
@group(0) @binding(2) var<storage, read> layers: array<vec4<f32>>;
// Memory variables of the step before and of this one.
@group(1) @binding(2) var<storage, read> memory: array<f32>;
@group(1) @binding(3) var<storage, read_write> memory_next: array<f32>;

const STRIP_X: u32 = LOW_X + HIGH_X + 3u * RADIUS;
const STRIP_Z: u32 = LOW_Z + HIGH_Z + 3u * RADIUS;
const PHI_X: u32 = 0u;
const ZETA_X: u32 = STRIP_X * NZ;
const PHI_Z: u32 = 2u * STRIP_X * NZ;
const ZETA_Z: u32 = PHI_Z + NX * STRIP_Z;

// The correction along x at a node whose plain second derivative there is d2.
fn correction_x(shot: u32, ix: u32, iz: u32, i: u32, d2: f32) -> f32 {
    var strip = RADIUS + ix;
    if ix >= LOW_X {
        if ix < NX - HIGH_X {
            return 0.0;
        }
        strip = 2u * RADIUS + LOW_X + ix - (NX - HIGH_X);
    }
    let layer = layers[ix];
    let m = shot * MEMORY + strip * NZ + iz;
    var d1 = 0.0;
    var slope = 0.0;
    for (var j = 1u; j <= RADIUS; j++) {
        d1 += operators[j].z * (p[i + j * STRIDE] - p[i - j * STRIDE]);
        slope += operators[j].z * (memory[PHI_X + m + j * NZ] - memory[PHI_X + m - j * NZ]);
    }
    slope += layer.w * d1 + layer.z * d2;
    let zeta = layer.y * memory[ZETA_X + m] + layer.z * (d2 + slope);
    memory_next[ZETA_X + m] = zeta;
    memory_next[PHI_X + m] = layer.y * (memory[PHI_X + m] + layer.z * d1);
    return slope + zeta;
}

// The correction along z.
fn correction_z(shot: u32, ix: u32, iz: u32, i: u32, d2: f32) -> f32 {
    var strip = RADIUS + iz;
    if iz >= LOW_Z {
        if iz < NZ - HIGH_Z {
            return 0.0;
        }
        strip = 2u * RADIUS + LOW_Z + iz - (NZ - HIGH_Z);
    }
    let layer = layers[NX + iz];
    let m = shot * MEMORY + ix * STRIP_Z + strip;
    var d1 = 0.0;
    var slope = 0.0;
    for (var j = 1u; j <= RADIUS; j++) {
        d1 += operators[j].w * (p[i + j] - p[i - j]);
        slope += operators[j].w * (memory[PHI_Z + m + j] - memory[PHI_Z + m - j]);
    }
    slope += layer.w * d1 + layer.z * d2;
    let zeta = layer.y * memory[ZETA_Z + m] + layer.z * (d2 + slope);
    memory_next[ZETA_Z + m] = zeta;
    memory_next[PHI_Z + m] = layer.y * (memory[PHI_Z + m] + layer.z * d1);
    return slope + zeta;
}
