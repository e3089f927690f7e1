//! A density that varies at random from node to node: every engine, kernel, edge, cut, window and tap
//! gives what the oracle gives.

use crate::{
    common::{self, engines, gather_error, random},
    kernels::{FREE_SURFACE, boundaries, is_tested, with_each_kernel},
    slabs, translated,
};
use huygens::{
    acquisition::{Shot, Source, SourceKind},
    boundary::Boundary,
    engine::{
        Engine, FocusMap, FocusSummary, Gathers, Observer, Snapshots, Split,
        cpu::{Parallel, Reference},
        gpu,
    },
    grid::{Axes, Axis, Position},
    model::{Density, VelocityModel},
    plan::{Condition, Focus, Margin, Mask, Plan, Setup},
    stencil::Family,
};
use ndarray::Array3;
use std::{collections::BTreeMap, sync::Arc};

/// Of a trace or a field: rounding of f32.
const ROUNDING: f64 = 5e-6;

/// A density from 1000 to 2500 kg/m3 at the nodes of a setup.
pub fn dense(setup: Setup) -> Setup {
    let mut number = random(17);
    let values = Array3::from_shape_simple_fn(setup.model.grid().shape(), || {
        1000.0 + 1500.0 * number() as f32
    });
    Setup { density: Density::new(values).expect("densities in kg/m3"), ..setup }
}

/// Two shots with monopoles and dipoles on and between nodes, and receivers `off` the nodes.
pub fn setup(n: (usize, usize, usize), boundary: Boundary, off: f64) -> Setup {
    let mut number = random(23);
    let velocity = Array3::from_shape_simple_fn(n, || 1500.0 + 500.0 * number() as f32);
    let h = Axes { z: 10.0, x: 12.0, y: 14.0 };
    let mut place = |off: f64| -> Position {
        let mut along = |n: usize, h: f64| {
            (h * ((n - 1) as f64 * number()).floor() + off).min(h * (n - 1) as f64)
        };
        let (z, x) = (along(n.2, h.z), along(n.1, h.x));
        Axes { z, x, y: if n.0 > 1 { along(n.0, h.y) } else { 0.0 } }
    };
    let kinds = [SourceKind::Monopole, SourceKind::Dipole(Axis::Z), SourceKind::Dipole(Axis::X)];
    let mut shot = |off: f64| Shot {
        sources: kinds
            .into_iter()
            .map(|kind| Source { kind, at: place(off), ..common::ricker(0.0, 0.0, 30.0, 0.02) })
            .collect(),
        receivers: (0..50).map(|_| place(off)).collect(),
    };
    let shots = vec![shot(off), shot(0.0)];
    dense(Setup {
        model: VelocityModel::volume(velocity, h).expect("a valid model"),
        boundary,
        shots,
        snapshots: vec![0.02, 0.03],
        ..common::homogeneous((1, 1), 10.0, 1500.0, common::every_step(1e-3, 0.03), Shot::default())
    })
}

/// The largest error of gathers, snapshots and fields, over the largest value of each.
pub fn error_of(engine: &dyn Engine, plan: &Plan) -> f64 {
    let results = |engine: &dyn Engine| {
        let mut seen = (Gathers::new(plan), Snapshots::default());
        let mut run = engine.start(Arc::new(plan.clone())).expect("it fits");
        run.advance(plan.time.steps, &mut seen.0).expect("a stable run");
        run.finish(&mut seen.0).expect("a stable run");
        engine.run(plan, &mut seen.1).expect("a stable run");
        let fields = (0..plan.shots.len()).map(|shot| run.field(shot).expect("a field"));
        let snapshots = seen.1.0.into_iter().map(|snapshot| snapshot.field);
        let gathers = seen.0.shots.into_iter().map(|g| g.insert_axis(ndarray::Axis(0)));
        gathers.chain(snapshots).chain(fields).collect::<Vec<_>>()
    };
    let peak = |values: &Array3<f32>| values.iter().fold(0.0f32, |most, v| most.max(v.abs()));
    let (ours, exact) = (results(engine), results(&Reference));
    assert_eq!(ours.len(), exact.len());
    let each = ours.iter().zip(&exact).map(|(ours, exact)| peak(&(ours - exact)) / peak(exact));
    f64::from(each.fold(0.0, f32::max))
}

#[test]
fn every_kernel_on_every_boundary() {
    for (kernel, mut engines) in with_each_kernel(&[false]) {
        engines.push(Box::new(Parallel));
        let volume = !kernel.starts_with("plane");
        let n = if volume { (13, 19, 139) } else { (1, 71, 93) };
        let all = boundaries().map(|(_, boundary)| boundary);
        for (boundary, off) in
            common::all_or(&all, &all[1..5]).into_iter().zip([0.0, 3.7].into_iter().cycle())
        {
            let mut plan = Plan::new(setup(n, boundary, off)).expect("a valid setup");
            for by_increments in [false, true] {
                plan.by_increments = by_increments;
                for engine in &engines {
                    let error = error_of(engine.as_ref(), &plan);
                    let of = engine.describe().device;
                    let case = format!("{kernel}, {of}, {boundary:?}, {off}, {by_increments}");
                    println!("{case}: {error:e}");
                    // Increments are rounded less.
                    let most = if by_increments { ROUNDING } else { 2.0 * ROUNDING };
                    assert!(error < most, "{case}: {error:e}");
                }
            }
        }
    }
}

