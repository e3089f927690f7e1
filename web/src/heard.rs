//! What a run tells: its traces, as they come.

use huygens::{
    engine::{FocusMap, Gathers, Observer, TraceBlock},
    plan::Plan,
};

/// The gather of a Plan of one shot.
#[derive(Default)]
pub struct Heard {
    pub gathers: Gathers,
    /// Samples of each trace so far.
    pub samples: usize,
    /// Where the waves of a gather that was sent back were strongest.
    pub focus: Option<FocusMap>,
}

impl Heard {
    pub fn new(plan: &Plan) -> Self {
        Heard { gathers: Gathers::new(plan), samples: 0, focus: None }
    }
}

impl Observer for Heard {
    fn traces(&mut self, block: TraceBlock<'_>) {
        self.samples = self.samples.max(block.first + block.traces.ncols());
        self.gathers.traces(block);
    }

    fn focus(&mut self, map: FocusMap) {
        self.focus = Some(map);
    }
}
