//! Three planes through a wavefield in a volume, as seismic volumes are looked at.

use image::RgbImage;
use ndarray::{Array1, Array2, ArrayView2, ArrayView3, Axis as Dim};
use plotters::style::Color as _;
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::DrawingBackend;

use super::axes::{Axis, number};
use super::canvas::Canvas;
use super::colour::{Colour, velocity};
use super::frame::{
    ColourBar, Drawn, LINE, MARGIN, Place, SPACING, TICK_GAP, TICK_LENGTH, at, mark, outline,
    scale_below, scale_beside, tick,
};
use super::marker::{draw_ring, draw_star};
use super::model::paint_model;
use super::quantity::PRESSURE;
use super::range::bounds;
use super::size::{FIGURE, FigureSize};
use super::text::{INK, LABEL, TICK, TITLE, shorten, style, width};
use super::velocity::velocity_bar;
use super::view_layout::{LEAST, Layout};
use super::wave::{Wave, wave_scale};
use super::{Extent, Plane, RenderError};
use crate::grid::{Axes, Position};

/// Length of a dash of a cross-hair and of the gap after it, dots.
const DASH: (u32, u32) = (12, 9);
/// How dark a cross-hair is.
const CROSS_HAIR: f64 = 0.6;

/// Three planes through a volume, which meet in one node.
#[derive(Clone, Copy, Debug)]
pub struct Planes<'a> {
    /// The plane z = const, shape [x, y].
    pub map: ArrayView2<'a, f32>,
    /// The plane y = const, shape [x, z].
    pub inline: ArrayView2<'a, f32>,
    /// The plane x = const, shape [y, z].
    pub crossline: ArrayView2<'a, f32>,
}

impl<'a> Planes<'a> {
    /// Those of a volume of shape [y, x, z] through a node.
    ///
    /// # Errors
    ///
    /// [`RenderError`] where the volume is empty or the node outside.
    pub fn of(volume: ArrayView3<'a, f32>, at: Axes<usize>) -> Result<Self, RenderError> {
        let (ny, nx, nz) = volume.dim();
        RenderError::if_empty("volume", (nx * ny, nz))?;
        inside(at, Axes { z: nz, x: nx, y: ny })?;
        Ok(Self {
            map: volume.index_axis_move(Dim(2), at.z).reversed_axes(),
            inline: volume.index_axis_move(Dim(0), at.y),
            crossline: volume.index_axis_move(Dim(1), at.x),
        })
    }

    /// Nodes of the volume along each axis, where the planes agree on them.
    fn nodes(&self) -> Option<Axes<usize>> {
        let (x, y) = self.map.dim();
        let z = self.inline.ncols();
        (self.inline.dim() == (x, z) && self.crossline.dim() == (y, z)).then_some(Axes { z, x, y })
    }

    fn shapes(&self) -> Vec<usize> {
        [self.map, self.inline, self.crossline]
            .iter()
            .flat_map(|plane| plane.shape().to_vec())
            .collect()
    }

    /// A plane as [across, down] with the rows as they are drawn.
    fn drawn(&self, plane: Plane) -> ArrayView2<'a, f32> {
        match plane {
            Plane::Xz => self.inline,
            Plane::Yz => self.crossline,
            Plane::Xy => {
                let mut map = self.map;
                map.invert_axis(Dim(1));
                map
            }
        }
    }
}

/// Refuses planes that do not cut a volume of so many nodes.
fn inside(at: Axes<usize>, n: Axes<usize>) -> Result<(), RenderError> {
    for (axis, node, nodes) in [('x', at.x, n.x), ('y', at.y, n.y), ('z', at.z, n.z)] {
        if node >= nodes {
            return Err(RenderError::Plane { axis, node, nodes });
        }
    }
    Ok(())
}

/// Three planes through a wavefield in a volume, over the velocity model it
/// runs through: a map on top, the section along x below it, and the section
/// along y beside that. Dashed lines show where the planes cut each other.
#[derive(Clone, Debug)]
pub struct ThreePlaneFigure<'a> {
    /// Pressure at each node, Pa; without it the model is shown by itself.
    pub wavefield: Option<Planes<'a>>,
    /// Velocity at each node, shapes as the wavefield's, m/s.
    pub velocity: Planes<'a>,
    /// Pressure at the ends of the colours, Pa; by itself what suits this wavefield.
    pub largest: Option<f32>,
    /// Between nodes, metres.
    pub spacing: Axes<f64>,
    /// The nodes along x, y and z through which the planes go.
    pub at: Axes<usize>,
    /// Title above the panels.
    pub title: String,
    /// Sources, metres, marked with a star on each plane; those outside of the
    /// volume are left out.
    pub sources: Vec<Position>,
    /// Sources that were found, likewise, marked with a ring.
    pub found: Vec<Position>,
}

