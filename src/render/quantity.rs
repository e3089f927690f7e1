//! The quantity and unit of a colour bar.

use super::colour::Colour;
use super::frame::{Beyond, ColourBar};
use super::scale::power_of_ten;

/// A quantity and its unit; "" for a dimensionless one, or if the unit is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    name: &'static str,
    pub(super) unit: &'static str,
    /// True if it is never negative: its colours begin at 0.
    pub(super) is_positive: bool,
}

impl Quantity {
    /// Pressure of a modelled wavefield and its traces.
    pub const PRESSURE: Self = Self::of("Pressure", "Pa");
    /// Recorded traces, and wavefields made of them: their unit is not known.
    pub const AMPLITUDE: Self = Self::of("Amplitude", "");
    /// Reflection coefficients: exploding reflectors, their wavefield and their section.
    pub const REFLECTIVITY: Self = Self::of("Reflectivity", "");
    /// A migrated image, which is not calibrated.
    pub const IMAGE: Self = Self::of("Image amplitude", "");
    /// The image of a least-squares migration: the relative change of velocity.
    pub const VELOCITY_CHANGE: Self = Self::of("Velocity change dv/v", "");
    /// The energy of the waves of the sources, which has no unit here.
    pub const ILLUMINATION: Self = Self { is_positive: true, ..Self::of("Illumination", "") };
    /// The gradient of a misfit.
    pub const GRADIENT: Self = Self::of("Gradient", "");

    /// Fractions of the largest amplitude or energy.
    pub(super) const FOCUS: Self = Self { is_positive: true, ..Self::of("Focus", "") };
    /// How much the velocities of two models differ.
    pub const VELOCITY_DIFFERENCE: Self = Self::of("Velocity change", "m/s");

    /// The quantity after gain.
    pub(super) const GAINED: Self = Self::of("Amplitude with gain", "");

    /// A quantity with both signs.
    const fn of(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit, is_positive: false }
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

    /// A colour bar symmetric about 0, or from 0 if the quantity is never negative, with arrows if
    /// values are clipped.
    pub(super) fn bar<'a>(
        self,
        largest: f32,
        clipped: bool,
        colour: impl Fn(f32) -> Colour + 'a,
    ) -> ColourBar<'a> {
        let (power, label) = self.label(f64::from(largest));
        let end = f64::from(largest) / 10_f64.powi(power);
        let low = if self.is_positive { 0.0 } else { -end };
        let beyond = Beyond { low: clipped && !self.is_positive, high: clipped };
        ColourBar::new(label, low, end, colour).with(beyond)
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
            (Quantity::VELOCITY_CHANGE, 0.04, -2, "Velocity change dv/v (10⁻²)"),
            (Quantity::default(), 42.0, 0, "Amplitude"),
        ] {
            assert_eq!(quantity.label(largest), (power, label.to_owned()));
        }
    }
}
