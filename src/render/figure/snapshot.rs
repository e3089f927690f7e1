//! A wavefield over its velocity model.

use ndarray::ArrayView2;

use crate::{
    Backdrop, Extent, Plane, RenderError,
    canvas::Drawing,
    colour_range::peak,
    frame::{Frame, LEAST},
    marks::Marks,
    quantity::Quantity,
    size::FigureSize,
    wave_paint::{Wave, wave_scale},
};

/// A wavefield over its velocity model.
///
/// Pressure (or another quantity) is blue below zero and red above, transparent where small; the
/// model lies beneath in grey, slow velocities light and fast ones dark.
#[derive(Clone, Debug)]
pub struct SnapshotFigure<'a> {
    /// The plane shown.
    pub plane: Plane,
    /// Pressure at each node, Pa, or another quantity; shape [across, down] by the plane's axes:
    /// [x, z], [y, z] or [x, y].
    pub wavefield: ArrayView2<'a, f32>,
    /// The quantity of the field.
    pub quantity: Quantity,
    /// Velocity at each node, m/s; shape of the wavefield.
    pub velocity: ArrayView2<'a, f32>,
    /// Shared by figures of the same model, which is then resampled once.
    pub backdrop: Backdrop,
    /// Pressure at the ends of the colours, Pa; by default chosen for this wavefield.
    pub largest: Option<f32>,
    /// Positions of the first and last node, metres.
    pub extent: Extent,
    /// Title above the panel, e.g. "builtin:salt, step 500, t = 1.000 s".
    pub title: String,
    /// Sources, receivers and results drawn over it, metres.
    pub marks: Marks,
}

impl SnapshotFigure<'_> {
    /// Draws the figure.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if an array is empty, the shapes differ, the extent is reversed or not
    /// finite, or the size is too small.
    pub fn drawing(&self, size: FigureSize) -> Result<Drawing, RenderError> {
        RenderError::if_unlike("wavefield", self.wavefield, self.velocity)?;
        let [wavefield, velocity] = [self.wavefield, self.velocity].map(|v| self.plane.upright(v));
        let largest = self.largest.unwrap_or_else(|| wave_scale(wavefield));
        let wave = Wave::new(self.quantity, largest, velocity, size.look().colours);
        let wave = wave.clipping(peak(wavefield) > largest).over(&self.backdrop);
        let frame = Frame::of_plane(&self.title, self.plane, self.extent, wave.bars())?;
        frame.draw(size, LEAST, |canvas, panel| {
            canvas.paint(panel, |width, height| wave.paint(wavefield, velocity, width, height));
            if !size.look().bare {
                self.marks.draw(canvas, panel, frame.axes());
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Picture;
    use crate::testing::{drawn, is_loud, reds, refused};
    use ndarray::Array2;

    /// A snapshot with a source at a corner, and one that is nowhere.
    fn scene<'a>(
        wavefield: &'a Array2<f32>,
        velocity: &'a Array2<f32>,
        (x, z): (f64, f64),
    ) -> SnapshotFigure<'a> {
        SnapshotFigure {
            plane: Plane::Xz,
            wavefield: wavefield.view(),
            quantity: Quantity::PRESSURE,
            velocity: velocity.view(),
            backdrop: Backdrop::default(),
            largest: None,
            extent: Extent { across: (0.0, x), down: (0.0, z) },
            title: "test".to_owned(),
            marks: Marks { sources: vec![(0.0, 0.0), (f64::NAN, 1.0)], ..Marks::default() },
        }
    }

    /// A field over velocities that increase with depth.
    fn shown(wavefield: &Array2<f32>, extent: (f64, f64)) -> Picture {
        let velocity = Array2::from_shape_fn(wavefield.dim(), |(_, z)| 1500.0 + z as f32);
        drawn(&scene(wavefield, &velocity, extent))
    }

    #[test]
    fn a_field_of_zeros_shows_the_model_and_its_marks() {
        let image = shown(&Array2::zeros((30, 10)), (290.0, 90.0));
        let blue = |p: &[u8; 3]| p[2] > p[0].saturating_add(20);
        assert!(!image.pixels().iter().any(blue) && !is_loud(&image) && image.width() == 1600);
        let (wavefield, velocity) = (Array2::zeros((30, 10)), Array2::from_elem((30, 10), 1500.0));
        let marked = |sources, found| {
            let marks = Marks { sources, found, ..Marks::default() };
            drawn(&SnapshotFigure { marks, ..scene(&wavefield, &velocity, (290.0, 90.0)) })
        };
        let (at, bare) = (vec![(100.0, 50.0)], marked(Vec::new(), Vec::new()));
        let (star, ring) = (marked(at.clone(), Vec::new()), marked(Vec::new(), at));
        assert!(star != bare && ring != bare && ring != star);
    }

    #[test]
    fn not_finite_values_are_loud() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut field = Array2::zeros((30, 10));
            field[(15, 5)] = bad;
            assert!(is_loud(&shown(&field, (290.0, 90.0))));
            assert!(is_loud(&shown(&Array2::from_elem((4, 4), bad), (3.0, 3.0))));
        }
    }

    #[test]
    fn odd_shapes_and_sizes_draw() {
        for (shape, extent) in [
            ((1, 1), (0.0, 0.0)),
            ((1, 50), (0.0, 500.0)),
            ((50, 1), (500.0, 0.0)),
            ((2, 2), (1e-6, 1e9)),
            ((2, 2), (1e9, 1e-6)),
            ((3, 3), (f64::MIN_POSITIVE, f64::MAX)),
        ] {
            for value in [1e-40, 1e38] {
                let image = shown(&Array2::from_elem(shape, value), extent);
                assert!(image.width() <= 1600 && image.height() <= 1400);
            }
        }
    }

    #[test]
    fn empty_and_unequal_arrays_are_refused() {
        let (none, wide, high) =
            (Array2::zeros((0, 5)), Array2::zeros((2, 3)), Array2::zeros((3, 2)));
        let refused = |wavefield, velocity| refused(&scene(wavefield, velocity, (1.0, 1.0)));
        assert!(matches!(refused(&none, &none), RenderError::Empty { rows: 0, columns: 5, .. }));
        assert!(matches!(refused(&wide, &high), RenderError::Shape { .. }));
    }

    #[test]
    fn a_map_has_y_upward() {
        let velocity = Array2::from_elem((40, 40), 1500.0);
        let height = |y: usize| {
            let mut field = Array2::zeros((40, 40));
            field.column_mut(y).fill(1.0);
            let (plane, marks) = (Plane::Xy, Marks::default());
            let scene = scene(&field, &velocity, (390.0, 390.0));
            let reds = reds(&drawn(&SnapshotFigure { plane, marks, ..scene }));
            reds.iter().map(|(_, y)| f64::from(*y)).sum::<f64>() / reds.len() as f64
        };
        assert!(height(35) + 300.0 < height(5));
    }
}
