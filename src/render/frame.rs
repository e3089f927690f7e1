//! What stands around a panel: title, axes with ticks, and colour bars.

use std::convert::Infallible;

use image::RgbImage;
use plotters::style::Color;
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::{DrawingBackend, DrawingErrorKind};

use super::RenderError;
use super::axes::Axis;
use super::canvas::Canvas;
use super::colour::Colour;
use super::marker::{draw_dot, draw_ring, draw_star};
use super::size::FigureSize;
use super::text::{INK, LABEL, TICK, TITLE, shorten, style, upward, width};

/// Greatest height of a panel in a figure of no given height, dots.
const TALLEST: u32 = 1000;
/// Least width under which colour bars find room, dots.
const LEAST_CONTENT: u32 = 840;
/// The least figure with a panel, dots.
pub(super) const LEAST: (u32, u32) = (600, 450);
/// White margin at the edges, dots.
pub(super) const MARGIN: u32 = 24;
/// Height of the title with the gap below it, dots.
pub(super) const HEAD: u32 = 56;
/// Length of a tick, dots.
pub(super) const TICK_LENGTH: u32 = 9;
/// Gap between a tick and its label, dots.
pub(super) const TICK_GAP: u32 = 7;
/// Least space between two ticks, across and down, dots.
pub(super) const SPACING: (u32, u32) = (125, 58);
/// What the scale below a box takes, dots.
const AXIS: u32 = TICK_LENGTH + TICK_GAP + TICK as u32 + 12 + LABEL as u32;
/// Gap above the colour bars, dots.
const BAR_GAP: u32 = 30;
/// Height of a colour bar, dots.
pub(super) const BAR: u32 = 24;
/// Least gap between the labels of two ticks of a colour bar, dots.
const TEXT_GAP: u32 = 12;
/// Width of frame lines and ticks, dots.
pub(super) const LINE: u32 = 2;

/// How high a panel is for its width.
pub(super) enum Aspect {
    /// As many times wider than high, within limits.
    Ratio(f64),
    /// So many dots high in a figure of no given height.
    Height(u32),
}

/// A colour bar under the panel.
pub(super) struct ColourBar<'a> {
    /// What the colours show, with its unit.
    pub(super) label: String,
    /// Ticks as (share of the bar, label), ascending.
    pub(super) ticks: Vec<(f64, String)>,
    /// Colour at a share 0..=1 of the bar.
    pub(super) colour: Box<dyn Fn(f64) -> Colour + 'a>,
}

/// All that stands around a panel.
pub(super) struct Frame<'a> {
    pub(super) title: &'a str,
    pub(super) across: Axis,
    pub(super) down: Axis,
    pub(super) aspect: Aspect,
    pub(super) bars: Vec<ColourBar<'a>>,
    /// Places to mark with a dot of a colour, in the units of the axes.
    pub(super) dots: Vec<(f64, f64, Colour)>,
    /// Places to mark with a star, in the units of the axes.
    pub(super) stars: Vec<(f64, f64)>,
    /// Places to mark with a ring, likewise.
    pub(super) rings: Vec<(f64, f64)>,
}

/// A box in the figure, in dots or pixels.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) left: u32,
    pub(super) top: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Place {
    pub(super) fn right(self) -> u32 {
        self.left + self.width
    }

    pub(super) fn bottom(self) -> u32 {
        self.top + self.height
    }

    /// The same box in pixels, of which so many make a dot; one at least across and down.
    pub(super) fn scaled(self, scale: f64) -> Self {
        let pixel = |dot: u32| (f64::from(dot) * scale).round() as u32;
        let (left, top) = (pixel(self.left), pixel(self.top));
        let length = |from: u32, to: u32| pixel(to).saturating_sub(from).max(1);
        Self { left, top, width: length(left, self.right()), height: length(top, self.bottom()) }
    }

    /// Copies pixels, row by row, into the box.
    pub(super) fn fill(self, image: &mut RgbImage, pixels: &[Colour]) {
        let across = image.width();
        let rows = pixels.chunks_exact(self.width.max(1) as usize);
        for (y, row) in (self.top..self.bottom()).zip(rows) {
            let start = 3 * (y * across + self.left) as usize;
            let row = row.as_flattened();
            if let Some(target) = image.get_mut(start..start + row.len()) {
                target.copy_from_slice(row);
            }
        }
    }
}

