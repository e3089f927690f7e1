//! The flags that several commands share.

pub(crate) mod device;
pub(crate) mod force;
pub(crate) mod gone;
pub(crate) mod job;
pub(crate) mod named;
pub(crate) mod observed;
pub(crate) mod output;
pub(crate) mod picture;
pub(crate) mod place;
pub(crate) mod run;
pub(crate) mod share;
