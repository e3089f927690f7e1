//! A wavefield over the velocity model it runs through.

use image::RgbImage;
use ndarray::ArrayView2;

use super::axes::{Axis, decimals, number, power_of_ten, round_ticks};
use super::colour::{PressureMap, grey_beneath};
use super::frame::{Aspect, ColourBar, Frame};
use super::marker::kilometres;
use super::panel::{Kernel, Taps, resample};
use super::range::{bounds, peak, percentile};
use super::velocity::{share_of, velocity_bar};
use super::{Extent, RenderError};

/// The colours end at this percentile of |pressure| where the wave has been:
/// the few larger values near a source must not pale all the rest.
const PERCENTILE: f64 = 97.0;

/// Where |pressure| is at most this part of its peak, no wave has been.
const REACHED: f32 = 1e-2;

/// A wavefield over the velocity model it runs through.
///
/// Pressure is blue below zero and red above, transparent where it is small;
/// the model lies beneath in grey, slow rock light and fast rock dark.
#[derive(Clone, Debug)]
pub struct SnapshotFigure<'a> {
    /// Pressure at each node, shape [x, z].
    pub wavefield: ArrayView2<'a, f32>,
    /// Velocity at each node, shape [x, z] as the wavefield's, m/s.
    pub velocity: ArrayView2<'a, f32>,
    /// Positions of the first and last node, metres.
    pub extent: Extent,
    /// Title above the panel, e.g. "builtin:salt, step 500, t = 1.000 s".
    pub title: String,
    /// Sources as (x, z), metres, marked with a star; those outside of the
    /// extent are left out.
    pub sources: Vec<(f64, f64)>,
}

impl SnapshotFigure<'_> {
    /// Draws the figure, about 1600 pixels wide.
    ///
    /// # Errors
    ///
    /// [`RenderError`] where an array is empty, the shapes differ, or the
    /// extent is reversed or not finite.
    pub fn draw(&self) -> Result<RgbImage, RenderError> {
        RenderError::if_empty("wavefield", self.wavefield.dim())?;
        if self.wavefield.dim() != self.velocity.dim() {
            return Err(RenderError::Shape {
                wavefield: self.wavefield.dim().into(),
                velocity: self.velocity.dim().into(),
            });
        }
        let across = Axis::kilometres("x", self.extent.x, "x (km)")?;
        let down = Axis::kilometres("z", self.extent.z, "Depth (km)")?;
        let reached = REACHED * peak(self.wavefield);
        let largest = percentile(self.wavefield, PERCENTILE, reached);
        let map = PressureMap::new(largest);
        let range = bounds(self.velocity);
        let frame = Frame {
            title: &self.title,
            aspect: Aspect::Ratio(across.length() / down.length()),
            bars: vec![
                pressure_bar(&map, largest),
                velocity_bar(range, |share| [grey_beneath(share).round() as u8; 3]),
            ],
            stars: kilometres(&self.sources),
            across,
            down,
        };
        frame.draw(|width, height| {
            let (nx, nz) = self.wavefield.dim();
            let taps = |kernel| (Taps::spread(nx, width, kernel), Taps::spread(nz, height, kernel));
            let (x, z) = taps(Kernel::Cubic);
            let pressure = resample(self.wavefield, &x, &z);
            let (x, z) = taps(Kernel::Linear);
            let velocity = resample(self.velocity, &x, &z);
            let pixel = |(&p, &c): (&f32, &f32)| map.over(p, grey_beneath(share_of(c, range)));
            pressure.iter().zip(&velocity).map(pixel).collect()
        })
    }
}