/// A plane ready to draw.
struct Panel<'a> {
    wavefield: Option<ArrayView2<'a, f32>>,
    velocity: ArrayView2<'a, f32>,
    across: Axis,
    down: Axis,
    caption: String,
    /// Where the other planes cut it, in kilometres across and down.
    cuts: (f64, f64),
    /// Sources in kilometres across and down.
    stars: Vec<(f64, f64)>,
    /// Sources that were found, likewise.
    rings: Vec<(f64, f64)>,
}

impl ThreePlaneFigure<'_> {
    /// The least size, dots of 1/150 inch across and down.
    pub const LEAST: (u32, u32) = LEAST;

    /// Draws the figure.
    ///
    /// # Errors
    ///
    /// [`RenderError`] where the volume is empty, the shapes differ, a plane
    /// lies outside, the spacing is not finite, or the size is too small.
    pub fn draw(&self, size: FigureSize) -> Result<RgbImage, RenderError> {
        size.check(LEAST)?;
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
        RenderError::if_empty("velocity", (nodes.x * nodes.y, nodes.z))?;
        inside(self.at, nodes)?;
        let panel = |plane| self.panel(plane, nodes);
        let panels = [panel(Plane::Xy)?, panel(Plane::Xz)?, panel(Plane::Yz)?];
        // One range of colours for the three.
        let velocities = together(panels.iter().map(|panel| panel.velocity));
        let paint = match self.wavefield {
            None => Paint::Model(bounds(velocities.view())),
            Some(_) => {
                let waves = together(panels.iter().filter_map(|panel| panel.wavefield));
                let largest = self.largest.unwrap_or_else(|| wave_scale(waves.view()));
                Paint::Wave(Wave::new(largest, velocities.view()))
            }
        };

        let [map, inline, _] = &panels;
        let length = Axes { z: inline.down.length(), x: map.across.length(), y: map.down.length() };
        let mut ruler = RgbImage::new(1, 1);
        let layout = Layout::new(length, left(&Canvas::new(&mut ruler)?, [map, inline]), size);
        let places = [layout.map, layout.inline, layout.crossline];
        let mut image = size.blank(layout.width, layout.height);
        for (panel, place) in panels.iter().zip(places) {
            let place = place.scaled(size.scale());
            let (width, height) = (place.width as usize, place.height as usize);
            place.fill(&mut image, &paint.pixels(panel, width, height));
        }
        let mut canvas = Canvas::scaled(&mut image, size.scale())?;
        // The canvas itself never fails.
        let _: Drawn = self.surround(&mut canvas, &panels, &layout, &paint);
        Ok(image)
    }

    /// Arrays, axes and captions of a plane.
    fn panel(&self, plane: Plane, nodes: Axes<usize>) -> Result<Panel<'_>, RenderError> {
        let Axes { z: nz, x: nx, y: ny } = nodes;
        let (h, node) = (self.spacing, self.at);
        let last = |n: usize, h: f64| (0.0, (n - 1) as f64 * h);
        let ends = Axes { z: last(nz, h.z), x: last(nx, h.x), y: last(ny, h.y) };
        let km = |n: usize, h: f64| n as f64 * h / 1000.0;
        let cut = Axes { z: km(node.z, h.z), x: km(node.x, h.x), y: km(node.y, h.y) };
        let (name, through, extent, cuts) = match plane {
            Plane::Xy => ("Map, z", cut.z, (ends.x, ends.y), (cut.x, cut.y)),
            Plane::Xz => ("Section, y", cut.y, (ends.x, ends.z), (cut.x, cut.z)),
            Plane::Yz => ("Section, x", cut.x, (ends.y, ends.z), (cut.y, cut.z)),
        };
        let place = |at: &Position| match plane {
            Plane::Xy => (at.x / 1000.0, at.y / 1000.0),
            Plane::Xz => (at.x / 1000.0, at.z / 1000.0),
            Plane::Yz => (at.y / 1000.0, at.z / 1000.0),
        };
        let inside = |at: &&Position| {
            let within = |value: f64, (low, high): (f64, f64)| (low..=high).contains(&value);
            within(at.x, ends.x) && within(at.y, ends.y) && within(at.z, ends.z)
        };
        let marks = |places: &[Position]| places.iter().filter(inside).map(place).collect();
        let (across, down) = plane.axes(Extent { across: extent.0, down: extent.1 })?;
        Ok(Panel {
            wavefield: self.wavefield.map(|field| field.drawn(plane)),
            velocity: self.velocity.drawn(plane),
            across,
            down,
            caption: format!("{name} = {} km", number(through, 3)),
            cuts,
            stars: marks(&self.sources),
            rings: marks(&self.found),
        })
    }

    /// Draws all that stands around and over the panels.
    fn surround(
        &self,
        canvas: &mut Canvas<'_>,
        panels: &[Panel<'_>; 3],
        layout: &Layout,
        paint: &Paint,
    ) -> Drawn {
        let title = shorten(canvas, &self.title, TITLE, layout.width - 2 * MARGIN);
        let centred = style(TITLE, HPos::Center, VPos::Top);
        canvas.draw_text(&title, &centred, at(layout.width / 2, layout.title))?;

        let places = [layout.map, layout.inline, layout.crossline];
        for (panel, place) in panels.iter().zip(places) {
            cross_hairs(canvas, panel, place)?;
            outline(canvas, place)?;
            let axes = (&panel.across, &panel.down);
            mark(canvas, place, axes, &panel.stars, draw_star);
            mark(canvas, place, axes, &panel.rings, draw_ring);
            let above = style(TICK, HPos::Left, VPos::Bottom);
            canvas.draw_text(&panel.caption, &above, at(place.left, place.top - 8))?;
        }
        let [map, inline, crossline] = panels;
        for (panel, place) in [(map, layout.map), (inline, layout.inline)] {
            scale_beside(canvas, place, &down_ticks(panel, place.height), &panel.down.label)?;
        }
        for (panel, place) in [(inline, layout.inline), (crossline, layout.crossline)] {
            let most = (place.width / SPACING.0).max(2) as usize;
            scale_below(canvas, place, &panel.across.ticks(most), &panel.across.label)?;
        }
        // The shared axes have their numbers once, and ticks on every panel.
        for (share, _) in down_ticks(inline, layout.inline.height) {
            let place = layout.crossline;
            let y = place.top + (share * f64::from(place.height)).round() as u32;
            tick(canvas, (place.left - TICK_LENGTH, y), (place.left, y))?;
        }
        for (bar, place) in paint.bars().iter().zip(layout.bars) {
            bar.draw(canvas, place)?;
        }
        Ok(())
    }
}

