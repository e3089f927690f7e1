//! The title of a figure, on as many lines as it needs.

use super::canvas::{Drawing, Point};
use super::size::{FigureSize, LeastSize, MARGIN};
use super::text::{Style, TITLE, lines, width};

/// Distance of the lines of a title, dots.
const PITCH: f64 = 36.0;
/// Maximum number of lines.
const MOST: usize = 4;

/// A title, line by line.
pub(super) struct Title {
    lines: Vec<String>,
    /// Space that its further lines leave, dots.
    spare: f64,
}

impl Title {
    /// A title as wide as a figure. In a figure of given height further lines take the space beyond
    /// its least size.
    pub(super) fn new(text: &str, size: FigureSize, least: LeastSize) -> Self {
        let spare = size.height().map(|height| height - f64::from(least.height));
        Self::within(text, size.width(), spare)
    }

    /// The same in a figure so wide, with so much space for further lines if that is limited.
    pub(super) fn within(text: &str, figure: f64, spare: Option<f64>) -> Self {
        let spare = spare.unwrap_or(f64::INFINITY).max(0.0);
        let most = 1 + (spare / PITCH).min((MOST - 1) as f64) as usize;
        let lines = lines(text, TITLE, figure - 2.0 * MARGIN, most);
        let spare = spare - PITCH * (lines.len() - 1) as f64;
        Self { lines, spare }
    }

    /// Height beyond that of a title of one line, dots.
    pub(super) fn further(&self) -> f64 {
        PITCH * (self.lines.len() - 1) as f64
    }

    /// Height that is left for further lines below it, dots.
    pub(super) fn spare(&self) -> f64 {
        self.spare
    }

    /// Width of its widest line, dots.
    pub(super) fn width(&self) -> f64 {
        self.lines.iter().map(|line| width(line, TITLE)).fold(0.0, f64::max)
    }

    /// Draws it with its first line at a point.
    pub(super) fn draw(&self, canvas: &mut Drawing, style: Style, (x, top): Point) {
        for (k, line) in self.lines.iter().enumerate() {
            canvas.text(line, style, (x, top + PITCH * k as f64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ChartFigure, Drawing, Extent, Figure, Gain, GatherFigure, ModelFigure, PageFigure, Plane,
        Quantity, SampleAxis, Series, SeriesKind, WiggleFigure, figure::ThreePlaneFigure,
        grid::Axes, marks::Marks,
    };
    use ndarray::{Array2, Array3};

    /// 130 signs, as of a gather with a long name, a gain and a scale of its wiggles.
    const LONG: &str = "field-line-12-north-of-the-well.sgy, record 1204, band 4 to 40 Hz, gain t^2, every 3rd trace; \
                        traces are 2.34 x 10\u{207b}\u{b3} Pa apart";

    fn gather(traces: &Array2<f32>) -> GatherFigure<'_> {
        GatherFigure {
            traces: traces.view(),
            quantity: Quantity::PRESSURE,
            samples: SampleAxis::Time,
            interval: 0.004,
            positions: (0..traces.nrows()).map(|k| 25.0 * k as f64).collect(),
            across: "Offset (km)".into(),
            title: LONG.into(),
            gain: Gain::default(),
            largest: None,
            zero_line: false,
        }
    }

    /// Every text lies on its figure, and the words of the title are all there.
    fn is_whole(drawing: &Drawing, figure: &str) {
        for (text, [left, top, right, bottom]) in drawing.texts() {
            let (width, height) = drawing.size();
            let inside = left >= 0.0 && top >= 0.0;
            let inside = inside && right <= f64::from(width) && bottom <= f64::from(height);
            assert!(inside, "{figure}: {text} from {left} {top} to {right} {bottom}");
        }
        let all: Vec<_> = drawing.texts().map(|(text, _)| text).collect();
        let missing = LONG.split(' ').find(|word| !all.iter().any(|text| text.contains(word)));
        assert_eq!(missing, None, "{figure}: {all:?}");
    }

    /// In the column of a journal, 8.4 cm at 300 pixels to the inch, of given height and not.
    #[test]
    fn a_long_title_is_whole_in_a_column() {
        let (traces, velocity) =
            (Array2::from_elem((60, 80), 1.0), Array2::from_elem((60, 40), 2000.0));
        let cube = Array3::from_elem((20, 30, 20), 2000.0);
        let (at, h) = (Axes { z: 5, x: 5, y: 5 }, Axes { z: 10.0, x: 10.0, y: 10.0 });
        let model = ModelFigure {
            plane: Plane::Xz,
            quantity: Default::default(),
            velocity: velocity.view(),
            range: None,
            extent: Extent { across: (0.0, 590.0), down: (0.0, 390.0) },
            title: LONG.into(),
            marks: Marks::default(),
            dots: Vec::new(),
        };
        let planes = ThreePlaneFigure::of_model(cube.view(), at, h).expect("a model");
        let planes = ThreePlaneFigure { title: LONG.into(), ..planes };
        let points = vec![(0.0, 0.0), (1.0, 2.0)];
        let series = vec![Series { name: String::new(), kind: SeriesKind::Line, points }];
        let chart = ChartFigure { title: LONG.into(), series, ..ChartFigure::default() };
        let panel = || Box::new(GatherFigure { title: "x = 1 km".into(), ..gather(&traces) });
        let panels: Vec<Box<dyn Figure>> = vec![panel(), panel()];
        let least = GatherFigure::LEAST;
        let page = PageFigure { title: LONG.into(), panels, columns: 2, least, height: 1.1 };
        let (gather, wiggle) = (gather(&traces), WiggleFigure { gather: gather(&traces) });
        let figures: [(&str, &dyn Figure, LeastSize); 6] = [
            ("gather", &gather, GatherFigure::LEAST),
            ("wiggle", &wiggle, WiggleFigure::LEAST),
            ("model", &model, ModelFigure::LEAST),
            ("planes", &planes, ThreePlaneFigure::LEAST),
            ("chart", &chart, ChartFigure::LEAST),
            ("page", &page, PageFigure::least(2, 2, least)),
        ];
        for (name, figure, least) in figures {
            for height in [1400, 1800] {
                let size = FigureSize::new(Some((992, height)), 300.0).expect("a size");
                let drawing = figure.drawing(size.fitted(least.roomy()));
                is_whole(&drawing.unwrap_or_else(|error| panic!("{name}: {error}")), name);
            }
        }
    }
}
