//! Three planes through a wavefield in a volume, the usual view of seismic volumes.

use crate::picture::AxisUnit;
use ndarray::{Array1, Array2, ArrayView2, ArrayView3, Axis as Dim};

use super::focus::{self, Outline, draw_ellipses};
use super::model::paint_model;
use super::planes::{Planes, inside};
use super::three_plane_layout::{Beside, LEAST, Layout};
use crate::{
    Backdrop, Plane, RenderError,
    axes::{Axis, AxisPair},
    canvas::{Drawing, Pen, Place},
    colour::Colour,
    colour_range::{VelocityRange, peak},
    frame::{ColourBar, draw_rows, draw_title, model_bar, outline},
    grid::{Axes, Position},
    legend::{KEY_HEIGHT, Row, TITLE_HEIGHT},
    look::Look,
    marks::Marks,
    model::ModelQuantity,
    quantity::Quantity,
    scale::{number, three_digits},
    size::{FigureSize, LeastSize, MARGIN},
    text::{Align, Style, TICK},
    title::Title,
    wave_paint::{Wave, wave_scale},
};

/// The lines of a cross-hair, dashed so that the field stays visible.
const CROSS_HAIR: Pen = Pen { colour: [120; 3], width: 2.0, dashed: true };

/// Three planes through a wavefield in a volume, over its velocity model: a map on top, the section
/// along x below it, and the section along y beside that. Dashed lines mark their intersections.
#[derive(Clone, Debug)]
pub struct ThreePlaneFigure<'a> {
    /// Pressure at each node, Pa, or another quantity; without it the model alone is shown.
    pub wavefield: Option<Planes<'a>>,
    /// The quantity of the wavefield.
    pub quantity: Quantity,
    /// What the model's values are.
    pub model: ModelQuantity,
    /// Velocity at each node, m/s, or density, kg/m3; shapes of the wavefield.
    pub velocity: Planes<'a>,
    /// Shared by figures of the same model, which is then resampled once.
    pub backdrop: Backdrop,
    /// Values at the ends of the colours; by default chosen for this wavefield.
    pub largest: Option<f32>,
    /// Label of a focus map in place of a wavefield: its values are fractions of the largest.
    pub focus: Option<String>,
    /// Extents of foci on the map, the section along x and that along y.
    pub ellipses: [Vec<Outline>; 3],
    /// Values at the ends of the colours of a model alone; by default the smallest and the largest.
    pub range: Option<VelocityRange>,
    /// Grid spacing, metres.
    pub spacing: Axes<f64>,
    /// The node along x, y and z at which the planes meet.
    pub at: Axes<usize>,
    /// Title above the panels.
    pub title: String,
    /// Marks in the volume, metres: sources and located sources on each plane, wherever they lie
    /// along its normal; receivers on the map.
    pub marks: Marks<Position>,
}

/// A plane ready to draw.
struct Panel<'a> {
    wavefield: Option<ArrayView2<'a, f32>>,
    velocity: ArrayView2<'a, f32>,
    across: Axis,
    down: Axis,
    caption: String,
    /// Intersections with the other planes, in kilometres across and down.
    cuts: (f64, f64),
    marks: Marks,
}

impl<'a> ThreePlaneFigure<'a> {
    /// A model alone, m/s in the shape [y, x, z], without title and marks.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if the model is empty or the node outside.
    pub(crate) fn of_model(
        velocity: ArrayView3<'a, f32>,
        at: Axes<usize>,
        spacing: Axes<f64>,
    ) -> Result<Self, RenderError> {
        Ok(Self {
            wavefield: None,
            quantity: Quantity::default(),
            model: ModelQuantity::default(),
            velocity: Planes::of(velocity, at)?,
            backdrop: Backdrop::default(),
            largest: None,
            focus: None,
            ellipses: [const { Vec::new() }; 3],
            range: None,
            spacing,
            at,
            title: String::new(),
            marks: Marks::default(),
        })
    }
}

