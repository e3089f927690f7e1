//! What unit tests share: pictures, and what is seen on them.

use super::{
    Figure, FigureSize, RenderError,
    canvas::Drawing,
    colour::{Colour, NOT_FINITE},
};
use crate::picture::Picture;

pub(super) const RED: Colour = [255, 0, 0];

/// A figure of the usual size.
pub(super) fn drawn(figure: &dyn Figure) -> Picture {
    figure.draw(FigureSize::default()).expect("it can be drawn")
}

/// Why a figure is not drawn.
pub(super) fn refused(figure: &dyn Figure) -> RenderError {
    figure.draw(FigureSize::default()).expect_err("it cannot be drawn")
}

/// What is painted on a ground of this size, a pixel a dot.
pub(super) fn painted(
    width: u32,
    height: u32,
    ground: Colour,
    paint: impl FnOnce(&mut Drawing),
) -> Picture {
    let mut drawing = Drawing::new((width, height), 1.0, 150.0).on(ground);
    paint(&mut drawing);
    drawing.picture()
}

/// Pixels of a colour.
pub(super) fn count(image: &Picture, colour: Colour) -> usize {
    image.pixels().iter().filter(|pixel| **pixel == colour).count()
}

/// True if values that are not finite are seen.
pub(super) fn is_loud(image: &Picture) -> bool {
    image.pixels().contains(&NOT_FINITE)
}

/// The area of [`RED`] on white, pixels.
pub(super) fn red_area(image: &Picture) -> f64 {
    image.pixels().iter().map(|p| 1.0 - f64::from(p[1]) / 255.0).sum()
}

/// Pixels of the red that large values of a wave have, in the upper 1000 rows: above the bars.
pub(super) fn reds(image: &Picture) -> Vec<(u32, u32)> {
    let reds = image.places().filter(|(_, y, p)| *y < 1000 && p[0] > 90 && p[2] < 60);
    reds.map(|(x, y, _)| (x, y)).collect()
}

/// A text that no figure has room for.
pub(super) fn endless() -> String {
    "endless ".repeat(1000)
}
