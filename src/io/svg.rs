//! Pictures of shapes as SVG: letters are outlines, so that they look the same everywhere; fields are
//! images.

use super::png::{self, About};
use crate::picture::{Shape, Step, VectorPicture};
use base64::{Engine, prelude::BASE64_STANDARD};
use svg::{
    Document, Node,
    node::element::{Description, Image, Path, Title, path::Data},
};

/// The bytes of a file.
pub fn bytes(picture: &VectorPicture, about: &About) -> Vec<u8> {
    let (width, height) = (picture.width, picture.height);
    let mut document = Document::new()
        .set("width", format!("{width}pt"))
        .set("height", format!("{height}pt"))
        .set("viewBox", (0, 0, width, height))
        .add(Title::new(about.title.as_str()))
        .add(Description::new().add(svg::node::Text::new(format!(
            "{}; {}",
            png::software(),
            about.command
        ))));
    let all = svg::node::element::Rectangle::new().set("fill", "white");
    document.append(all.set("width", width).set("height", height));
    for shape in &picture.shapes {
        match shape {
            Shape::Image { place: [left, top, width, height], picture } => {
                let png = BASE64_STANDARD.encode(png::bytes(picture, &About::default()));
                document.append(
                    Image::new()
                        .set("x", *left)
                        .set("y", *top)
                        .set("width", *width)
                        .set("height", *height)
                        .set("preserveAspectRatio", "none")
                        .set("href", format!("data:image/png;base64,{png}")),
                );
            }
            Shape::Outline { colour: [red, green, blue], path } => {
                let data = path.iter().fold(Data::new(), |data, step| match *step {
                    Step::Move(to) => data.move_to(short(&to)),
                    Step::Line(to) => data.line_to(short(&to)),
                    Step::Quadratic(by) => data.quadratic_curve_to(short(by.as_flattened())),
                    Step::Cubic(by) => data.cubic_curve_to(short(by.as_flattened())),
                    Step::Close => data.close(),
                });
                let fill = format!("#{red:02x}{green:02x}{blue:02x}");
                document.append(Path::new().set("fill", fill).set("d", data));
            }
        }
    }
    let mut bytes = Vec::new();
    svg::write(&mut bytes, &document).expect("writing to memory does not fail");
    bytes
}

/// Coordinates to a hundredth of a point.
fn short(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|number| ((number * 100.0).round() / 100.0) as f32).collect()
}
