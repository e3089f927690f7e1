//! A velocity model, optionally with a survey over it.

use ndarray::ArrayView2;

use super::{Figure, three_planes::ThreePlaneFigure};
use crate::{
    Extent, Plane, RenderError,
    canvas::Drawing,
    colour::Colour,
    colour_range::VelocityRange,
    frame::{Frame, LEAST, model_bar},
    grid::Position,
    legend::Key,
    look::Look,
    marks::{Mark, Marks, draw_dots},
    model::{ModelQuantity, VelocityModel},
    resampling::{Kernel, fill},
    size::{FigureSize, LeastSize},
};

/// A model, from its smallest value in violet to its largest in yellow.
#[derive(Clone, Debug)]
pub struct ModelFigure<'a> {
    /// The plane shown.
    pub plane: Plane,
    /// Velocity or density.
    pub quantity: ModelQuantity,
    /// Velocity at each node, m/s, or density, kg/m3; shape [across, down] by the plane's axes.
    pub velocity: ArrayView2<'a, f32>,
    /// Values at the ends of the colours; by default the smallest and the largest.
    pub range: Option<VelocityRange>,
    /// Positions of the first and last node, metres.
    pub extent: Extent,
    /// Title above the panel.
    pub title: String,
    /// Sources, receivers and results drawn over it, metres.
    pub marks: Marks,
    /// Sets of survey positions, drawn as dots; later ones lie on top.
    pub dots: Vec<Dots>,
}

/// A set of positions of a survey.
#[derive(Clone, Debug)]
pub struct Dots {
    /// The name in the legend.
    pub name: String,
    /// The colour of the dots.
    pub colour: [u8; 3],
    /// Positions in metres, as the marks'.
    pub places: Vec<(f64, f64)>,
}

impl ModelFigure<'_> {
    /// Minimum size.
    pub const LEAST: LeastSize = LEAST;

    /// Draws the figure.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if the array is empty, the extent is reversed or not finite, or the size is
    /// too small.
    pub fn drawing(&self, size: FigureSize) -> Result<Drawing, RenderError> {
        RenderError::if_empty("velocity", self.velocity.nrows(), self.velocity.ncols())?;
        let range = self.range.unwrap_or_else(|| VelocityRange::of(self.velocity));
        let look = size.look();
        let mut frame = Frame::of_plane(
            &self.title,
            self.plane,
            self.extent,
            vec![model_bar(self.quantity, range, look.model()).with(range.beyond(self.velocity))],
        )?;
        let key = |dots: &'_ Dots| Key::OnImage(Mark::Dot(dots.colour));
        let dots = if look.bare { &[] } else { self.dots.as_slice() };
        frame.keys = dots.iter().map(|dots| (key(dots), dots.name.as_str())).collect();
        frame.draw(size, LEAST, |canvas, panel| {
            let velocity = self.plane.upright(self.velocity);
            canvas.paint(panel, |width, height| paint_model(velocity, range, width, height, look));
            let axes = frame.axes();
            for Dots { colour, places, .. } in dots {
                draw_dots(canvas, panel, axes, places, *colour);
            }
            if !look.bare {
                self.marks.draw(canvas, panel, axes);
            }
        })
    }
}

/// A figure of a whole model: of a plane, or of three planes through the middle of a volume. The range
/// is that of the colours.
///
/// # Errors
///
/// None of a model with nodes.
pub fn model_figure<'a>(
    model: &'a VelocityModel,
    quantity: ModelQuantity,
    title: String,
    range: Option<VelocityRange>,
    marks: Marks<Position>,
) -> Result<Box<dyn Figure + 'a>, RenderError> {
    let (grid, velocity) = (model.grid(), model.velocity());
    if grid.is_volume() {
        let alone = ThreePlaneFigure::of_model(velocity, grid.n.map(|n| n / 2), grid.h)?;
        return Ok(Box::new(ThreePlaneFigure { title, model: quantity, range, marks, ..alone }));
    }
    let plane = Plane::Xz;
    let (velocity, extent) = (plane.cut(velocity, 0), plane.extent(grid.last()));
    let (marks, dots) = (marks.placed(|at| Some(plane.of(*at))), Vec::new());
    Ok(Box::new(ModelFigure { plane, quantity, velocity, range, extent, title, marks, dots }))
}

/// The pixels, row by row, of velocities of shape [across, down] between the slowest and the
/// fastest.
pub(crate) fn paint_model(
    velocities: ArrayView2<'_, f32>,
    range: VelocityRange,
    width: usize,
    height: usize,
    look: Look,
) -> Vec<Colour> {
    let colour = look.model();
    let pixels = fill(velocities, width, height, Kernel::Linear);
    pixels.iter().map(|&c| colour(range.share(c))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Picture;
    use ndarray::Array2;

    fn drawn(velocity: &Array2<f32>, size: FigureSize) -> Result<Picture, RenderError> {
        let (nx, nz) = velocity.dim();
        let last = |n: usize| 20.0 * n.saturating_sub(1) as f64;
        ModelFigure {
            velocity: velocity.view(),
            range: None,
            extent: Extent { across: (0.0, last(nx)), down: (0.0, last(nz)) },
            title: "a title of a line".to_owned(),
            plane: Plane::Xz,
            quantity: ModelQuantity::Velocity,
            marks: Marks::default(),
            dots: Vec::new(),
        }
        .draw(size)
    }

    #[test]
    fn a_title_stays_with_its_panel() -> Result<(), RenderError> {
        // A flat model in a high figure, with its panel in the middle.
        let size = FigureSize::new(Some((1600, 1200)), 150.0)?;
        let figure = drawn(&Array2::from_elem((400, 20), 1500.0), size)?;
        let dark = |row: &[Colour]| row.iter().filter(|pixel| pixel[0] < 100).count();
        let first = |least| figure.rows().position(|row| dark(row) > least).expect("it is drawn");
        let (title, panel) = (first(0), first(1000));
        assert!(title > 200 && (title + 20..title + 60).contains(&panel), "{title} {panel}");
        Ok(())
    }

    #[test]
    fn models_of_all_sizes_draw() -> Result<(), RenderError> {
        let size = FigureSize::default();
        for shape in [(1, 1), (1, 9), (9, 1), (2, 200), (200, 2), (70, 50)] {
            drawn(&Array2::from_elem(shape, 1500.0), size)?;
            drawn(&Array2::from_elem(shape, f32::NAN), size)?;
            drawn(&Array2::from_shape_fn(shape, |(x, z)| (x * z) as f32), size)?;
        }
        assert!(drawn(&Array2::zeros((3, 0)), size).is_err());
        Ok(())
    }
}
