//! Plans made of a Plan: its adjoint, scattered and partial runs.

mod adjoint;
mod born;
mod subdomain;

pub use born::Scattering;
