//! Checks whether values look like velocities.

use crate::remedy::{Remedy, any_of};

/// Slowest and fastest velocity of rocks and water, m/s, with room: loose soil and the deepest mantle.
const ROCKS: (f32, f32) = (100.0, 14_000.0);

/// Rocks of the crust are slower, m/s; those of the deep mantle are faster, and so are numbers of ft/s.
const CRUST: f32 = 9000.0;
/// The fastest that is taken for rocks of the crust in ft/s.
const CRUST_IN_FEET: f32 = 25_000.0;
/// Slowness of rocks and water, s/km, and its square in s2/km2: no model is as slow throughout in km/s.
const SLOWNESS: (f32, f32) = (0.005, 0.7);
/// Slowness in s/m.
const SLOWNESS_IN_METRES: (f32, f32) = (7e-5, 0.005);

/// The likely kind of a range of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plausible {
    /// Velocities in m/s.
    Yes,
    /// Velocities in ft/s, or in m/s of the mantle.
    FeetASecond,
    /// Velocities in km/s.
    KilometresASecond,
    /// Slowness in s/km, or its square in s2/km2.
    Slowness,
    /// Slowness in s/m.
    SlownessInMetres,
    /// Values of both signs: a gather, a wavelet or a wavefield.
    Signed,
    /// Not a medium for waves.
    No,
}

impl Plausible {
    /// The likely kind of values from `least` to `most`. Slow velocities in ft/s look like those in m/s.
    pub fn of((least, most): (f32, f32)) -> Self {
        let within = |(from, to): (f32, f32)| least >= from && most <= to;
        if within((ROCKS.0 / 0.3048, CRUST_IN_FEET)) && most > CRUST {
            Plausible::FeetASecond
        } else if within(ROCKS) {
            Plausible::Yes
        } else if within(SLOWNESS) {
            Plausible::Slowness
        } else if within(SLOWNESS_IN_METRES) {
            Plausible::SlownessInMetres
        } else if within((1e-3 * ROCKS.0, 1e-3 * ROCKS.1)) {
            Plausible::KilometresASecond
        } else if least < 0.0 && most > 0.0 {
            Plausible::Signed
        } else {
            Plausible::No
        }
    }

    /// True if they look like velocities or slownesses in another unit than m/s.
    pub fn is_of_another_unit(self) -> bool {
        !matches!(self, Plausible::Yes | Plausible::Signed | Plausible::No)
    }
}

impl std::fmt::Display for Plausible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let from = |unit| Remedy::Converted { unit: Some(unit) };
        f.write_str(match self {
            Plausible::Yes => "plausible velocities in m/s",
            Plausible::FeetASecond => {
                return write!(
                    f,
                    "rocks of the crust are slower: if these are ft/s, {}",
                    from("ft/s")
                );
            }
            Plausible::KilometresASecond => {
                return write!(f, "these look like km/s: {}", from("km/s"));
            }
            Plausible::Slowness => {
                let either = any_of(&[from("s/km"), from("s2/km2")]);
                return write!(
                    f,
                    "these look like slowness in s/km, or its square in s2/km2: {either}"
                );
            }
            Plausible::SlownessInMetres => {
                return write!(f, "these look like slowness in s/m: {}", from("s/m"));
            }
            Plausible::Signed => {
                "no velocities: values of both signs, as in a gather, a wavelet or a wavefield"
            }
            Plausible::No => "no velocities in m/s: those of rocks and water are from 100 to 14000",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_judged() {
        for (range, wanted) in [
            ((1500.0, 4500.0), Plausible::Yes),
            ((1500.0, 8500.0), Plausible::Yes),
            ((4921.0, 14_700.0), Plausible::FeetASecond),
            ((1.5, 4.5), Plausible::KilometresASecond),
            ((0.3, 4.5), Plausible::KilometresASecond),
            ((1.0 / 4.5, 1.0 / 1.5), Plausible::Slowness),
            ((1.0 / 20.25, 1.0 / 2.25), Plausible::Slowness),
            ((1.0 / 4500.0, 1.0 / 1500.0), Plausible::SlownessInMetres),
            ((-1500.0, 4500.0), Plausible::Signed),
        ] {
            assert_eq!(Plausible::of(range), wanted, "{range:?}");
        }
        for range in [(0.0, 4500.0), (1500.0, 45e3), (f32::NAN, f32::NAN)] {
            assert_eq!(Plausible::of(range), Plausible::No, "{range:?}");
        }
        let said = Plausible::Slowness.to_string();
        assert!(said.contains("s/km") && said.contains("s2/km2"), "{said}");
    }
}