impl ThreePlaneFigure<'_> {
    /// Minimum size.
    pub const LEAST: LeastSize = LEAST;

    /// Draws the figure.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if the volume is empty, the shapes differ, a plane lies outside, the spacing
    /// is not finite, or the size is too small.
    pub(crate) fn drawing(&self, size: FigureSize) -> Result<Drawing, RenderError> {
        size.check(LEAST)?;
        let (nodes, look) = (self.nodes()?, size.look());
        let panel = |plane| self.panel(plane, nodes, look);
        let panels = [panel(Plane::Xy)?, panel(Plane::Xz)?, panel(Plane::Yz)?];
        let paint = self.paint(&panels, look);

        let [map, inline, _] = &panels;
        let axes = Axes { z: &inline.down, x: &map.across, y: &map.down };
        let length = axes.map(|axis| axis.scale.length());
        let beside = |panel: &Panel<'_>| panel.down.beside(size.width());
        let left = beside(map).max(beside(inline)).min(size.width() / 4.0);
        let keys = match self.focus.is_some() && !look.bare {
            true => focus::keys(&self.marks, &self.ellipses[0]),
            false => Vec::new(),
        };
        let rows = Row::of(&keys, size.width() - 2.0 * MARGIN);
        let title = Title::new(&self.title, size, LEAST);
        let above = title.further() + KEY_HEIGHT * rows.len() as f64;
        let beside = Beside { left, above };
        let layout = Layout::new(length, beside, size);
        let mut drawing = size.blank(layout.width, layout.height);
        let canvas = &mut drawing;
        draw_title(canvas, &title, layout.whole(), layout.title, layout.width);
        let below = layout.title + TITLE_HEIGHT + title.further();
        draw_rows(canvas, &rows, layout.whole(), below, layout.width);
        for ((panel, place), ellipses) in panels.iter().zip(layout.panels).zip(&self.ellipses) {
            canvas.paint(place, |width, height| paint.pixels(panel, width, height));
            panel.draw(canvas, place);
            if !look.bare {
                draw_ellipses(canvas, place, panel.axes(), ellipses);
            }
        }
        draw_axes(canvas, &panels, layout.panels);
        for (bar, place) in paint.bars().iter().zip(layout.bars) {
            bar.draw(canvas, place, place.width);
        }
        Ok(drawing)
    }

    /// Nodes of the volume, if its planes agree on them.
    fn nodes(&self) -> Result<Axes<usize>, RenderError> {
        let wavefield = self.wavefield.as_ref().unwrap_or(&self.velocity);
        let nodes = match (self.velocity.nodes(), wavefield.nodes()) {
            (Some(n), Some(same)) if n == same => n,
            _ => {
                return Err(RenderError::Shape {
                    wavefield: wavefield.shapes(),
                    velocity: self.velocity.shapes(),
                });
            }
        };
        RenderError::if_empty("velocity", nodes.x * nodes.y, nodes.z)?;
        inside(self.at, nodes)?;
        Ok(nodes)
    }

    /// The colours of the panels: one range for all three.
    fn paint(&self, panels: &[Panel<'_>; 3], look: Look) -> Paint {
        let velocities = joined(panels.iter().map(|panel| panel.velocity));
        if self.wavefield.is_none() {
            let range = self.range.unwrap_or_else(|| VelocityRange::of(velocities.view()));
            return Paint::Model(range, self.model, look);
        }
        let waves = joined(panels.iter().filter_map(|panel| panel.wavefield));
        if let Some(label) = &self.focus {
            let wave = Wave::of_focus(velocities.view());
            return Paint::Focus(wave.clipping(peak(waves.view()) > 1.0), label.clone());
        }
        let largest = self.largest.unwrap_or_else(|| wave_scale(waves.view()));
        let wave = Wave::new(self.quantity, largest, velocities.view(), look.colours);
        let wave = wave.clipping(peak(waves.view()) > largest).over(&self.backdrop);
        Paint::Wave(wave)
    }

    /// Arrays, axes, caption and marks of a plane.
    fn panel(
        &self,
        plane: Plane,
        nodes: Axes<usize>,
        look: Look,
    ) -> Result<Panel<'_>, RenderError> {
        let (h, node) = (self.spacing, self.at);
        let metres = |node: Axes<usize>| Axes {
            z: node.z as f64 * h.z,
            x: node.x as f64 * h.x,
            y: node.y as f64 * h.y,
        };
        let last = metres(nodes.map(|n| n - 1));
        let cut = metres(node).map(|at| at / 1000.0);
        let (normal, through) = plane.normal(cut);
        let kind = if plane == Plane::Xy { "Map" } else { "Section" };
        let within = |at: &&Position| {
            let inside = |value: f64, last: f64| (0.0..=last).contains(&value);
            inside(at.x, last.x) && inside(at.y, last.y) && inside(at.z, last.z)
        };
        let place = |at: &Position| Some(at).filter(within).map(|at| plane.of(*at));
        let mut marks = self.marks.placed(place);
        if plane != Plane::Xy {
            marks.receivers.clear();
        }
        if look.bare {
            marks = Marks::default();
        }
        let (across, down) = plane.axes(plane.extent(last))?;
        let through = match look.unit {
            AxisUnit::Km => format!("{} km", number(through, 3)),
            AxisUnit::M => format!("{} m", three_digits(1000.0 * through)),
        };
        Ok(Panel {
            wavefield: self.wavefield.map(|field| field.drawn(plane)),
            velocity: self.velocity.drawn(plane),
            across: across.in_unit(look.unit),
            down: down.in_unit(look.unit),
            caption: format!("{kind}, {normal} = {through}"),
            cuts: plane.of(cut),
            marks,
        })
    }
}

