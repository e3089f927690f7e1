//! PNG pictures that name their origin, and animated ones (APNG).

use crate::picture::Picture;
use crate::program::{PROGRAM, Program};
use png::{
    BitDepth, ColorType, Compression, Encoder, EncodingError, Filter, PixelDimensions, Unit,
    Writer,
    chunk::{ChunkType, IDAT},
};
use std::time::{Duration, SystemTime};

/// The chunks of an animation.
const ACTL: ChunkType = ChunkType(*b"acTL");
const FCTL: ChunkType = ChunkType(*b"fcTL");
const FDAT: ChunkType = ChunkType(*b"fdAT");

/// The program, its version and its revision, as pictures name it.
pub(crate) fn software() -> String {
    let Program { name, version, revision } = PROGRAM;
    let revision = revision.map_or_else(String::new, |revision| format!(" ({revision})"));
    format!("{name} {version}{revision}")
}

/// The text chunks of a picture.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Its title.
    pub title: String,
    /// The command that made it.
    pub command: String,
    /// The text of the job.
    pub job: Option<String>,
    /// Pixels per inch; 0 if unknown.
    pub dpi: f64,
}

/// The bytes of a PNG file.
pub fn bytes(picture: &Picture, about: &About) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = encoder(&mut bytes, picture.size().into(), about).and_then(|mut encoder| {
        encoder.set_compression(Compression::Fast);
        // As small as with the best of five filters for each row, to a per cent.
        encoder.set_filter(Filter::Paeth);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(picture.bytes())?;
        writer.finish()
    });
    written.expect("writing a picture of its own size to memory does not fail");
    bytes
}

/// A compressed picture of an animation: the costly part, which can run in parallel.
pub struct Frame(Vec<u8>);

impl Frame {
    /// Compresses a picture.
    pub fn new(picture: &Picture) -> Self {
        let (width, height) = picture.size();
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, width, height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(picture.bytes())?;
            writer.finish()
        });
        written.expect("writing a picture of its own size to memory does not fail");
        Frame(data(&bytes))
    }
}

/// The concatenated data chunks of a PNG. A chunk is its length, its name, its data and a checksum.
fn data(png: &[u8]) -> Vec<u8> {
    let (mut rest, mut data) = (&png[8..], Vec::with_capacity(png.len()));
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let (name, after) = after.split_at(4);
        if name == IDAT.0 {
            data.extend_from_slice(&after[..length]);
        }
        rest = &after[length + 4..];
    }
    data
}

/// An animated PNG, written picture by picture.
///
/// *APNG: W3C, Portable Network Graphics (PNG) Specification, third edition, section 11.3.6.*
pub struct Animation<'a> {
    writer: Writer<&'a mut Vec<u8>>,
    /// Width and height, pixels.
    size: [u32; 2],
    rate: u16,
    /// Number of the next numbered chunk.
    sequence: u32,
}

impl<'a> Animation<'a> {
    /// For `count` pictures of one size, `rate` per second, repeated for ever, written to `bytes`.
    pub fn new(
        bytes: &'a mut Vec<u8>,
        size: [u32; 2],
        pictures: u32,
        rate: u16,
        about: &About,
    ) -> Self {
        let control = [pictures.max(1), 0].map(u32::to_be_bytes).concat();
        let started = encoder(bytes, size, about).and_then(|encoder| {
            let mut writer = encoder.write_header()?;
            writer.write_chunk(ACTL, &control)?;
            Ok(writer)
        });
        let writer = started.expect("a header is written to memory");
        Animation { writer, size, rate: rate.max(1), sequence: 0 }
    }

    /// Appends a picture of the given size.
    pub fn push(&mut self, frame: &Frame) {
        let [width, height] = self.size;
        // From the corner, shown for 1/rate s, then covered by the next.
        let mut control = [self.sequence, width, height, 0, 0].map(u32::to_be_bytes).concat();
        control.extend([1, self.rate].map(u16::to_be_bytes).concat());
        control.extend([0, 0]);
        let data = match self.sequence {
            // The picture that viewers without animation show.
            0 => self.writer.write_chunk(FCTL, &control).and_then(|()| {
                self.sequence = 1;
                self.writer.write_chunk(IDAT, &frame.0)
            }),
            number => self.writer.write_chunk(FCTL, &control).and_then(|()| {
                self.sequence = number + 2;
                let numbered = [&(number + 1).to_be_bytes(), frame.0.as_slice()].concat();
                self.writer.write_chunk(FDAT, &numbered)
            }),
        };
        data.expect("chunks are written to memory");
    }

    /// Ends the file, once every picture is in it.
    pub fn finish(self) {
        self.writer.finish().expect("the end is written to memory");
    }
}

