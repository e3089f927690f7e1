//! Detects the byte order of a file.

use super::{BINARY, ByteOrder, SegyError, binary, sample::Format};

/// The constant of revision 2, most significant byte first.
const BIG: [u8; 4] = [1, 2, 3, 4];
const LITTLE: [u8; 4] = [4, 3, 2, 1];
const PAIRS: [u8; 4] = [2, 1, 4, 3];

/// The byte order of a binary header: by the constant of revision 2, if it is there; otherwise the
/// order in which the sample format is a code of the standard. Codes are 1 to 16, so that they are
/// invalid in the other order.
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
