//! Where waves that ran backward met, over the velocity model.

use image::RgbImage;
use ndarray::ArrayView2;

use super::colour::{PressureMap, grey_beneath};
use super::frame::{Aspect, ColourBar, Frame, LEAST};
use super::marker::kilometres;
use super::panel::{Kernel, Taps, resample};
use super::range::bounds;
use super::size::FigureSize;
use super::velocity::{share_of, velocity_bar};
use super::{Extent, Plane, RenderError};

/// A focus map over the velocity model: the largest amplitude or energy that a field had at each node, red, over the
/// model in grey, with what was found and, where it is known, what was there.
#[derive(Clone, Debug)]
pub struct FocusFigure<'a> {
    /// Which plane it is.
    pub plane: Plane,
    /// At each node, as a part of the largest; shape [across, down] as the plane names its axes.
    pub map: ArrayView2<'a, f32>,
    /// Velocity at each node, shape as the map's, m/s.
    pub velocity: ArrayView2<'a, f32>,
    /// Positions of the first and last node, metres.
    pub extent: Extent,
    /// Title above the panel.
    pub title: String,
    /// What the map shows, such as "Largest |p| / peak".
    pub label: String,
    /// Sources that are known, as (across, down), metres, marked with a star.
    pub sources: Vec<(f64, f64)>,
    /// Sources that were found, likewise, marked with a ring.
    pub found: Vec<(f64, f64)>,
}

impl FocusFigure<'_> {
    /// The least size, dots of 1/150 inch across and down.
    pub const LEAST: (u32, u32) = LEAST;

    /// Draws the figure.
    ///
    /// # Errors
    ///
    /// [`RenderError`] where an array is empty, the shapes differ, the extent is reversed or not finite, or the size
    /// is too small.
    pub fn draw(&self, size: FigureSize) -> Result<RgbImage, RenderError> {
        RenderError::if_empty("focus map", self.map.dim())?;
        if self.map.dim() != self.velocity.dim() {
            return Err(RenderError::Shape {
                wavefield: self.map.shape().into(),
                velocity: self.velocity.shape().into(),
            });
        }
        let (across, down) = self.plane.axes(self.extent)?;
        let (mut map, mut velocity) = (self.map, self.velocity);
        if down.reversed {
            map.invert_axis(ndarray::Axis(1));
            velocity.invert_axis(ndarray::Axis(1));
        }
        let range = bounds(velocity);
        let colours = PressureMap::new(1.0);
        let grey = |share| [grey_beneath(share).round() as u8; 3];
        let bar = ColourBar {
            label: self.label.clone(),
            ticks: [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (share, format!("{share}"))).into(),
            colour: Box::new(|share| colours.over(share as f32, grey_beneath(0.25))),
        };
        let frame = Frame {
            title: &self.title,
            aspect: Aspect::Ratio(across.length() / down.length()),
            bars: vec![bar, velocity_bar(range, grey)],
            stars: kilometres(&self.sources),
            rings: kilometres(&self.found),
            across,
            down,
        };
        frame.draw(size, |width, height| {
            let drawn = |values: ArrayView2<'_, f32>| {
                let (across, down) = values.dim();
                let across = Taps::spread(across, width, Kernel::Linear);
                resample(values, &across, &Taps::spread(down, height, Kernel::Linear))
            };
            let ground = drawn(velocity).into_iter().map(|c| grey_beneath(share_of(c, range)));
            drawn(map).into_iter().zip(ground).map(|(v, ground)| colours.over(v, ground)).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn drawn(map: &Array2<f32>, found: Vec<(f64, f64)>) -> Result<RgbImage, RenderError> {
        let velocity = Array2::from_elem((40, 30), 2000.0);
        FocusFigure {
            plane: Plane::Xz,
            map: map.view(),
            velocity: velocity.view(),
            extent: Extent { across: (0.0, 390.0), down: (0.0, 290.0) },
            title: "test".into(),
            label: "Largest |p| / peak".into(),
            sources: Vec::new(),
            found,
        }
        .draw(FigureSize::default())
    }

    #[test]
    fn the_focus_is_red_and_what_was_found_is_ringed() -> Result<(), RenderError> {
        let mut map = Array2::zeros((40, 30));
        let red = |image: &RgbImage| {
            let panel = image.enumerate_rows().take(600).flat_map(|(_, row)| row);
            panel.filter(|(_, _, p)| p.0[0] > 90 && p.0[2] < 60).count()
        };
        assert_eq!(red(&drawn(&map, Vec::new())?), 0);
        map[[20, 10]] = 1.0;
        assert!(red(&drawn(&map, Vec::new())?) > 20);
        assert_ne!(drawn(&map, Vec::new())?, drawn(&map, vec![(300.0, 200.0)])?, "no ring");
        Ok(())
    }
}
