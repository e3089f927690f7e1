//! Pictures of shapes as PDF: letters are outlines; fields are images.

use super::png::{self, About};
use crate::picture::{Picture, Shape, Step, VectorPicture};
use flate2::{Compression, write::ZlibEncoder};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, TextStr};
use std::io::Write;

/// The objects of a file before its images.
const CATALOGUE: i32 = 1;
const PAGES: i32 = 2;
const PAGE: i32 = 3;
const CONTENT: i32 = 4;
const INFO: i32 = 5;
const FIRST_IMAGE: i32 = 6;

/// The bytes of a file of one page.
pub fn bytes(picture: &VectorPicture, about: &About) -> Vec<u8> {
    let mut content = Content::new();
    // From the top left corner, y downward.
    content.transform([1.0, 0.0, 0.0, -1.0, 0.0, picture.height as f32]);
    let mut images: Vec<&Picture> = Vec::new();
    for shape in &picture.shapes {
        match shape {
            Shape::Image { place, picture } => {
                let [left, top, width, height] = place.map(|of| of as f32);
                content.save_state();
                // An image has its rows from the top of a unit square, y upward.
                content.transform([width, 0.0, 0.0, -height, left, top + height]);
                content.x_object(Name(name(images.len()).as_bytes()));
                content.restore_state();
                images.push(picture);
            }
            Shape::Outline { colour, path } => {
                let [red, green, blue] = colour.map(|of| f32::from(of) / 255.0);
                content.set_fill_rgb(red, green, blue);
                draw(&mut content, path);
                content.fill_nonzero();
            }
        }
    }
    let mut pdf = Pdf::new();
    pdf.catalog(Ref::new(CATALOGUE)).pages(Ref::new(PAGES));
    pdf.pages(Ref::new(PAGES)).kids([Ref::new(PAGE)]).count(1);
    let mut page = pdf.page(Ref::new(PAGE));
    page.media_box(Rect::new(0.0, 0.0, picture.width as f32, picture.height as f32));
    page.parent(Ref::new(PAGES)).contents(Ref::new(CONTENT));
    let mut resources = page.resources();
    let mut objects = resources.x_objects();
    for k in 0..images.len() {
        objects.pair(Name(name(k).as_bytes()), Ref::new(FIRST_IMAGE + k as i32));
    }
    objects.finish();
    resources.finish();
    page.finish();
    pdf.stream(Ref::new(CONTENT), &packed(&content.finish())).filter(Filter::FlateDecode);
    for (image, number) in images.iter().zip(FIRST_IMAGE..) {
        let pixels = packed(image.bytes());
        let mut object = pdf.image_xobject(Ref::new(number), &pixels);
        object.filter(Filter::FlateDecode);
        object.width(image.width() as i32).height(image.height() as i32).bits_per_component(8);
        object.color_space().device_rgb();
    }
    let (title, maker) = (TextStr(&about.title), png::software());
    pdf.document_info(Ref::new(INFO)).title(title).creator(TextStr(&maker));
    pdf.finish()
}

fn name(image: usize) -> String {
    format!("Image{image}")
}

/// Adds an outline. PDF has no quadratic curves: they are cubic ones.
fn draw(content: &mut Content, path: &[Step]) {
    let mut last = [0.0; 2];
    for step in path {
        match *step {
            Step::Move(to) => {
                content.move_to(to[0] as f32, to[1] as f32);
                last = to;
            }
            Step::Line(to) => {
                content.line_to(to[0] as f32, to[1] as f32);
                last = to;
            }
            Step::Quadratic([by, to]) => {
                let near = |end: [f64; 2]| [0, 1].map(|k| (end[k] + 2.0 * by[k]) / 3.0);
                cubic(content, [near(last), near(to), to]);
                last = to;
            }
            Step::Cubic(points) => {
                cubic(content, points);
                last = points[2];
            }
            Step::Close => {
                content.close_path();
            }
        }
    }
}

fn cubic(content: &mut Content, points: [[f64; 2]; 3]) {
    let [[a, b], [c, d], [e, f]] = points.map(|point| point.map(|of| of as f32));
    content.cubic_to(a, b, c, d, e, f);
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    let done = packed.write_all(bytes).and_then(|()| packed.finish());
    done.expect("writing to memory does not fail")
}
