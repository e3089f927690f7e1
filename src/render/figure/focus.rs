//! Focus maps of backpropagated waves, over the velocity model.

use ndarray::ArrayView2;

use crate::{
    Extent, Plane, RenderError,
    axes::AxisPair,
    canvas::{Drawing, Pen, Place},
    colour::BLACK,
    colour_range::peak,
    frame::{Frame, LEAST},
    legend::Key,
    marks::{ELLIPSE, Mark, Marks},
    size::{FigureSize, LeastSize},
    wave_paint::Wave,
};

/// An ellipse, d^T M^-1 d = 1 about its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outline {
    /// Centre (horizontal, vertical), metres.
    pub middle: (f64, f64),
    /// Horizontal half-width, metres: the root of M's first diagonal element.
    pub across: f64,
    /// Vertical half-width, metres: the root of M's second diagonal element.
    pub down: f64,
    /// Off-diagonal element of M, metres squared.
    pub both: f64,
}

/// The line of an ellipse, and the dark one beneath it, which leaves a star there as it is.
const LINE: Pen = Pen { colour: ELLIPSE, width: 2.5, dashed: false };
const HALO: Pen = Pen { colour: BLACK, width: 5.5, ..LINE };

impl Outline {
    /// Points around the ellipse, with some overlap at the end.
    fn places(&self) -> impl Iterator<Item = (f64, f64)> {
        // The columns of the Cholesky factor of M.
        let both = self.both / self.across.max(f64::MIN_POSITIVE);
        let rest = (self.down.powi(2) - both.powi(2)).max(0.0).sqrt();
        (0..=97).map(move |k| {
            let (sin, cos) = (2.0 * std::f64::consts::PI * f64::from(k) / 96.0).sin_cos();
            (self.middle.0 + self.across * cos, self.middle.1 + both * cos + rest * sin)
        })
    }
}

/// A focus map over the velocity model: the largest amplitude or energy of a field at each node,
/// red over the model in grey, with the sources found and, if known, the true ones.
#[derive(Clone, Debug)]
pub struct FocusFigure<'a> {
    /// The plane shown.
    pub plane: Plane,
    /// Value at each node, as a fraction of the largest; shape [across, down] by the plane's axes.
    pub map: ArrayView2<'a, f32>,
    /// Velocity at each node, m/s; shape of the map.
    pub velocity: ArrayView2<'a, f32>,
    /// Positions of the first and last node, metres.
    pub extent: Extent,
    /// Title above the panel.
    pub title: String,
    /// Label of the map, such as "Largest |p| / peak".
    pub label: String,
    /// Sources, receivers and results drawn over it, metres.
    pub marks: Marks,
    /// Extents of the foci.
    pub ellipses: Vec<Outline>,
}

impl FocusFigure<'_> {
    /// Minimum size.
    pub const LEAST: LeastSize = LEAST;

    /// Draws the figure.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if an array is empty, the shapes differ, the extent is reversed or not
    /// finite, or the size is too small.
    pub(crate) fn drawing(&self, size: FigureSize) -> Result<Drawing, RenderError> {
        RenderError::if_unlike("focus map", self.map, self.velocity)?;
        let [map, velocity] = [self.map, self.velocity].map(|values| self.plane.upright(values));
        let wave = Wave::of_focus(velocity).clipping(peak(map) > 1.0);
        let bars = wave.focus_bars(&self.label);
        let mut frame = Frame::of_plane(&self.title, self.plane, self.extent, bars)?;
        if !size.look().bare {
            frame.keys = keys(&self.marks, &self.ellipses);
        }
        frame.draw(size, LEAST, |canvas, panel| {
            canvas.paint(panel, |width, height| wave.paint(map, velocity, width, height));
            if !size.look().bare {
                self.marks.draw(canvas, panel, frame.axes());
                // Over a star, which may lie on a small focus.
                draw_ellipses(canvas, panel, frame.axes(), &self.ellipses);
            }
        })
    }
}

