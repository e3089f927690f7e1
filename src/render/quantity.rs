//! The quantity and unit of a colour bar.

use super::colour::Colour;
use super::frame::ColourBar;
use super::scale::power_of_ten;

/// A quantity and its unit; "" for a dimensionless one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    name: &'static str,
    pub(super) unit: &'static str,
    /// Label of the time axis of its traces.
    pub(super) time: &'static str,
}

impl Quantity {
    /// Pressure of a wavefield and its traces.
    pub const PRESSURE: Self = Self { name: "Pressure", unit: "Pa", time: "Time (s)" };
    /// What was recorded, in a unit that the file does not say.
    pub const AMPLITUDE: Self = Self { name: "Amplitude", unit: "", time: "Time (s)" };
    /// Reflectivity: exploding reflectors, their section over two-way time, and images.
    pub const REFLECTIVITY: Self =
        Self { name: "Reflectivity", unit: "", time: "Two-way time (s)" };

    /// The gradient of a misfit.
    pub const GRADIENT: Self = Self { name: "Gradient", unit: "", time: "Time (s)" };

    /// The quantity after gain.
    pub(super) fn gained(self) -> Self {
        Self { name: "Amplitude with gain", unit: "", ..self }
    }

    /// The power of ten by which values up to `largest` are divided, and the label with it.
    pub(super) fn label(self, largest: f64) -> (i32, String) {
        let (power, unit) = power_of_ten(largest, self.unit);
        let label = match unit.trim() {
            "" => self.name.to_owned(),
            unit => format!("{} ({unit})", self.name),
        };
        (power, label)
    }

    /// A colour bar symmetric about 0.
    pub(super) fn bar<'a>(
        self,
        largest: f32,
        colour: impl Fn(f32) -> Colour + 'a,
    ) -> ColourBar<'a> {
        let (power, label) = self.label(f64::from(largest));
        let end = f64::from(largest) / 10_f64.powi(power);
        ColourBar::new(label, (-end, end), colour)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pure_number_has_a_power_and_no_unit() {
        assert_eq!(Quantity::PRESSURE.label(0.0031), (-3, "Pressure (10⁻³ Pa)".to_owned()));
        assert_eq!(Quantity::PRESSURE.label(42.0), (0, "Pressure (Pa)".to_owned()));
        assert_eq!(Quantity::REFLECTIVITY.label(0.0031), (-3, "Reflectivity (10⁻³)".to_owned()));
        assert_eq!(Quantity::REFLECTIVITY.label(0.3), (0, "Reflectivity".to_owned()));
    }
}
