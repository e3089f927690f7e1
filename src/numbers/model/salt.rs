//! `builtin:salt`: a passive-margin section with an allochthonous salt canopy.
//!
//! Every point is restored to its place in the flat column of layers by undoing faults and folds,
//! and takes its velocity from there; the salt body replaces the rock that it has pierced. Only
//! `+ - * /` and `sqrt` are used, so the model has the same bits on every machine.

use super::{
    column::Column,
    smooth::{self, bump, mix, noise, random, smoothstep},
};
use crate::grid::Position;
use std::sync::OnceLock;

/// Width of the model, metres.
const WIDTH: f64 = 13_500.0;
/// Depth of the model, metres.
const DEPTH: f64 = 4_200.0;

/// Velocity of sea water, m/s.
const WATER: f64 = 1_500.0;
/// Velocity of salt, m/s.
const SALT: f64 = 4_500.0;
/// Width of the transition between rocks, metres: enough to keep dipping interfaces free of
/// staircase diffractions on a 20 m grid.
const BLUR: f64 = 20.0;

/// Velocity at a position in metres, m/s: the same section at every y; positions outside are
/// clamped to the edge.
pub(crate) fn velocity(at: Position) -> f64 {
    static MODEL: OnceLock<SaltModel> = OnceLock::new();
    let model = MODEL.get_or_init(SaltModel::new);
    model.velocity(at.x.clamp(0.0, WIDTH), at.z.clamp(0.0, DEPTH))
}

struct SaltModel {
    salt: DistanceMap,
    basin: Column,
    subsalt: Column,
}

impl SaltModel {
    fn new() -> Self {
        Self {
            salt: DistanceMap::new(&rounded(&rounded(&SALT_OUTLINE))),
            basin: basin_column(),
            subsalt: Column::new(SUBSALT_TOP, BLUR, SUBSALT_LAYERS.iter().copied()),
        }
    }

    fn velocity(&self, x: f64, z: f64) -> f64 {
        let below_seafloor = z - seafloor(x);
        if below_seafloor <= -0.5 * BLUR {
            return WATER;
        }
        let distance = self.salt.at(x, z);
        let salt = step(-distance_to_rugose_salt(distance, x, z));
        if salt == 1.0 {
            return SALT;
        }
        let sediment = self.sediment(x, z, below_seafloor, distance);
        mix(WATER, mix(sediment, SALT, salt), step(below_seafloor))
    }

    /// Velocity of the sediments, `salt_distance` metres away from the salt.
    fn sediment(&self, x: f64, z: f64, below_seafloor: f64, salt_distance: f64) -> f64 {
        let displacement = fault_displacement(x, z);
        let restored = z - displacement;
        let column_depth = restored + stem_drag(x, z) - regional_dip(x);
        let subsalt = self.subsalt.at(column_depth) + 0.12 * (restored - SUBSALT_TOP);
        let share = step(restored - unconformity(x));
        if share == 1.0 {
            return subsalt;
        }
        let burial = (below_seafloor - displacement).max(0.0);
        let column_depth = burial + salt_drag(salt_distance, z, burial) - fold(x, burial);
        let basin = compaction_trend(burial) * (1.0 + self.basin.at(column_depth));
        mix(basin, subsalt, share)
    }
}

/// 0 before an interface, 1 behind it, linear over the blur.
fn step(distance: f64) -> f64 {
    smooth::step(distance, BLUR)
}

// ---- Surfaces and trends -------------------------------------------------------

/// Depth of the seafloor, metres: a shelf on the left, a slope towards the
/// right, and a low swell over the salt crest.
fn seafloor(x: f64) -> f64 {
    let slope = 160.0 * smoothstep(2_000.0, 9_000.0, x);
    165.0 + slope + 26.0 * noise(1, x / 1_700.0, 0.0) - 45.0 * bump(x, 7_900.0, 1_400.0)
}

/// Velocity of a clastic sediment buried `burial` metres below the seafloor, m/s.
fn compaction_trend(burial: f64) -> f64 {
    1_610.0 + burial * (0.80 - 6.0e-5 * burial)
}

