//! Pictures in 256 colours, a third as large, for pages that show many.

use color_quant::NeuQuant;
use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Filter};
use std::{collections::HashMap, error::Error, io::Cursor};

const COLOURS: usize = 256;
const WHITE: [u8; 3] = [255; 3];

/// The RGB picture as a PNG of at most 256 colours, with its text chunks.
pub fn in_256_colours(png: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut reader = Decoder::new(Cursor::new(png)).read_info()?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or("it is too large")?];
    let info = reader.next_frame(&mut pixels)?;
    if (info.color_type, info.bit_depth) != (ColorType::Rgb, BitDepth::Eight) {
        return Err("it is no RGB picture of 8 bits".into());
    }
    let (pixels, _) = pixels[..info.buffer_size()].as_chunks::<3>();
    let opaque: Vec<u8> = pixels.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect();
    // White has a place of its own: a page shows where its ground is not quite that.
    let chosen = NeuQuant::new(1, COLOURS - 1, &opaque);
    let palette = [&WHITE[..], &chosen.color_map_rgb()].concat();
    let mut known = HashMap::from([(WHITE, 0)]);
    let mut place = |colour: &[u8; 3]| {
        let [r, g, b] = *colour;
        *known.entry(*colour).or_insert_with(|| chosen.index_of(&[r, g, b, 255]) as u8 + 1)
    };
    let places: Vec<u8> = pixels.iter().map(&mut place).collect();

    let said = reader.info();
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, info.width, info.height);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_palette(palette);
    encoder.set_compression(Compression::High);
    // Neighbours in a palette are not alike.
    encoder.set_filter(Filter::NoFilter);
    encoder.set_pixel_dims(said.pixel_dims);
    for text in &said.uncompressed_latin1_text {
        encoder.add_text_chunk(text.keyword.clone(), text.text.clone())?;
    }
    for text in &said.utf8_text {
        encoder.add_itxt_chunk(text.keyword.clone(), text.get_text()?)?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&places)?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// White, and more than 256 colours beside it.
    fn picture() -> Vec<u8> {
        let shade =
            |k: u32| if k < 200 { [255; 3] } else { [(k / 40) as u8, (k % 40 * 6) as u8, 90] };
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, 40, 40);
        encoder.set_color(ColorType::Rgb);
        encoder.add_text_chunk("Title".into(), "a wave".into()).expect("a short text");
        let mut writer = encoder.write_header().expect("in memory");
        let pixels: Vec<u8> = (0..1600).flat_map(shade).collect();
        writer.write_image_data(&pixels).expect("as many pixels as it has");
        writer.finish().expect("in memory");
        bytes
    }

    #[test]
    fn a_picture_stays_what_it_is_in_fewer_colours() {
        let before = picture();
        let after = in_256_colours(&before).expect("a picture");
        let rgb = |bytes: &[u8]| {
            let mut decoder = Decoder::new(Cursor::new(bytes));
            decoder.set_transformations(png::Transformations::EXPAND);
            let mut reader = decoder.read_info().expect("a PNG");
            let title = reader.info().uncompressed_latin1_text[0].text.clone();
            let mut pixels = vec![0; reader.output_buffer_size().expect("small")];
            reader.next_frame(&mut pixels).expect("a frame");
            (title, pixels)
        };
        let ((title, before), (same, after)) = (rgb(&before), rgb(&after));
        assert_eq!((title.as_str(), same.as_str(), after.len()), ("a wave", "a wave", 4800));
        assert!(after[..600].iter().all(|part| *part == 255), "white is white");
        let off = before.iter().zip(&after).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(off.is_some_and(|off| off > 0 && off < 24), "{off:?}");
        assert!(in_256_colours(b"no picture").is_err());
    }
}
