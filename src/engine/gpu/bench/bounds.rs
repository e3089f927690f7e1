//! The kernels that bound every ladder.

use super::{
    Kernel, Workgroup,
    kernel::{UPDATE_4, kernel},
};

/// Three reads and a write of vec4, no stencil.
pub static STREAM: Kernel =
    kernel!("ladder", "stream", UPDATE_4, Array, None, Workgroup::new(256, 1));
/// An almost empty dispatch.
pub(crate) static EMPTY: Kernel = kernel!("ladder", "empty", &[], One, None, Workgroup::new(1, 1));

/// Both.
pub static BOUNDS: [&Kernel; 2] = [&STREAM, &EMPTY];
