//! What was published of a rung.

use super::{Case, THESIS};
use serde::Serialize;

/// A published figure: Sadahiro's (2014) on a Tesla K20m, in 3-D Micikevicius' (2009) on a Tesla S1060.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// 10^9 nodes a second.
    pub gpts: f64,
    /// What it was measured with.
    pub case: Case,
}

impl Published {
    /// Of microseconds that the thesis gives for a step on its grid.
    pub fn thesis(us: f64) -> Self {
        Published { gpts: 1e-3 * THESIS.nodes() / us, case: THESIS }
    }
}