/// An encoder for pictures of a size, with all chunks before them.
fn encoder<'a>(
    bytes: &'a mut Vec<u8>,
    [width, height]: [u32; 2],
    about: &About,
) -> Result<Encoder<'static, &'a mut Vec<u8>>, EncodingError> {
    let mut encoder = Encoder::new(bytes, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    if about.dpi > 0.0 {
        let metre = (about.dpi / 0.0254).round() as u32;
        encoder.set_pixel_dims(Some(PixelDimensions {
            xppu: metre,
            yppu: metre,
            unit: Unit::Meter,
        }));
    }
    let created = httpdate::fmt_http_date(now());
    let said = [
        ("Title", about.title.as_str()),
        ("Software", &software()),
        ("Creation Time", &created),
        ("Command", &about.command),
        ("Job", about.job.as_deref().unwrap_or_default()),
    ];
    for (keyword, text) in said.into_iter().filter(|(_, text)| !text.is_empty()) {
        let (keyword, text) = (keyword.to_owned(), text.replace('\0', " "));
        // The plain chunk is Latin-1, which every reader shows.
        match text.chars().all(|sign| u32::from(sign) < 256) {
            true => encoder.add_text_chunk(keyword, text)?,
            false => encoder.add_itxt_chunk(keyword, text)?,
        }
    }
    Ok(encoder)
}

/// Now, or the time in SOURCE_DATE_EPOCH, for reproducible builds.
fn now() -> SystemTime {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    // httpdate supports years up to 9999.
    let given = given.filter(|seconds: &u64| *seconds < 253_402_300_800);
    // A browser has a clock, but not the standard library's.
    let since = || web_time::SystemTime::now().duration_since(web_time::UNIX_EPOCH);
    let now = given.map_or_else(|| since().unwrap_or_default(), Duration::from_secs);
    SystemTime::UNIX_EPOCH + now
}

#[cfg(test)]
mod tests {
    use super::*;
    use png::Decoder;
    use std::io::Cursor;

    fn about() -> About {
        let [title, command] =
            ["\u{3c1} and \u{0}null", "huygens shot caf\u{e9}.toml"].map(String::from);
        About { title, command, job: Some("[time]\nduration = 1.0\n".into()), dpi: 300.0 }
    }

    #[test]
    fn a_picture_comes_back_with_what_it_says() {
        let mut picture = Picture::filled(7, 5, [0, 0, 200]);
        *picture.pixel_mut(3, 4).expect("inside") = [3, 4, 200];
        let bytes = bytes(&picture, &about());
        let read = image::load_from_memory(&bytes).expect("a picture").into_rgb8();
        assert_eq!(read.into_raw(), picture.bytes());
        let reader = Decoder::new(Cursor::new(&bytes)).read_info().expect("a header");
        let info = reader.info();
        let plain = |keyword: &str| {
            let found = info.uncompressed_latin1_text.iter().find(|chunk| chunk.keyword == keyword);
            found.map(|chunk| chunk.text.as_str())
        };
        assert_eq!(plain("Command"), Some("huygens shot caf\u{e9}.toml"));
        assert_eq!(plain("Job"), Some("[time]\nduration = 1.0\n"));
        assert!(plain("Software").is_some_and(|text| text.starts_with("huygens 0.")));
        assert!(plain("Creation Time").is_some_and(|text| text.ends_with(" GMT")));
        assert_eq!(info.utf8_text[0].get_text().ok().as_deref(), Some("\u{3c1} and  null"));
        let dims = info.pixel_dims.expect("a resolution");
        assert_eq!((dims.xppu, dims.yppu), (11_811, 11_811));
    }

    #[test]
    fn an_animation_has_its_pictures_and_their_rate() {
        let picture = |k: u8| Picture::filled(6, 4, [k; 3]);
        let mut bytes = Vec::new();
        let mut animation = Animation::new(&mut bytes, [6, 4], 3, 12, &About::default());
        (0..3).for_each(|k| animation.push(&Frame::new(&picture(k))));
        animation.finish();
        let mut reader = Decoder::new(Cursor::new(&bytes)).read_info().expect("a header");
        let control = reader.info().animation_control.expect("an animation");
        assert_eq!((control.num_frames, control.num_plays), (3, 0));
        for k in 0..3 {
            let mut pixels = vec![0; reader.output_buffer_size().expect("small")];
            reader.next_frame(&mut pixels).expect("a frame");
            assert_eq!(pixels, picture(k).bytes());
            let frame = reader.info().frame_control.expect("a frame");
            assert_eq!((frame.delay_num, frame.delay_den), (1, 12));
        }
        assert!(reader.next_frame(&mut [0; 72]).is_err());
    }
}
