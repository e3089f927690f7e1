//! A shot gather as wiggles: each trace a line that swings to the right where the pressure is positive,
//! its positive half filled (variable area).

use image::RgbImage;
use ndarray::Axis as Dim;

use super::RenderError;
use super::axes::{Axis, number, power_of_ten};
use super::canvas::Canvas;
use super::colour::{Colour, LOUD, WHITE};
use super::frame::{Aspect, Frame, LEAST};
use super::gather::{GatherFigure, HEIGHT};
use super::panel::{Kernel, Taps, resample};
use super::shape::Pen;
use super::size::FigureSize;
use super::spread::Spread;

/// Least distance of two traces, dots: closer ones are a grey blur.
const APART: u32 = 16;
/// Farthest that a trace swings, in distances of two traces.
const FARTHEST: f64 = 1.5;
/// Width of the line of a trace, dots.
const LINE: f64 = 1.6;
const INK: Colour = [20; 3];

/// A shot gather as wiggles: time down, receivers across, of evenly spaced traces as many as are told
/// apart, which the title says.
#[derive(Clone, Debug)]
pub struct WiggleFigure<'a> {
    /// The gather. Amplitudes at its clip swing by the distance of two traces.
    pub gather: GatherFigure<'a>,
}

impl WiggleFigure<'_> {
    /// The least size, dots of 1/150 inch across and down.
    pub const LEAST: (u32, u32) = LEAST;

    /// Draws the figure.
    ///
    /// # Errors
    ///
    /// As [`GatherFigure::draw`].
    pub fn draw(&self, size: FigureSize) -> Result<RgbImage, RenderError> {
        let gather = &self.gather;
        let clip = gather.clip()?;
        let traces = gather.traces.nrows();
        let every = every(traces, size.width());
        let shown: Vec<usize> = (0..traces).step_by(every).collect();
        let all = Spread::new(&gather.positions, &gather.across);
        let places = shown.iter().map(|&k| all.places[k]).collect();
        // Half the distance of two traces that are shown is free at either end.
        let Axis { label, least_step, .. } = all.axis();
        let few = Spread::at(places, &label);
        let across = Axis { least_step, label, ..few.axis() };
        let places: Vec<f64> = few.places.iter().map(|&place| across.share(place)).collect();
        let title = format!("{}{}{}", gather.title, each(every), swing(clip, shown.len()));
        let frame = Frame {
            title: &title,
            across,
            down: gather.time(),
            aspect: Aspect::Height(HEIGHT),
            bars: Vec::new(),
            stars: Vec::new(),
            dots: Vec::new(),
            rings: Vec::new(),
        };
        let values = gather.traces.select(Dim(0), &shown);
        frame.draw(size, |width, height| {
            let across: Vec<f64> = (0..=shown.len()).map(|k| k as f64 - 0.5).collect();
            let across = Taps::between(&across, shown.len(), Kernel::Cell);
            let down = Taps::spread(values.ncols(), height, Kernel::Linear);
            let rows = resample(values.view(), &across, &down);
            // A single trace has the frame beside it, half the width away.
            let apart = width as f64 / shown.len().max(2) as f64;
            let gain = if clip > 0.0 { apart / f64::from(clip) } else { 0.0 };
            let farthest = FARTHEST * apart;
            let mut panel = RgbImage::from_pixel(width as u32, height as u32, image::Rgb(WHITE));
            // The font is known to load: the frame has measured its title.
            if let Ok(mut canvas) = Canvas::scaled(&mut panel, size.scale()) {
                for (trace, place) in rows.columns().into_iter().zip(&places) {
                    let base = place * width as f64;
                    let swings =
                        trace.iter().map(|&p| (f64::from(p) * gain).clamp(-farthest, farthest));
                    draw_trace(&mut canvas, base, apart, &swings.collect::<Vec<_>>());
                }
            }
            panel.pixels().map(|pixel| pixel.0).collect()
        })
    }
}

/// Draws a trace, whose swings are given for each row of pixels, about a line `base` pixels from the left.
fn draw_trace(canvas: &mut Canvas<'_>, base: f64, apart: f64, swings: &[f64]) {
    let ink = (INK[0], INK[1], INK[2]);
    for (row, &swing) in swings.iter().enumerate() {
        let row = row as i32;
        if swing.is_nan() {
            for x in (base - apart / 2.0) as i32..=(base + apart / 2.0) as i32 {
                canvas.blend(x, row, (LOUD[0], LOUD[1], LOUD[2]), 1.0);
            }
            continue;
        }
        let end = base + swing.max(0.0);
        for x in base.floor() as i32..end.ceil() as i32 {
            let cover = end.min(f64::from(x) + 1.0) - base.max(f64::from(x));
            canvas.blend(x, row, ink, cover.clamp(0.0, 1.0));
        }
    }
    let scale = canvas.scale();
    let pen = Pen { colour: INK, width: LINE, dashed: false };
    let point = |(row, swing): (usize, &f64)| ((base + swing) / scale, (row as f64 + 0.5) / scale);
    let points: Vec<_> = swings.iter().enumerate().map(point).collect();
    for run in points.split(|point| point.0.is_nan()) {
        pen.draw(canvas, run);
    }
}