pub(super) type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl Frame<'_> {
    /// The whole figure: `paint(width, height)` gives the pixels of the
    /// panel, row by row.
    pub(super) fn draw(
        &self,
        size: FigureSize,
        paint: impl FnOnce(usize, usize) -> Vec<Colour>,
    ) -> Result<RgbImage, RenderError> {
        size.check(LEAST)?;
        let ruler = &mut RgbImage::new(1, 1);
        let ruler = Canvas::new(ruler)?;
        let (panel, figure) = self.lay_out(&ruler, size);
        let mut image = size.blank(figure.width, figure.height);
        let painted = panel.scaled(size.scale());
        painted.fill(&mut image, &paint(painted.width as usize, painted.height as usize));
        let mut canvas = Canvas::scaled(&mut image, size.scale())?;
        // The canvas itself never fails.
        let _: Drawn = self.surround(&mut canvas, panel, figure);
        Ok(image)
    }

    /// Where the panel lies, and the size of the figure.
    fn lay_out(&self, ruler: &Canvas<'_>, size: FigureSize) -> (Place, Place) {
        let widest = self.down.ticks((TALLEST / SPACING.1) as usize);
        let widest = widest.iter().map(|(_, text)| width(ruler, text, TICK)).max();
        let left = MARGIN + LABEL as u32 + 14 + widest.unwrap_or(0) + TICK_GAP + TICK_LENGTH;
        let right = MARGIN + 22;
        let left = left.min(size.width() / 3);
        let room = size.width() - right - left;
        let bars = if self.bars.is_empty() { 0 } else { BAR_GAP + BAR + AXIS };
        let top = MARGIN + HEAD;
        let below = AXIS + bars + MARGIN;
        // What a given height leaves for the panel.
        let given = size.height().map(|height| height.saturating_sub(top + below));
        let (width, height) = match self.aspect {
            Aspect::Height(height) => (room, given.unwrap_or(height)),
            Aspect::Ratio(ratio) => {
                let ratio = if ratio.is_finite() { ratio.clamp(1.0 / 6.0, 6.0) } else { 1.0 };
                let tallest = f64::from(given.unwrap_or(TALLEST));
                let width = f64::from(room).min(tallest * ratio);
                (width.round() as u32, (width / ratio).round() as u32)
            }
        };
        // A given size is filled, the panel in the middle of its room.
        let content = given.map_or(width.max(LEAST_CONTENT.min(room)), |_| room);
        let spare = given.map_or(0, |given| given.saturating_sub(height));
        let left_of = (content - width.min(content)) / 2;
        let panel = Place { left: left + left_of, top: top + spare / 2, width, height };
        let natural = Place {
            left: 0,
            top: 0,
            width: left + content + right,
            height: panel.bottom() + below,
        };
        let figure = match size.height() {
            Some(height) => Place { width: size.width(), height, ..natural },
            None => natural,
        };
        (panel, figure)
    }

    /// Draws all that stands around the panel.
    fn surround(&self, canvas: &mut Canvas<'_>, panel: Place, figure: Place) -> Drawn {
        let middle = panel.left + panel.width / 2;
        let centred = style(TITLE, HPos::Center, VPos::Top);
        let title = shorten(canvas, self.title, TITLE, figure.width - 2 * MARGIN);
        // Over the panel, or as near to that as the figure's width allows.
        let half = (width(canvas, &title, TITLE) / 2 + MARGIN).min(figure.width / 2);
        let title_at = middle.clamp(half, figure.width - half);
        // A panel that leaves room above and below takes its title with it.
        canvas.draw_text(&title, &centred, at(title_at, panel.top - HEAD))?;

        outline(canvas, panel)?;
        let ticks = self.across.ticks((panel.width / SPACING.0).max(3) as usize);
        scale_below(canvas, panel, &ticks, &self.across.label)?;
        let ticks = self.down.ticks((panel.height / SPACING.1).max(3) as usize);
        scale_beside(canvas, panel, &ticks, &self.down.label)?;

        self.draw_bars(canvas, panel, figure)?;
        let axes = (&self.across, &self.down);
        for &(across, down, colour) in &self.dots {
            mark(canvas, panel, axes, &[(across, down)], |canvas, x, y| {
                draw_dot(canvas, x, y, colour);
            });
        }
        mark(canvas, panel, axes, &self.stars, draw_star);
        mark(canvas, panel, axes, &self.rings, draw_ring);
        Ok(())
    }

    /// Draws the colour bars: one below the middle of the panel, two below
    /// its ends.
    fn draw_bars(&self, canvas: &mut Canvas<'_>, panel: Place, figure: Place) -> Drawn {
        let middle = panel.left + panel.width / 2;
        let room = 2 * (figure.width - MARGIN).saturating_sub(middle).min(middle - MARGIN);
        let content = panel.width.max(LEAST_CONTENT.min(room));
        let width = content * 43 / 100;
        let top = panel.bottom() + AXIS + BAR_GAP;
        for (k, bar) in self.bars.iter().enumerate() {
            let left = match (self.bars.len(), k) {
                (1, _) => middle - width / 2,
                (_, 0) => middle - content / 2,
                _ => middle + content / 2 - width,
            };
            let place = Place { left, top, width, height: BAR };
            bar.draw(canvas, place)?;
        }
        Ok(())
    }
}

