//! huygens: acoustic seismic waves on every GPU, from one Rust binary and WGSL compute shaders.
//!
//! A simulation flows one way:
//!
//! ```text
//! Setup -> Plan (validated) -> Engine::run(&Plan, &mut dyn Observer) -> gathers, snapshots
//! ```
//!
//! - [`grid`], [`stencil`], [`model`], [`acquisition`], [`boundary`]: plain numbers, no backend;
//!   [`io`] and [`render`]: files and pictures.
//! - [`plan`]: one validated description of a simulation; every mistake in the input is found here.
//! - [`engine`]: backends that run a Plan, the same trait and the same results: [`engine::cpu`] (the
//!   oracle and the fast one) and [`engine::gpu`] (wgpu).
//! - [`workflow`]: what users do with an engine.
//! - [`job`]: job files, and what they name, made into a Setup.
//!
//! Each floor imports only what stands above it in this list. Metres, seconds, hertz and metres per
//! second everywhere, as f64; indices only inside engines; fields are f32. The equation is
//! `(1/v^2) d2p/dt2 = laplacian(p) + s(t) delta(x - xs)`, the delta being 1 over the cell's area or
//! volume, so a homogeneous plane answers with `-(i/4) H0^(2)(w r/v) S(w)` and no free constant.
//!
//! ```
//! use huygens::{
//!     acquisition::{TimeDispersion, Ricker, Shot, Source, SourceKind, Wavelet},
//!     boundary::{Absorber, Boundary, Cpml, Top},
//!     engine::{Engine, Gathers, cpu::Parallel},
//!     grid::Axes,
//!     model::builtin,
//!     plan::{Plan, Setup, Step, Time},
//!     stencil::Family,
//! };
//!
//! let source = Source {
//!     kind: SourceKind::Monopole,
//!     at: Axes::xz(1000.0, 500.0),
//!     wavelet: Wavelet::Ricker(Ricker { peak_hz: 10.0, delay: 0.15 }),
//!     amplitude: 1.0,
//! };
//! let plan = Plan::new(Setup {
//!     model: builtin("layers", Some((101, 101)), Some((20.0, 20.0)))?,
//!     operator: Family::Taylor { order: 8 },
//!     boundary: Boundary {
//!         top: Top::Zero,
//!         sides: Absorber::Cpml(Cpml::new(20)),
//!     },
//!     time: Time { duration: 0.5, step: Step::Auto, record: Some(0.004), dispersion: TimeDispersion::Kept },
//!     shots: vec![Shot { sources: vec![source], receivers: vec![Axes::xz(1500.0, 0.0)].into() }],
//!     snapshots: vec![],
//!     initial: None,
//!     allow_unstable: false,
//! })?;
//! let mut gathers = Gathers::new(&plan);
//! Parallel.run(&plan, &mut gathers)?;
//! assert_eq!(gathers.shots[0].dim(), (1, 126)); // [receiver][time]
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod acquisition;
pub mod boundary;
pub mod engine;
pub mod grid;
mod host;
#[cfg(feature = "files")]
pub mod io;
#[cfg(feature = "jobs")]
pub mod job;
pub mod model;
pub mod plan;
#[cfg(feature = "render")]
pub mod render;
pub mod stencil;
pub mod workflow;
