//! Reflectivity over two-way time and over its model: the pictures of exploding reflectors.

use image::RgbImage;

use super::gather::GatherFigure;
use super::quantity::REFLECTIVITY;
use super::size::FigureSize;
use super::snapshot::SnapshotFigure;
use super::{Figure, RenderError};

/// A zero-offset section: two-way time down, x across.
#[derive(Clone, Debug)]
pub struct SectionFigure<'a> {
    /// The section as a gather, whose values are reflectivity.
    pub gather: GatherFigure<'a>,
}

/// Reflectivity over its velocity model: blue below zero, red above.
#[derive(Clone, Debug)]
pub struct ReflectivityFigure<'a> {
    /// The map as a wavefield, whose values are reflectivity.
    pub map: SnapshotFigure<'a>,
}

impl Figure for SectionFigure<'_> {
    fn title(&self) -> &str {
        &self.gather.title
    }

    fn draw(&self, size: FigureSize) -> Result<RgbImage, RenderError> {
        self.gather.draw_of(REFLECTIVITY, "Two-way time (s)", size)
    }
}

impl Figure for ReflectivityFigure<'_> {
    fn title(&self) -> &str {
        &self.map.title
    }

    fn draw(&self, size: FigureSize) -> Result<RgbImage, RenderError> {
        self.map.draw_of(REFLECTIVITY, size)
    }
}
