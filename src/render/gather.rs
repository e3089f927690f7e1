//! A shot gather: time down, receivers across.

use image::RgbImage;
use ndarray::ArrayView2;

use super::RenderError;
use super::axes::{Axis, number};
use super::colour;
use super::frame::{Aspect, ColourBar, Frame, LEAST};
use super::panel::{Kernel, Taps, resample};
use super::quantity::{PRESSURE, Quantity};
use super::range::{peak, percentile};
use super::size::FigureSize;
use super::spread::Spread;

/// Height of the panel, dots.
pub(super) const HEIGHT: u32 = 880;

/// A shot gather: time down, position or offset across.
///
/// Peaks are black, troughs white, and zero is mid grey. Each trace fills the
/// way half to its neighbours.
#[derive(Clone, Debug)]
pub struct GatherFigure<'a> {
    /// Pressure at each receiver over time, Pa, shape [receiver, time].
    pub traces: ArrayView2<'a, f32>,
    /// Time between two samples, seconds.
    pub interval: f64,
    /// What lies across, one for each receiver, metres: x, or the offset from
    /// the source. Positions that neither rise nor fall throughout are
    /// replaced by the number of the receiver, from 0.
    pub positions: Vec<f64>,
    /// Label of the axis of positions, e.g. "Offset (km)".
    pub across: String,
    /// Title above the panel.
    pub title: String,
    /// Percentile of |pressure|, above 0 to 100, beyond which amplitudes are
    /// clipped, e.g. 98.5.
    pub clip_percentile: f64,
}

impl GatherFigure<'_> {
    /// The least size, dots of 1/150 inch across and down.
    pub const LEAST: (u32, u32) = LEAST;

    /// Draws the figure.
    ///
    /// # Errors
    ///
    /// [`RenderError`] where the gather is empty, positions and traces differ
    /// in number, the interval or the percentile is out of range, or the size is too small.
    pub fn draw(&self, size: FigureSize) -> Result<RgbImage, RenderError> {
        self.draw_of(PRESSURE, "Time (s)", size)
    }

    /// The same of another quantity, over another time.
    pub(super) fn draw_of(
        &self,
        quantity: Quantity,
        time: &str,
        size: FigureSize,
    ) -> Result<RgbImage, RenderError> {
        let (receivers, samples) = self.traces.dim();
        let clip = self.clip()?;
        let spread = Spread::new(&self.positions, &self.across);
        let frame = Frame {
            title: &self.title,
            across: spread.axis(),
            down: Axis { label: time.to_owned(), ..self.time() },
            aspect: Aspect::Height(HEIGHT),
            bars: vec![clip_bar(clip, quantity)],
            stars: Vec::new(),
            dots: Vec::new(),
            rings: Vec::new(),
        };
        frame.draw(size, |width, height| {
            let across = Taps::between(&spread.edges(width), receivers, Kernel::Cell);
            let down = Taps::spread(samples, height, Kernel::Linear);
            let scale = if clip > 0.0 { 1.0 / f64::from(clip) } else { 0.0 };
            let pixels = resample(self.traces, &across, &down);
            let pixel = |&p: &f32| colour::gather((f64::from(p) * scale) as f32);
            pixels.iter().map(pixel).collect()
        })
    }

    /// The amplitude at which the colours or the swings end, once what is shown is known to be sound.
    pub(super) fn clip(&self) -> Result<f32, RenderError> {
        let (receivers, samples) = self.traces.dim();
        RenderError::if_empty("gather", (receivers, samples))?;
        if self.positions.len() != receivers {
            return Err(RenderError::Positions {
                positions: self.positions.len(),
                traces: receivers,
            });
        }
        if !(self.interval.is_finite() && self.interval > 0.0) {
            return Err(RenderError::Interval { interval: self.interval });
        }
        let percentile_given = self.clip_percentile;
        if !(percentile_given > 0.0 && percentile_given <= 100.0) {
            return Err(RenderError::Percentile { percentile: percentile_given });
        }
        // Where the percentile falls on silence, the peak is the clip.
        let clip = percentile(self.traces, percentile_given, -1.0);
        Ok(if clip > 0.0 { clip } else { peak(self.traces) })
    }

    /// The axis of time.
    pub(super) fn time(&self) -> Axis {
        Axis {
            low: 0.0,
            high: (self.traces.ncols().max(2) - 1) as f64 * self.interval,
            label: "Time (s)".to_owned(),
            least_step: 0.0,
            reversed: false,
        }
    }
}

/// The bar of the grey scale, with the clip amplitude at its ends.
fn clip_bar(clip: f32, quantity: Quantity) -> ColourBar<'static> {
    let (power, label) = quantity.label(f64::from(clip));
    let end = f64::from(clip) / 10_f64.powi(power);
    let zero = (0.5, "0".to_owned());
    let places = if end < 1.0 { 3 } else { 2 };
    let ticks = match clip > 0.0 {
        true => vec![(0.0, number(-end, places)), zero, (1.0, number(end, places))],
        false => vec![zero],
    };
    ColourBar { label, ticks, colour: Box::new(|share| colour::gather(2.0 * share as f32 - 1.0)) }
}

#[cfg(test)]
mod tests {
    use super::super::colour::LOUD;
    use super::*;
    use ndarray::Array2;

    fn drawn(traces: &Array2<f32>, positions: Vec<f64>) -> Result<RgbImage, RenderError> {
        GatherFigure {
            traces: traces.view(),
            interval: 0.002,
            positions,
            across: "Offset (km)".to_owned(),
            title: "test".to_owned(),
            clip_percentile: 98.5,
        }
        .draw(FigureSize::default())
    }

    #[test]
    fn gathers_of_all_sizes_draw() -> Result<(), RenderError> {
        for shape in [(1, 1), (1, 2), (2, 1), (3, 2), (3000, 4), (2, 3000)] {
            let positions: Vec<f64> = (0..shape.0).map(|k| 25.0 * k as f64).collect();
            for value in [0.0, f32::NAN, 1e38] {
                let traces = Array2::from_elem(shape, value);
                let image = drawn(&traces, positions.clone())?;
                let loud = image.pixels().any(|p| p.0 == LOUD);
                assert_eq!(loud, value.is_nan(), "{shape:?} {value}");
            }
        }
        assert!(drawn(&Array2::zeros((0, 4)), Vec::new()).is_err());
        Ok(())
    }

    #[test]
    fn bad_numbers_are_refused() {
        let traces = Array2::<f32>::zeros((2, 2));
        let figure = |interval, positions, clip_percentile| GatherFigure {
            traces: traces.view(),
            interval,
            positions,
            across: String::new(),
            title: String::new(),
            clip_percentile,
        };
        let two = || vec![0.0, 1.0];
        for bad in [
            figure(0.0, two(), 99.0),
            figure(f64::NAN, two(), 99.0),
            figure(0.001, vec![0.0], 99.0),
            figure(0.001, two(), 0.0),
            figure(0.001, two(), 100.5),
            figure(0.001, two(), f64::NAN),
        ] {
            assert!(bad.draw(FigureSize::default()).is_err());
        }
    }
}
