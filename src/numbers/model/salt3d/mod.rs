//! `builtin:salt3d`: a leaning diapir with an overhanging canopy in dipping sediments.
//!
//! Nothing in it is the same along any axis. Sediments take their velocity from a column of layers
//! that is folded into mini-basins, dips along x and y and bends up against the salt; the salt
//! pierces them; flat, fast rock lies below its root. Only `+ - * /` and `sqrt` are used, so the
//! model has the same bits on every machine.

mod body;
mod rocks;
mod surfaces;

use super::smooth::{mix, step};
use crate::grid::{Axes, Position};
use rocks::Rocks;
use std::sync::OnceLock;

/// Extent of the model, metres.
pub(crate) const EXTENT: Axes<f64> = Axes { z: 4_000.0, x: 8_000.0, y: 8_000.0 };

/// Velocity of sea water, m/s.
const WATER: f64 = 1_500.0;
/// Velocity of salt, m/s.
const SALT: f64 = 4_500.0;
/// Width of the transition between rocks, metres: enough to keep dipping interfaces free of
/// staircase diffractions on a 40 m grid.
const BLUR: f64 = 60.0;

/// Velocity at a position in metres, m/s; positions outside are clamped to the edge.
pub(crate) fn velocity(at: Position) -> f64 {
    static ROCKS: OnceLock<Rocks> = OnceLock::new();
    let inside = |value: f64, last: f64| value.clamp(0.0, last);
    let (x, y) = (inside(at.x, EXTENT.x), inside(at.y, EXTENT.y));
    let z = inside(at.z, EXTENT.z);

    let burial = z - surfaces::seafloor(x, y);
    if burial <= -0.5 * BLUR {
        return WATER;
    }
    let to_salt = body::distance(x, y, z);
    let salt = step(-to_salt, BLUR);
    if salt == 1.0 {
        return SALT;
    }
    let rock = ROCKS.get_or_init(Rocks::new).velocity(x, y, z, to_salt);
    mix(WATER, mix(rock, SALT, salt), step(burial, BLUR))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::builtin_volume;
    use ndarray::Axis;

    #[test]
    fn it_is_a_volume_and_never_changes() {
        let model = builtin_volume("salt3d", None, None).expect("a built-in model");
        assert_eq!(model.grid().shape(), (200, 200, 100));
        let (slowest, fastest) = model.range();
        assert_eq!((slowest, fastest), (1_500.0, 4_500.0));
        // No section continues another along either axis.
        for axis in [Axis(0), Axis(1)] {
            let velocity = model.velocity();
            for k in 1..velocity.len_of(axis) {
                let (here, before) =
                    (velocity.index_axis(axis, k), velocity.index_axis(axis, k - 1));
                let changed = here.iter().zip(before).filter(|(a, b)| a != b).count();
                assert!(changed > here.len() / 4, "{axis:?} {k}: {changed}");
            }
        }
        assert_eq!(builtin_volume("salt3d", None, None), Ok(model));
    }

    #[test]
    fn the_same_bits_on_every_machine() {
        // FNV-1a of the bits of a coarse sampling.
        let h = Axes { z: 130.0, x: 170.0, y: 190.0 };
        let model = builtin_volume("salt3d", None, Some(h)).expect("a built-in model");
        let bytes = model.velocity().into_iter().flat_map(|v| v.to_bits().to_le_bytes());
        let hash = bytes.fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        assert_eq!(hash, 0x6759_207e_af99_3718, "{hash:#018x}");
    }

    #[test]
    fn the_canopy_overhangs_sediment() {
        // Down through the canopy's western part: sea, sediment, salt, sediment, fast basement.
        let column: Vec<f64> = (0..400)
            .map(|iz| velocity(Axes { z: 10.0 * f64::from(iz), x: 3_000.0, y: 3_600.0 }))
            .collect();
        let first = column.iter().position(|v| *v == SALT).expect("the canopy");
        let below = first + column[first..].iter().position(|v| *v < 3_500.0).expect("its base");
        assert!((60..220).contains(&first) && (150..300).contains(&below), "{first} {below}");
        assert!(column[below..].iter().any(|v| *v > 4_000.0), "the subsalt reflector");
    }
}
