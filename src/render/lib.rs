//! Figures of a run: a wavefield over its velocity model, three planes of a volume, a shot gather
//! in grey or as wiggles, a velocity model. Charts of numbers: bars and curves.
//!
//! Each figure is a plain struct of its data with a `draw` method that returns an
//! [`Picture`](crate::picture::Picture) of a [`FigureSize`]; the caller writes the file. By default figures are
//! about 1600 pixels wide, with text that stays legible at half that size. The font is part of the
//! program, so a figure is the same on every machine.
//!
//! Field values that are not finite are drawn in magenta, a colour of no map here, so that an
//! unstable run is visible; a chart returns an error for them.

#![warn(unreachable_pub)]

mod axes;
mod backdrop;
mod canvas;
mod colour;
mod colour_range;
mod error;
mod figure;
mod font;
mod frame;
mod gain;
mod legend;
mod look;
mod marker;
mod marks;
mod on_screen;
mod plane;
mod quantity;
mod raster;
mod receiver_axis;
mod resampling;
mod sample_axis;
mod scale;
mod size;
#[cfg(test)]
mod testing;
mod text;
mod title;
mod vector;
mod wave_paint;

pub use backdrop::Backdrop;
pub use canvas::Drawing;
pub use colour_range::VelocityRange;
pub use error::RenderError;
pub use figure::{
    Across, Bar, BarFigure, BarRow, ChartFigure, Curve, CurveFigure, Dots, Figure, FocusFigure,
    GatherFigure, Line, ModelFigure, Outline, PageFigure, Planes, Series, SeriesKind,
    SnapshotFigure, ThreePlaneFigure, TimelineFigure, TimelineLane, WiggleFigure, model_figure,
};
pub use gain::Gain;
pub use look::Look;
pub use marks::Marks;
pub use on_screen::{gather_pixels, model_greys, wave_colours, wave_share};
pub use plane::{Extent, Plane};
pub use quantity::Quantity;
pub use sample_axis::SampleAxis;
pub use size::{FigureSize, LeastSize};
pub use wave_paint::wave_scale;

use huygens_numbers::{conditioning, grid, model, picture};