/// Depth of the angular unconformity between the basin fill and the older,
/// flatter subsalt rocks, metres.
fn unconformity(x: f64) -> f64 {
    let basins = 110.0 * bump(x, 2_600.0, 1_500.0) + 130.0 * bump(x, 11_600.0, 1_500.0);
    2_640.0 + basins + 35.0 * noise(2, x / 2_100.0, 0.0)
}

/// Depth of the subsalt rocks relative to their flat column, metres.
fn regional_dip(x: f64) -> f64 {
    0.012 * (x - 0.5 * WIDTH) + 30.0 * noise(3, x / 3_300.0, 0.0)
}

// ---- Folds ---------------------------------------------------------------------

/// Subsidence of a layer below its regional depth, metres: a mini-basin on either
/// side of the salt, deepening with age, and gentle irregular folds.
fn fold(x: f64, burial: f64) -> f64 {
    let sag = 330.0 * bump(x, 2_700.0, 1_500.0) + 380.0 * bump(x, 11_500.0, 1_300.0);
    let growth = smoothstep(0.0, 2_600.0, burial);
    let ripple = noise(4, x / 2_000.0, burial / 900.0);
    sag * growth + 55.0 * ripple * smoothstep(0.0, 500.0, burial)
}

/// Uplift of the layers that drape the salt top and bend up against its flanks,
/// metres; it fades out towards the seafloor and below the canopy.
fn salt_drag(distance: f64, z: f64, burial: f64) -> f64 {
    let reach = distance.max(0.0) / 520.0;
    let above_base = 1.0 - smoothstep(1_500.0, 2_600.0, z);
    400.0 * above_base * smoothstep(0.0, 800.0, burial) / (1.0 + reach * reach)
}

/// Uplift of the subsalt layers pierced by the salt stem, metres.
fn stem_drag(x: f64, z: f64) -> f64 {
    170.0 * bump(x, 8_460.0, 700.0) * (1.0 - smoothstep(3_200.0, 3_700.0, z))
}

// ---- Faults --------------------------------------------------------------------

/// Normal faults: position and depth of the upper tip, depth of the lower end (m),
/// slope (horizontal metres per metre of depth, positive dips right), throw (m).
const FAULTS: [[f64; 5]; 13] = [
    // Growth faults of the left mini-basin and the shelf.
    [900.0, 330.0, 2_900.0, 0.55, 130.0],
    [2_050.0, 420.0, 2_500.0, 0.50, 85.0],
    [4_250.0, 520.0, 1_900.0, -0.45, 70.0],
    // Keystone graben in the anticline above the salt crest.
    [7_350.0, 330.0, 2_300.0, 0.50, 75.0],
    [8_480.0, 310.0, 2_300.0, -0.50, 90.0],
    [8_050.0, 480.0, 2_300.0, -0.45, 50.0],
    // Right mini-basin.
    [10_500.0, 480.0, 2_400.0, 0.50, 95.0],
    [12_900.0, 450.0, 2_800.0, -0.55, 120.0],
    // Rifted basement blocks.
    [1_300.0, 2_750.0, 5_200.0, 0.40, 150.0],
    [3_900.0, 2_850.0, 5_200.0, 0.45, 130.0],
    [5_300.0, 2_950.0, 5_200.0, -0.40, 110.0],
    [10_550.0, 2_900.0, 5_200.0, -0.45, 140.0],
    [12_200.0, 2_800.0, 5_200.0, -0.40, 120.0],
];
/// Reach of a fault's displacement into its hanging wall and footwall, metres.
const HANGING_WALL: f64 = 1_500.0;
const FOOTWALL: f64 = 700.0;

/// Downward displacement by all faults of the rock now at a position, metres.
fn fault_displacement(x: f64, z: f64) -> f64 {
    FAULTS.iter().map(|&fault| displacement(fault, x, z)).sum()
}

