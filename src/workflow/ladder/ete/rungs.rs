//! The rungs, and what the paper's text says of them; its figure 8 is a picture without numbers.

use crate::engine::gpu::bench::{
    ETE_FOURS, ETE_FOURS_16, ETE_FOURS_16_KEPT, ETE_FOURS_FEW, ETE_FOURS_FEW_KEPT, ETE_FOURS_KEPT,
    ETE_FOURS_PAIRS, ETE_GATHER, ETE_GATHER_KEPT, ETE_GATHER_TERMS, ETE_GATHER_TEXTURE,
    ETE_GATHER_UNIFORM, ETE_MARCH, ETE_MARCH_16, ETE_NAIVE, ETE_ONE_SWEEP, ETE_SCATTER,
    ETE_SCATTER_KEPT, ETE_SCATTER_TERMS, ETE_SCATTER_TEXTURE, ETE_SCATTER_UNIFORM, ETE_TERMS,
    ETE_TERMS_MARCH, ETE_TWICE, ETE_TWICE_KEPT, ETE_TWO_SWEEPS, EteKernel,
};

/// A line of the ladder.
#[derive(Clone, Copy, Debug)]
pub struct EteRung {
    /// From 1 on.
    pub number: usize,
    /// What it is.
    pub name: &'static str,
    /// What runs.
    pub kernel: &'static EteKernel,
    /// What the paper's text says of it.
    pub paper: Option<Paper>,
}

/// A ratio that the paper's text gives.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// Number of the rung that it is against.
    pub against: usize,
    /// The ratio, on the paper's GPUs.
    pub says: &'static str,
}

const fn rung(number: usize, name: &'static str, kernel: &'static EteKernel) -> EteRung {
    EteRung { number, name, kernel, paper: None }
}

impl EteRung {
    const fn paper(self, against: usize, says: &'static str) -> Self {
        EteRung { paper: Some(Paper { against, says }), ..self }
    }
}

/// Every line, in order.
pub static ETE_RUNGS: [EteRung; 26] = [
    rung(1, "global memory", &ETE_NAIVE),
    rung(2, "multi-to-one", &ETE_GATHER),
    rung(3, "multi-to-one", &ETE_GATHER_TEXTURE),
    rung(4, "multi-to-one", &ETE_GATHER_UNIFORM),
    rung(5, "multi-to-one", &ETE_GATHER_KEPT),
    rung(6, "one-to-multi", &ETE_SCATTER).paper(2, "1.1 x multi-to-one"),
    rung(7, "one-to-multi", &ETE_SCATTER_TEXTURE),
    rung(8, "one-to-multi", &ETE_SCATTER_UNIFORM),
    rung(9, "one-to-multi", &ETE_SCATTER_KEPT).paper(6, "1.8 to 2.3 x global"),
    rung(10, "two sweeps, star and diagonals", &ETE_TWO_SWEEPS).paper(6, "1.8 to 2.3 x global"),
    rung(11, "one sweep, star's weights kept", &ETE_ONE_SWEEP).paper(10, "faster than two sweeps"),
    rung(12, "two steps at once", &ETE_TWICE),
    rung(13, "two steps at once", &ETE_TWICE_KEPT),
    rung(14, "vec4", &ETE_FOURS),
    rung(15, "vec4, indices in pairs", &ETE_FOURS_PAIRS),
    rung(16, "vec4, table kept", &ETE_FOURS_KEPT),
    rung(17, "vec4, table of 16 bits", &ETE_FOURS_16),
    rung(18, "vec4, table of 16 bits kept", &ETE_FOURS_16_KEPT),
    rung(19, "vec4, few bins", &ETE_FOURS_FEW),
    rung(20, "vec4, few bins kept", &ETE_FOURS_FEW_KEPT),
    rung(21, "vec4 march", &ETE_MARCH),
    rung(22, "vec4 march, table of 16 bits", &ETE_MARCH_16),
    rung(23, "two terms, vec4", &ETE_TERMS),
    rung(24, "two terms, vec4 march", &ETE_TERMS_MARCH),
    rung(25, "two terms, multi-to-one", &ETE_GATHER_TERMS),
    rung(26, "two terms, one-to-multi", &ETE_SCATTER_TERMS).paper(25, "1.1 x multi-to-one"),
];