#[test]
fn every_order() {
    for order in common::all_or(&[2, 4, 6, 8, 10, 12, 14, 16], &[2, 16]) {
        for n in [(1, 41, 43), (33, 35, 37)] {
            let with = Setup { operator: Family::Taylor { order }, ..setup(n, FREE_SURFACE, 3.7) };
            let plan = Plan::new(with).expect("a valid setup");
            for engine in engines::fast() {
                let error = error_of(engine.as_ref(), &plan);
                assert!(error < ROUNDING, "order {order}, {n:?}: {error:e}");
            }
        }
    }
}

/// However it is cut: slabs of a GPU, shares of several engines.
#[test]
fn cuts_give_the_same_bits() {
    for volume in [false, true] {
        let boundary = FREE_SURFACE;
        for off in [0.0, 3.7] {
            let plan =
                Plan::new(dense(slabs::setup(volume, 8, boundary, off))).expect("a valid setup");
            for gpu in engines::opened(false) {
                for kernel in gpu.kernels(&plan).into_iter().filter(|it| is_tested(it)) {
                    let gpu = gpu.with_kernel(kernel);
                    let whole = slabs::results_by(&gpu.with_slabs(1), &plan);
                    assert!(whole.sounds());
                    let cut = slabs::results_by(&gpu.with_slabs(3), &plan);
                    assert_eq!(slabs::differences(&whole, &cut), [""; 0], "{off}, {}", kernel.name);
                }
            }
            let engines: Vec<Box<dyn Engine>> = vec![Box::new(Parallel), Box::new(Parallel)];
            let split = Split::new(engines, &[1.0, 2.0]).expect("a weight each");
            let [whole, cut] =
                [&Parallel as &dyn Engine, &split].map(|engine| slabs::results_by(engine, &plan));
            assert_eq!(slabs::differences(&whole, &cut), [""; 0], "{off}");
        }
    }
}

/// A GPU reads the potential of the whole model at each shot's place.
#[test]
fn windows_read_their_part_of_the_density() {
    for volume in [false, true] {
        let mut with = dense(slabs::setup(volume, 8, common::cpml(6), 3.7));
        let last = 10.0 * (if volume { 33 } else { 53 } - 1) as f64;
        for (shot, first) in with.shots.iter_mut().zip([60.0, last - 120.0]) {
            let along = |at: &mut Position, to: f64| if volume { at.y = to } else { at.x = to };
            shot.sources.truncate(1);
            along(&mut shot.sources[0].at, first);
            let mut receivers = shot.receivers.to_vec();
            receivers.truncate(4);
            receivers
                .iter_mut()
                .zip(0..)
                .for_each(|(at, i)| along(at, first + 11.0 * f64::from(i)));
            shot.receivers = receivers.into();
        }
        let margin = match volume {
            true => Margin { x: None, y: Some(70.0), depth: None },
            false => Margin { x: Some(70.0), y: None, depth: None },
        };
        with.snapshots.clear();
        let plan = Plan::new(Setup { window: Some(margin), ..with }).expect("a valid setup");
        assert!(plan.windows.is_some() && plan.shots[0].window != plan.shots[1].window);
        let gathers = |engine: &dyn Engine| {
            let mut gathers = Gathers::new(&plan);
            engine.run(&plan, &mut gathers).expect("a stable run");
            gathers.shots
        };
        let exact = gathers(&Reference);
        for engine in engines::fast() {
            for (ours, exact) in gathers(engine.as_ref()).iter().zip(&exact) {
                let error = gather_error(ours.view(), exact.view());
                assert!(error < ROUNDING, "volume: {volume}: {error:e}");
            }
        }
        for gpu in engines::opened(false) {
            for kernel in gpu.kernels(&plan).into_iter().filter(|it| is_tested(it)) {
                let ours = gathers(&gpu.with_kernel(kernel));
                let error = gather_error(ours[1].view(), exact[1].view());
                assert!(error < ROUNDING, "{}: {error:e}", kernel.name);
            }
        }
    }
}