impl ColourBar<'_> {
    /// Draws the bar with its scale below.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, place: Place) -> Drawn {
        let painted = place.scaled(canvas.scale());
        for x in 0..painted.width {
            let [r, g, b] = (self.colour)((f64::from(x) + 0.5) / f64::from(painted.width));
            for y in painted.top..painted.bottom() {
                let (x, y) = at(painted.left + x, y);
                canvas.blend(x, y, (r, g, b), 1.0);
            }
        }
        outline(canvas, place)?;
        let text = |(share, text): &(f64, String)| (*share, width(canvas, text, TICK));
        let kept = legible(&self.ticks.iter().map(text).collect::<Vec<_>>(), place.width);
        let ticks: Vec<_> = kept.map(|k| self.ticks[k].clone()).collect();
        scale_below(canvas, place, &ticks, &self.label)
    }
}

/// Which ticks of a bar, each at a share of it and with a text of some width, keep their texts apart: all of them, else
/// every second, third and so on to both sides of the middle one, which may be zero.
fn legible(ticks: &[(f64, u32)], bar: u32) -> impl Iterator<Item = usize> + use<> {
    let (count, middle) = (ticks.len(), ticks.len() / 2);
    let kept = move |every: usize| (0..count).filter(move |k| k.abs_diff(middle) % every == 0);
    let apart = |every: &usize| {
        let kept: Vec<_> = kept(*every).map(|k| ticks[k]).collect();
        kept.windows(2).all(|pair| {
            let [(from, a), (to, b)] = [pair[0], pair[1]];
            (to - from) * f64::from(bar) >= f64::from(a + b) / 2.0 + f64::from(TEXT_GAP)
        })
    };
    kept((1..count.max(2)).find(apart).unwrap_or(count.max(1)))
}

