//! Figures of a run: a wavefield over its velocity model, three planes of a volume, a shot gather
//! in grey or as wiggles, a velocity model. Charts of numbers: bars and curves.
//!
//! Each figure is a plain struct of its data with a `draw` method that returns an
//! [`image::RgbImage`] of a [`FigureSize`]; the caller writes the file. By default figures are
//! about 1600 pixels wide, with text that stays legible at half that size. The font is part of the
//! program, so a figure is the same on every machine.
//!
//! Field values that are not finite are drawn in magenta, a colour of no map here, so that an
//! unstable run is visible; a chart returns an error for them.

mod axes;
mod bars;
mod canvas;
mod colour;
mod colour_range;
mod curves;
mod error;
mod figure;
mod focus;
mod font;
mod frame;
mod gain;
mod gaps;
mod gather;
mod legend;
mod marker;
mod marks;
mod model;
mod pixels;
mod plane;
mod quantity;
mod receiver_axis;
mod resampling;
mod scale;
mod size;
mod snapshot;
mod text;
mod three_plane_layout;
mod three_planes;
mod timeline;
mod wavefield;
mod wiggle;

pub use bars::{Bar, BarFigure, BarRow};
pub use curves::{Across, Curve, CurveFigure, Line};
pub use error::RenderError;
pub use figure::Figure;
pub use focus::{FocusFigure, Outline};
pub use gain::Gain;
pub use gather::GatherFigure;
pub use marks::Marks;
pub use model::ModelFigure;
pub use pixels::{gather_pixels, model_greys, wave_colours, wave_share};
pub use plane::{Extent, Plane};
pub use quantity::Quantity;
pub use size::FigureSize;
pub use snapshot::SnapshotFigure;
pub use three_planes::{Planes, ThreePlaneFigure};
pub use timeline::{TimelineFigure, TimelineLane};
pub use wavefield::wave_scale;
pub use wiggle::WiggleFigure;
