//! Warnings of devices that round differently.

use crate::Description;

/// Devices that work together and round differently.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unlike {
    /// Devices that take shots of a survey or parts of a shot.
    #[error(
        "{}, {} and {}, {} round differently, and the {what}s that each takes may differ from run to run; name devices of one kind for the \
         same bits in every run",
        .first.device, .first.kernel, .other.device, .other.kernel
    )]
    Devices {
        /// What each takes: "shot" or "part".
        what: &'static str,
        /// The first device.
        first: Description,
        /// The first of another kind.
        other: Description,
    },
    /// Ranks that share a shot.
    #[error(
        "rank {rank} runs on {other:?} and rank 0 on {first:?}, which round differently: results depend on which part each has"
    )]
    Ranks {
        /// The first rank whose device is of another kind than that of rank 0.
        rank: usize,
        /// Device of rank 0.
        first: String,
        /// Device of that rank.
        other: String,
    },
}

impl Unlike {
    /// The first device that differs from the first, of those that take shots or parts: `what`.
    pub fn find(
        devices: impl IntoIterator<Item = Description>,
        what: &'static str,
    ) -> Option<Self> {
        let mut devices = devices.into_iter();
        let first = devices.next()?;
        let other = devices.find(|of| *of != first)?;
        Some(Unlike::Devices { what, first, other })
    }
}
