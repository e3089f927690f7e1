//! The kinds of figures, their interface, and what only they use.
//!
//! To add a kind of picture: a file here with a struct of its data, `LEAST` (its least size) and
//! `drawing`; its `mod`, `pub use` and line of `figures!` here, and its name in `src/render/lib.rs`.
//! Lengths are in dots, 150 to the inch; a `Drawing` has so many pixels a dot.

mod bars;
mod chart;
mod curves;
mod focus;
mod gather;
mod model;
mod page;
mod planes;
mod snapshot;
mod three_plane_layout;
mod three_planes;
mod timeline;
mod wiggle;

pub use bars::{Bar, BarFigure, BarRow};
pub use chart::{ChartFigure, Series, SeriesKind};
pub use curves::{Across, Curve, CurveFigure, Line};
pub use focus::{FocusFigure, Outline};
pub use gather::GatherFigure;
pub use model::{Dots, ModelFigure, model_figure};
pub use page::PageFigure;
pub use planes::Planes;
pub use snapshot::SnapshotFigure;
pub use three_planes::ThreePlaneFigure;
pub use timeline::{TimelineFigure, TimelineLane};
pub use wiggle::WiggleFigure;

use crate::picture::Picture;

use super::{Drawing, FigureSize, RenderError};

/// What all kinds of figures have in common.
pub trait Figure: Send + Sync {
    /// The text above the figure.
    fn title(&self) -> &str;

    /// Takes another text above the figure.
    fn retitle(&mut self, title: String);

    /// What it consists of.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if the content cannot be drawn, or not at that size.
    fn drawing(&self, size: FigureSize) -> Result<Drawing, RenderError>;

    /// Draws it.
    ///
    /// # Errors
    ///
    /// As [`Figure::drawing`].
    fn draw(&self, size: FigureSize) -> Result<Picture, RenderError> {
        self.drawing(size).map(|drawing| drawing.picture())
    }
}

macro_rules! figures {
    ($($figure:ty: $title:ident $(. $rest:ident)*),+ $(,)?) => {$(
        impl $figure {
            /// Draws the figure.
            ///
            /// # Errors
            ///
            /// [`RenderError`] if the content cannot be drawn, or not at that size.
            pub fn draw(&self, size: FigureSize) -> Result<Picture, RenderError> {
                Figure::draw(self, size)
            }
        }

        impl Figure for $figure {
            fn title(&self) -> &str {
                &self.$title$(.$rest)*
            }

            fn retitle(&mut self, title: String) {
                self.$title$(.$rest)* = title;
            }

            fn drawing(&self, size: FigureSize) -> Result<Drawing, RenderError> {
                <$figure>::drawing(self, size)
            }
        }
    )+};
}

figures![
    BarFigure: title,
    CurveFigure: title,
    FocusFigure<'_>: title,
    GatherFigure<'_>: title,
    ModelFigure<'_>: title,
    PageFigure<'_>: title,
    ChartFigure: title,
    SnapshotFigure<'_>: title,
    ThreePlaneFigure<'_>: title,
    TimelineFigure: title,
    WiggleFigure<'_>: gather.title,
];
