//! A run that never waits, as a browser drives it: the same traces and fields, bit for bit, and
//! where it is there all was heard.

use crate::{
    common::engines,
    slabs::{boundaries, setup},
};
use huygens::{
    engine::{Engine, Gathers, Observer, Run, TraceBlock},
    plan::Plan,
};
use std::{ops::ControlFlow, sync::Arc};

/// The results of a run.
struct Results {
    gathers: Gathers,
    step: usize,
}

impl Observer for Results {
    fn progress(&mut self, step: usize) -> ControlFlow<()> {
        self.step = step;
        ControlFlow::Continue(())
    }

    fn traces(&mut self, block: TraceBlock<'_>) {
        self.gathers.traces(block);
    }
}

#[test]
fn a_run_that_never_waits_gives_the_same_bits() {
    for volume in [false, true] {
        let boundary = boundaries()[3];
        let plan = Arc::new(Plan::new(setup(volume, 8, boundary, 3.7)).expect("a valid setup"));
        for gpu in engines::opened(false) {
            let mut expected = Gathers::new(&plan);
            let mut waiting = gpu.start(plan.clone()).expect("it fits");
            waiting.advance(plan.time.steps, &mut expected).expect("a stable run");
            waiting.finish(&mut expected).expect("a stable run");

            let mut results = Results { gathers: Gathers::new(&plan), step: 0 };
            let mut run = gpu.begin(plan.clone()).expect("it fits");
            while !run.go_on(41, &mut results).expect("a stable run") {}
            assert_eq!([run.step(), results.step], [41; 2]);
            // It ends while its last steps are still on their way.
            while run.step() < plan.time.steps {
                run.go_on(plan.time.steps, &mut results).expect("a stable run");
            }
            while !run.end(&mut results).expect("a stable run") {}
            assert_eq!(results.step, plan.time.steps);
            assert_eq!(expected.shots, results.gathers.shots);
            for shot in 0..plan.shots.len() {
                assert!(run.field(shot).expect("a field") == waiting.field(shot).expect("a field"));
            }
        }
    }
}
