//! The interface of all figures.

use image::RgbImage;

use super::{
    BarFigure, CurveFigure, FigureSize, FocusFigure, GatherFigure, ModelFigure, RenderError,
    SnapshotFigure, ThreePlaneFigure, TimelineFigure, WiggleFigure,
};

/// A figure of any kind.
pub trait Figure: Send + Sync {
    /// Its title.
    fn title(&self) -> &str;

    /// Draws it.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if the content cannot be drawn, or not at that size.
    fn draw(&self, size: FigureSize) -> Result<RgbImage, RenderError>;
}

impl Figure for WiggleFigure<'_> {
    fn title(&self) -> &str {
        &self.gather.title
    }

    fn draw(&self, size: FigureSize) -> Result<RgbImage, RenderError> {
        WiggleFigure::draw(self, size)
    }
}

macro_rules! figures {
    ($($figure:ty),+ $(,)?) => {$(
        impl Figure for $figure {
            fn title(&self) -> &str {
                &self.title
            }

            fn draw(&self, size: FigureSize) -> Result<RgbImage, RenderError> {
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