/// The legend of the marks of a focus map.
pub(super) fn keys<T>(marks: &Marks<T>, ellipses: &[Outline]) -> Vec<(Key, &'static str)> {
    let star = if marks.found.is_empty() { Mark::Star } else { Mark::OpenStar };
    let keys = [
        (marks.found.is_empty(), Mark::Ring, "found"),
        (ellipses.is_empty(), Mark::Ellipse, "its focus"),
        (marks.sources.is_empty(), star, "the job's source"),
    ];
    let given = keys.into_iter().filter(|(missing, ..)| !missing);
    given.map(|(_, mark, name)| (Key::OnImage(mark), name)).collect()
}

/// Draws outlines on a panel.
pub(super) fn draw_ellipses(
    canvas: &mut Drawing,
    panel: Place,
    axes: AxisPair<'_>,
    ellipses: &[Outline],
) {
    let inside = |&(x, y): &(f64, f64)| {
        (panel.left..=panel.right()).contains(&x) && (panel.top..=panel.bottom()).contains(&y)
    };
    for ellipse in ellipses {
        let place = |(across, down): (f64, f64)| {
            let share = axes.across.scale.share(across / 1000.0);
            panel.at(share, axes.down.scale.share(down / 1000.0))
        };
        let places: Vec<_> = ellipse.places().map(place).collect();
        for pen in [HALO, LINE] {
            places.split(|at| !inside(at)).for_each(|run| canvas.line(run, pen));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{drawn, reds};
    use ndarray::Array2;

    fn outline(middle: (f64, f64)) -> Outline {
        Outline { middle, across: 90.0, down: 60.0, both: 2000.0 }
    }

    #[test]
    fn an_ellipse_reaches_as_far_as_its_extent() {
        let turned = outline((10.0, -5.0));
        let (a, d, both) = (90.0_f64.powi(2), 60.0_f64.powi(2), turned.both);
        let places: Vec<_> = turned.places().map(|(x, z)| (x - 10.0, z + 5.0)).collect();
        for (x, z) in &places {
            // d^T M^-1 d
            let within = (x * x * d - 2.0 * x * z * both + z * z * a) / (a * d - both * both);
            assert!((within - 1.0).abs() < 1e-9);
        }
        let farthest = |of: fn(&(f64, f64)) -> f64| places.iter().map(of).fold(0.0, f64::max);
        let (across, down) = (farthest(|at| at.0), farthest(|at| at.1));
        assert!((across - 90.0).abs() < 0.2 && (down - 60.0).abs() < 0.2, "{across} {down}");
        let closed = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).hypot(a.1 - b.1) < 1e-9;
        assert!(places.iter().zip(&places[96..]).all(closed));
    }

    #[test]
    fn the_focus_is_red_and_what_was_found_is_ringed() {
        let velocity = Array2::from_elem((40, 30), 2000.0);
        let drawn = |map: &Array2<f32>, found: Vec<(f64, f64)>| {
            drawn(&FocusFigure {
                plane: Plane::Xz,
                map: map.view(),
                velocity: velocity.view(),
                extent: Extent { across: (0.0, 390.0), down: (0.0, 290.0) },
                title: "test".into(),
                label: "Largest |p| / peak".into(),
                ellipses: found.iter().map(|at| outline(*at)).collect(),
                marks: Marks { found, ..Marks::default() },
            })
        };
        let mut map = Array2::zeros((40, 30));
        assert_eq!(reds(&drawn(&map, Vec::new())).len(), 0);
        map[[20, 10]] = 1.0;
        let (bare, ringed) = (drawn(&map, Vec::new()), drawn(&map, vec![(300.0, 200.0)]));
        assert!(reds(&bare).len() > 20);
        assert_ne!(bare, ringed, "no ring");
        assert!(ringed.height() > bare.height(), "no legend");
    }
}
