//! A tap of one's own, on the host: an `Observer` that reads every snapshot where the engine has it, keeps one number of it and ends
//! the run when it has seen enough. What taps read on the device is a list that engines know, `plan::Tap`.

use huygens::{ndarray::s, prelude::*};
use std::ops::ControlFlow;

/// How far the wave has come, by step.
#[derive(Default)]
struct Front(Vec<(usize, f64)>);

impl Observer for Front {
    fn snapshot(&mut self, snapshot: SnapshotView<'_>) {
        // Along x from the source; a field has the shape [y][x][z].
        let row = snapshot.field.slice(s![0, 100.., 100]);
        let loudest = (0..row.len()).max_by(|a, b| row[*a].total_cmp(&row[*b]));
        self.0.push((snapshot.step, 10.0 * loudest.unwrap_or(0) as f64));
    }

    fn progress(&mut self, _step: usize) -> ControlFlow<()> {
        match self.0.last() {
            Some((_, metres)) if *metres > 600.0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let nodes = PlaneAxes { x: 201, z: 201 };
    let spacing = PlaneAxes { x: 10.0, z: 10.0 };
    let model = builtin("homogeneous", Some(nodes), Some(spacing))?;
    let source = Source::new(Axes::xz(1000.0, 1000.0), Wavelet::ricker(15.0));
    let setup = Setup {
        snapshots: vec![0.2, 0.3, 0.4, 0.5],
        ..Setup::new(model, vec![Shot::new(source, [])], 5.0)
    };
    let plan = Plan::new(setup)?;
    let mut front = Front::default();
    match Parallel.run(&plan, &mut front) {
        Err(EngineError::Stopped { step, steps }) => println!("ended at step {step} of {steps}"),
        ended => drop(ended?),
    }
    for (step, metres) in front.0 {
        println!("after {:.3} s: {metres} m from the source", plan.time.at(step));
    }
    Ok(())
}
