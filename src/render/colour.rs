//! Colour maps, as tables that turn a value into a colour.
//!
//! Blue to red for pressure, which those with a weak sense of red and green
//! tell apart; viridis, whose lightness rises evenly, for velocity; grey for
//! gathers and for what lies beneath a wavefield. And a list of colours for charts.

use std::array;
use std::sync::LazyLock;

/// A colour in sRGB.
pub(super) type Colour = [u8; 3];

/// The ground of all figures.
pub(super) const WHITE: Colour = [255; 3];

/// The colour of values that are not finite.
pub(super) const LOUD: Colour = [255, 0, 255];

/// Colours of bars and curves, in the order in which they are used: of hues
/// and lightness that the colour-blind tell apart, the first three in grey too.
pub(super) const SERIES: [Colour; 8] = [
    [24, 84, 148],
    [240, 160, 30],
    [46, 139, 131],
    [180, 50, 30],
    [142, 90, 168],
    [96, 176, 232],
    [40, 40, 40],
    [176, 164, 50],
];

/// Grey of the slowest and of the fastest rock beneath a wavefield: light
/// enough for both ends of the pressure map to stand out.
const BENEATH: (f32, f32) = (248.0, 160.0);

/// Strength of colour, as a share of the map, of the weakest waves.
const WEAKEST: f64 = 0.3;

/// Share of the range below which a wave is not drawn at all.
const FAINTEST: f32 = 0.02;

/// Steps in a table; odd, so that 0 has a step of its own.
const STEPS: usize = 1023;

static VIRIDIS: LazyLock<[Colour; STEPS]> =
    LazyLock::new(|| array::from_fn(|k| colorous::VIRIDIS.eval_rational(k, STEPS).as_array()));

/// Pressure over a grey ground: blue below zero, red above, transparent at
/// zero and opaque where it is large.
pub(super) struct PressureMap {
    /// Colour times opacity, and the part of the ground that stays.
    table: Vec<([f32; 3], f32)>,
    /// Steps per unit of pressure.
    scale: f32,
}

impl PressureMap {
    /// Spans -`largest`..=`largest`; a `largest` of 0 draws nothing.
    pub(super) fn new(largest: f32) -> Self {
        let entry = |k: usize| {
            let along = k as f64 / (STEPS - 1) as f64;
            let share = 2.0 * along - 1.0;
            let opacity = opacity(share.abs() as f32);
            // The map's own pale middle is skipped: over grey it would show
            // weak waves as white.
            let strong = share.signum() * (WEAKEST + (1.0 - WEAKEST) * share.abs());
            let colour = colorous::RED_BLUE.eval_continuous((1.0 - strong) / 2.0);
            let colour = colour.as_array();
            (colour.map(|c| f32::from(c) * opacity), 1.0 - opacity)
        };
        let half = (STEPS / 2) as f32;
        Self {
            table: (0..STEPS).map(entry).collect(),
            scale: if largest > 0.0 { half / largest } else { 0.0 },
        }
    }

    /// The colour of a pressure over a ground of grey 0..=255.
    pub(super) fn over(&self, pressure: f32, ground: f32) -> Colour {
        if !(pressure.is_finite() && ground.is_finite()) {
            return LOUD;
        }
        let half = (STEPS / 2) as f32;
        // Adding 0.5 and cutting rounds; out of range is held at the ends.
        let step = (pressure * self.scale).clamp(-half, half) + half + 0.5;
        let (colour, kept) = self.table[(step as usize).min(STEPS - 1)];
        colour.map(|c| (c + ground * kept + 0.5) as u8)
    }
}

/// Opacity of the pressure map at a share 0..=1 of its range.
fn opacity(share: f32) -> f32 {
    let drawn = (share - FAINTEST) / (1.0 - FAINTEST);
    1.0 - (1.0 - drawn.clamp(0.0, 1.0)).powi(3)
}

/// Grey (0..=255) of a velocity beneath a wavefield, at a share 0..=1 of the
/// range of velocities; NaN where that is not finite.
pub(super) fn grey_beneath(share: f32) -> f32 {
    if !share.is_finite() {
        return f32::NAN;
    }
    BENEATH.0 + (BENEATH.1 - BENEATH.0) * share.clamp(0.0, 1.0)
}

/// Colour of a velocity by itself, at a share 0..=1 of the range.
pub(super) fn velocity(share: f32) -> Colour {
    if share.is_finite() {
        let step = share.clamp(0.0, 1.0) * (STEPS - 1) as f32 + 0.5;
        VIRIDIS[(step as usize).min(STEPS - 1)]
    } else {
        LOUD
    }
}

/// Grey of a gather at a share -1..=1 of the clip amplitude: white troughs,
/// black peaks.
pub(super) fn gather(share: f32) -> Colour {
    if share.is_finite() {
        [(127.5 - 127.5 * share.clamp(-1.0, 1.0)).round() as u8; 3]
    } else {
        LOUD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_is_red_above_and_blue_below() {
        let map = PressureMap::new(2.0);
        let [[r, _, b], [s, _, c]] = [map.over(2.0, 200.0), map.over(-2.0, 200.0)];
        assert!(r > 90 && b < 60, "{r} {b}");
        assert!(s < 60 && c > 90, "{s} {c}");
        assert_eq!(map.over(50.0, 200.0), map.over(2.0, 10.0));
    }

    #[test]
    fn bars_differ_in_grey() {
        let grey =
            |[r, g, b]: Colour| 0.3 * f32::from(r) + 0.59 * f32::from(g) + 0.11 * f32::from(b);
        for (k, &one) in SERIES[..3].iter().enumerate() {
            for &other in &SERIES[..k] {
                assert!((grey(one) - grey(other)).abs() > 30.0, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn zero_shows_the_ground() {
        for largest in [0.0, 1e-30, 1.0, f32::MAX] {
            assert_eq!(PressureMap::new(largest).over(0.0, 200.0), [200; 3]);
        }
        assert_eq!(PressureMap::new(0.0).over(1.0, 200.0), [200; 3]);
    }

    #[test]
    fn grey_ends() {
        assert_eq!(gather(1.0), [0; 3]);
        assert_eq!(gather(-7.0), [255; 3]);
        assert_eq!(gather(0.0), [128; 3]);
        assert!(grey_beneath(0.0) > grey_beneath(1.0));
    }

    #[test]
    fn velocity_ends() {
        assert_eq!((velocity(0.0), velocity(-1.0)), ([68, 1, 84], [68, 1, 84]));
        assert_eq!(velocity(1.0), [253, 231, 37]);
    }

    #[test]
    fn not_finite_is_loud() {
        let map = PressureMap::new(1.0);
        assert_eq!(map.over(f32::NAN, 200.0), LOUD);
        assert_eq!(map.over(0.0, grey_beneath(f32::INFINITY)), LOUD);
        assert_eq!(velocity(f32::INFINITY), LOUD);
        assert_eq!(gather(f32::NAN), LOUD);
    }
}