/// Downward displacement by one fault: the throw dies out at both tips, and the
/// hanging wall, which takes most of it, rolls over towards the fault.
fn displacement([tip_x, tip, end, slope, throw]: [f64; 5], x: f64, z: f64) -> f64 {
    let drop = z - tip;
    // Listric: the fault plane flattens with depth.
    let plane = tip_x + slope * drop * (0.75 + 2.0e-4 * drop);
    let run = (x - plane) * slope.signum();
    if z <= tip || z >= end || run <= -FOOTWALL || run >= HANGING_WALL {
        return 0.0;
    }
    let wall = if run > 0.0 {
        0.7 * (1.0 - smoothstep(0.0, HANGING_WALL, run))
    } else {
        -0.3 * smoothstep(-FOOTWALL, 0.0, run)
    };
    let taper = 0.35 * (end - tip);
    let growth = smoothstep(tip, tip + taper, z) * (1.0 - smoothstep(end - taper, end, z));
    throw * growth * wall
}

// ---- Layers --------------------------------------------------------------------

/// Velocity contrasts of the basin fill: sands and shales in turn, as fractions
/// of the compaction trend, stronger with depth.
fn basin_column() -> Column {
    let layer = |i: i64| {
        let thickness = 50.0 + 90.0 * random(5, [i, 0]);
        let contrast = (0.02 + 0.08 * random(5, [i, 1])) * (0.5 + 0.025 * i as f64).min(1.0);
        (thickness, if i % 2 == 0 { -contrast } else { contrast })
    };
    Column::new(0.0, BLUR, (0..44).map(layer))
}

/// Depth of the top of the subsalt column, metres.
const SUBSALT_TOP: f64 = 2_500.0;

/// Subsalt layers: thickness in metres and velocity in m/s. The fast eighth is a
/// platform carbonate, the strong flat reflector; the last is the basement.
#[rustfmt::skip]
const SUBSALT_LAYERS: [(f64, f64); 13] = [
    (140.0, 2_960.0), (100.0, 3_170.0), (130.0, 2_900.0), (90.0, 3_250.0), (150.0, 3_060.0),
    (80.0, 3_380.0), (120.0, 3_120.0), (110.0, 3_800.0), (140.0, 3_250.0), (90.0, 3_450.0),
    (110.0, 3_300.0), (90.0, 3_500.0), (1.0, 3_900.0),
];

// ---- Salt ----------------------------------------------------------------------

/// Control points of the salt outline, metres: clockwise from the tip of the
/// tongue over the canopy top, down the right flank and the stem to the root.
#[rustfmt::skip]
const SALT_OUTLINE: [(f64, f64); 51] = [
    (4_520.0, 2_030.0), (4_620.0, 1_830.0), (4_920.0, 1_640.0), (5_300.0, 1_540.0), (5_680.0, 1_500.0),
    (6_020.0, 1_400.0), (6_350.0, 1_500.0), (6_620.0, 1_450.0), (6_920.0, 1_240.0), (7_300.0, 1_130.0),
    (7_620.0, 990.0), (7_920.0, 930.0), (8_200.0, 990.0), (8_500.0, 1_130.0), (8_820.0, 1_215.0),
    (9_150.0, 1_160.0), (9_480.0, 1_220.0), (9_770.0, 1_430.0), (9_910.0, 1_710.0), (9_830.0, 1_930.0),
    (9_540.0, 2_040.0), (9_230.0, 2_020.0), (8_960.0, 2_120.0), (8_790.0, 2_320.0), (8_740.0, 2_570.0),
    (8_790.0, 2_820.0), (8_930.0, 3_050.0), (9_180.0, 3_260.0), (9_570.0, 3_410.0), (9_960.0, 3_520.0),
    (9_940.0, 3_610.0), (9_500.0, 3_650.0), (9_000.0, 3_675.0), (8_400.0, 3_665.0), (7_900.0, 3_645.0),
    (7_560.0, 3_590.0), (7_620.0, 3_500.0), (7_900.0, 3_390.0), (8_110.0, 3_200.0), (8_190.0, 2_980.0),
    (8_140.0, 2_760.0), (7_970.0, 2_590.0), (7_690.0, 2_480.0), (7_350.0, 2_430.0), (7_030.0, 2_330.0),
    (6_700.0, 2_300.0), (6_350.0, 2_190.0), (5_980.0, 2_215.0), (5_600.0, 2_115.0), (5_200.0, 2_150.0),
    (4_800.0, 2_150.0),
];