/// The content of the panels.
enum Paint {
    /// A wavefield over grey.
    Wave(Wave),
    /// A focus map, with its label, over grey.
    Focus(Wave, String),
    /// The model alone, from its smallest value to its largest.
    Model(VelocityRange, ModelQuantity, Look),
}

impl Paint {
    /// The pixels of a panel, row by row.
    fn pixels(&self, panel: &Panel<'_>, width: usize, height: usize) -> Vec<Colour> {
        match (self, panel.wavefield) {
            (Paint::Wave(wave) | Paint::Focus(wave, _), Some(wavefield)) => {
                wave.paint(wavefield, panel.velocity, width, height)
            }
            (Paint::Wave(Wave { range, .. }) | Paint::Focus(Wave { range, .. }, _), None) => {
                paint_model(panel.velocity, *range, width, height, Look::default())
            }
            (Paint::Model(range, _, look), _) => {
                paint_model(panel.velocity, *range, width, height, *look)
            }
        }
    }

    fn bars(&self) -> Vec<ColourBar<'_>> {
        match self {
            Paint::Wave(wave) => wave.bars(),
            Paint::Focus(wave, label) => wave.focus_bars(label),
            Paint::Model(range, quantity, look) => {
                vec![model_bar(*quantity, *range, look.model())]
            }
        }
    }
}

/// All values of three planes.
fn joined<'a>(planes: impl Iterator<Item = ArrayView2<'a, f32>>) -> Array2<f32> {
    let values: Array1<f32> = planes.flatten().copied().collect();
    values.insert_axis(Dim(0))
}

impl Panel<'_> {
    fn axes(&self) -> AxisPair<'_> {
        AxisPair { across: &self.across, down: &self.down }
    }

    /// Draws the lines, the marks and the caption.
    fn draw(&self, canvas: &mut Drawing, place: Place) {
        self.draw_cross_hair(canvas, place);
        outline(canvas, place);
        self.marks.draw(canvas, place, self.axes());
        let above = Style::new(TICK, Align::Start, Align::End);
        canvas.text(&self.caption, above, (place.left, place.top - 20.0));
    }

    /// Draws dashed lines at the intersections with the other planes.
    fn draw_cross_hair(&self, canvas: &mut Drawing, place: Place) {
        let shares = (self.across.scale.share(self.cuts.0), self.down.scale.share(self.cuts.1));
        let (x, y) = place.at(shares.0, shares.1);
        canvas.line(&[(x, place.top), (x, place.bottom())], CROSS_HAIR);
        canvas.line(&[(place.left, y), (place.right(), y)], CROSS_HAIR);
    }
}