/// A state saved half-way and restored gives the bits of an uninterrupted run; a state of another
/// density is refused.
#[test]
fn a_state_is_that_of_its_density() {
    let with = slabs::setup(false, 8, FREE_SURFACE, 3.7);
    let plan = Arc::new(Plan::new(dense(with.clone())).expect("a valid setup"));
    let other = Arc::new(Plan::new(with).expect("a valid setup"));
    for engine in engines::fast_and_oracle() {
        let mut run = engine.start(plan.clone()).expect("it fits");
        run.advance(40, &mut ()).expect("a stable run");
        let state = run.state().expect("a state");
        let expected = slabs::results_of(run.as_mut(), &plan);
        let mut again = engine.start(plan.clone()).expect("it fits");
        again.restore(&state).expect("its own state");
        let results = slabs::results_of(again.as_mut(), &plan);
        assert_eq!(slabs::differences(&expected, &results), [""; 0]);
        let mut wrong = engine.start(other.clone()).expect("it fits");
        assert!(wrong.restore(&state).is_err(), "the state of another medium");
    }
}

#[derive(Default)]
struct Focused(Vec<FocusMap>, Vec<FocusSummary>);

impl Observer for Focused {
    fn focus(&mut self, map: FocusMap) {
        self.0.push(map);
    }

    fn summary(&mut self, summary: FocusSummary) {
        self.1.push(summary);
    }
}

fn focused(engine: &dyn Engine, plan: &Plan) -> Focused {
    let mut focused = Focused::default();
    engine.run(plan, &mut focused).expect("a stable run");
    focused
}

/// Maps and their summaries are of p, which has its largest values where w p has others.
#[test]
fn a_focus_is_of_the_pressure() {
    let with = dense(slabs::setup(false, 8, common::cpml(6), 3.7));
    let plan = Plan::new(with).expect("a valid setup");
    for condition in [Condition::Amplitude, Condition::Energy { quarter: 2 }] {
        let focus = Focus { every: 3, groups: 2, condition };
        let mask = Mask::new(&plan.model_grid, &[], 0.0);
        let (maps, summaries) =
            (plan.clone().focused(focus), plan.clone().summarised(focus, mask.clone()));
        let exact = focused(&Reference, &maps).0.remove(0).largest;
        let peak = |values: &Array3<f32>| values.iter().fold(0.0f32, |most, v| most.max(v.abs()));
        for engine in engines::fast() {
            let ours = focused(engine.as_ref(), &maps).0.remove(0);
            let off = peak(&(&ours.largest - &exact)) / peak(&exact);
            assert!(off < 2e-4, "{condition:?}: {off:e}");
            let summary = focused(engine.as_ref(), &summaries).1.remove(0);
            let expected = ours.summary(&mask);
            assert!((summary.largest / expected.largest - 1.0).abs() < 1e-5);
            let nodes = [summary.summit, expected.summit].map(|summit| summit.map(|at| at.node));
            assert_eq!(nodes[0], nodes[1]);
        }
    }
}

/// Every text that a density changes is valid, and every backend has a translation of it.
#[test]
fn its_shaders_are_valid() {
    let mut distinct = BTreeMap::new();
    for n in [(1, 71, 93), (23, 27, 139)] {
        for (boundary, off) in [(common::cpml(5), 0.0), (FREE_SURFACE, 3.7)] {
            let with = setup(n, boundary, off);
            let margin = Margin { x: Some(100.0), y: None, depth: None };
            let windows = Setup { window: Some(margin), snapshots: Vec::new(), ..with.clone() };
            for setup in [with, windows] {
                let plan = Arc::new(Plan::new(setup).expect("a valid setup"));
                for slabs in [1, 2] {
                    let shaders = gpu::shaders(&plan, slabs).expect("they can be cut");
                    let steps = shaders.iter().filter(|(name, _)| ["step", "march"].contains(name));
                    for (name, text) in steps {
                        assert!(text.contains("laplacian -= potential("), "{name}");
                    }
                    distinct.extend(shaders.into_iter().map(|(name, text)| (text, name)));
                }
            }
        }
    }
    translated::check(&distinct);
    assert!(distinct.values().any(|name| *name == "march"));
}

/// Models of a scan have one density: the potential is there once, behind them.
#[test]
fn a_scan_leaves_the_density() {
    for n in [(1, 41, 43), (13, 19, 45)] {
        let with = setup(n, common::cpml(5), 3.7);
        let faster = with.model.scaled(1.07).expect("a model");
        let plan = Plan::scan(with.clone(), std::slice::from_ref(&faster)).expect("valid setups");
        let alone = Plan::new(Setup { model: faster, ..with }).expect("a valid setup");
        let gathers = |engine: &dyn Engine, plan: &Plan| {
            let mut gathers = Gathers::new(plan);
            engine.run(plan, &mut gathers).expect("a stable run");
            gathers.shots
        };
        let exact = gathers(&Reference, &alone);
        for engine in engines::fast_and_oracle() {
            let ours = gathers(engine.as_ref(), &plan);
            for (ours, exact) in ours[2..].iter().zip(&exact) {
                let error = gather_error(ours.view(), exact.view());
                assert!(error < ROUNDING, "{n:?}, {}: {error:e}", engine.describe().backend);
            }
        }
    }
}
