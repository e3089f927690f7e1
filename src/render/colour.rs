//! Colour maps, as tables that turn a value into a colour.
//!
//! Blue to red for pressure, which those with a weak sense of red and green
//! tell apart, each as dark as the other; viridis, whose lightness rises evenly, for velocity; grey for
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
const BENEATH: (f32, f32) = (248.0, 170.0);

/// Strength of colour, as a share of the map, of the weakest waves: dark enough to be darker than any rock.
const WEAKEST: f64 = 0.4;

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
            let red = red(WEAKEST + (1.0 - WEAKEST) * share.abs());
            let colour = if share < 0.0 { blue_as_light_as(red) } else { red };
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

/// The red of a strength 0..=1.
fn red(strength: f64) -> Colour {
    colorous::RED_BLUE.eval_continuous((1.0 - strength) / 2.0).as_array()
}

/// The blue of the same lightness, so that a trough is as dark as a peak where there are no colours.
fn blue_as_light_as(red: Colour) -> Colour {
    let blue =
        |strength: f64| colorous::RED_BLUE.eval_continuous((1.0 + strength) / 2.0).as_array();
    let (mut pale, mut dark) = (0.0, 1.0);
    for _ in 0..16 {
        let strength = f64::midpoint(pale, dark);
        if lightness(blue(strength)) > lightness(red) {
            pale = strength;
        } else {
            dark = strength;
        }
    }
    blue(dark)
}

/// CIE 1976 lightness L*, 0 (black) to 100 (white), of a colour in sRGB (IEC 61966-2-1, CIE 15).
fn lightness(colour: Colour) -> f64 {
    let [r, g, b] = colour.map(linear);
    let luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    if luminance > 216.0 / 24_389.0 {
        116.0 * luminance.cbrt() - 16.0
    } else {
        luminance * 24_389.0 / 27.0
    }
}

/// A channel of sRGB as light, 0..=1.
fn linear(channel: u8) -> f64 {
    let share = f64::from(channel) / 255.0;
    if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
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
    fn faster_is_lighter_by_itself_and_darker_beneath_a_wave() {
        let steps = |k: u32| (k as f32 / 64.0, (k + 1) as f32 / 64.0);
        for (slow, fast) in (0..64).map(steps) {
            let rise = lightness(velocity(fast)) - lightness(velocity(slow));
            // Evenly: 64 steps from 15 to 91.
            assert!((0.5..2.0).contains(&rise), "{slow}: {rise}");
            assert!(grey_beneath(fast) < grey_beneath(slow));
        }
    }

    #[test]
    fn peaks_and_troughs_are_equally_dark_and_the_darker_the_larger() {
        let map = PressureMap::new(1.0);
        for ground in [grey_beneath(0.0), grey_beneath(0.5), grey_beneath(1.0)] {
            let mut before = lightness(map.over(0.0, ground));
            for k in 1..=50 {
                let pressure = k as f32 / 50.0;
                let [peak, trough] = [pressure, -pressure].map(|p| lightness(map.over(p, ground)));
                assert!((peak - trough).abs() < 1.5, "{pressure}: {peak} {trough}");
                assert!(peak < before + 0.3, "{pressure} over {ground}: {peak}");
                before = peak;
            }
        }
    }

    /// What is left of a colour without the cones for green: Machado, Oliveira and Fernandes (2009), IEEE
    /// Transactions on Visualization and Computer Graphics 15, 1291-1298, deuteranomaly of severity 1; and without
    /// those for red, protanomaly of severity 1. In light.
    const WITHOUT: [[[f64; 3]; 3]; 2] = [
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ];

    #[test]
    fn peaks_and_troughs_differ_for_the_colour_blind() {
        let map = PressureMap::new(1.0);
        // How much more blue than yellow there is.
        let blue = |colour: Colour, without: &[[f64; 3]; 3]| {
            let light = colour.map(linear);
            let seen = without.map(|row| row.iter().zip(light).map(|(w, l)| w * l).sum::<f64>());
            seen[2] - f64::midpoint(seen[0], seen[1])
        };
        for without in &WITHOUT {
            for (pressure, least) in [(0.3, 0.2), (0.6, 0.25), (1.0, 0.08)] {
                let [peak, trough] =
                    [pressure, -pressure].map(|p| blue(map.over(p, 210.0), without));
                assert!(trough - peak > least, "{pressure}: {trough} {peak}");
            }
        }
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