/// Draws the axes: shared ones are labelled once, with ticks on every panel.
fn draw_axes(canvas: &mut Drawing, panels: &[Panel<'_>; 3], places: [Place; 3]) {
    let [map_place, inline_place, crossline_place] = places;
    let [map, inline, crossline] = panels;
    map.down.draw_beside(canvas, map_place);
    inline.down.draw_beside(canvas, inline_place);
    crossline.down.draw_ticks_beside(canvas, crossline_place);
    inline.across.draw_below(canvas, inline_place);
    crossline.across.draw_below(canvas, crossline_place);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Picture;
    use crate::size::FIGURE;
    use crate::testing::{drawn, is_loud};
    use ndarray::Array3;

    fn model(shape: (usize, usize, usize)) -> Array3<f32> {
        Array3::from_shape_fn(shape, |(y, x, z)| (1500 + x + y + z) as f32)
    }

    /// A field over its model, with a source and one that is nowhere.
    fn shown(field: &Array3<f32>, at: Axes<usize>, h: f64) -> Result<Picture, RenderError> {
        let velocity = model(field.dim());
        ThreePlaneFigure {
            wavefield: Some(Planes::of(field.view(), at)?),
            marks: Marks {
                sources: vec![Axes { z: 0.0, x: h, y: h }, Axes { z: f64::NAN, x: 0.0, y: 0.0 }],
                ..Marks::default()
            },
            ..ThreePlaneFigure::of_model(velocity.view(), at, Axes { z: h, x: h, y: 2.0 * h })?
        }
        .draw(FigureSize::default())
    }

    #[test]
    fn volumes_of_all_shapes_draw() -> Result<(), RenderError> {
        for n in [(1, 1, 1), (2, 1, 1), (1, 300, 2), (300, 2, 1), (2, 3, 300), (40, 50, 30)] {
            for value in [0.0, 1e-40, 1e38] {
                let image = shown(&Array3::from_elem(n, value), Axes::default(), 10.0)?;
                assert!(image.width() <= FIGURE && image.height() <= 1500);
            }
        }
        Ok(())
    }

    #[test]
    fn a_focus_has_a_legend_of_what_was_found() -> Result<(), RenderError> {
        let (field, at) = (Array3::zeros((12, 10, 8)), Axes { z: 4, x: 5, y: 6 });
        let velocity = model(field.dim());
        let height = |focus: Option<&str>, found: Vec<Position>| {
            let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
            let figure = ThreePlaneFigure {
                wavefield: Some(Planes::of(field.view(), at)?),
                focus: focus.map(str::to_owned),
                marks: Marks { found, ..Marks::default() },
                ..ThreePlaneFigure::of_model(velocity.view(), at, h)?
            };
            Ok::<_, RenderError>(figure.draw(FigureSize::default())?.height())
        };
        let found = || vec![Axes { z: 40.0, x: 50.0, y: 60.0 }];
        let plain = height(Some("peak"), Vec::new())?;
        assert_eq!(height(Some("peak"), found())?, plain + KEY_HEIGHT as u32);
        assert_eq!(height(None, found())?, plain, "a wavefield has no legend");
        Ok(())
    }

    #[test]
    fn each_plane_shows_its_own_part_of_the_field() -> Result<(), RenderError> {
        let with = |node: Option<((usize, usize, usize), f32)>| {
            let mut field = Array3::zeros((12, 10, 8));
            node.into_iter().for_each(|(node, value)| field[node] = value);
            shown(&field, Axes { z: 4, x: 5, y: 6 }, 10.0)
        };
        let quiet = with(None)?;
        // A node on one plane only, on each in turn, and on none.
        for (node, shows) in
            [((6, 2, 2), true), ((2, 5, 2), true), ((2, 2, 4), true), ((2, 2, 2), false)]
        {
            assert_eq!(with(Some((node, 1.0)))? != quiet, shows, "{node:?}");
            assert_eq!(is_loud(&with(Some((node, f32::NAN)))?), shows, "{node:?}");
        }
        Ok(())
    }

    #[test]
    fn a_model_by_itself_is_coloured() -> Result<(), RenderError> {
        let velocity = model((12, 10, 8));
        let (h, at) = (Axes { z: 5.0, x: 5.0, y: 5.0 }, Axes { z: 4, x: 5, y: 6 });
        let alone = ThreePlaneFigure::of_model(velocity.view(), at, h)?;
        let image = drawn(&alone);
        let coloured = image.pixels().iter().filter(|p| p[0].abs_diff(p[2]) > 40).count();
        assert!(coloured > 100_000, "{coloured}");
        // Located sources are ringed, in the volume only.
        let ringed = |x: f64| {
            let marks = Marks { found: vec![Axes { z: 20.0, x, y: 30.0 }], ..Marks::default() };
            drawn(&ThreePlaneFigure { marks, ..alone.clone() })
        };
        assert!(ringed(25.0) != image && ringed(2500.0) == image);
        Ok(())
    }

    #[test]
    fn planes_outside_and_empty_volumes_are_refused() {
        let refused =
            |shape, at, h| shown(&Array3::zeros(shape), at, h).expect_err("it cannot be drawn");
        let outside = refused((3, 4, 5), Axes { z: 5, x: 0, y: 0 }, 1.0);
        assert_eq!(outside, RenderError::Plane { axis: 'z', node: 5, nodes: 5 });
        let empty = refused((0, 4, 5), Axes::default(), 1.0);
        assert!(matches!(empty, RenderError::Empty { .. }));
        let endless = refused((3, 4, 5), Axes::default(), f64::NAN);
        assert!(matches!(endless, RenderError::Extent { .. }));
    }
}
