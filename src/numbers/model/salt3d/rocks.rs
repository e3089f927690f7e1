//! Velocities of the rocks other than salt.

use super::{BLUR, surfaces};
use crate::model::{
    column::Column,
    smooth::{mix, random, step},
};

/// Below the salt's base: thickness in metres and velocity in m/s. The first is a platform
/// carbonate, the strong reflector; the last is the basement.
const SUBSALT: [(f64, f64); 4] =
    [(140.0, 4_050.0), (160.0, 3_450.0), (120.0, 3_750.0), (1.0, 4_300.0)];

/// The layers of the model, undeformed.
pub(super) struct Rocks {
    /// Contrasts as fractions of the compaction trend.
    basin: Column,
    subsalt: Column,
}

impl Rocks {
    pub(super) fn new() -> Self {
        Self { basin: basin(), subsalt: Column::new(0.0, BLUR, SUBSALT.into_iter()) }
    }

    /// Velocity `to_salt` metres away from the salt, m/s.
    pub(super) fn velocity(&self, x: f64, y: f64, z: f64, to_salt: f64) -> f64 {
        let below_base = z - surfaces::base(x, y);
        let older = step(below_base, BLUR);
        let subsalt = self.subsalt.at(below_base);
        if older == 1.0 {
            return subsalt;
        }
        let burial = (z - surfaces::seafloor(x, y)).max(0.0);
        let depth =
            burial + surfaces::drag(to_salt, z, burial) - surfaces::subsidence(x, y, burial);
        let basin = compaction_trend(burial) * (1.0 + self.basin.at(depth));
        mix(basin, subsalt, older)
    }
}

/// Velocity of a clastic sediment buried `burial` metres below the sea floor, m/s.
fn compaction_trend(burial: f64) -> f64 {
    1_640.0 + burial * (0.70 - 6.0e-5 * burial)
}

/// Sands and shales in turn, stronger with depth, none thinner than two cells of 40 m.
fn basin() -> Column {
    let layer = |i: i64| {
        let thickness = 90.0 + 130.0 * random(25, [i, 0]);
        let contrast = (0.02 + 0.07 * random(25, [i, 1])) * (0.5 + 0.05 * i as f64).min(1.0);
        (thickness, if i % 2 == 0 { -contrast } else { contrast })
    };
    Column::new(0.0, BLUR, (0..30).map(layer))
}
