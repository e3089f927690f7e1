//! Steps, bells and noise for models, of `+ - * /` only: the same bits on every machine.

/// From `a` at a share of 0 to `b` at 1.
pub(super) fn mix(a: f64, b: f64, share: f64) -> f64 {
    a + (b - a) * share
}

/// 0 before an interface, 1 behind it, linear over `blur`.
pub(super) fn step(distance: f64, blur: f64) -> f64 {
    (distance / blur + 0.5).clamp(0.0, 1.0)
}

/// 0 up to `from`, 1 beyond `to`, a cubic without kinks between.
pub(super) fn smoothstep(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Bell of height 1 around `centre` that falls to 1/4 at `width`.
pub(super) fn bump(x: f64, centre: f64, width: f64) -> f64 {
    let u = (x - centre) / width;
    let bell = 1.0 / (1.0 + u * u);
    bell * bell
}

/// Smooth value noise in [-1, 1] with one random value per unit square.
pub(super) fn noise(seed: u64, x: f64, z: f64) -> f64 {
    let (i, k) = (x.floor(), z.floor());
    let (u, w) = (smoothstep(0.0, 1.0, x - i), smoothstep(0.0, 1.0, z - k));
    let (i, k) = (i as i64, k as i64);
    let column = |i: i64| mix(random(seed, [i, k]), random(seed, [i, k + 1]), w);
    2.0 * mix(column(i), column(i + 1), u) - 1.0
}

/// Hash of a lattice point, uniform in [0, 1) (the SplitMix64 finaliser).
pub(super) fn random(seed: u64, point: [i64; 2]) -> f64 {
    let mut h = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for word in point {
        h = (h ^ word as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
        h = (h ^ (h >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        h = (h ^ (h >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        h ^= h >> 31;
    }
    (h >> 11) as f64 / (1_u64 << 53) as f64
}
