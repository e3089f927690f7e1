//! The quantity and unit of a colour bar.

use super::colour::Colour;
use super::frame::{Beyond, ColourBar};
use super::scale::power_of_ten;

/// A quantity and its unit; "" for a dimensionless one, or if the unit is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    name: &'static str,
    pub(super) unit: &'static str,
}

impl Quantity {
    /// Pressure of a modelled wavefield and its traces.
    pub const PRESSURE: Self = Self { name: "Pressure", unit: "Pa" };
    /// Recorded traces, and wavefields made of them: their unit is not known.
    pub const AMPLITUDE: Self = Self { name: "Amplitude", unit: "" };
    /// Reflection coefficients: exploding reflectors, their wavefield and their section.
    pub const REFLECTIVITY: Self = Self { name: "Reflectivity", unit: "" };
    /// A migrated image, which is not calibrated.
    pub const IMAGE: Self = Self { name: "Image amplitude", unit: "" };
    /// The energy of the waves of the sources, which has no unit here.
    pub const ILLUMINATION: Self = Self { name: "Illumination", unit: "" };
    /// The gradient of a misfit.
    pub const GRADIENT: Self = Self { name: "Gradient", unit: "" };

    /// How much the velocities of two models differ.
    pub const VELOCITY_CHANGE: Self = Self { name: "Velocity change", unit: "m/s" };

    /// The quantity after gain.
    pub(super) const GAINED: Self = Self { name: "Amplitude with gain", unit: "" };

    /// The power of ten by which values up to `largest` are divided, and the label with it.
    pub(super) fn label(self, largest: f64) -> (i32, String) {
        let (power, unit) = power_of_ten(largest, self.unit);
        let label = match unit.trim() {
            "" => self.name.to_owned(),
            unit => format!("{} ({unit})", self.name),
        };
        (power, label)
    }

    /// A colour bar symmetric about 0, with arrows if values are clipped.
    pub(super) fn bar<'a>(
        self,
        largest: f32,
        clipped: bool,
        colour: impl Fn(f32) -> Colour + 'a,
    ) -> ColourBar<'a> {
        let (power, label) = self.label(f64::from(largest));
        let end = f64::from(largest) / 10_f64.powi(power);
        ColourBar::new(label, -end, end, colour).with(Beyond::both(clipped))
    }
}

impl Default for Quantity {
    /// The one that promises no unit.
    fn default() -> Self {
        Self::AMPLITUDE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pure_number_has_a_power_and_no_unit() {
        for (quantity, largest, power, label) in [
            (Quantity::PRESSURE, 0.0031, -3, "Pressure (10⁻³ Pa)"),
            (Quantity::PRESSURE, 42.0, 0, "Pressure (Pa)"),
            (Quantity::REFLECTIVITY, 0.0031, -3, "Reflectivity (10⁻³)"),
            (Quantity::REFLECTIVITY, 0.3, 0, "Reflectivity"),
            (Quantity::IMAGE, 300.0, 0, "Image amplitude"),
            (Quantity::default(), 42.0, 0, "Amplitude"),
        ] {
            assert_eq!(quantity.label(largest), (power, label.to_owned()));
        }
    }
}