/// The bar of the pressure map over the grey of a middling velocity.
fn pressure_bar(map: &PressureMap, largest: f32) -> ColourBar<'_> {
    let (power, unit) = power_of_ten(f64::from(largest));
    let end = f64::from(largest) / 10_f64.powi(power);
    let ticks = if largest > 0.0 {
        let (step, values) = round_ticks(-end, end, 5, 0.0);
        let label = |v: f64| ((v / end + 1.0) / 2.0, number(v, decimals(step)));
        values.into_iter().map(label).collect()
    } else {
        vec![(0.5, "0".to_owned())]
    };
    ColourBar {
        label: format!("Pressure{unit}"),
        ticks,
        colour: Box::new(move |share| {
            map.over((2.0 * share as f32 - 1.0) * largest, grey_beneath(0.25))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::colour::LOUD;
    use super::*;
    use ndarray::Array2;

    fn drawn(wavefield: &Array2<f32>, extent: Extent) -> Result<RgbImage, RenderError> {
        let velocity = Array2::from_shape_fn(wavefield.dim(), |(_, z)| 1500.0 + z as f32);
        SnapshotFigure {
            wavefield: wavefield.view(),
            velocity: velocity.view(),
            extent,
            title: "test".to_owned(),
            sources: vec![(0.0, 0.0), (f64::NAN, 1.0)],
        }
        .draw()
    }

    fn extent(x: f64, z: f64) -> Extent {
        Extent { x: (0.0, x), z: (0.0, z) }
    }

    #[test]
    fn a_field_of_zeros_shows_the_model() -> Result<(), RenderError> {
        let image = drawn(&Array2::zeros((30, 10)), extent(290.0, 90.0))?;
        assert_eq!(image.width(), 1600);
        let blue = |p: &image::Rgb<u8>| p.0[2] > p.0[0].saturating_add(20);
        assert!(!image.pixels().any(|p| blue(p) || p.0 == LOUD));
        let (wavefield, velocity) = (Array2::zeros((30, 10)), Array2::from_elem((30, 10), 1500.0));
        let marked = |sources| {
            let (wavefield, velocity) = (wavefield.view(), velocity.view());
            let (extent, title) = (extent(290.0, 90.0), String::new());
            SnapshotFigure { wavefield, velocity, extent, title, sources }.draw()
        };
        assert_ne!(marked(vec![(100.0, 50.0)])?, marked(Vec::new())?, "no star");
        Ok(())
    }

    #[test]
    fn not_finite_values_are_loud() -> Result<(), RenderError> {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut field = Array2::zeros((30, 10));
            field[(15, 5)] = bad;
            let image = drawn(&field, extent(290.0, 90.0))?;
            assert!(image.pixels().any(|p| p.0 == LOUD));
            let image = drawn(&Array2::from_elem((4, 4), bad), extent(3.0, 3.0))?;
            assert!(image.pixels().any(|p| p.0 == LOUD));
        }
        Ok(())
    }

    #[test]
    fn odd_shapes_and_sizes_draw() -> Result<(), RenderError> {
        for (shape, x, z) in [
            ((1, 1), 0.0, 0.0),
            ((1, 50), 0.0, 500.0),
            ((50, 1), 500.0, 0.0),
            ((2, 2), 1e-6, 1e9),
            ((2, 2), 1e9, 1e-6),
            ((3, 3), f64::MIN_POSITIVE, f64::MAX),
        ] {
            for value in [1e-40, 1e38] {
                let image = drawn(&Array2::from_elem(shape, value), extent(x, z))?;
                assert!(image.width() <= 1600 && image.height() <= 1400);
            }
        }
        Ok(())
    }

    #[test]
    fn empty_and_unequal_arrays_are_refused() {
        let refused = drawn(&Array2::zeros((0, 5)), extent(1.0, 1.0));
        assert!(matches!(refused, Err(RenderError::Empty { rows: 0, columns: 5, .. })));
        let figure = SnapshotFigure {
            wavefield: Array2::zeros((2, 3)).view(),
            velocity: Array2::zeros((3, 2)).view(),
            extent: extent(1.0, 1.0),
            title: String::new(),
            sources: Vec::new(),
        }
        .draw();
        assert!(matches!(figure, Err(RenderError::Shape { .. })));
    }
}
