//! A shot gather as wiggles: each trace a line that swings to the right at positive pressure, its
//! positive half filled (variable area).

use ndarray::Axis as Dim;

use super::gather::{GatherFigure, HEIGHT};
use crate::{
    RenderError,
    canvas::{Drawing, Pen, Place},
    colour::{BLACK, NOT_FINITE},
    colour_range::peak,
    frame::{Frame, LEAST},
    quantity::Quantity,
    receiver_axis::ReceiverAxis,
    resampling::{Kernel, PixelWeights, resample},
    scale::{power_of_ten, three_digits},
    size::{FigureSize, LeastSize},
};

/// Minimum trace spacing, dots: closer traces blur to grey.
const APART: f64 = 16.0;
/// Limit of a swing in trace spacings: linear up to one, then compressed.
const FARTHEST: f64 = 1.5;
/// The line of a trace.
const LINE: Pen = Pen { colour: BLACK, width: 1.6, dashed: false };

/// A shot gather as wiggles: time down, receivers across. Traces are decimated evenly to a legible
/// number, stated in the title.
#[derive(Clone, Debug)]
pub struct WiggleFigure<'a> {
    /// The gather. Amplitudes at its clip swing by one trace spacing.
    pub gather: GatherFigure<'a>,
}

impl WiggleFigure<'_> {
    /// Minimum size.
    pub const LEAST: LeastSize = LEAST;

    /// Draws the figure.
    ///
    /// # Errors
    ///
    /// As [`GatherFigure::draw`].
    pub fn drawing(&self, size: FigureSize) -> Result<Drawing, RenderError> {
        let gather = &self.gather;
        gather.check()?;
        let gained = gather.gain.apply(gather.traces, gather.interval);
        let traces = gained.nrows();
        let every = every(traces, size.width());
        // As many are left out at one end as at the other.
        let shown: Vec<usize> = ((traces - 1) % every / 2..traces).step_by(every).collect();
        let all = ReceiverAxis::new(&gather.positions, &gather.across);
        let label = all.axis().label;
        let few = ReceiverAxis::at(shown.iter().map(|&k| all.places[k]).collect(), &label);
        // The outermost traces swing as far as the others; a single one as far as the frame.
        let (alone, clip) = match shown.len() {
            1 => (true, peak(gained.view())),
            _ => (false, gather.clip(gained.view())),
        };
        let across = few.wider(if alone { 0.0 } else { FARTHEST - 0.5 });
        let gain = gather.gain.words(gather.samples);
        let swing = if gather.gain.is_none() {
            swing(clip, shown.len(), gather.quantity)
        } else {
            String::new()
        };
        let title = format!("{}{gain}{}{swing}", gather.title, each(every));
        let frame = Frame {
            title: &title,
            chart: None,
            keys: Vec::new(),
            across,
            down: gather.down(),
            aspect: HEIGHT,
            bars: Vec::new(),
        };
        let values = gained.select(Dim(0), &shown);
        frame.draw(size, LEAST, |canvas, panel| {
            let height = (panel.height * size.scale()).round().max(1.0) as usize;
            let across: Vec<f64> = (0..=shown.len()).map(|k| k as f64 - 0.5).collect();
            let across = PixelWeights::between(&across, shown.len(), Kernel::Cell);
            let down = PixelWeights::even(values.ncols(), height, Kernel::Linear);
            let rows = resample(values.view(), &across, &down);
            let room = if alone { 2.0 } else { shown.len() as f64 + 2.0 * FARTHEST - 1.0 };
            let apart = panel.width / room;
            let gain = if clip > 0.0 { 1.0 / f64::from(clip) } else { 0.0 };
            for (trace, place) in rows.columns().into_iter().zip(&few.places) {
                let base = panel.at(frame.across.scale.share(*place), 0.0).0;
                let swings = trace.iter().map(|&p| apart * soft(f64::from(p) * gain));
                draw_trace(
                    canvas,
                    Place { left: base, width: apart, ..panel },
                    &swings.collect::<Vec<_>>(),
                );
            }
        })
    }
}