/// Every how many traces one is shown in a figure of so many dots across.
fn every(traces: usize, width: u32) -> usize {
    traces.div_ceil((width / APART).max(1) as usize).max(1)
}

/// Which traces are shown, for the title.
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

/// How far a pressure swings where so many traces are shown, for the title.
fn swing(clip: f32, shown: usize) -> String {
    let (power, unit) = power_of_ten(f64::from(clip), "Pa");
    let clip = f64::from(clip) / 10_f64.powi(power);
    let times = if power == 0 { " " } else { " x " };
    let apart = format!("{}{times}{unit}", number(clip, 2));
    match (clip > 0.0, shown) {
        (false, _) => String::new(),
        (true, 1) => format!("; the frame is {apart} from the trace"),
        (true, _) => format!("; traces are {apart} apart"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn drawn(traces: &Array2<f32>, size: FigureSize) -> Result<RgbImage, RenderError> {
        WiggleFigure {
            gather: GatherFigure {
                traces: traces.view(),
                interval: 0.002,
                positions: (0..traces.nrows()).map(|k| 25.0 * k as f64).collect(),
                across: "Offset (km)".to_owned(),
                title: String::new(),
                clip_percentile: 100.0,
            },
        }
        .draw(size)
    }

    #[test]
    fn as_many_traces_are_shown_as_are_told_apart() {
        assert_eq!([1, 100, 101, 675, 2000].map(|n| every(n, 1600)), [1, 1, 2, 7, 20]);
        assert_eq!(every(675, 600), 19);
        let said = [1, 2, 3, 7, 11, 12, 21, 113].map(each);
        let words = ["", "2nd", "3rd", "7th", "11th", "12th", "21st", "113th"];
        for (said, word) in said.iter().zip(words) {
            assert_eq!(said.contains(" trace"), !word.is_empty());
            assert!(said.contains(word), "{said}");
        }
    }

    /// Dark pixels left and right of the middle of a panel of one trace.
    fn ink(image: &RgbImage) -> (usize, usize) {
        // Inside the frame, which spans most of the figure.
        let dark = |x: u32, y: u32| image.get_pixel(x, y).0[0] < 100;
        let inner = 400..image.height() - 300;
        let frame: Vec<u32> =
            (0..image.width()).filter(|&x| inner.clone().all(|y| dark(x, y))).collect();
        let (left, right) = (frame[1] + 2, frame[frame.len() - 2] - 2);
        let middle = u32::midpoint(left, right);
        let count = |x: std::ops::Range<u32>| {
            inner
                .clone()
                .flat_map(|y| x.clone().map(move |x| (x, y)))
                .filter(|&(x, y)| dark(x, y))
                .count()
        };
        (count(left..middle - 3), count(middle + 3..right))
    }

    #[test]
    fn peaks_are_filled_to_the_right_and_troughs_are_lines() -> Result<(), RenderError> {
        let wave = |sign: f32| {
            Array2::from_shape_fn((1, 400), |(_, t)| {
                sign * (0.5 - (t as f32 / 30.0).cos().powi(2)).max(0.0)
            })
        };
        let (left, right) = ink(&drawn(&wave(1.0), FigureSize::default())?);
        assert!(right > 20_000 && left < 500, "{left} {right}");
        let (left, right) = ink(&drawn(&wave(-1.0), FigureSize::default())?);
        assert!(left > 1000 && left < 20_000 && right < 500, "{left} {right}");
        Ok(())
    }

    /// Its largest amplitudes are at the frame, and not beyond it.
    #[test]
    fn a_single_trace_swings_as_far_as_its_frame() -> Result<(), RenderError> {
        let wave = Array2::from_shape_fn((1, 400), |(_, t)| (t as f32 / 60.0).sin());
        let image = drawn(&wave, FigureSize::default())?;
        // Rows in which the fill reaches the frame on the right.
        let dark = |x: u32, y: u32| image.get_pixel(x, y).0[0] < 100;
        let inner = 100..image.height() - 200;
        let right = (0..image.width()).rfind(|&x| inner.clone().all(|y| dark(x, y)));
        let inside = right.expect("a frame") - 8;
        let reached = inner.clone().filter(|&y| dark(inside, y)).count();
        assert!((1..inner.len() / 8).contains(&reached), "{reached} of {}", inner.len());
        assert_eq!(swing(0.5, 1), "; the frame is 0.50 Pa from the trace");
        assert_eq!(swing(0.05, 2), "; traces are 5.00 x 10⁻² Pa apart");
        assert_eq!(swing(0.0, 1), "");
        Ok(())
    }

    #[test]
    fn gathers_of_all_sizes_draw() -> Result<(), RenderError> {
        let small = FigureSize::new(Some((600, 450)), 150.0)?;
        for shape in [(1, 1), (1, 2), (2, 1), (3, 2), (3000, 4), (2, 3000)] {
            for value in [0.0, f32::NAN, 1e38] {
                let traces = Array2::from_elem(shape, value);
                for size in [FigureSize::default(), small] {
                    let image = drawn(&traces, size)?;
                    let loud = image.pixels().any(|p| p.0 == LOUD);
                    assert_eq!(loud, value.is_nan(), "{shape:?} {value}");
                }
            }
        }
        assert!(drawn(&Array2::zeros((0, 4)), small).is_err());
        Ok(())
    }
}
