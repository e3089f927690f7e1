//! Five flat layers and a lens, with steps of the velocity of at most 10 %: reflections are weak, as
//! linearised modelling takes them to be.

use crate::grid::{Axes, Position};

/// The extent, metres.
pub(super) const EXTENT: Axes<f64> = Axes { z: 1_600.0, x: 3_200.0, y: 3_200.0 };

/// Depth of the base in metres, velocity in m/s.
const LAYERS: [(f64, f64); 5] =
    [(380.0, 1800.0), (600.0, 1940.0), (960.0, 2100.0), (1220.0, 2280.0), (f64::INFINITY, 2440.0)];

/// The middle of the lens along z and x, half its height and its width, metres, and its velocity, m/s.
const MIDDLE: (f64, f64) = (780.0, 1_600.0);
const HALF: (f64, f64) = (60.0, 500.0);
const LENS: f64 = 2240.0;

/// Velocity at a position in metres, m/s.
pub(crate) fn velocity(at: Position) -> f64 {
    let (dz, dx) = ((at.z - MIDDLE.0) / HALF.0, (at.x - MIDDLE.1) / HALF.1);
    if dz * dz + dx * dx < 1.0 {
        return LENS;
    }
    let layer = LAYERS.iter().find(|(base, _)| at.z < *base);
    layer.map_or(LAYERS[4].1, |(_, velocity)| *velocity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_is_larger_than_a_tenth() {
        let lens = (LAYERS[2].1, LENS);
        let steps = LAYERS.windows(2).map(|pair| (pair[0].1, pair[1].1)).chain([lens]);
        assert!(steps.into_iter().all(|(above, below)| below > above && below <= 1.1 * above));
        assert_eq!(velocity(Axes::xz(1_600.0, 780.0)), LENS);
        assert_eq!(velocity(Axes::xz(100.0, 780.0)), LAYERS[2].1);
        assert_eq!(velocity(Axes::xz(1_600.0, 1_500.0)), LAYERS[4].1);
    }
}
