//! What a program gives of a job in memory.

use crate::{acquisition, model::VelocityModel};

/// Parts of a job that a program has in memory, instead of those of its text.
#[derive(Clone, Debug, Default)]
pub struct Supplied {
    pub model: Option<VelocityModel>,
    /// With metres from the model's first node.
    pub shots: Option<Vec<acquisition::Shot>>,
}
