//! Time reversal: what was recorded, sent back, meets where and when it was sent.

use crate::common;
use huygens::{
    acquisition::{Shot, Source, TimeDispersion, line},
    boundary::{Absorber, Boundary, Sponge, Top},
    engine::{EngineError, cpu::Parallel},
    grid::{Axes, Position},
    model::builtin,
    plan::{Condition, Focus, Mask, Plan, Setup, Step, Time},
    stencil::{Family, Window},
    workflow::locate::{self, Peak, Recording},
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
        shots: vec![Shot { sources, receivers: receivers.into() }],
        snapshots: Vec::new(),
        initial: None,
        allow_unstable: false,
    }
}

/// What a setup records.
fn record(setup: &Setup) -> Recording {
    let gather = common::gathers(&Parallel, setup.clone()).remove(0);
    let receivers = setup.shots[0].receivers.to_vec();
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
    locate::run(&Parallel, &plan, go_on, &mut |_| true, &mut |focused| {
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

/// Seconds of a period of the thesis' wavelet, and cells of its grid in metres.
const PERIOD: f64 = 1.0 / 8.0;
const CELL: f64 = 20.0;

/// On the surface, above the salt, below it. Where the receivers are, nothing can be masked.
#[test]
fn the_sources_of_the_thesis_are_found() {
    for (number, z, cells, mask) in
        [(1, 0.0, 1.0, 0.0), (2, 1000.0, 1.0, 200.0), (3, 3000.0, 3.0, 200.0)]
    {
        let source = common::ricker(6000.0, z, 8.0, 0.15);
        let at = source.at;
        let setup = thesis(vec![source]);
        let recording = record(&setup);
        let (peak, time) = located(&setup, &recording, AMPLITUDE, mask, 1)[0];
        let (off, late) = (distance(peak.at, at) / CELL, time - 0.15);
        let clear = peak.over_background.expect("a background");
        println!("source {number}: {off:.2} cells and {late:.3} s off, {clear:.1} x background");
        assert!(off <= cells && late.abs() <= PERIOD, "{peak:?} at {time} s");
        assert!(clear > 10.0, "{peak:?}");
    }
}

#[test]
fn energy_and_groups_find_the_source_as_well_and_groups_stand_out_more() {
    let source = common::ricker(6000.0, 1000.0, 8.0, 0.15);
    let at = source.at;
    let setup = thesis(vec![source]);
    let recording = record(&setup);
    let found = |condition| located(&setup, &recording, condition, 200.0, 1)[0];
    let plain = found(AMPLITUDE).0;
    let energy = Condition::Energy { half: 8 };
    for condition in [(energy, 1), (Condition::Amplitude, 4)] {
        let (peak, time) = found(condition);
        let off = distance(peak.at, at) / CELL;
        println!(
            "{condition:?}: {off:.2} cells, {:.1} x background",
            peak.over_background.expect("a background")
        );
        assert!(off <= 1.0 && (time - 0.15).abs() <= PERIOD, "{condition:?}: {peak:?}");
        if condition.1 > 1 {
            let over = |peak: Peak| peak.over_background.expect("a background");
            assert!(over(peak) > 1.2 * over(plain));
        }
    }
}

/// Off the nodes, in water of 8 nodes a wavelength, under receivers on the surface: within half a cell.
#[test]
fn sources_between_nodes_are_found_within_half_a_cell() {
    let time = common::every_step(1e-3, 1.0);
    for (x, z) in [(803.0, 611.0), (1247.5, 402.5), (596.1, 708.8)] {
        // 1500 m/s and 18.75 Hz: 80 m.
        let shot = Shot {
            sources: vec![common::ricker(x, z, 18.75, 0.08)],
            receivers: line(Axes::xz(0.0, 10.0), Axes::xz(2000.0, 10.0), 201).into(),
        };
        let mut setup = common::homogeneous((201, 121), 10.0, 1500.0, time, shot);
        setup.boundary.top = Top::Absorb;
        let gather = common::gathers(&Parallel, setup.clone()).remove(0);
        let receivers = setup.shots[0].receivers.to_vec();
        let recording = Recording { gather, interval: 1e-3, receivers };
        let (peak, time) = located(&setup, &recording, AMPLITUDE, 100.0, 1)[0];
        let off = distance(peak.at, Axes::xz(x, z)) / 10.0;
        println!("{x}, {z}: {off:.2} cells and {:.4} s off, {:?}", time - 0.08, peak.at);
        assert!(off < 0.5, "{off} cells: {:?}", peak.at);
        assert!((time - 0.08).abs() < 1.0 / 18.75, "{time}");
    }
}

#[test]
fn sources_at_different_times_are_told_apart() {
    let truth = [(6000.0, 1000.0, 0.15), (3500.0, 800.0, 0.65), (9500.0, 700.0, 1.1)];
    let sources = truth.map(|(x, z, delay)| common::ricker(x, z, 8.0, delay));
    let setup = thesis(sources.to_vec());
    let recording = record(&setup);
    let found = located(&setup, &recording, AMPLITUDE, 200.0, 3);
    assert_eq!(found.len(), 3);
    for (x, z, delay) in truth {
        let near = |(peak, _): &&(Peak, f64)| distance(peak.at, Axes::xz(x, z)) <= CELL;
        let (peak, time) = found.iter().find(near).unwrap_or_else(|| panic!("{x} {z}: {found:?}"));
        println!("{x}, {z}, {delay} s: {:?} at {time:.3} s", peak.at);
        assert!((time - delay).abs() <= PERIOD, "{peak:?} at {time} s");
    }
}

/// The test of the test: a gather whose time runs the other way, and a model that is 10 % off, are not found where
/// the source was.
#[test]
fn mistakes_are_seen() {
    let source = common::ricker(6000.0, 1000.0, 8.0, 0.15);
    let at = source.at;
    let setup = thesis(vec![source]);
    let recording = record(&setup);
    let mut forward = recording.clone();
    forward.gather.invert_axis(ndarray::Axis(1));
    let mut wrong = setup.clone();
    wrong.model = setup.model.scaled(0.9).expect("a model");
    for (setup, recording) in [(&setup, &forward), (&wrong, &recording)] {
        let (peak, _) = located(setup, recording, AMPLITUDE, 200.0, 1)[0];
        assert!(distance(peak.at, at) > 3.0 * CELL, "{peak:?}");
    }
}