/// Signed distance to the finished salt body, metres: the smooth outline made
/// rugose, above all at its top, with a raft of sediment caught inside.
fn distance_to_rugose_salt(outline: f64, x: f64, z: f64) -> f64 {
    // The rugosity matters only near the outline, the raft only well inside.
    if outline < -90.0 {
        return outline.max(distance_out_of_raft(x, z));
    }
    if outline > 90.0 {
        return outline;
    }
    let amplitude = mix(1.0, 0.3, smoothstep(1_600.0, 2_200.0, z));
    let rugosity = 55.0 * noise(6, x / 260.0, z / 260.0) + 18.0 * noise(7, x / 105.0, z / 105.0);
    outline + amplitude * rugosity
}

/// Signed distance out of the raft, a bent lens, metres: positive within it.
fn distance_out_of_raft(x: f64, z: f64) -> f64 {
    let dx = x - 7_250.0;
    let dz = z - 1_700.0 + dx * (0.22 - 1.6e-4 * dx);
    60.0 + 25.0 * noise(8, x / 190.0, 0.0) - (dx * dx / 36.0 + dz * dz).sqrt()
}

/// A closed outline with its corners cut (Chaikin): twice is smooth to the eye.
fn rounded(outline: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let next = outline.iter().cycle().skip(1);
    let edges = outline.iter().zip(next);
    let cut = |(a, b): (&(f64, f64), &(f64, f64))| {
        [0.25, 0.75].map(|share| (mix(a.0, b.0, share), mix(a.1, b.1, share)))
    };
    edges.flat_map(cut).collect()
}

/// Signed distance to a closed outline (negative inside), sampled on a coarse
/// grid: distances are smooth, so interpolating them keeps the outline smooth.
struct DistanceMap {
    nodes: Vec<f64>,
    nz: usize,
}

impl DistanceMap {
    const SPACING: f64 = 75.0;

    fn new(outline: &[(f64, f64)]) -> Self {
        let [nx, nz] = [WIDTH, DEPTH].map(|length| (length / Self::SPACING) as usize + 2);
        let node = |i: usize| {
            let [x, z] = [i / nz, i % nz].map(|k| k as f64 * Self::SPACING);
            signed_distance(outline, x, z)
        };
        Self { nodes: (0..nx * nz).map(node).collect(), nz }
    }

    fn at(&self, x: f64, z: f64) -> f64 {
        let [u, w] = [x, z].map(|length| length / Self::SPACING);
        let i = u as usize * self.nz + w as usize;
        let column = |i: usize| mix(self.nodes[i], self.nodes[i + 1], w.fract());
        mix(column(i), column(i + self.nz), u.fract())
    }
}

/// Signed distance from a point to a polygon, metres; negative inside.
fn signed_distance(polygon: &[(f64, f64)], x: f64, z: f64) -> f64 {
    let mut nearest = f64::INFINITY;
    let mut side = 1.0;
    let mut from = polygon[polygon.len() - 1];
    for &to in polygon {
        let (ex, ez) = (to.0 - from.0, to.1 - from.1);
        let (px, pz) = (x - from.0, z - from.1);
        let t = ((px * ex + pz * ez) / (ex * ex + ez * ez)).clamp(0.0, 1.0);
        let (dx, dz) = (px - t * ex, pz - t * ez);
        nearest = nearest.min(dx * dx + dz * dz);
        // A ray to the right crosses the outline an odd number of times from inside.
        if (from.1 > z) != (to.1 > z) && px < pz * ex / ez {
            side = -side;
        }
        from = to;
    }
    side * nearest.sqrt()
}
