//! A header's bytes, and the numbers in it.

use super::{
    BINARY, ByteOrder, SegyError, TRACE,
    field::{Field, Kind},
};

/// The bytes of a header and their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header<const N: usize> {
    bytes: [u8; N],
    order: ByteOrder,
}

/// The 400 bytes after the textual header.
pub type BinaryHeader = Header<BINARY>;
/// The 240 bytes before the samples of each trace.
pub type TraceHeader = Header<TRACE>;

impl<const N: usize> Header<N> {
    /// A header of zeros.
    pub fn new(order: ByteOrder) -> Self {
        Header { bytes: [0; N], order }
    }

    /// A header with these bytes.
    pub fn from_bytes(bytes: [u8; N], order: ByteOrder) -> Self {
        Header { bytes, order }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8; N] {
        &self.bytes
    }

    /// Its byte order.
    pub(crate) fn order(&self) -> ByteOrder {
        self.order
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8; N] {
        &mut self.bytes
    }

    /// The number of a field; the integer part of a floating point number.
    pub fn get(&self, field: Field<N>) -> i64 {
        match field.kind() {
            Kind::I16 => i16::from_be_bytes(self.at(field)).into(),
            Kind::U16 => u16::from_be_bytes(self.at(field)).into(),
            Kind::I32 => i32::from_be_bytes(self.at(field)).into(),
            Kind::U32 => u32::from_be_bytes(self.at(field)).into(),
            Kind::I64 => i64::from_be_bytes(self.at(field)),
            Kind::F32 | Kind::F64 => self.float(field) as i64,
        }
    }

    /// The number of a field as a double.
    pub(crate) fn float(&self, field: Field<N>) -> f64 {
        match field.kind() {
            Kind::F32 => shortest(f32::from_be_bytes(self.at(field))),
            Kind::F64 => f64::from_be_bytes(self.at(field)),
            _ => self.get(field) as f64,
        }
    }

    /// Sets a field; an error if the number does not fit.
    pub fn set(&mut self, field: Field<N>, value: i64) -> Result<(), SegyError> {
        let refused = |_| SegyError::TooLarge { field: field.place(), value };
        match field.kind() {
            Kind::I16 => self.put(field, i16::try_from(value).map_err(refused)?.to_be_bytes()),
            Kind::U16 => self.put(field, u16::try_from(value).map_err(refused)?.to_be_bytes()),
            Kind::I32 => self.put(field, i32::try_from(value).map_err(refused)?.to_be_bytes()),
            Kind::U32 => self.put(field, u32::try_from(value).map_err(refused)?.to_be_bytes()),
            Kind::I64 => self.put(field, value.to_be_bytes()),
            Kind::F32 | Kind::F64 => self.set_float(field, value as f64),
        }
        Ok(())
    }

    pub(super) fn set_float(&mut self, field: Field<N>, value: f64) {
        match field.kind() {
            Kind::F32 => self.put(field, (value as f32).to_be_bytes()),
            _ => self.put(field, value.to_be_bytes()),
        }
    }

    /// The bytes of a field, the most significant first.
    fn at<const B: usize>(&self, field: Field<N>) -> [u8; B] {
        let mut bytes = *self.bytes[field.offset()..].first_chunk().expect("it lies in the header");
        if self.order == ByteOrder::Little {
            bytes.reverse();
        }
        bytes
    }

    /// Writes bytes, given with the most significant first.
    fn put<const B: usize>(&mut self, field: Field<N>, mut bytes: [u8; B]) {
        if self.order == ByteOrder::Little {
            bytes.reverse();
        }
        self.bytes[field.offset()..field.offset() + B].copy_from_slice(&bytes);
    }
}

/// A float as the shortest number that equals it: 24.384 is written, and 24.38400077 would be read.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| value.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segy::{binary, trace};

    #[test]
    fn numbers_are_kept_in_either_order_where_the_standard_has_them() {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let mut header = TraceHeader::new(order);
            header.set(trace::SOURCE_X, -123_456).expect("it fits");
            header.set(trace::SAMPLES, 40_000).expect("unsigned");
            header.set(trace::COORDINATE_SCALAR, -100).expect("it fits");
            assert_eq!(header.get(trace::SOURCE_X), -123_456);
            assert_eq!(header.get(trace::SAMPLES), 40_000);
            assert_eq!(header.get(trace::COORDINATE_SCALAR), -100);
            assert_eq!(
                header.bytes()[72..76] == (-123_456i32).to_be_bytes(),
                order == ByteOrder::Big
            );
            let mut header = BinaryHeader::new(order);
            header.set_float(binary::EXTENDED_INTERVAL, 1234.5);
            assert_eq!(header.float(binary::EXTENDED_INTERVAL), 1234.5);
            assert_eq!(header.get(binary::EXTENDED_INTERVAL), 1234);
        }
    }

    #[test]
    fn misfits_are_refused_by_name() {
        let mut header = TraceHeader::new(ByteOrder::Big);
        let refused = header.set(trace::SAMPLES, 70_000).expect_err("too large").to_string();
        assert!(refused.contains("bytes 115-116 of the trace header (samples)"), "{refused}");
        assert!(header.set(trace::SOURCE_X, 1 << 31).is_err());
        assert!(header.set(trace::SAMPLES, -1).is_err());
        let refused = BinaryHeader::new(ByteOrder::Big).set(binary::FORMAT, 1 << 20);
        assert!(refused.expect_err("too large").to_string().contains("bytes 3225-3226 (sample"));
    }
}
