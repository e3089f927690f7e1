//! Colour maps as lookup tables, and the colours of charts.
//!
//! Blue to red for pressure, distinguishable with red-green colour blindness and equally dark on
//! both sides; viridis, with evenly rising lightness, for velocity; grey for gathers and for the
//! model beneath a wavefield.

use std::array;
use std::sync::LazyLock;

use crate::picture::Colours;

/// A colour in sRGB.
pub(super) type Colour = [u8; 3];

/// Colour of marks, wiggles and outlines.
pub(super) const BLACK: Colour = [20; 3];

/// Background of all figures.
pub(super) const WHITE: Colour = [255; 3];

/// Colour of values that are not finite.
pub(super) const NOT_FINITE: Colour = [255, 0, 255];

/// Colours of bars and curves in the order of use: distinguishable by hue and lightness with colour
/// blindness, the first three in grey too.
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

/// Grey of the slowest and of the fastest velocity beneath a wavefield: light enough to contrast
/// with both ends of the pressure map.
const MODEL_GREYS: (f32, f32) = (248.0, 170.0);

/// Colour strength of the weakest waves, as a fraction of the map: darker than any model grey.
const WEAKEST: f64 = 0.4;

/// Fraction of the range below which a wave is not drawn.
const FAINTEST: f32 = 0.02;

/// Entries of a table; odd, so that 0 has its own.
const STEPS: usize = 1023;

/// Colour times opacity, and the weight of the background, from the lowest pressure to the highest.
type Table = [([f32; 3], f32); STEPS];

/// The colours of pressures: lightnesses take 2 ms to match.
static PRESSURES: LazyLock<Table> = LazyLock::new(|| {
    array::from_fn(|k| {
        let along = k as f64 / (STEPS - 1) as f64;
        let share = 2.0 * along - 1.0;
        let opacity = opacity(share.abs() as f32);
        // Skips the pale middle of the map, which would show weak waves as white over grey.
        let red = red(WEAKEST + (1.0 - WEAKEST) * share.abs());
        let colour = if share < 0.0 { blue_as_light_as(red) } else { red };
        (colour.map(|c| f32::from(c) * opacity), 1.0 - opacity)
    })
});

static VIRIDIS: LazyLock<[Colour; STEPS]> =
    LazyLock::new(|| array::from_fn(|k| colorous::VIRIDIS.eval_rational(k, STEPS).as_array()));

/// Pressure over a grey background: blue below zero, red above, transparent at zero and opaque at
/// large values.
pub(super) struct PressureMap {
    table: &'static Table,
    /// Table entries per unit of pressure.
    scale: f32,
}

impl PressureMap {
    /// Spans -`largest`..=`largest`; with a `largest` of 0 nothing is drawn.
    pub(super) fn new(largest: f32) -> Self {
        let half = (STEPS / 2) as f32;
        Self { table: &PRESSURES, scale: if largest > 0.0 { half / largest } else { 0.0 } }
    }

    /// Colours times opacity with the weight of the background, evenly from -`largest` to `largest`.
    pub(super) fn into_table(self) -> Vec<([f32; 3], f32)> {
        self.table.to_vec()
    }

    /// The colour of a pressure over a background of grey 0..=255.
    #[inline]
    pub(super) fn over(&self, pressure: f32, ground: f32) -> Colour {
        if !(pressure.is_finite() && ground.is_finite()) {
            return NOT_FINITE;
        }
        let half = (STEPS / 2) as f32;
        // Adding 0.5 and truncating rounds; values out of range are clamped.
        let step = (pressure * self.scale).clamp(-half, half) + half + 0.5;
        let ([r, g, b], kept) = self.table[(step as usize).min(STEPS - 1)];
        let ground = ground * kept;
        [(r + ground + 0.5) as u8, (g + ground + 0.5) as u8, (b + ground + 0.5) as u8]
    }
}

/// The red of a strength 0..=1.
fn red(strength: f64) -> Colour {
    colorous::RED_BLUE.eval_continuous((1.0 - strength) / 2.0).as_array()
}

/// The blue of equal lightness, so that troughs and peaks are equally dark in greyscale.
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

