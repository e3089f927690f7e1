//! Plain numbers, without backend, file or picture: grids, velocity models, wavelets, recordings,
//! stencils and boundaries, and the [`plan`] that joins them.
//!
//! `huygens` re-exports the modules.

#![warn(unreachable_pub)]

pub mod acquisition;
pub mod boundary;
pub mod conditioning;
#[doc(hidden)]
pub mod fault;
pub mod grid;
pub mod host;
pub mod imaging;
pub mod medium;
pub mod message;
pub mod misfit;
pub mod model;
pub mod picture;
pub mod plan;
pub mod program;
#[doc(hidden)]
pub mod rounded;
pub mod simd;
pub mod single;
pub mod stencil;
#[cfg(test)]
mod testing;
