//! Against solutions that can be written down.

#[path = "../common/mod.rs"]
mod common;

mod convergence;
mod dipole;
mod dispersion;
mod half_space;
mod homogeneous;
mod scatterer;
mod time_dispersion;
mod volume;