/// CIE 1976 lightness L*, 0 (black) to 100 (white), of an sRGB colour (IEC 61966-2-1, CIE 15).
fn lightness(colour: Colour) -> f64 {
    let [r, g, b] = colour.map(linear);
    let luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    if luminance > 216.0 / 24_389.0 {
        116.0 * luminance.cbrt() - 16.0
    } else {
        luminance * 24_389.0 / 27.0
    }
}

/// A channel of sRGB as linear light, 0..=1.
fn linear(channel: u8) -> f64 {
    let share = f64::from(channel) / 255.0;
    if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
}

/// Opacity of the pressure map at a fraction 0..=1 of its range.
fn opacity(share: f32) -> f32 {
    let drawn = (share - FAINTEST) / (1.0 - FAINTEST);
    1.0 - (1.0 - drawn.clamp(0.0, 1.0)).powi(3)
}

/// The colour of a chosen map at a fraction 0..=1.
pub(super) fn mapped(colours: Colours, share: f32) -> Colour {
    if !share.is_finite() {
        return NOT_FINITE;
    }
    let share = f64::from(share.clamp(0.0, 1.0));
    let (map, share) = match colours {
        Colours::Grey => return [(255.0 - 255.0 * share).round() as u8; 3],
        Colours::BlueRed => (colorous::RED_BLUE, 1.0 - share),
        Colours::BrownTeal => (colorous::BROWN_GREEN, share),
        Colours::PurpleOrange => (colorous::PURPLE_ORANGE, share),
        Colours::Viridis => (colorous::VIRIDIS, share),
        Colours::Cividis => (colorous::CIVIDIS, share),
        Colours::Magma => (colorous::MAGMA, share),
        Colours::Inferno => (colorous::INFERNO, share),
        Colours::Turbo => (colorous::TURBO, share),
    };
    map.eval_continuous(share).as_array()
}

/// Grey (0..=255) of a velocity beneath a wavefield, at a fraction 0..=1 of the velocity range; NaN
/// if that is not finite.
#[inline]
pub(super) fn grey_beneath(share: f32) -> f32 {
    if !share.is_finite() {
        return f32::NAN;
    }
    MODEL_GREYS.0 + (MODEL_GREYS.1 - MODEL_GREYS.0) * share.clamp(0.0, 1.0)
}

/// Colour of a velocity in a plot of the model, at a fraction 0..=1 of the range.
pub(super) fn velocity(share: f32) -> Colour {
    if share.is_finite() {
        let step = share.clamp(0.0, 1.0) * (STEPS - 1) as f32 + 0.5;
        VIRIDIS[(step as usize).min(STEPS - 1)]
    } else {
        NOT_FINITE
    }
}

/// Grey of a gather at a fraction -1..=1 of the clip amplitude: white troughs, black peaks.
pub(super) fn gather(share: f32) -> Colour {
    if share.is_finite() {
        [(127.5 - 127.5 * share.clamp(-1.0, 1.0)).round() as u8; 3]
    } else {
        NOT_FINITE
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

    /// Colour blindness in linear light by Machado, Oliveira and Fernandes (2009), IEEE
    /// Transactions on Visualization and Computer Graphics 15, 1291-1298: deuteranomaly and
    /// protanomaly of severity 1.
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
        // Excess of blue over yellow.
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
    fn maps_have_their_ends_and_their_zero() {
        for largest in [0.0, 1e-30, 1.0, f32::MAX] {
            assert_eq!(PressureMap::new(largest).over(0.0, 200.0), [200; 3]);
        }
        assert_eq!(PressureMap::new(0.0).over(1.0, 200.0), [200; 3]);
        assert_eq!([1.0, -7.0, 0.0].map(gather), [[0; 3], [255; 3], [128; 3]]);
        assert_eq!([-1.0, 0.0, 1.0].map(velocity), [[68, 1, 84], [68, 1, 84], [253, 231, 37]]);
    }

    #[test]
    fn not_finite_is_loud() {
        let map = PressureMap::new(1.0);
        for colour in [
            map.over(f32::NAN, 200.0),
            map.over(0.0, grey_beneath(f32::INFINITY)),
            velocity(f32::INFINITY),
            gather(f32::NAN),
        ] {
            assert_eq!(colour, NOT_FINITE);
        }
    }
}
