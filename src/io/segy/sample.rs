//! Sample formats: conversion of a trace's bytes to numbers, and back.

use super::{ByteOrder, ibm};

macro_rules! formats {
    ($($name:ident = $code:literal, $bytes:literal, $words:literal, $value:expr;)*) => {
        /// Sample formats. The values are the standard's codes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format { $(#[doc = $words] $name = $code,)* }

        impl Format {
            /// Every format.
            pub const ALL: [Format; [$($code),*].len()] = [$(Format::$name),*];

            /// Bytes per sample.
            pub fn bytes(self) -> usize {
                match self { $(Format::$name => $bytes,)* }
            }

            /// Its name in messages.
            pub fn words(self) -> &'static str {
                match self { $(Format::$name => $words,)* }
            }

            /// Decodes as many samples as `samples` has and `bytes` holds whole. All are exact as
            /// f64 except integers beyond 2^53, which are rounded.
            pub(crate) fn decode<T: Sample>(self, order: ByteOrder, bytes: &[u8], samples: &mut [T]) {
                // A loop for each format, so that several samples are decoded at once.
                match self { $(Format::$name => each(order, bytes, samples, $value),)* }
            }
        }
    };
}

// Code, bytes, name, and value of the bytes, the most significant first.
formats! {
    Ibm = 1, 4, "IBM floats", |b| ibm::decode(u32::from_be_bytes(b));
    I32 = 2, 4, "4-byte integers", |b| i32::from_be_bytes(b).into();
    I16 = 3, 2, "2-byte integers", |b| i16::from_be_bytes(b).into();
    F32 = 5, 4, "IEEE floats", |b| f32::from_be_bytes(b).into();
    F64 = 6, 8, "IEEE doubles", f64::from_be_bytes;
    I24 = 7, 3, "3-byte integers", |[a, b, c]| (i32::from_be_bytes([a, b, c, 0]) >> 8).into();
    I8 = 8, 1, "1-byte integers", |b| i8::from_be_bytes(b).into();
    I64 = 9, 8, "8-byte integers", |b| i64::from_be_bytes(b) as f64;
    U32 = 10, 4, "unsigned 4-byte integers", |b| u32::from_be_bytes(b).into();
    U16 = 11, 2, "unsigned 2-byte integers", |b| u16::from_be_bytes(b).into();
    U64 = 12, 8, "unsigned 8-byte integers", |b| u64::from_be_bytes(b) as f64;
    U24 = 15, 3, "unsigned 3-byte integers", |[a, b, c]| u32::from_be_bytes([0, a, b, c]).into();
    U8 = 16, 1, "unsigned 1-byte integers", |b| u8::from_be_bytes(b).into();
}

impl Format {
    /// Codes that the standard uses or has used, by which the byte order is detected.
    pub(crate) const CODES: std::ops::RangeInclusive<i16> = 1..=16;

    /// The format of a code; none of 4, which has been obsolete since 2002.
    pub(crate) fn from_code(code: i64) -> Option<Self> {
        Format::ALL.into_iter().find(|format| i64::from(format.code()) == code)
    }

    /// Its code.
    pub fn code(self) -> i16 {
        self as i16
    }

    /// True if revision 1 has it.
    pub fn in_revision_1(self) -> bool {
        matches!(self, Format::Ibm | Format::I32 | Format::I16 | Format::F32 | Format::I8)
    }

    /// Appends a sample, integers rounded; `None` if the format cannot represent it.
    pub(crate) fn encode(self, order: ByteOrder, value: f64, bytes: &mut Vec<u8>) -> Option<()> {
        let word = match self {
            Format::Ibm => u64::from(ibm::encode(value)?),
            Format::F32 => {
                let rounded = value as f32;
                if rounded.is_infinite() && value.is_finite() {
                    return None;
                }
                u64::from(rounded.to_bits())
            }
            Format::F64 => value.to_bits(),
            _ => self.whole(value.round_ties_even())?,
        };
        let mut word = word.to_be_bytes();
        let width = self.bytes();
        if order == ByteOrder::Little {
            word[8 - width..].reverse();
        }
        bytes.extend_from_slice(&word[8 - width..]);
        Some(())
    }

    /// Appends f32 samples at once, if that is the format.
    pub(super) fn encode_singles(
        self,
        order: ByteOrder,
        values: &[f32],
        bytes: &mut Vec<u8>,
    ) -> Option<()> {
        let to_bytes = match (self, order) {
            (Format::F32, ByteOrder::Big) => f32::to_be_bytes,
            (Format::F32, ByteOrder::Little) => f32::to_le_bytes,
            _ => return None,
        };
        let first = bytes.len();
        bytes.resize(first + size_of_val(values), 0);
        let (words, _) = bytes[first..].as_chunks_mut();
        words.iter_mut().zip(values).for_each(|(word, value)| *word = to_bytes(*value));
        Some(())
    }

