//! Units of a model's values: velocity, slowness, or squared slowness.

use super::file_axis::metres;

/// The unit of a model's values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VelocityUnit {
    quantity: Quantity,
    /// Metres of its length.
    metres: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Quantity {
    Velocity,
    Slowness,
    SquaredSlowness,
}

impl VelocityUnit {
    /// Metres per second.
    pub const SI: Self = VelocityUnit { quantity: Quantity::Velocity, metres: 1.0 };

    /// By its name: a length per second (`km/s`, `m s-1`), its inverse (`s/km`), or the square of
    /// that (`s2/km2`, `s^2/km^2`).
    pub fn of(name: &str) -> Option<Self> {
        let name = name.to_lowercase().replace("**", "").replace('^', "");
        let name = name.replace('²', "2").replace(" s-1", "/s").replace(".s-1", "/s");
        let (above, below) = name.split_once('/')?;
        let (above, below) = (above.trim(), below.trim());
        let second = |name: &str| matches!(name, "s" | "sec" | "second");
        let squared = above.strip_suffix('2').zip(below.strip_suffix('2'));
        let (quantity, metres) = match squared {
            Some((s, length)) if second(s) => (Quantity::SquaredSlowness, metres(length)?),
            _ if second(below) => (Quantity::Velocity, metres(above)?),
            _ if second(above) => (Quantity::Slowness, metres(below)?),
            _ => return None,
        };
        Some(VelocityUnit { quantity, metres })
    }

    /// The velocity of a value, m/s; not finite if a slowness has none.
    pub fn velocity(self, value: f64) -> f64 {
        match self.quantity {
            Quantity::Velocity => self.metres * value,
            Quantity::Slowness => self.metres / value,
            Quantity::SquaredSlowness => self.metres / value.sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_or_not_guessed() {
        for (name, value, velocity) in [
            ("m/s", 1500.0, 1500.0),
            ("km/s", 1.5, 1500.0),
            ("km s-1", 1.5, 1500.0),
            ("km.s-1", 1.5, 1500.0),
            ("ft/s", 5000.0, 1524.0),
            ("s/km", 0.5, 2000.0),
            ("s/m", 0.5e-3, 2000.0),
            ("s2/km2", 0.25, 2000.0),
            ("s^2/km^2", 0.25, 2000.0),
            ("s²/m²", 0.25e-6, 2000.0),
        ] {
            let found = VelocityUnit::of(name).map_or(f64::NAN, |unit| unit.velocity(value));
            assert!((found - velocity).abs() < 1e-9, "{name}: {found}");
        }
        for name in ["m", "s2/km", "s/km2", "m2/s2", "1/s", "(s/km)^2", ""] {
            assert_eq!(VelocityUnit::of(name), None, "{name}");
        }
        assert!(!VelocityUnit::of("s2/km2").expect("a unit").velocity(0.0).is_finite());
        assert!(!VelocityUnit::of("s2/km2").expect("a unit").velocity(-1.0).is_finite());
    }
}