/// What colours the panels.
enum Paint {
    /// A wavefield over grey.
    Wave(Wave),
    /// The model by itself, from its slowest velocity to its fastest.
    Model((f32, f32)),
}

impl Paint {
    /// The pixels of a panel, row by row.
    fn pixels(&self, panel: &Panel<'_>, width: usize, height: usize) -> Vec<Colour> {
        match (self, panel.wavefield) {
            (Paint::Wave(wave), Some(wavefield)) => {
                wave.paint(wavefield, panel.velocity, width, height)
            }
            (Paint::Wave(Wave { range, .. }) | Paint::Model(range), _) => {
                paint_model(panel.velocity, *range, width, height)
            }
        }
    }

    fn bars(&self) -> Vec<ColourBar<'_>> {
        match self {
            Paint::Wave(wave) => wave.bars(PRESSURE),
            Paint::Model(range) => vec![velocity_bar(*range, velocity)],
        }
    }
}

/// All the values of three planes.
fn together<'a>(planes: impl Iterator<Item = ArrayView2<'a, f32>>) -> Array2<f32> {
    let values: Array1<f32> = planes.flatten().copied().collect();
    values.insert_axis(Dim(0))
}

fn down_ticks(panel: &Panel<'_>, height: u32) -> Vec<(f64, String)> {
    panel.down.ticks((height / SPACING.1).max(2) as usize)
}

/// Dots that the scales beside the panels take.
fn left(ruler: &Canvas<'_>, panels: [&Panel<'_>; 2]) -> u32 {
    let ticks = panels.into_iter().flat_map(|panel| down_ticks(panel, FIGURE));
    let widest = ticks.map(|(_, text)| width(ruler, &text, TICK)).max().unwrap_or(0);
    let left = MARGIN + LABEL as u32 + 14 + widest + TICK_GAP + TICK_LENGTH;
    left.min(FIGURE / 4)
}