/// The drawn swing, in trace spacings.
fn soft(swing: f64) -> f64 {
    let (size, rest) = (swing.abs(), FARTHEST - 1.0);
    match size > 1.0 {
        true => swing.signum() * (1.0 + rest * ((size - 1.0) / rest).tanh()),
        false => swing,
    }
}

/// Draws a trace, with a swing for each row of pixels, about the left edge of a box.
fn draw_trace(canvas: &mut Drawing, place: Place, swings: &[f64]) {
    let row = |k: usize| place.at(0.0, (k as f64 + 0.5) / swings.len() as f64).1;
    let points: Vec<_> =
        swings.iter().enumerate().map(|(k, swing)| (place.left + swing, row(k))).collect();
    for (_, y) in points.iter().filter(|point| point.0.is_nan()) {
        let place = Place { left: place.left - place.width / 2.0, top: *y, height: 1.0, ..place };
        canvas.fill_box(place, NOT_FINITE);
    }
    for run in points.split(|point| point.0.is_nan()) {
        if let (Some(first), Some(last)) = (run.first(), run.last()) {
            let swing = run.iter().map(|&(x, y)| (x.max(place.left), y));
            let ends = [(place.left, last.1), (place.left, first.1)];
            canvas.fill(&[swing.chain(ends).collect()], BLACK);
        }
        canvas.line(run, LINE);
    }
}

/// The decimation of the traces in a figure of `width` dots.
fn every(traces: usize, width: f64) -> usize {
    traces.div_ceil((width / APART).max(1.0) as usize).max(1)
}

