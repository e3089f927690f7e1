//! Published figures of a rung.

use super::{Case, THESIS};
use serde::Serialize;

/// A published figure: Sadahiro's (2014) on a Tesla K20m, in 3-D Micikevicius' (2009) on a Tesla
/// S1060.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// 10^9 nodes/s.
    pub gpts: f64,
    /// The measured case.
    pub case: Case,
}

impl Published {
    /// From the thesis' microseconds per step on its grid.
    pub(crate) fn thesis(us: f64) -> Self {
        Published { gpts: 1e-3 * THESIS.nodes() / us, case: THESIS }
    }
}
