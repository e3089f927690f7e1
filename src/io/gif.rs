//! Animated GIFs, for viewers that do not show APNG.

use crate::picture::Picture;
use gif::{Encoder, Repeat};

/// Effort of choosing the 256 colours of each picture, 1 (best) to 30 (fastest).
const SPEED: i32 = 10;

/// A compressed picture of an animation: the costly part, which can run in parallel.
pub struct Frame(gif::Frame<'static>);

impl Frame {
    /// Chooses the colours of a picture of at most 65,535 pixels along a side, and compresses it.
    pub fn new(picture: &Picture) -> Self {
        let side =
            |pixels: u32| u16::try_from(pixels).expect("figures are smaller than a GIF may be");
        let (width, height) = (side(picture.width()), side(picture.height()));
        let mut pixels =
            picture.pixels().iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect::<Vec<_>>();
        let mut frame = gif::Frame::from_rgba_speed(width, height, &mut pixels, SPEED);
        frame.make_lzw_pre_encoded();
        Frame(frame)
    }
}

/// An animated GIF, written picture by picture.
pub struct Animation<'a> {
    bytes: &'a mut Vec<u8>,
    frames: Vec<gif::Frame<'static>>,
    /// Hundredths of a second.
    delay: u16,
}

impl<'a> Animation<'a> {
    /// `rate` pictures per second (a GIF counts in hundredths of a second), repeated for ever,
    /// written to `bytes`.
    pub fn new(bytes: &'a mut Vec<u8>, rate: u16) -> Self {
        Animation { bytes, frames: Vec::new(), delay: 100 / rate.max(1) }
    }

    /// Appends a picture; all must have the same size.
    pub fn push(&mut self, frame: Frame) {
        self.frames.push(gif::Frame { delay: self.delay, ..frame.0 });
    }

    /// Ends the file.
    pub fn finish(self) {
        let size = self.frames.first().map_or((1, 1), |frame| (frame.width, frame.height));
        let written = Encoder::new(self.bytes, size.0, size.1, &[]).and_then(|mut encoder| {
            encoder.set_repeat(Repeat::Infinite)?;
            self.frames.iter().try_for_each(|frame| encoder.write_lzw_pre_encoded_frame(frame))
        });
        written.expect("a GIF is written to memory");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{AnimationDecoder, codecs::gif::GifDecoder};
    use std::io::Cursor;

    #[test]
    fn pictures_come_back_in_their_order_and_time() {
        let grey = |k: u8| Picture::filled(6, 4, [60 * k; 3]);
        let mut bytes = Vec::new();
        let mut animation = Animation::new(&mut bytes, 10);
        (0..3).for_each(|k| animation.push(Frame::new(&grey(k))));
        animation.finish();
        let decoder = GifDecoder::new(Cursor::new(&bytes)).expect("a GIF");
        let frames = decoder.into_frames().collect_frames().expect("frames");
        assert_eq!(frames.len(), 3);
        for (k, frame) in (0..).zip(&frames) {
            assert_eq!(frame.delay().numer_denom_ms(), (100, 1));
            assert!(frame.buffer().pixels().all(|p| p.0 == [60 * k, 60 * k, 60 * k, 255]));
        }
    }
}
