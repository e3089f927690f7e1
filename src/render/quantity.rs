//! What a bar of colours counts, and in which unit.

use super::axes::power_of_ten;

/// A quantity and its unit, which a pure number has none of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quantity {
    name: &'static str,
    unit: &'static str,
}

/// Of a wavefield and its traces.
pub(super) const PRESSURE: Quantity = Quantity { name: "Pressure", unit: "Pa" };
/// Of exploding reflectors, their section and their image.
pub(super) const REFLECTIVITY: Quantity = Quantity { name: "Reflectivity", unit: "" };

impl Quantity {
    /// The power of ten that values up to `largest` are divided by, and the label that says so.
    pub(super) fn label(&self, largest: f64) -> (i32, String) {
        let (power, unit) = power_of_ten(largest, self.unit);
        let label = match unit.trim() {
            "" => self.name.to_owned(),
            unit => format!("{} ({unit})", self.name),
        };
        (power, label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pure_number_has_a_power_and_no_unit() {
        assert_eq!(PRESSURE.label(0.0031), (-3, "Pressure (10⁻³ Pa)".to_owned()));
        assert_eq!(PRESSURE.label(42.0), (0, "Pressure (Pa)".to_owned()));
        assert_eq!(REFLECTIVITY.label(0.0031), (-3, "Reflectivity (10⁻³)".to_owned()));
        assert_eq!(REFLECTIVITY.label(0.3), (0, "Reflectivity".to_owned()));
    }
}
