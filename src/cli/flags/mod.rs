//! The flags that several commands share.

pub mod device;
pub mod force;
pub mod gone;
pub mod job;
pub mod named;
pub mod observed;
pub mod output;
pub mod picture;
pub mod run;
pub mod share;
