//! The colours of a wavefield over its velocity model, and their bars.

use crate::picture::Colours;
use ndarray::ArrayView2;

use super::backdrop::Backdrop;
use super::colour::{Colour, PressureMap, grey_beneath, mapped};
use super::colour_range::{VelocityRange, peak, percentile};
use super::frame::{Beyond, ColourBar, velocity_bar};
use super::quantity::Quantity;
use super::resampling::{Kernel, fill};

/// The colours end at this percentile of |pressure| where the wave has passed, so that the few
/// larger values near a source do not pale the rest.
pub(super) const PERCENTILE: f64 = 97.0;

/// Fraction of the peak |pressure| at or below which no wave has passed.
pub(super) const REACHED: f32 = 1e-2;

/// The default pressure at the ends of a wavefield's colours; 0 for a silent one.
pub fn wave_scale(wavefield: ArrayView2<'_, f32>) -> f32 {
    percentile(wavefield, PERCENTILE, REACHED * peak(wavefield))
}

/// Pressure in blue and red, transparent where small, over velocity in grey.
pub(super) struct Wave {
    quantity: Quantity,
    map: PressureMap,
    /// Colours of a field that hides the model.
    colours: Option<Colours>,
    /// True if values lie beyond the ends of the map.
    beyond: bool,
    /// Pressure at the ends of the map.
    largest: f32,
    kernel: Kernel,
    backdrop: Backdrop,
    /// Slowest and fastest velocity, m/s.
    pub(super) range: VelocityRange,
}

impl Wave {
    /// The colours of values up to `largest` over these velocities.
    pub(super) fn new(
        quantity: Quantity,
        largest: f32,
        velocity: ArrayView2<'_, f32>,
        colours: Option<Colours>,
    ) -> Self {
        // A cubic would undershoot values that are not negative.
        let kernel = if quantity.is_positive { Kernel::Linear } else { Kernel::Cubic };
        let (map, beyond) = (PressureMap::new(largest), false);
        let (range, backdrop) = (VelocityRange::of(velocity), Backdrop::default());
        Self { quantity, map, colours, beyond, largest, kernel, backdrop, range }
    }

    /// The same over a backdrop that other figures share.
    pub(super) fn over(self, backdrop: &Backdrop) -> Self {
        Self { backdrop: backdrop.clone(), ..self }
    }

    /// The same with arrows on its bar if values are clipped.
    pub(super) fn clipping(self, beyond: bool) -> Self {
        Self { beyond, ..self }
    }

    /// The colours of fractions of the largest amplitude or energy.
    pub(super) fn of_focus(velocity: ArrayView2<'_, f32>) -> Self {
        Self::new(Quantity::FOCUS, 1.0, velocity, None)
    }

    /// The pixels, row by row, of arrays of shape [across, down].
    pub(super) fn paint(
        &self,
        wavefield: ArrayView2<'_, f32>,
        velocity: ArrayView2<'_, f32>,
        width: usize,
        height: usize,
    ) -> Vec<Colour> {
        let pressure = fill(wavefield, width, height, self.kernel);
        if let Some(colours) = self.colours {
            return pressure.iter().map(|&p| mapped(colours, self.share(p))).collect();
        }
        let ground = self.backdrop.greys(velocity, self.range, [width, height]);
        // Loops over vectors are faster than those over arrays.
        let pressure = pressure.into_raw_vec_and_offset().0;
        pressure.iter().zip(&*ground).map(|(&p, &ground)| self.map.over(p, ground)).collect()
    }

    /// The fraction of a chosen map.
    fn share(&self, pressure: f32) -> f32 {
        let scale = if self.largest > 0.0 { 1.0 / self.largest } else { 0.0 };
        if self.quantity.is_positive { scale * pressure } else { 0.5 + 0.5 * scale * pressure }
    }

    /// A bar for the quantity and, where the model is seen, one for velocity.
    pub(super) fn bars(&self) -> Vec<ColourBar<'_>> {
        if let Some(colours) = self.colours {
            let wave = move |share: f32| mapped(colours, share);
            return vec![self.quantity.bar(self.largest, self.beyond, wave)];
        }
        let low = if self.quantity.is_positive { 0.0 } else { -1.0 };
        let wave = move |share: f32| self.on_the_bar((low + (1.0 - low) * share) * self.largest);
        vec![self.quantity.bar(self.largest, self.beyond, wave), self.velocity_bar()]
    }

    /// A bar for fractions of the largest value and one for velocity.
    pub(super) fn focus_bars(&self, label: &str) -> Vec<ColourBar<'_>> {
        let focus = |share| self.on_the_bar(share);
        let beyond = Beyond { low: false, high: self.beyond };
        vec![ColourBar::new(label.to_owned(), 0.0, 1.0, focus).with(beyond), self.velocity_bar()]
    }

    fn on_the_bar(&self, value: f32) -> Colour {
        self.map.over(value, grey_beneath(0.25))
    }

    fn velocity_bar(&self) -> ColourBar<'_> {
        velocity_bar(self.range, |share| [grey_beneath(share).round() as u8; 3])
    }
}
