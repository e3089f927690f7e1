//! The pictures of the manual are not stale: those that the commands of its pages have just drawn
//! are compared with those that are kept.

use image::RgbImage;
use std::path::Path;

/// Pictures below the folder of all pages, and their places below docs/images.
const PAGES: &str = include_str!("../../docs/images/pages.txt");
/// How far a colour may be from the kept one, of 255: engines differ by rounding.
const COLOUR: u8 = 16;
/// The part of the pixels that may be farther: a digit of a label may round the other way, and the
/// arrow of a colour bar is more.
const PART: f64 = 0.0002;

/// The number of compared pictures, and those that are stale.
pub fn compare(drawn: &Path) -> (usize, Vec<String>) {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/images");
    let all = PAGES.lines().filter_map(|line| line.split_once(' '));
    // Movies repeat the colours of pictures.
    let pictures: Vec<_> = all.filter(|(from, _)| from.ends_with(".png")).collect();
    let stale = |(from, to): &(&str, &str)| {
        let far = match (read(&drawn.join(from)), read(&kept.join(to))) {
            (Ok(new), Ok(old)) => difference(&new, &old),
            (Err(why), _) | (_, Err(why)) => return Some(why),
        };
        (far > PART).then(|| {
            format!(
                "docs/images/{to} is stale: {:.3} % of its pixels are not as its page draws them, and {:.2} % may be; \
                 run `cargo xtask figures pages`",
                100.0 * far,
                100.0 * PART
            )
        })
    };
    (pictures.len(), pictures.iter().filter_map(stale).collect())
}

fn read(path: &Path) -> Result<RgbImage, String> {
    let picture = image::open(path).map_err(|why| format!("{}: {why}", path.display()))?;
    Ok(picture.to_rgb8())
}

/// The part of the pixels with another colour; all of them if the sizes differ.
fn difference(new: &RgbImage, old: &RgbImage) -> f64 {
    if new.dimensions() != old.dimensions() {
        return 1.0;
    }
    let apart = |(a, b): &(&image::Rgb<u8>, &image::Rgb<u8>)| {
        a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > COLOUR)
    };
    let far = new.pixels().zip(old.pixels()).filter(apart).count();
    far as f64 / (new.width() * new.height()).max(1) as f64
}

/// Tests the test: a label that moved, another size, and rounding.
#[test]
fn a_changed_picture_is_stale() {
    let white = RgbImage::from_pixel(100, 100, image::Rgb([255; 3]));
    let with = |pixels: u32, colour: u8| {
        let mut picture = white.clone();
        (0..pixels).for_each(|k| picture.put_pixel(k % 100, k / 100, image::Rgb([colour; 3])));
        picture
    };
    assert_eq!(difference(&with(10_000, 240), &white), 0.0, "rounding");
    assert!(difference(&with(2, 0), &white) <= PART, "a few pixels");
    assert!(difference(&with(3, 0), &white) > PART, "a mark");
    assert!(difference(&RgbImage::new(100, 99), &white) > PART, "another size");
}