    /// A value as an integer of the format; `None` out of range.
    fn whole(self, value: f64) -> Option<u64> {
        let bits = 8 * self.bytes() as i32;
        let signed =
            matches!(self, Format::I8 | Format::I16 | Format::I24 | Format::I32 | Format::I64);
        let (low, high) = match signed {
            true => (-f64::powi(2.0, bits - 1), f64::powi(2.0, bits - 1)),
            false => (0.0, f64::powi(2.0, bits)),
        };
        let inside = value >= low && value < high;
        inside.then_some(if signed { value as i64 as u64 } else { value as u64 })
    }
}

/// The type of decoded samples.
pub(crate) trait Sample: Copy + Send {
    /// The nearest number to a sample.
    fn of(sample: f64) -> Self;
}

impl Sample for f64 {
    fn of(sample: f64) -> Self {
        sample
    }
}

impl Sample for f32 {
    fn of(sample: f64) -> Self {
        sample as f32
    }
}

/// Decodes samples of `B` bytes by a function of those bytes, the most significant first.
fn each<const B: usize, T: Sample>(
    order: ByteOrder,
    bytes: &[u8],
    samples: &mut [T],
    value: impl Fn([u8; B]) -> f64,
) {
    let (words, _) = bytes.as_chunks::<B>();
    let both = samples.iter_mut().zip(words);
    match order {
        ByteOrder::Big => both.for_each(|(sample, word)| *sample = T::of(value(*word))),
        ByteOrder::Little => both.for_each(|(sample, word)| {
            let mut word = *word;
            word.reverse();
            *sample = T::of(value(word));
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_comes_back_in_either_order() {
        for format in Format::ALL {
            let values: &[f64] = match format {
                Format::Ibm | Format::F32 | Format::F64 => &[0.0, 1.0, -118.625, 4800.0, -0.03125],
                Format::I8 => &[0.0, 127.0, -128.0, -1.0],
                Format::I16 => &[0.0, 32767.0, -32768.0, -1.0],
                Format::I24 => &[0.0, 8_388_607.0, -8_388_608.0, -1.0],
                Format::I32 => &[0.0, 2_147_483_647.0, -2_147_483_648.0, -1.0],
                Format::I64 => &[0.0, 9_007_199_254_740_992.0, -9.223_372_036_854_776e18, -1.0],
                Format::U8 => &[0.0, 255.0, 1.0],
                Format::U16 => &[0.0, 65535.0, 1.0],
                Format::U24 => &[0.0, 16_777_215.0, 66051.0],
                Format::U32 => &[0.0, 4_294_967_295.0, 16_909_060.0],
                Format::U64 => &[0.0, 9_223_372_036_854_775_808.0, 1.0],
            };
            let singles: Vec<f32> = values.iter().map(|value| *value as f32).collect();
            for order in [ByteOrder::Big, ByteOrder::Little] {
                let mut bytes = Vec::new();
                for value in values {
                    format.encode(order, *value, &mut bytes).expect("it has the number");
                }
                assert_eq!(bytes.len(), values.len() * format.bytes());
                let (mut wide, mut single) = (vec![0.0; values.len()], vec![0f32; values.len()]);
                format.decode(order, &bytes, &mut wide);
                format.decode(order, &bytes, &mut single);
                assert_eq!((wide.as_slice(), &single), (values, &singles), "{format:?} {order:?}");
            }
            assert_eq!(Format::from_code(format.code().into()), Some(format));
        }
    }

    #[test]
    fn bytes_are_read_as_the_standard_lays_them_out() {
        let mut two = [0.0; 2];
        Format::I24.decode(ByteOrder::Big, &[0xff, 0xff, 0xfe, 0, 1, 0], &mut two);
        assert_eq!(two, [-2.0, 256.0]);
        Format::U16.decode(ByteOrder::Little, &[1, 2, 0xff, 0xff], &mut two);
        assert_eq!(two, [513.0, 65535.0]);
        let mut one = [0.0];
        Format::Ibm.decode(ByteOrder::Little, &[0x00, 0xa0, 0x76, 0xc2], &mut one);
        assert_eq!(one, [-118.625]);
    }

    #[test]
    fn samples_that_a_format_lacks_are_refused() {
        let refused =
            |format: Format, value| format.encode(ByteOrder::Big, value, &mut Vec::new()).is_none();
        assert!(refused(Format::I8, 128.0) && refused(Format::I8, -129.0));
        assert!(refused(Format::U16, -1.0) && refused(Format::U64, f64::NAN));
        assert!(refused(Format::I64, 9.3e18) && refused(Format::U64, 1.9e19));
        assert!(refused(Format::F32, 1e39) && refused(Format::Ibm, f64::INFINITY));
        assert!(!refused(Format::F32, f64::NAN), "IEEE has it");
        for code in [-1, 0, 4, 13, 14, 17, 256] {
            assert!(Format::from_code(code).is_none(), "{code}");
        }
    }
}
