//! Room in an array for what a file holds.

use crate::host::{NoMemory, binary, check_memory};
use std::io;

/// Makes room for more values of a file in an array, unless the rest of the memory does not hold it.
pub(crate) fn make_room<T>(values: &mut Vec<T>, more: usize) -> io::Result<()> {
    let all = values.len().saturating_add(more);
    if all > values.capacity() {
        let bytes = all.saturating_mul(size_of::<T>()) as u64;
        check_memory("its array", bytes).map_err(|NoMemory { what, bytes, left, .. }| {
            let said = format!("{what} takes {}, and {left}", binary(bytes));
            io::Error::new(io::ErrorKind::OutOfMemory, said)
        })?;
        values.try_reserve(more)?;
    }
    Ok(())
}
