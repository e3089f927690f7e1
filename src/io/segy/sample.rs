//! Sample formats: conversion of a trace's bytes to numbers, and back.

use super::{ByteOrder, ibm};

/// Sample formats. The values are the standard's codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// IBM floating point, 4 bytes.
    Ibm = 1,
    /// Signed integer, 4 bytes.
    I32 = 2,
    /// Signed integer, 2 bytes.
    I16 = 3,
    /// IEEE floating point, 4 bytes.
    F32 = 5,
    /// IEEE floating point, 8 bytes.
    F64 = 6,
    /// Signed integer, 3 bytes.
    I24 = 7,
    /// Signed integer, 1 byte.
    I8 = 8,
    /// Signed integer, 8 bytes.
    I64 = 9,
    /// Unsigned integer, 4 bytes.
    U32 = 10,
    /// Unsigned integer, 2 bytes.
    U16 = 11,
    /// Unsigned integer, 8 bytes.
    U64 = 12,
    /// Unsigned integer, 3 bytes.
    U24 = 15,
    /// Unsigned integer, 1 byte.
    U8 = 16,
}

impl Format {
    /// Codes that the standard uses or has used, by which the byte order is detected.
    pub const CODES: std::ops::RangeInclusive<i16> = 1..=16;

    /// Every format.
    pub const ALL: [Format; 13] = [
        Format::Ibm,
        Format::I32,
        Format::I16,
        Format::F32,
        Format::F64,
        Format::I24,
        Format::I8,
        Format::I64,
        Format::U32,
        Format::U16,
        Format::U64,
        Format::U24,
        Format::U8,
    ];

    /// The format of a code; none of 4, which has been obsolete since 2002.
    pub fn from_code(code: i64) -> Option<Self> {
        Format::ALL.into_iter().find(|format| i64::from(format.code()) == code)
    }

    /// Its code.
    pub fn code(self) -> i16 {
        self as i16
    }

    /// Bytes per sample.
    pub fn bytes(self) -> usize {
        match self {
            Format::I8 | Format::U8 => 1,
            Format::I16 | Format::U16 => 2,
            Format::I24 | Format::U24 => 3,
            Format::Ibm | Format::I32 | Format::F32 | Format::U32 => 4,
            Format::F64 | Format::I64 | Format::U64 => 8,
        }
    }

    /// True if revision 1 has it.
    pub fn in_revision_1(self) -> bool {
        matches!(self, Format::Ibm | Format::I32 | Format::I16 | Format::F32 | Format::I8)
    }

    /// Decodes as many samples as `samples` has and `bytes` holds whole. All are exact as f64
    /// except integers beyond 2^53, which are rounded.
    pub fn decode<T: Sample>(self, order: ByteOrder, bytes: &[u8], samples: &mut [T]) {
        // A loop for each format, so that several samples are decoded at once.
        match self {
            Format::Ibm => each(order, bytes, samples, |b| ibm::decode(u32::from_be_bytes(b))),
            Format::F32 => each(order, bytes, samples, |b| f64::from(f32::from_be_bytes(b))),
            Format::F64 => each(order, bytes, samples, f64::from_be_bytes),
            Format::I8 => each(order, bytes, samples, |b| f64::from(i8::from_be_bytes(b))),
            Format::I16 => each(order, bytes, samples, |b| f64::from(i16::from_be_bytes(b))),
            Format::I24 => each(order, bytes, samples, |[a, b, c]| {
                f64::from(i32::from_be_bytes([a, b, c, 0]) >> 8)
            }),
            Format::I32 => each(order, bytes, samples, |b| f64::from(i32::from_be_bytes(b))),
            Format::I64 => each(order, bytes, samples, |b| i64::from_be_bytes(b) as f64),
            Format::U8 => each(order, bytes, samples, |b| f64::from(u8::from_be_bytes(b))),
            Format::U16 => each(order, bytes, samples, |b| f64::from(u16::from_be_bytes(b))),
            Format::U24 => {
                each(order, bytes, samples, |[a, b, c]| f64::from(u32::from_be_bytes([0, a, b, c])))
            }
            Format::U32 => each(order, bytes, samples, |b| f64::from(u32::from_be_bytes(b))),
            Format::U64 => each(order, bytes, samples, |b| u64::from_be_bytes(b) as f64),
        }
    }

    /// Appends a sample, integers rounded; `None` if the format cannot represent it.
    pub fn encode(self, order: ByteOrder, value: f64, bytes: &mut Vec<u8>) -> Option<()> {
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
pub trait Sample: Copy + Send {
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

    fn there_and_back(format: Format, order: ByteOrder, values: &[f64]) -> Vec<f64> {
        let (mut bytes, mut back) = (Vec::new(), vec![0.0; values.len()]);
        for value in values {
            format.encode(order, *value, &mut bytes).expect("it has the number");
        }
        assert_eq!(bytes.len(), values.len() * format.bytes());
        format.decode(order, &bytes, &mut back);
        back
    }

    #[test]
    fn every_format_comes_back_in_either_order() {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            for format in Format::ALL {
                let values: &[f64] = match format {
                    Format::Ibm | Format::F32 | Format::F64 => {
                        &[0.0, 1.0, -118.625, 4800.0, -0.03125]
                    }
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
                assert_eq!(there_and_back(format, order, values), values, "{format:?} {order:?}");
                let mut bytes = Vec::new();
                values
                    .iter()
                    .for_each(|value| format.encode(order, *value, &mut bytes).expect("it has it"));
                let singles: Vec<f32> = values.iter().map(|value| *value as f32).collect();
                let mut decoded = vec![0f32; values.len()];
                format.decode(order, &bytes, &mut decoded);
                assert_eq!(decoded, singles, "{format:?} {order:?}");
                assert_eq!(Format::from_code(format.code().into()).expect("known"), format);
            }
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
