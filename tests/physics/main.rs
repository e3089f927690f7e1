//! Against other codes and the laws that a wavefield obeys.

#[path = "../common/mod.rs"]
mod common;

mod absorption;
mod adjoint;
mod born;
mod density;
mod exploding_reflector;
mod free_surface;
mod gradient;
mod held_out;
mod invert;
mod line_source;
mod lsrtm;
mod real_salt;
mod reciprocity;
mod reflection;
mod reflection_table;
mod rounding;
mod rtm;
mod rtm_split;
mod rtm_wavefields;
mod scales;
mod scan_study;
mod stability;
mod time_dispersion;
mod time_reversal;
mod uneven_rock;
mod vti;
mod windows;
