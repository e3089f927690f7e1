//! Against other codes and the laws that a wavefield obeys.

#[path = "../common/mod.rs"]
mod common;

mod absorption;
mod line_source;
mod real_salt;
mod reciprocity;
mod stability;
