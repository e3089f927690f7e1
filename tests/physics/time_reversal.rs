//! Time reversal: what was recorded, sent back, meets where and when it was sent.

use crate::common;
use huygens::{
    acquisition::{Shot, Source, TimeDispersion, line},
    boundary::{Absorber, Boundary, Sponge, Top},
    engine::{EngineError, cpu::Parallel},
    grid::{Axes, Position},
    model::builtin,
    plan::{Condition, Focus, Plan, Setup, Step, Time},
    stencil::{Family, Window},
    workflow::locate::{self, Mask, Peak, Recording},
};
use std::ops::ControlFlow;

/// The thesis' geometry, with some sources.
fn thesis(sources: Vec<Source>) -> Setup {
    let window = Window { wing: 8, alpha: 0.5, beta: 5.0 };
    let receivers = line(Axes::xz(0.0, 0.0), Axes::xz(13_480.0, 0.0), 675);
    Setup {
        model: builtin("salt", None, Some((20.0, 20.0))).expect("the built-in model"),
        operator: Family::WindowedSinc { window: Axes { z: window, x: window, y: window } },
        boundary: Boundary {
            top: Top::Zero,
            sides: Absorber::Sponge(Sponge { cells: 50, strength: Sponge::STRENGTH }),
        },
        time: Time {
            duration: 4.0,
            step: Step::Seconds(0.002),
            record: None,
            dispersion: TimeDispersion::Kept,
        },
        shots: vec![Shot { sources, receivers }],
        snapshots: Vec::new(),
        initial: None,
        allow_unstable: false,
    }
}

/// What a setup records.
fn record(setup: &Setup) -> Recording {
    let gather = common::gathers(&Parallel, setup.clone()).remove(0);
    let receivers = setup.shots[0].receivers.clone();
    Recording { gather, interval: 0.002, receivers }
}

/// The peaks of a recording sent back, and the time of each.
fn located(
    setup: &Setup,
    recording: &Recording,
    (condition, groups): (Condition, usize),
    mask: f64,
    count: usize,
) -> Vec<(Peak, f64)> {
    let back = locate::backward(setup.clone(), recording, groups).expect("a sound recording");
    let plan = Plan::new(back).expect("a valid setup");
    let focus = Focus { every: 4, groups, condition };
    let plan = plan.focused(focus);
    let mut found = Vec::new();
    let go_on = &mut |_| ControlFlow::Continue(());
    locate::run(&Parallel, &plan, go_on, &mut |focused| {
        let mask = Mask::new(&plan.model_grid, &recording.receivers, mask);
        let peaks = locate::peaks(&focused.map, &plan.model_grid, &mask, count, 400.0);
        let time = |peak: &Peak| recording.duration() - plan.time.at(peak.step);
        found = peaks.iter().map(|peak| (*peak, time(peak))).collect();
        Ok::<_, EngineError>(())
    })
    .expect("a stable run");
    found
}

fn distance(a: Position, b: Position) -> f64 {
    (a.z - b.z).hypot(a.x - b.x)
}

const AMPLITUDE: (Condition, usize) = (Condition::Amplitude, 1);

#[test]
fn the_sources_of_the_thesis_are_found() {
    // On the surface, where the receivers are, nothing can be masked.
    for (number, z, _cells, mask) in
        [(1, 0.0, 1.0, 0.0), (2, 1000.0, 1.0, 200.0), (3, 3000.0, 3.0, 200.0)]
    {
        let source = common::ricker(6000.0, z, 8.0, 0.15);
        let at = source.at;
        let setup = thesis(vec![source]);
        let recording = record(&setup);
        for condition in [AMPLITUDE, (Condition::Energy { half: 8 }, 1), (Condition::Amplitude, 4)]
        {
            let (peak, time) = located(&setup, &recording, condition, mask, 1)[0];
            let off = distance(peak.at, at) / 20.0;
            println!(
                "source {number}, {condition:?}: {off:.2} cells off, {:.3} s off, {:.1} x background; {:?}",
                time - 0.15,
                peak.over_background,
                peak.at
            );
        }
    }
}
