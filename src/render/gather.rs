//! A shot gather: time down, receivers across.

use image::RgbImage;
use ndarray::ArrayView2;

use super::RenderError;
use super::axes::{Axis, number, power_of_ten};
use super::colour;
use super::frame::{Aspect, ColourBar, Frame};
use super::panel::{Kernel, Taps, resample};
use super::range::{peak, percentile};

/// Height of the panel, pixels.
const HEIGHT: u32 = 880;

/// A shot gather: time down, position or offset across.
///
/// Peaks are black, troughs white, and zero is mid grey. Each trace fills the
/// way half to its neighbours.
#[derive(Clone, Debug)]
pub struct GatherFigure<'a> {
    /// Pressure at each receiver over time, shape [receiver, time].
    pub traces: ArrayView2<'a, f32>,
    /// Time between two samples, seconds.
    pub interval: f64,
    /// What lies across, one for each receiver, metres: x, or the offset from
    /// the source. Positions that neither rise nor fall throughout are
    /// replaced by the number of the receiver, from 0.
    pub positions: Vec<f64>,
    /// Label of the axis of positions, in kilometres, e.g. "Offset (km)".
    pub across: String,
    /// Title above the panel.
    pub title: String,
    /// Percentile of |pressure|, above 0 to 100, beyond which amplitudes are
    /// clipped, e.g. 98.5.
    pub clip_percentile: f64,
}

impl GatherFigure<'_> {
    /// Draws the figure, about 1600 pixels wide.
    ///
    /// # Errors
    ///
    /// [`RenderError`] where the gather is empty, positions and traces differ
    /// in number, or the interval or the percentile is out of range.
    pub fn draw(&self) -> Result<RgbImage, RenderError> {
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
        let clip = if clip > 0.0 { clip } else { peak(self.traces) };
        let spread = Spread::new(&self.positions, &self.across);
        let last = samples.max(2) - 1;
        let frame = Frame {
            title: &self.title,
            across: spread.axis(),
            down: Axis {
                low: 0.0,
                high: last as f64 * self.interval,
                label: "Time (s)".to_owned(),
                least_step: 0.0,
                reversed: false,
            },
            aspect: Aspect::Height(HEIGHT),
            bars: vec![clip_bar(clip)],
            stars: Vec::new(),
        };
        frame.draw(|width, height| {
            let across = Taps::between(&spread.edges(width), receivers, Kernel::Cell);
            let down = Taps::spread(samples, height, Kernel::Linear);
            let scale = if clip > 0.0 { 1.0 / f64::from(clip) } else { 0.0 };
            let pixels = resample(self.traces, &across, &down);
            let pixel = |&p: &f32| colour::gather((f64::from(p) * scale) as f32);
            pixels.iter().map(pixel).collect()
        })
    }
}

/// How the receivers are spread across the panel.
struct Spread {
    /// Edges of the cells of the traces in the unit of the axis, rising: one
    /// more than there are traces.
    cells: Vec<f64>,
    /// Whether the first trace is the rightmost.
    reversed: bool,
    label: String,
    least_step: f64,
}

impl Spread {
    /// By position (metres, drawn in kilometres) where those rise or fall
    /// throughout, else by number.
    fn new(positions: &[f64], label: &str) -> Self {
        let mut sorted: Vec<f64> = positions.iter().map(|p| p / 1000.0).collect();
        let reversed = sorted.first() > sorted.last();
        if reversed {
            sorted.reverse();
        }
        let rises = sorted.windows(2).all(|pair| pair[0] <= pair[1]);
        let span = sorted.last().zip(sorted.first()).map_or(0.0, |(b, a)| b - a);
        if rises && span.is_finite() && span > 0.0 {
            return Self {
                cells: cells_around(&sorted),
                reversed,
                label: label.to_owned(),
                least_step: 0.0,
            };
        }
        Self {
            cells: (0..=positions.len()).map(|k| k as f64 - 0.5).collect(),
            reversed: false,
            label: "Receiver".to_owned(),
            least_step: 1.0,
        }
    }

    fn ends(&self) -> (f64, f64) {
        let low = self.cells.first().copied().unwrap_or(0.0);
        (low, self.cells.last().copied().unwrap_or(low + 1.0))
    }

    fn axis(&self) -> Axis {
        let (low, high) = self.ends();
        Axis { low, high, label: self.label.clone(), least_step: self.least_step, reversed: false }
    }

    /// Edges of the pixels of a panel, as places in the array of traces.
    fn edges(&self, width: usize) -> Vec<f64> {
        let (low, high) = self.ends();
        let traces = self.cells.len() - 1;
        let place = |k: usize| {
            let value = low + (high - low) * k as f64 / width as f64;
            let cell = self.cells.partition_point(|&edge| edge <= value);
            let cell = cell.clamp(1, traces) - 1;
            let (left, right) = (self.cells[cell], self.cells[cell + 1]);
            let within = if right > left { (value - left) / (right - left) } else { 0.5 };
            let place = cell as f64 + within.clamp(0.0, 1.0) - 0.5;
            if self.reversed { traces as f64 - 1.0 - place } else { place }
        };
        (0..=width).map(place).collect()
    }
}

/// Edges half way between neighbours, the outer cells centred on the first
/// and the last position.
fn cells_around(positions: &[f64]) -> Vec<f64> {
    let middles: Vec<f64> =
        positions.windows(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
    let outer = |end: Option<&f64>, middle: Option<&f64>| end.zip(middle).map(|(e, m)| 2.0 * e - m);
    let first = outer(positions.first(), middles.first());
    let last = outer(positions.last(), middles.last());
    first.into_iter().chain(middles).chain(last).collect()
}

/// The bar of the grey scale, with the clip amplitude at its ends.
fn clip_bar(clip: f32) -> ColourBar<'static> {
    let (power, unit) = power_of_ten(f64::from(clip));
    let end = f64::from(clip) / 10_f64.powi(power);
    let mut ticks = vec![(0.5, "0".to_owned())];
    if clip > 0.0 {
        let places = if end < 1.0 { 3 } else { 2 };
        ticks.extend([(0.0, number(-end, places)), (1.0, number(end, places))]);
    }
    ColourBar {
        label: format!("Pressure{unit}"),
        ticks,
        colour: Box::new(|share| colour::gather(2.0 * share as f32 - 1.0)),
    }
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
        .draw()
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
    fn positions_that_make_no_axis_fall_back_to_numbers() {
        for positions in [
            vec![3.0],
            vec![5.0, 5.0],
            vec![0.0, 20.0, 10.0],
            vec![0.0, f64::NAN, 10.0],
            vec![0.0, f64::INFINITY],
        ] {
            let spread = Spread::new(&positions, "Offset (km)");
            assert_eq!(spread.label, "Receiver", "{positions:?}");
            assert_eq!(spread.edges(10).len(), 11);
        }
        let falling = Spread::new(&[2000.0, 0.0, -1000.0], "Offset (km)");
        assert_eq!(falling.label, "Offset (km)");
        assert_eq!(falling.cells, [-1.5, -0.5, 1.0, 3.0]);
        // Pixels half a kilometre wide; the first trace is the rightmost.
        let edges = falling.edges(9);
        assert_eq!((edges[0], edges[2], edges[5], edges[9]), (2.5, 1.5, 0.5, -0.5));
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
            assert!(bad.draw().is_err());
        }
    }
}
