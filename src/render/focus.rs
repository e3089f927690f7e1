//! Where waves that ran backward met, over the velocity model.

use image::RgbImage;
use ndarray::ArrayView2;

use super::colour::{Colour, PressureMap, grey_beneath};
use super::frame::{Aspect, ColourBar, Frame, LEAST};
use super::marker::kilometres;
use super::panel::{Kernel, Taps, resample};
use super::range::bounds;
use super::size::FigureSize;
use super::velocity::{share_of, velocity_bar};
use super::{Extent, Plane, RenderError};

/// An ellipse: where d^T M^-1 d = 1 around a middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outline {
    /// As (across, down), metres.
    pub middle: (f64, f64),
    /// Half of its extent, metres: the roots of M's diagonal.
    pub across: f64,
    /// Likewise.
    pub down: f64,
    /// M beside its diagonal, metres squared.
    pub both: f64,
}

/// Width of an ellipse's dark line, and of the light one around that, dots.
const LINE: f64 = 2.5;
const HALO: f64 = 6.0;

impl Outline {
    /// How far from the ellipse a place is, in the unit that its distances from the middle are given in.
    fn distance(&self, across: f64, down: f64, unit: f64) -> f64 {
        let (a, d, both) = (self.across.powi(2), self.down.powi(2), self.both);
        let of = (a * d - both * both).max(f64::MIN_POSITIVE);
        // Half of the gradient of d^T M^-1 d.
        let (ga, gd) = ((across * d - down * both) / of, (down * a - across * both) / of);
        let within = (across * ga + down * gd).sqrt();
        if within < 0.5 {
            return f64::INFINITY;
        }
        // By the slope of the root of d^T M^-1 d.
        (within - 1.0).abs() * within / ga.hypot(gd).max(f64::MIN_POSITIVE) / unit
    }
}

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
    /// How large the foci are.
    pub ellipses: Vec<Outline>,
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
        let down_reversed = down.reversed;
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
            dots: Vec::new(),
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
            let values = drawn(map).into_iter().zip(ground);
            let mut pixels: Vec<_> = values.map(|(v, ground)| colours.over(v, ground)).collect();
            self.outline(&mut pixels, (width, height), size.scale(), down_reversed);
            pixels
        })
    }
}

impl FocusFigure<'_> {
    /// Draws the ellipses over the pixels of a panel, of which so many make a dot.
    fn outline(
        &self,
        pixels: &mut [Colour],
        (width, height): (usize, usize),
        scale: f64,
        up: bool,
    ) {
        let Extent { across, down } = self.extent;
        let metres = |(from, to): (f64, f64), i: usize, n: usize| {
            from + (i as f64 + 0.5) / n as f64 * (to - from)
        };
        let dot = scale * (across.1 - across.0).max(1.0) / width as f64;
        for ellipse in &self.ellipses {
            for (index, pixel) in pixels.iter_mut().enumerate() {
                let (i, j) = (index % width, index / width);
                let j = if up { height - 1 - j } else { j };
                let x = metres(across, i, width) - ellipse.middle.0;
                let z = metres(down, j, height) - ellipse.middle.1;
                let reach = HALO * dot;
                if x.abs() > ellipse.across + reach || z.abs() > ellipse.down + reach {
                    continue;
                }
                match ellipse.distance(x, z, dot) {
                    far if far < 0.5 * LINE => *pixel = [20; 3],
                    far if far < 0.5 * HALO => *pixel = [255; 3],
                    _ => (),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn outline(middle: (f64, f64)) -> Outline {
        Outline { middle, across: 90.0, down: 60.0, both: 2000.0 }
    }

    #[test]
    fn an_ellipse_is_as_far_away_as_it_is() {
        let turned = outline((0.0, 0.0));
        // At the ends of its extent across the other place is both / across.
        let at = turned.both / turned.across;
        assert!(turned.distance(90.0, at, 1.0) < 1e-9);
        assert!((turned.distance(100.0, at, 1.0) - 10.0).abs() < 1.0);
        assert!(turned.distance(0.0, 0.0, 1.0) > 1e3, "its middle is not on it");
        let round = Outline { across: 50.0, down: 50.0, both: 0.0, ..turned };
        assert!((round.distance(36.0, 48.0, 2.0) - 5.0).abs() < 1e-9);
    }

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
            ellipses: found.iter().map(|at| outline(*at)).collect(),
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
