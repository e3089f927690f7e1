//! Where a wave came from: what receivers at the surface recorded of a source in the ground goes back in time, and meets there again.

use huygens::prelude::*;
use std::ops::ControlFlow;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let nodes = PlaneAxes { x: 101, z: 76 };
    let spacing = PlaneAxes { x: 20.0, z: 20.0 };
    let model = builtin("layers", Some(nodes), Some(spacing))?;
    let source = Source::new(Axes::xz(1200.0, 900.0), Wavelet::ricker(10.0));
    let receivers = line(Axes::xz(0.0, 0.0), Axes::xz(2000.0, 0.0), 101);
    let setup = Setup::new(model, vec![Shot::new(source, receivers.clone())], 1.5);
    let plan = Plan::new(setup.clone())?;
    let gather = shot::run(&Parallel, &plan)?.shots.remove(0).gather;
    let recording = Recording { gather, interval: plan.time.interval(), receivers };

    let back = setup.time_reversed(&recording, 1, SourceKind::Monopole, 1.0)?;
    let plan = Plan::new(back)?;
    let every = Focus::every(plan.time.dt, recording.dominant_hz());
    let plan = plan.focused(Focus { every, groups: 1, condition: Condition::Amplitude });
    let go_on = &mut |_| ControlFlow::Continue(());
    locate::run(&Parallel, &plan, go_on, &mut |_| false, &mut |focused| {
        // What is sent back is strongest at the receivers themselves.
        let mask = Mask::new(&plan.model_grid, &recording.receivers, 200.0);
        for peak in locate::peaks(&focused.map, &plan.model_grid, &mask, 1, 400.0) {
            let time = recording.duration() - plan.time.at(peak.step);
            println!("x = {:.0} m, z = {:.0} m at {time:.3} s", peak.at.x, peak.at.z);
        }
        Ok::<_, EngineError>(())
    })?;
    Ok(())
}
