//! Checks whether values look like velocities.

use crate::remedy::Remedy;

/// Slowest and fastest velocity of rocks and water, m/s, with room: loose soil and the deepest mantle.
const ROCKS: (f32, f32) = (100.0, 14_000.0);

/// The likely kind of a range of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plausible {
    /// Velocities in m/s.
    Yes,
    /// Velocities in km/s.
    KilometresASecond,
    /// Values of both signs: a gather, a wavelet or a wavefield.
    Signed,
    /// Not a medium for waves.
    No,
}

impl Plausible {
    /// The likely kind of values from `least` to `most`. Velocities in ft/s look like those in m/s.
    pub fn of((least, most): (f32, f32)) -> Self {
        let within = |scale: f32| scale * least >= ROCKS.0 && scale * most <= ROCKS.1;
        match (within(1.0), within(1000.0)) {
            (true, _) => Plausible::Yes,
            (false, true) => Plausible::KilometresASecond,
            (false, false) if least < 0.0 && most > 0.0 => Plausible::Signed,
            (false, false) => Plausible::No,
        }
    }
}

impl std::fmt::Display for Plausible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Plausible::Yes => "plausible velocities in m/s",
            Plausible::KilometresASecond => {
                return write!(
                    f,
                    "these look like km/s: {}",
                    Remedy::Converted { unit: Some("km/s") }
                );
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
        assert_eq!(Plausible::of((1500.0, 4500.0)), Plausible::Yes);
        assert_eq!(Plausible::of((1.5, 4.5)), Plausible::KilometresASecond);
        assert_eq!(Plausible::of((-1500.0, 4500.0)), Plausible::Signed);
        for range in [(0.0, 4500.0), (1500.0, 45e3), (f32::NAN, f32::NAN)] {
            assert_eq!(Plausible::of(range), Plausible::No, "{range:?}");
        }
    }
}
