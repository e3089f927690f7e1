//! The kinds of figures, their interface, and what only they use.
//!
//! To add a kind of picture: a file here with a struct of its data, `LEAST` (its least size) and
//! `draw`; its `mod`, `pub use` and line of `figures!` here, and its name in `src/render/lib.rs`.
//! Lengths are in dots, 150 to the inch; a `Canvas` has so many pixels a dot.

mod bars;
mod curves;
mod focus;
mod gather;
mod model;
mod snapshot;
mod three_plane_layout;
mod three_planes;
mod timeline;
mod wiggle;

pub use bars::{Bar, BarFigure, BarRow};
pub use curves::{Across, Curve, CurveFigure, Line};
pub use focus::{FocusFigure, Outline};
pub use gather::GatherFigure;
pub use model::{Dots, ModelFigure, model_figure};
pub use snapshot::SnapshotFigure;
pub use three_planes::{Planes, ThreePlaneFigure};
pub use timeline::{TimelineFigure, TimelineLane};
pub use wiggle::WiggleFigure;

use crate::picture::Picture;

use super::{FigureSize, RenderError};

/// What all kinds of figures have in common.
pub trait Figure: Send + Sync {
    /// The text above the figure.
    fn title(&self) -> &str;

    /// Draws it.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if the content cannot be drawn, or not at that size.
    fn draw(&self, size: FigureSize) -> Result<Picture, RenderError>;
}

impl Figure for WiggleFigure<'_> {
    fn title(&self) -> &str {
        &self.gather.title
    }

    fn draw(&self, size: FigureSize) -> Result<Picture, RenderError> {
        WiggleFigure::draw(self, size)
    }
}

macro_rules! figures {
    ($($figure:ty),+ $(,)?) => {$(
        impl Figure for $figure {
            fn title(&self) -> &str {
                &self.title
            }

            fn draw(&self, size: FigureSize) -> Result<Picture, RenderError> {
                <$figure>::draw(self, size)
            }
        }
    )+};
}

figures![
    BarFigure,
    CurveFigure,
    FocusFigure<'_>,
    GatherFigure<'_>,
    ModelFigure<'_>,
    SnapshotFigure<'_>,
    ThreePlaneFigure<'_>,
    TimelineFigure,
];
