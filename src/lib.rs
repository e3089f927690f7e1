//! huygens: acoustic seismic waves on every GPU, from one Rust binary and WGSL compute shaders.
//!
//! A first shot, run by `cargo run --example first-shot`; further examples are `own-model`, `rtm`,
//! `gradient`, `locate` and `custom-tap`:
//!
//! ```
#![doc = include_str!("../examples/first-shot.rs")]
//! ```
//!
//! A simulation flows one way:
//!
//! ```text
//! Setup -> Plan (validated) -> Engine::run(&Plan, &mut dyn Observer) -> gathers, snapshots
//! ```
//!
//! - [`grid`], [`stencil`], [`model`], [`acquisition`], [`conditioning`], [`boundary`]: plain
//!   numbers, no backend; [`io`] and [`render`]: files and pictures.
//! - [`plan`]: one validated description of a simulation; every mistake in the input is found here.
//! - [`engine`]: backends that run a Plan, with one trait and the same results: [`engine::cpu`]
//!   (the oracle and the fast one) and [`engine::gpu`] (wgpu).
//! - [`job`]: job files and their inputs, converted to a Setup.
//! - [`results`]: files and pictures of a run; [`run`]: its life, with resumption, tasks and record.
//! - [`operations`]: what an engine is used for, such as migration: a folder each.
//!
//! Cargo's features `gpu`, `files`, `render` and `jobs` add the parts that need other crates:
//! [`engine::gpu`], [`io`], [`render`] and [`job`]; `ladder` adds the benchmark. `cli`, the
//! default, is the `huygens` command and all of them. A small library with every engine:
//! `default-features = false, features = ["gpu"]`.
//!
//! Each layer imports only from those above it in this list. Units are metres, seconds, hertz and
//! metres per second, as f64; indices occur only inside engines; fields are f32. The equation is
//! `(1/v^2) d2p/dt2 = laplacian(p) + s(t) delta(x - xs)`, with a delta of 1 over the cell's area or
//! volume, so the response of a homogeneous plane is `-(i/4) H0^(2)(w r/v) S(w)`, without a free
//! constant. [`medium`] says what a density that varies adds.

#![warn(unreachable_pub)]
// Without all features, some code has no caller.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "jobs")]
pub mod job;
pub mod operations;
pub mod prelude;
#[cfg(feature = "runs")]
pub mod results;
#[cfg(feature = "runs")]
pub mod run;

#[cfg(feature = "cli")]
pub use cli::run as run_command;
pub use huygens_engine as engine;
#[cfg(feature = "files")]
pub use huygens_io as io;
#[cfg(feature = "ladder")]
pub use huygens_ladder as ladder;
#[cfg(feature = "runs")]
use huygens_numbers::fault;
use huygens_numbers::host;
#[cfg(feature = "render")]
pub(crate) use huygens_numbers::picture;
#[doc(hidden)]
pub(crate) use huygens_numbers::rounded;
pub use huygens_numbers::{
    acquisition, boundary, conditioning, grid,
    host::{Bound, Bounded, NoMemory, binary, check_memory, check_start, limit_memory},
    imaging, medium, message, misfit, model, plan, program, single, stencil,
};
#[cfg(feature = "render")]
pub use huygens_render as render;
pub use ndarray;
