//! Units of a model's values: velocity, slowness, squared slowness, or density.

use super::file_axis::metres;
use crate::model::ModelQuantity;

/// The unit of a model's values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelUnit {
    kind: Kind,
    /// Metres of its length; kg/m3 of a density.
    factor: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Velocity,
    Slowness,
    SquaredSlowness,
    Density,
    /// Of epsilon and delta.
    Number,
}

impl ModelUnit {
    /// Metres per second.
    pub const SI: Self = ModelUnit { kind: Kind::Velocity, factor: 1.0 };

    const NUMBER: Self = ModelUnit { kind: Kind::Number, factor: 1.0 };

    /// The unit in which the program has a quantity.
    pub fn own(quantity: ModelQuantity) -> Self {
        match quantity {
            ModelQuantity::Velocity => ModelUnit::SI,
            ModelQuantity::Density => ModelUnit { kind: Kind::Density, factor: 1.0 },
            ModelQuantity::Epsilon | ModelQuantity::Delta => ModelUnit::NUMBER,
        }
    }

    /// A unit of a quantity by its name. Of velocity: a length per second (`km/s`, `m s-1`), its inverse (`s/km`), or
    /// the square of that (`s2/km2`, `s^2/km^2`). Of density: a mass per volume (`kg/m3`, `g/cm^3`, `g/cc`).
    pub fn of(name: &str, quantity: ModelQuantity) -> Option<Self> {
        let name = name.to_lowercase().replace("**", "").replace('^', "");
        match quantity {
            ModelQuantity::Velocity => ModelUnit::of_velocity(&name.replace('²', "2")),
            ModelQuantity::Density => ModelUnit::of_density(&name.replace('³', "3")),
            ModelQuantity::Epsilon | ModelQuantity::Delta => {
                ["", "1", "-"].contains(&name.trim()).then_some(ModelUnit::NUMBER)
            }
        }
    }

    fn of_velocity(name: &str) -> Option<Self> {
        let name = name.replace(" s-1", "/s").replace(".s-1", "/s");
        let (above, below) = name.split_once('/')?;
        let (above, below) = (above.trim(), below.trim());
        let second = |name: &str| matches!(name, "s" | "sec" | "second");
        let squared = above.strip_suffix('2').zip(below.strip_suffix('2'));
        let (kind, factor) = match squared {
            Some((s, length)) if second(s) => (Kind::SquaredSlowness, metres(length)?),
            _ if second(below) => (Kind::Velocity, metres(above)?),
            _ if second(above) => (Kind::Slowness, metres(below)?),
            _ => return None,
        };
        Some(ModelUnit { kind, factor })
    }

    fn of_density(name: &str) -> Option<Self> {
        let name = name.replace(" m-3", "/m3").replace(".m-3", "/m3");
        let name = name.replace(" cm-3", "/cm3").replace(".cm-3", "/cm3");
        let (above, below) = name.split_once('/')?;
        let factor = match (above.trim(), below.trim()) {
            ("kg", "m3") => 1.0,
            ("g" | "gm", "cm3" | "cc" | "ml") | ("kg", "l") | ("t", "m3") => 1000.0,
            _ => return None,
        };
        Some(ModelUnit { kind: Kind::Density, factor })
    }

    /// Its quantity.
    pub fn quantity(self) -> ModelQuantity {
        match self.kind {
            Kind::Density => ModelQuantity::Density,
            Kind::Number => ModelQuantity::Epsilon,
            _ => ModelQuantity::Velocity,
        }
    }

    /// True if values in it are the program's own.
    pub fn is_own(self) -> bool {
        self == ModelUnit::own(self.quantity())
    }

    /// A value in the program's unit, m/s or kg/m3; not finite if a slowness has no velocity.
    pub fn own_value(self, value: f64) -> f64 {
        match self.kind {
            Kind::Velocity | Kind::Density | Kind::Number => self.factor * value,
            Kind::Slowness => self.factor / value,
            Kind::SquaredSlowness => self.factor / value.sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_or_not_guessed() {
        let of = |name: &str| ModelUnit::of(name, ModelQuantity::Velocity);
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
            let found = of(name).map_or(f64::NAN, |unit| unit.own_value(value));
            assert!((found - velocity).abs() < 1e-9, "{name}: {found}");
        }
        for name in ["m", "s2/km", "s/km2", "m2/s2", "1/s", "(s/km)^2", "", "kg/m3", "g/cm3"] {
            assert_eq!(of(name), None, "{name}");
        }
        assert!(!of("s2/km2").expect("a unit").own_value(0.0).is_finite());
        assert!(!of("s2/km2").expect("a unit").own_value(-1.0).is_finite());
    }

    #[test]
    fn units_of_density_are_known_or_not_guessed() {
        let of = |name: &str| ModelUnit::of(name, ModelQuantity::Density);
        for name in ["kg/m3", "kg/m^3", "kg/m**3", "kg/m³", "kg m-3", "kg.m-3"] {
            assert!(of(name).expect(name).is_own(), "{name}");
        }
        for name in ["g/cm3", "g/cc", "gm/cc", "G/CC", "g cm-3", "g/ml", "kg/l", "t/m3"] {
            assert_eq!(of(name).expect(name).own_value(2.3), 2300.0, "{name}");
        }
        for name in ["m/s", "kg", "g/m3", "lb/ft3", ""] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