/// The decimation in words, for the title.
fn each(every: usize) -> String {
    let ending = match (every % 10, every % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    if every > 1 { format!(", every {every}{ending} trace") } else { String::new() }
}

/// The scale of the swings with `shown` traces, for the title.
fn swing(clip: f32, shown: usize, quantity: Quantity) -> String {
    let (power, unit) = power_of_ten(f64::from(clip), quantity.unit);
    let clip_shown = three_digits(f64::from(clip) / 10_f64.powi(power));
    let times = if power == 0 { " " } else { " x " };
    let apart = format!("{clip_shown}{times}{}", unit.trim()).trim_end().to_owned();
    match (clip > 0.0, shown) {
        (false, _) => String::new(),
        (true, 1) => format!("; the frame is {apart} from the trace"),
        (true, _) => format!("; traces are {apart} apart"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Picture;
    use crate::{gain::Gain, quantity::Quantity, sample_axis::SampleAxis, testing::is_loud};
    use ndarray::Array2;
    use std::ops::Range;

    fn drawn(traces: &Array2<f32>, size: FigureSize) -> Result<Picture, RenderError> {
        WiggleFigure {
            gather: GatherFigure {
                traces: traces.view(),
                quantity: Quantity::PRESSURE,
                samples: SampleAxis::Time,
                interval: 0.002,
                positions: (0..traces.nrows()).map(|k| 25.0 * k as f64).collect(),
                across: "Offset (km)".to_owned(),
                title: String::new(),
                gain: Gain { clip: 100.0, ..Gain::default() },
                largest: None,
                zero_line: false,
            },
        }
        .draw(size)
    }

    #[test]
    fn as_many_traces_are_shown_as_are_told_apart() {
        assert_eq!([1, 100, 101, 675, 2000].map(|n| every(n, 1600.0)), [1, 1, 2, 7, 20]);
        assert_eq!(every(675, 600.0), 19);
        let words = ["2nd", "3rd", "7th", "11th", "12th", "21st", "113th"];
        for (n, word) in [2, 3, 7, 11, 12, 21, 113].into_iter().zip(words) {
            assert_eq!(each(n), format!(", every {word} trace"));
        }
        assert_eq!(each(1), "");
    }

    #[test]
    fn the_scale_of_swings_is_said() {
        for (clip, shown, quantity, said) in [
            (0.5, 1, Quantity::PRESSURE, "; the frame is 0.5 Pa from the trace"),
            (0.05, 2, Quantity::PRESSURE, "; traces are 5 x 10⁻² Pa apart"),
            (0.05, 2, Quantity::AMPLITUDE, "; traces are 5 x 10⁻² apart"),
            (0.0, 1, Quantity::PRESSURE, ""),
        ] {
            assert_eq!(swing(clip, shown, quantity), said);
        }
    }

    /// A gather of samples by trace and time, drawn; and the columns within its frame.
    fn panel(shape: (usize, usize), sample: impl Fn(usize, f32) -> f32) -> (Picture, Range<u32>) {
        let traces = Array2::from_shape_fn(shape, |(trace, time)| sample(trace, time as f32));
        let image = drawn(&traces, FigureSize::default()).expect("it can be drawn");
        let mut sides = (0..image.width()).filter(|x| ink(&image, *x) == ROWS.len());
        let (_, left) = (sides.next(), sides.next().expect("a line of two dots"));
        let right = sides.next_back().expect("a frame") - 1;
        (image, left + 1..right)
    }

    /// Rows inside of the frame.
    const ROWS: Range<u32> = 400..700;

    /// Dark pixels in a column.
    fn ink(image: &Picture, x: u32) -> usize {
        ROWS.filter(|y| image.pixel(x, *y)[0] < 100).count()
    }

    #[test]
    fn peaks_are_filled_to_the_right_and_troughs_are_lines() {
        let sides = |sign: f32| {
            let wave = |_, t: f32| sign * (0.5 - (t / 30.0).cos().powi(2)).max(0.0);
            let (image, Range { start, end }) = panel((1, 400), wave);
            let middle = u32::midpoint(start, end);
            let sum = |columns: Range<u32>| columns.map(|x| ink(&image, x)).sum::<usize>();
            [sum(start + 1..middle - 3), sum(middle + 3..end - 1)]
        };
        let ([left, right], [trough, none]) = (sides(1.0), sides(-1.0));
        assert!(right > 15_000 && left < 500, "{left} {right}");
        assert!((800..15_000).contains(&trough) && none < 500, "{trough} {none}");
    }

    /// Its largest amplitudes reach the frame but do not cross it.
    #[test]
    fn a_single_trace_swings_as_far_as_its_frame() {
        let (image, Range { end, .. }) = panel((1, 400), |_, t| (t / 60.0).sin());
        let reached = (100..image.height() - 200).filter(|y| image.pixel(end - 7, *y)[0] < 100);
        let (reached, rows) = (reached.count(), image.height() as usize - 300);
        assert!((1..rows / 8).contains(&reached), "{reached} of {rows}");
    }

    #[test]
    fn the_outermost_traces_are_drawn_whole() {
        // The first and the last swing outward by far more than the others.
        let (image, Range { start, end }) = panel((20, 200), |trace, t| match trace {
            0 => -2.0 * (t / 9.0).sin().max(0.0),
            19 => 2.0 * (t / 9.0).sin().max(0.0),
            _ => 0.01,
        });
        assert_eq!([start + 1, end - 2].map(|x| ink(&image, x)), [0, 0]);
    }

    #[test]
    fn large_swings_stay_apart_and_within_their_room() {
        let swings: Vec<f64> = (0..=40).map(|k| soft(0.1 * f64::from(k))).collect();
        assert!(swings.windows(2).all(|pair| pair[0] < pair[1]), "none is flat");
        assert_eq!((swings[5], soft(-0.5)), (0.5, -0.5));
        assert!(swings.iter().chain([&soft(1e9)]).all(|swing| *swing <= FARTHEST));
        assert!(soft(f64::NAN).is_nan());
    }

    #[test]
    fn gathers_of_all_sizes_draw() -> Result<(), RenderError> {
        let small = FigureSize::new(Some((600, 450)), 150.0)?;
        for shape in [(1, 1), (1, 2), (2, 1), (3, 2), (3000, 4), (2, 3000)] {
            for value in [0.0, f32::NAN, 1e38] {
                for size in [FigureSize::default(), small] {
                    let image = drawn(&Array2::from_elem(shape, value), size)?;
                    assert_eq!(is_loud(&image), value.is_nan(), "{shape:?} {value}");
                }
            }
        }
        assert!(drawn(&Array2::zeros((0, 4)), small).is_err());
        Ok(())
    }
}
