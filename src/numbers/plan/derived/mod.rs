//! Plans made of a Plan: its adjoint, scattered, reconstructed and partial runs.

mod adjoint;
mod born;
mod reconstruction;
mod subdomain;

pub use born::Scattering;
pub use reconstruction::{Piece, Ring};
