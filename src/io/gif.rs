//! Pictures as an animated GIF, for what does not show APNG.

use image::{
    Delay, DynamicImage, Frame, RgbImage,
    codecs::gif::{GifEncoder, Repeat},
};
use std::time::Duration;

/// How hard the 256 colours of each picture are chosen, 1 (best) to 30 (fastest).
const SPEED: i32 = 10;

/// An animated GIF that takes its pictures one by one.
pub struct Animation<'a> {
    encoder: GifEncoder<&'a mut Vec<u8>>,
    delay: Delay,
}

impl<'a> Animation<'a> {
    /// Of `rate` pictures a second (a GIF counts in hundredths of a second), over and over, written to `bytes`.
    pub fn new(bytes: &'a mut Vec<u8>, rate: u16) -> Self {
        let mut encoder = GifEncoder::new_with_speed(bytes, SPEED);
        encoder.set_repeat(Repeat::Infinite).expect("a header is written to memory");
        let delay =
            Delay::from_saturating_duration(Duration::from_secs(1) / u32::from(rate.max(1)));
        Animation { encoder, delay }
    }

    /// Takes the next picture, of at most 65,535 pixels along a side.
    pub fn push(&mut self, picture: &RgbImage) {
        let picture = DynamicImage::ImageRgb8(picture.clone()).into_rgba8();
        let written = self.encoder.encode_frame(Frame::from_parts(picture, 0, 0, self.delay));
        written.expect("figures are far smaller than a GIF may be, and are written to memory");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{AnimationDecoder, Rgb, codecs::gif::GifDecoder};
    use std::io::Cursor;

    #[test]
    fn pictures_come_back_in_their_order_and_time() {
        let grey = |k: u8| RgbImage::from_pixel(6, 4, Rgb([60 * k; 3]));
        let mut bytes = Vec::new();
        let mut animation = Animation::new(&mut bytes, 10);
        (0..3).for_each(|k| animation.push(&grey(k)));
        drop(animation);
        let decoder = GifDecoder::new(Cursor::new(&bytes)).expect("a GIF");
        let frames = decoder.into_frames().collect_frames().expect("frames");
        assert_eq!(frames.len(), 3);
        for (k, frame) in (0..).zip(&frames) {
            assert_eq!(frame.delay().numer_denom_ms(), (100, 1));
            assert!(frame.buffer().pixels().all(|p| p.0 == [60 * k, 60 * k, 60 * k, 255]));
        }
    }
}
