//! Pictures as PNG.

use image::{
    ImageEncoder, RgbImage,
    codecs::png::{CompressionType, FilterType, PngEncoder},
};

/// The bytes of a PNG file.
pub fn bytes(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Adaptive)
        .write_image(picture, picture.width(), picture.height(), image::ExtendedColorType::Rgb8)
        .expect("writing a picture of its own size to memory does not fail");
    bytes
}
