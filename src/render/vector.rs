//! A drawing as outlines and images.

use crate::picture::{Picture, Shape, Step};

use super::canvas::{Image, Part, Place, Point};
use super::colour::Colour;
use super::font;

/// The shapes of a part, with `scale` points to the dot.
pub(super) fn shapes(part: &Part, scale: f64) -> Option<Shape> {
    let at = |(x, y): Point| [x * scale, y * scale];
    match part {
        Part::Box(Place { left, top, width, height }, colour) => {
            let (right, bottom) = (left + width, top + height);
            let corners = vec![(*left, *top), (right, *top), (right, bottom), (*left, bottom)];
            outline(*colour, vec![polygon(&corners, at)])
        }
        Part::Image(Image { place, width, pixels }) => {
            let height = pixels.len() / width;
            let mut picture = Picture::filled(*width as u32, height as u32, [0; 3]);
            for (y, row) in (0..).zip(pixels.chunks_exact(*width)) {
                picture.row_mut(y).into_iter().for_each(|of| of.copy_from_slice(row));
            }
            let Place { left, top, width, height } = *place;
            let place = [left, top, width, height].map(|length| length * scale);
            Some(Shape::Image { place, picture })
        }
        Part::Polygons(polygons, colour) => {
            let is_drawn =
                |polygon: &&Vec<Point>| polygon.iter().all(|(x, y)| x.is_finite() && y.is_finite());
            let drawn = polygons.iter().filter(is_drawn);
            outline(*colour, drawn.map(|of| polygon(of, at)).collect())
        }
        Part::Text(text, style, place) => {
            let em = style.em;
            let (along, down) = style.start(text, em);
            let turned = |[x, y]: [f64; 2]| {
                let (x, y) = (x + f64::from(along), y + f64::from(down));
                let (x, y) = if style.upward { (y, -x) } else { (x, y) };
                at((place.0 + x, place.1 + y))
            };
            let steps = font::outlines(text, em).into_iter().map(|step| step.map(turned));
            outline(style.colour, vec![steps.collect()])
        }
    }
}

fn polygon(corners: &[Point], at: impl Fn(Point) -> [f64; 2]) -> Vec<Step> {
    let step = |(k, corner): (usize, &Point)| match k {
        0 => Step::Move(at(*corner)),
        _ => Step::Line(at(*corner)),
    };
    corners.iter().enumerate().map(step).chain([Step::Close]).collect()
}

fn outline(colour: Colour, parts: Vec<Vec<Step>>) -> Option<Shape> {
    let path = parts.concat();
    (!path.is_empty()).then_some(Shape::Outline { colour, path })
}
