//! The byte order of a file, detected.

use super::{BINARY, SegyError, binary, sample::Format};

/// The order of the bytes in a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteOrder {
    /// Most significant first, as revisions 0 and 1 want it.
    #[default]
    Big,
    /// Least significant first.
    Little,
}

/// The constant of revision 2, as its bytes lie in a file.
const BIG: [u8; 4] = [1, 2, 3, 4];
const LITTLE: [u8; 4] = [4, 3, 2, 1];
const PAIRS: [u8; 4] = [2, 1, 4, 3];

/// The byte order of a binary header. Where the constant of revision 2 is there, it says so. Otherwise it is the order
/// in which the sample format is a code of the standard: codes are 1 to 16, so that they are none in the other.
pub fn detect(header: &[u8; BINARY]) -> Result<ByteOrder, SegyError> {
    let at = binary::ENDIAN.offset();
    match [header[at], header[at + 1], header[at + 2], header[at + 3]] {
        BIG => return Ok(ByteOrder::Big),
        LITTLE => return Ok(ByteOrder::Little),
        PAIRS => return Err(SegyError::PairsSwapped { field: binary::ENDIAN.place() }),
        _ => {}
    }
    let at = binary::FORMAT.offset();
    let code = [header[at], header[at + 1]];
    let (big, little) = (i16::from_be_bytes(code), i16::from_le_bytes(code));
    if Format::CODES.contains(&big) {
        Ok(ByteOrder::Big)
    } else if Format::CODES.contains(&little) {
        Ok(ByteOrder::Little)
    } else {
        Err(SegyError::ByteOrder { field: binary::FORMAT.place(), big, little })
    }
}
