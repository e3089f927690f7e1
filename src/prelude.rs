//! What a program that models shots names most: `use huygens::prelude::*`.

pub use crate::{
    acquisition::{Recording, Shot, Source, SourceKind, Wavelet, line},
    engine::{Engine, EngineError, Observer, SnapshotView, cpu::Parallel},
    grid::{Axes, PlaneAxes},
    model::{VelocityModel, builtin},
    operations::{locate, shot},
    plan::{Condition, Focus, Mask, Plan, Setup},
};
