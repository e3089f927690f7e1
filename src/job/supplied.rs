//! What a program gives of a job in memory.

use crate::{acquisition, model::VelocityModel};
use std::{collections::BTreeMap, sync::Arc};

/// Parts of a job that a program has in memory, instead of those of its text.
#[derive(Clone, Debug, Default)]
pub struct Supplied {
    pub model: Option<VelocityModel>,
    /// With metres from the model's first node.
    pub shots: Option<Vec<acquisition::Shot>>,
    /// The bytes of the file that `model.velocity` names, by this name, and of the data that an .rsf
    /// has in a file of its own: for programs without a disk, such as a browser.
    pub files: BTreeMap<String, Arc<[u8]>>,
}