/// Marks places of a panel, in the units of its axes across and down; those outside are left out.
pub(super) fn mark(
    canvas: &mut Canvas<'_>,
    panel: Place,
    (across, down): (&Axis, &Axis),
    places: &[(f64, f64)],
    draw: impl Fn(&mut Canvas<'_>, f64, f64),
) {
    for &(x, z) in places {
        let (x, z) = (across.share(x), down.share(z));
        if (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&z) {
            let x = f64::from(panel.left) + x * f64::from(panel.width);
            let y = f64::from(panel.top) + z * f64::from(panel.height);
            draw(canvas, x, y);
        }
    }
}

/// Draws the ticks on the left of a box, their labels, and the label of the axis.
pub(super) fn scale_beside(
    canvas: &mut Canvas<'_>,
    place: Place,
    ticks: &[(f64, String)],
    label: &str,
) -> Drawn {
    let to_left = style(TICK, HPos::Right, VPos::Center);
    let mut widest = 0;
    for (share, text) in ticks {
        let y = place.top + (share * f64::from(place.height)).round() as u32;
        tick(canvas, (place.left - TICK_LENGTH, y), (place.left, y))?;
        let x = place.left - TICK_LENGTH - TICK_GAP;
        canvas.draw_text(text, &to_left, at(x, y))?;
        widest = widest.max(width(canvas, text, TICK));
    }
    let x = (place.left - TICK_LENGTH - TICK_GAP).saturating_sub(widest + 14);
    let sideways = upward(LABEL, HPos::Center, VPos::Bottom);
    canvas.draw_text(label, &sideways, at(x, place.top + place.height / 2))
}

/// Draws the ticks below a box, their labels, and the label of the axis.
pub(super) fn scale_below(
    canvas: &mut Canvas<'_>,
    place: Place,
    ticks: &[(f64, String)],
    label: &str,
) -> Drawn {
    let below = place.bottom();
    let numbers = style(TICK, HPos::Center, VPos::Top);
    for (share, text) in ticks {
        let x = place.left + (share * f64::from(place.width)).round() as u32;
        tick(canvas, (x, below), (x, below + TICK_LENGTH))?;
        canvas.draw_text(text, &numbers, at(x, below + TICK_LENGTH + TICK_GAP))?;
    }
    let y = below + TICK_LENGTH + TICK_GAP + TICK as u32 + 8;
    let centred = style(LABEL, HPos::Center, VPos::Top);
    canvas.draw_text(label, &centred, at(place.left + place.width / 2, y))
}

/// Draws the line around a box, centred on its sides.
pub(super) fn outline(canvas: &mut Canvas<'_>, place: Place) -> Drawn {
    let (left, right, top, bottom) = (place.left, place.right(), place.top, place.bottom());
    for y in [top, bottom] {
        tick(canvas, (left, y), (right, y))?;
    }
    for x in [left, right] {
        tick(canvas, (x, top), (x, bottom))?;
    }
    Ok(())
}

/// Draws a level or upright line.
pub(super) fn tick(canvas: &mut Canvas<'_>, from: (u32, u32), to: (u32, u32)) -> Drawn {
    let line = Color::stroke_width(&INK, LINE);
    canvas.draw_line(at(from.0, from.1), at(to.0, to.1), &line)
}

/// Coordinates as plotters takes them.
pub(super) fn at(x: u32, y: u32) -> (i32, i32) {
    (x as i32, y as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_bar_keeps_fewer_ticks_about_its_middle() {
        let bar = |count: usize, width: u32| {
            let tick = |k| (k as f64 / (count - 1) as f64, 50);
            legible(&(0..count).map(tick).collect::<Vec<_>>(), width).collect::<Vec<_>>()
        };
        assert_eq!(bar(5, 400), [0, 1, 2, 3, 4]);
        assert_eq!(bar(5, 220), [0, 2, 4]);
        assert_eq!(bar(7, 200), [1, 3, 5]);
        assert_eq!(bar(7, 160), [0, 3, 6]);
        assert_eq!(bar(5, 100), [2]);
        assert_eq!(legible(&[(0.5, 90)], 10).collect::<Vec<_>>(), [0]);
        assert_eq!(legible(&[], 10).count(), 0);
    }
}
