//! Shots that advance together give what they give alone, bit for bit.

use crate::{
    common::{self, engines},
    slabs,
};
use huygens::{
    acquisition::Shot,
    engine::Gathers,
    grid::Axes,
    operations,
    plan::{Condition, Focus, Plan, Setup},
};
use std::{ops::ControlFlow, sync::Arc};

/// Three shots with other sources and other numbers of receivers, two on nodes and one between
/// them.
fn setup() -> Setup {
    let shot = |x: f64, receivers: usize| Shot {
        sources: vec![common::ricker(x, 200.0, 20.0, 0.05), common::ricker(300.0, x, 25.0, 0.05)],
        receivers: (0..receivers).map(|i| Axes::xz(20.0 * i as f64 + x % 10.0, 100.0)).collect(),
    };
    let time = common::every_step(1e-3, 0.3);
    let mut setup = common::homogeneous((61, 51), 10.0, 2000.0, time, shot(100.0, 5));
    setup.shots = vec![shot(100.0, 5), shot(250.0, 0), shot(403.7, 17)];
    setup.snapshots = vec![0.0, 0.1, 0.3];
    setup
}

#[test]
fn together_is_alone() {
    let plan = Plan::new(setup()).expect("a valid setup");
    for engine in engines::all() {
        let mut together = Gathers::new(&plan);
        engine.run(&plan, &mut together).expect("a stable run");
        for shot in 0..3 {
            let alone = plan.batch(shot..shot + 1);
            let mut gathers = Gathers::new(&alone);
            engine.run(&alone, &mut gathers).expect("a stable run");
            let backend = engine.describe().backend;
            assert_eq!(gathers.shots[0], together.shots[shot], "{backend}, shot {shot}");
        }
    }
}

#[test]
fn the_workflow_hands_every_shot_out_once() {
    let plan = Plan::new(setup()).expect("a valid setup");
    for engine in engines::fast() {
        let mut seen = Vec::new();
        let mut steps = 0;
        let mut progress = |step| {
            steps = step;
            ControlFlow::Continue(())
        };
        operations::shot::model(
            engine.as_ref(),
            &plan,
            &mut progress,
            &mut |_, _| true,
            &mut |result| {
                assert_eq!(result.gather.nrows(), plan.shots[result.shot].receivers.len());
                let at: Vec<_> = result.snapshots.iter().map(|snapshot| snapshot.step).collect();
                assert_eq!(at, [0, 100, 300]);
                seen.push(result.shot);
                Ok::<_, huygens::engine::EngineError>(())
            },
        )
        .expect("a stable run");
        assert_eq!(seen, [0, 1, 2]);
        let total = operations::shot::total_steps(engine.as_ref(), &plan).expect("it fits");
        assert_eq!(steps, total);
    }
}

/// Four shots, two at a time, with everything that is kept of a field.
#[test]
fn a_run_that_starts_anew_gives_what_a_new_one_gives() {
    for volume in [false, true] {
        let [_, sponge, _, layers] = slabs::boundaries();
        for boundary in common::all_or(&[sponge, layers], &[layers]) {
            let mut setup = slabs::setup(volume, 8, boundary, 3.7);
            let mut more = setup.shots.clone();
            more.iter_mut().for_each(|shot| shot.sources.swap(0, 1));
            more[0].sources.truncate(1);
            setup.shots.extend(more);
            let focus = Focus { every: 3, groups: 2, condition: Condition::Energy { quarter: 2 } };
            let plan = Plan::new(setup).expect("a valid setup").focused(focus);
            let batches = [0..2, 2..4, 0..2].map(|shots| Arc::new(plan.batch(shots)));
            let mut engines = engines::fast();
            for gpu in engines::opened(false) {
                engines.push(Box::new(gpu.with_slabs(3)));
            }
            for engine in engines {
                let mut run = engine.start(batches[0].clone()).expect("it fits");
                for (index, batch) in batches.iter().enumerate() {
                    if index > 0 {
                        assert_eq!(run.restart(batch), Ok(true));
                    }
                    let results = slabs::results_of(run.as_mut(), batch);
                    let mut new = engine.start(batch.clone()).expect("it fits");
                    let expected = slabs::results_of(new.as_mut(), batch);
                    let differences = slabs::differences(&results, &expected);
                    assert_eq!(differences, [""; 0], "{:?}, batch {index}", engine.describe());
                }
                // Another number of shots, and another grid, are other runs.
                assert_eq!(run.restart(&Arc::new(plan.batch(0..4))), Ok(false));
                let other = slabs::setup(volume, 2, common::cpml(7), 3.7);
                let other = Arc::new(Plan::new(other).expect("a valid setup"));
                assert_eq!(run.restart(&other), Ok(false));
            }
        }
    }
}