/// Dashed lines where the other planes cut a panel.
fn cross_hairs(canvas: &mut Canvas<'_>, panel: &Panel<'_>, place: Place) -> Drawn {
    let ink = INK.mix(CROSS_HAIR).stroke_width(LINE);
    let (across, down) = panel.cuts;
    let x = place.left + (panel.across.share(across) * f64::from(place.width)).round() as u32;
    let y = place.top + (panel.down.share(down) * f64::from(place.height)).round() as u32;
    let dashes = |from: u32, length: u32| {
        let dash = move |start: u32| (from + start, from + (start + DASH.0).min(length) - 1);
        (0..length).step_by((DASH.0 + DASH.1) as usize).map(dash)
    };
    for (first, last) in dashes(place.top, place.height) {
        canvas.draw_line(at(x, first), at(x, last), &ink)?;
    }
    for (first, last) in dashes(place.left, place.width) {
        canvas.draw_line(at(first, y), at(last, y), &ink)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::colour::LOUD;
    use super::*;
    use ndarray::Array3;

    fn drawn(field: &Array3<f32>, at: Axes<usize>, h: f64) -> Result<RgbImage, RenderError> {
        let velocity = Array3::from_shape_fn(field.dim(), |(y, x, z)| (1500 + x + y + z) as f32);
        ThreePlaneFigure {
            wavefield: Some(Planes::of(field.view(), at)?),
            velocity: Planes::of(velocity.view(), at)?,
            largest: None,
            spacing: Axes { z: h, x: h, y: 2.0 * h },
            at,
            title: "test".into(),
            sources: vec![Axes { z: 0.0, x: h, y: h }, Axes { z: f64::NAN, x: 0.0, y: 0.0 }],
            found: Vec::new(),
        }
        .draw(FigureSize::default())
    }

    #[test]
    fn volumes_of_all_shapes_draw() -> Result<(), RenderError> {
        for n in [(1, 1, 1), (2, 1, 1), (1, 300, 2), (300, 2, 1), (2, 3, 300), (40, 50, 30)] {
            for value in [0.0, 1e-40, 1e38] {
                let image = drawn(&Array3::from_elem(n, value), Axes::default(), 10.0)?;
                assert!(image.width() <= FIGURE && image.height() <= 1500);
            }
        }
        Ok(())
    }

    #[test]
    fn each_plane_shows_its_own_part_of_the_field() -> Result<(), RenderError> {
        let at = Axes { z: 4, x: 5, y: 6 };
        let quiet = drawn(&Array3::zeros((12, 10, 8)), at, 10.0)?;
        // A node on one plane only, on each in turn, and on none.
        for (node, shows) in
            [((6, 2, 2), true), ((2, 5, 2), true), ((2, 2, 4), true), ((2, 2, 2), false)]
        {
            let mut field = Array3::zeros((12, 10, 8));
            field[node] = 1.0;
            assert_eq!(drawn(&field, at, 10.0)? != quiet, shows, "{node:?}");
        }
        Ok(())
    }

    #[test]
    fn not_finite_values_are_loud() -> Result<(), RenderError> {
        let mut field = Array3::zeros((12, 10, 8));
        field[(6, 2, 2)] = f32::NAN;
        let image = drawn(&field, Axes { z: 4, x: 5, y: 6 }, 10.0)?;
        assert!(image.pixels().any(|p| p.0 == LOUD));
        Ok(())
    }

    #[test]
    fn a_model_by_itself_is_coloured() -> Result<(), RenderError> {
        let velocity = Array3::from_shape_fn((12, 10, 8), |(y, x, z)| (1500 + x + y + z) as f32);
        let (spacing, at) = (Axes { z: 5.0, x: 5.0, y: 5.0 }, Axes { z: 4, x: 5, y: 6 });
        let (title, sources, velocity) =
            (String::new(), Vec::new(), Planes::of(velocity.view(), at)?);
        let (wavefield, largest, found) = (None, None, Vec::new());
        let alone =
            ThreePlaneFigure { wavefield, velocity, largest, spacing, at, title, sources, found };
        let image = alone.draw(FigureSize::default())?;
        let coloured = image.pixels().filter(|p| p.0[0].abs_diff(p.0[2]) > 40).count();
        assert!(coloured > 100_000, "{coloured}");
        // What was found is ringed, in the volume alone.
        let ringed = |at: f64| {
            let found = vec![Axes { z: 20.0, x: at, y: 30.0 }];
            ThreePlaneFigure { found, ..alone.clone() }.draw(FigureSize::default())
        };
        assert!(ringed(25.0)? != image && ringed(2500.0)? == image);
        Ok(())
    }

    #[test]
    fn planes_outside_and_empty_volumes_are_refused() {
        let field = Array3::zeros((3, 4, 5));
        let refused = drawn(&field, Axes { z: 5, x: 0, y: 0 }, 1.0);
        assert!(matches!(refused, Err(RenderError::Plane { axis: 'z', node: 5, nodes: 5 })));
        let refused = drawn(&Array3::zeros((0, 4, 5)), Axes::default(), 1.0);
        assert!(matches!(refused, Err(RenderError::Empty { .. })));
        assert!(drawn(&field, Axes::default(), f64::NAN).is_err());
    }
}
