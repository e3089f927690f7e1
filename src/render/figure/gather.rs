//! A gather: time or depth down, receivers across.

use ndarray::ArrayView2;

use crate::{
    RenderError,
    axes::Axis,
    canvas::{Drawing, Pen},
    colour_range::{clip, peak},
    frame::{Aspect, Frame, LEAST},
    gain::Gain,
    quantity::Quantity,
    receiver_axis::ReceiverAxis,
    resampling::{Kernel, PixelWeights, resample},
    sample_axis::SampleAxis,
    size::{FigureSize, LeastSize},
};

/// The line at position 0.
const ZERO: Pen = Pen { colour: [190, 40, 30], width: 2.0, dashed: true };
/// Height of the panel, dots.
pub(crate) const HEIGHT: Aspect = Aspect::Height(880.0, 1.0);

/// A gather: time or depth down, position or offset across.
///
/// Peaks are black, troughs white, zero mid grey. Each trace extends half way to its neighbours.
#[derive(Clone, Debug)]
pub struct GatherFigure<'a> {
    /// Pressure at each receiver over time, Pa, or another quantity; shape [receiver, sample].
    pub traces: ArrayView2<'a, f32>,
    /// The quantity of the traces.
    pub quantity: Quantity,
    /// What the samples are apart in.
    pub samples: SampleAxis,
    /// Sampling interval, s, or metres of depth.
    pub interval: f64,
    /// Horizontal position of each receiver, metres: x, or the offset from the source. Positions
    /// that are not monotonic are replaced by the index of the receiver, from 0.
    pub positions: Vec<f64>,
    /// Label of the position axis, e.g. "Offset (km)".
    pub across: String,
    /// Title above the panel.
    pub title: String,
    /// Gain and clipping.
    pub gain: Gain,
    /// Amplitude at the ends of the colours or wiggles; by default that of the clip percentile.
    pub largest: Option<f32>,
    /// True to mark position 0 by a dashed line.
    pub zero_line: bool,
}

impl GatherFigure<'_> {
    /// Minimum size.
    pub const LEAST: LeastSize = LEAST;

    /// Draws the figure.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if the gather is empty, positions and traces differ in number, the interval
    /// or the percentile is out of range, or the size is too small.
    pub fn drawing(&self, size: FigureSize) -> Result<Drawing, RenderError> {
        self.check()?;
        let (receivers, samples) = self.traces.dim();
        let traces = self.gain.apply(self.traces, self.interval);
        let clip = self.clip(traces.view());
        let colour = size.look().gather();
        let spread = ReceiverAxis::new(&self.positions, &self.across);
        let quantity = match self.gain.is_none() {
            true => self.quantity,
            false => Quantity::GAINED,
        };
        let frame = Frame {
            title: &format!("{}{}", self.title, self.gain.words(self.samples)),
            chart: None,
            keys: Vec::new(),
            across: spread.axis(),
            down: self.down(),
            aspect: HEIGHT,
            bars: vec![
                quantity.bar(clip, peak(traces.view()) > clip, |share| colour(2.0 * share - 1.0)),
            ],
        };
        frame.draw(size, LEAST, |canvas, panel| {
            canvas.paint(panel, |width, height| {
                let across = PixelWeights::between(&spread.edges(width), receivers, Kernel::Cell);
                let down = PixelWeights::even(samples, height, Kernel::Linear);
                let scale = if clip > 0.0 { 1.0 / f64::from(clip) } else { 0.0 };
                let pixels = resample(traces.view(), &across, &down);
                let pixel = |&p: &f32| colour((f64::from(p) * scale) as f32);
                pixels.iter().map(pixel).collect()
            });
            if self.zero_line
                && frame.across.scale.share(0.0).clamp(0.0, 1.0) == frame.across.scale.share(0.0)
            {
                let x = panel.at(frame.across.scale.share(0.0), 0.0).0;
                canvas.line(&[(x, panel.top), (x, panel.bottom())], ZERO);
            }
        })
    }

    /// The amplitude at the ends of its colours, which figures beside it may share.
    pub fn scale(&self) -> f32 {
        self.clip(self.gain.apply(self.traces, self.interval).view())
    }

    /// Returns an error for a gather that cannot be drawn.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let (receivers, samples) = self.traces.dim();
        RenderError::if_empty("gather", receivers, samples)?;
        if self.positions.len() != receivers {
            return Err(RenderError::Positions {
                positions: self.positions.len(),
                traces: receivers,
            });
        }
        if !(self.interval.is_finite() && self.interval > 0.0) {
            return Err(RenderError::Interval { interval: self.interval });
        }
        self.gain.check()
    }

    /// The clip amplitude of the colours or wiggles.
    pub(crate) fn clip(&self, traces: ArrayView2<'_, f32>) -> f32 {
        self.largest.unwrap_or_else(|| clip(traces, self.gain.clip))
    }

    /// The vertical axis.
    pub(crate) fn down(&self) -> Axis {
        let end = (self.traces.ncols().max(2) - 1) as f64 * self.interval;
        self.samples.axis(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{drawn, is_loud, refused};
    use ndarray::Array2;

    fn figure(traces: &Array2<f32>, interval: f64, positions: Vec<f64>) -> GatherFigure<'_> {
        GatherFigure {
            traces: traces.view(),
            quantity: Quantity::PRESSURE,
            samples: SampleAxis::Time,
            interval,
            positions,
            across: "Offset (km)".to_owned(),
            title: "test".to_owned(),
            gain: Gain::default(),
            largest: None,
            zero_line: false,
        }
    }

    #[test]
    fn gathers_of_all_sizes_draw_and_bad_numbers_are_refused() {
        for shape in [(1, 1), (1, 2), (2, 1), (3, 2), (3000, 4), (2, 3000)] {
            for value in [0.0, f32::NAN, 1e38] {
                let traces = Array2::from_elem(shape, value);
                let positions = (0..shape.0).map(|k| 25.0 * k as f64).collect();
                let image = drawn(&figure(&traces, 0.002, positions));
                assert_eq!(is_loud(&image), value.is_nan(), "{shape:?} {value}");
            }
        }
        let (none, two) = (Array2::zeros((0, 4)), Array2::zeros((2, 2)));
        let positions = || vec![0.0, 1.0];
        let gain = Gain { clip: 0.0, ..Gain::default() };
        for bad in [
            figure(&none, 0.002, Vec::new()),
            figure(&two, 0.0, positions()),
            figure(&two, f64::NAN, positions()),
            figure(&two, 0.001, vec![0.0]),
            GatherFigure { gain, ..figure(&two, 0.001, positions()) },
        ] {
            refused(&bad);
        }
    }
}
