//! Every kernel that ships, whichever a measurement would choose, gives the oracle's field.

use crate::{
    common::{self, engines, figures::figure},
    volume::{TOLERANCE, error_of, plan},
};
use huygens::{
    acquisition::{Shot, Source, SourceKind},
    boundary::{Absorber, Boundary, Sponge, Top},
    engine::{
        Engine, Gathers,
        cpu::{Parallel, Reference},
        gpu::{Gpu, KERNELS, StepKernel},
    },
    grid::{Axes, Axis, Position},
    model::VelocityModel,
    plan::{Plan, Setup},
    stencil::Family,
};
use ndarray::Array3;

/// Each kernel on each adapter; for a landing, one of each way to cut the field.
pub fn with_each_kernel(checked: &[bool]) -> Vec<(String, Vec<Box<dyn Engine>>)> {
    with(KERNELS.iter().filter(|kernel| is_tested(kernel)), checked)
}

fn with(
    kernels: impl Iterator<Item = &'static StepKernel>,
    checked: &[bool],
) -> Vec<(String, Vec<Box<dyn Engine>>)> {
    let gpus: Vec<Gpu> = checked.iter().flat_map(|checked| engines::opened(*checked)).collect();
    let of = |kernel| {
        gpus.iter().map(move |gpu| -> Box<dyn Engine> { Box::new(gpu.with_kernel(kernel)) })
    };
    kernels.map(|kernel| (kernel.name.to_owned(), of(kernel).collect())).collect()
}

/// True for the kernels of a landing: one for each way to cut the field. The others differ from them
/// in the shape of their workgroups.
pub fn is_tested(kernel: &StepKernel) -> bool {
    let one_of_each_cut = ["plane-16x8", "apart-16x8x2", "march-16x16", "whole-16x4x4"];
    assert!(one_of_each_cut.iter().all(|name| StepKernel::named(name).is_some()));
    common::full() || one_of_each_cut.contains(&kernel.name)
}

/// A CPML beside and below a free surface.
pub const FREE_SURFACE: Boundary = Boundary { top: Top::Free, ..common::cpml(5) };

pub fn boundaries() -> [(&'static str, Boundary); 6] {
    let sponge = Absorber::Sponge(Sponge { cells: 6, strength: Sponge::STRENGTH });
    let zero_top = Boundary { top: Top::Zero, ..common::cpml(5) };
    [
        ("zero", common::NO_LAYER),
        ("sponge", Boundary { sides: sponge, ..common::NO_LAYER }),
        ("CPML", common::cpml(5)),
        ("CPML, zero top", zero_top),
        ("CPML, free surface", FREE_SURFACE),
        ("sponge, free surface", Boundary { top: Top::Free, sides: sponge }),
    ]
}

/// Nodes along z. The march separates the layers along z and cuts them at lines of memory, so it
/// needs enough nodes to leave some between them.
fn depth(kernel: &str, short: usize) -> usize {
    if kernel.starts_with("march") { 139 } else { short }
}

#[test]
fn every_kernel_on_every_boundary() {
    let checked = common::all_or(&[false, true], &[false]);
    for (kernel, engines) in with(KERNELS.iter(), &checked) {
        let all = StepKernel::named(&kernel).is_some_and(is_tested);
        let n =
            if kernel.starts_with("plane") { (1, 71, 93) } else { (23, 27, depth(&kernel, 75)) };
        let mut worst = 0.0f32;
        for (boundary, layers) in boundaries().into_iter().skip(if all { 0 } else { 4 }) {
            let plan = plan(n, Family::Taylor { order: 8 }, layers, 5);
            let error = error_of(&engines, &plan);
            assert!(error <= TOLERANCE, "{kernel}, {boundary}: {error:e}");
            worst = worst.max(error);
        }
        if let Some(gpu) = engines.first() {
            let value = format!("{worst:.0e}");
            figure("agreement", &format!("kernel {kernel}"), gpu.as_ref(), &value, "2e-6", "");
        }
    }
}

/// Whatever the step: with p - p_prev in the place of p_prev the field is the same.
#[test]
fn every_kernel_by_increments() {
    for (kernel, mut engines) in with_each_kernel(&[true]) {
        engines.push(Box::new(Parallel));
        let n =
            if kernel.starts_with("plane") { (1, 71, 93) } else { (23, 27, depth(&kernel, 75)) };
        let boundaries = boundaries();
        for (boundary, layers) in common::all_or(&boundaries, &boundaries[4..]) {
            let mut plan = plan(n, Family::Taylor { order: 8 }, layers, 5);
            plan.by_increments = true;
            let error = error_of(&engines, &plan);
            assert!(error <= TOLERANCE, "{kernel}, {boundary}: {error:e}");
        }
    }
}

#[test]
fn every_kernel_at_every_order() {
    for (kernel, engines) in with_each_kernel(&[false]) {
        // Wide enough that layers of 5 and the widest stencil leave something in the middle.
        let n =
            if kernel.starts_with("plane") { (1, 23, 37) } else { (19, 21, depth(&kernel, 37)) };
        for order in common::all_or(&[2, 4, 6, 8, 10, 12, 14, 16], &[2, 10, 16]) {
            for layers in common::all_or(&[common::cpml(5), FREE_SURFACE], &[FREE_SURFACE]) {
                let plan = plan(n, Family::Taylor { order }, layers, order as u64);
                let error = error_of(&engines, &plan);
                let top = layers.top;
                assert!(error <= TOLERANCE, "{kernel}, order {order}, {top:?}: {error:e}");
            }
        }
    }
}

#[test]
fn every_kernel_on_slivers() {
    for (kernel, engines) in with_each_kernel(&[false]) {
        let slivers = match kernel.starts_with("plane") {
            true => [(1, 1, 50), (1, 40, 1), (1, 2, 3)],
            false => [(2, 1, 70), (19, 40, 1), (3, 2, 2)],
        };
        for n in slivers {
            let layers = [common::NO_LAYER, common::cpml(5)];
            for layers in common::all_or(&layers, &layers[1..]) {
                let plan = plan(n, Family::Taylor { order: 8 }, layers, 7);
                let error = error_of(&engines, &plan);
                assert!(error <= TOLERANCE, "{kernel}, {n:?}: {error:e}");
            }
        }
    }
}

/// Shots of a batch with receivers of their own, sources on the nodes where regions and tiles meet,
/// two of them on one node: what is recorded is what the oracle records.
#[test]
fn every_kernel_injects_and_records_wherever_regions_meet() {
    for (kernel, engines) in with_each_kernel(&[false]) {
        let volume = !kernel.starts_with("plane");
        // Regions meet at the layers of 5, and along z where lines of memory begin.
        let nz = 139;
        let n = if volume { (17, 19, nz) } else { (1, 19, nz) };
        let mut number = common::random(11);
        let velocity = Array3::from_shape_fn(n, |_| (1500.0 + 500.0 * number()) as f32);
        let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
        let at = |z: usize, x: usize, y: usize| {
            let y = if volume { 10.0 * y as f64 } else { 0.0 };
            Axes { z: 10.0 * z as f64, x: 10.0 * x as f64, y }
        };
        let source = |at| Source { at, ..common::ricker(0.0, 0.0, 30.0, 0.02) };
        let edges = [(0, 0, 0), (58, 1, 1), (59, 2, 2), (122, 17, 15), (123, 18, 16), (136, 8, 9)];
        let shot = |first: usize| Shot {
            sources: edges
                .iter()
                .cycle()
                .skip(first)
                .take(4)
                .chain(&edges[first..=first])
                .map(|(z, x, y)| source(at(*z, *x, *y)))
                .collect(),
            receivers: (0..40 + 300 * first)
                .map(|k| at((7 * k) % nz, (3 * k) % 19, k % 17))
                .collect(),
        };
        let shots = vec![shot(0), shot(1), shot(4)];
        for boundary in common::all_or(&[common::cpml(5), FREE_SURFACE], &[FREE_SURFACE]) {
            let time = common::every_step(1e-3, 0.03);
            let mut setup = common::homogeneous((1, 1), 10.0, 1500.0, time, shot(0));
            setup.model = VelocityModel::volume(velocity.clone(), h).expect("a valid model");
            setup.operator = Family::Taylor { order: 4 };
            setup.boundary = boundary;
            setup.shots = shots.clone();
            compare_gathers(&kernel, &engines, setup);
        }
    }
}

/// Sources, dipoles among them, and receivers between nodes: in the middle, beside the edges and
/// the surface, where regions meet, and in grids narrower than the weights; a batch with a shot on
/// nodes beside.
#[test]
fn every_kernel_injects_and_records_between_nodes() {
    for (kernel, engines) in with_each_kernel(&[true]) {
        let volume = !kernel.starts_with("plane");
        let sizes = match volume {
            true => [(17, 19, 45), (5, 3, 21)],
            false => [(1, 19, 45), (1, 3, 21)],
        };
        for n in sizes {
            let boundaries = [common::NO_LAYER, common::cpml(5), FREE_SURFACE];
            for boundary in common::all_or(&boundaries, &boundaries[2..]) {
                compare_gathers(&kernel, &engines, between_nodes(n, boundary));
            }
        }
    }
}

fn between_nodes(n: (usize, usize, usize), boundary: Boundary) -> Setup {
    let mut number = common::random(23);
    let velocity = Array3::from_shape_fn(n, |_| (1500.0 + 500.0 * number()) as f32);
    let h = Axes { z: 10.0, x: 12.0, y: 14.0 };
    let mut at = |depth: f64| {
        let mut along = |n: usize, h: f64| h * (n - 1) as f64 * number();
        Axes { z: depth * along(n.2, h.z), x: along(n.1, h.x), y: along(n.0, h.y) }
    };
    // Every other one within a few rows of the surface.
    let mut places = |count: usize| -> Vec<Position> {
        (0..count).map(|i| at(if i % 2 == 0 { 1.0 } else { 0.1 })).collect()
    };
    let kinds = [SourceKind::Monopole, SourceKind::Dipole(Axis::Z), SourceKind::Dipole(Axis::X)];
    let between = |at: Vec<Position>, receivers: Vec<Position>| Shot {
        sources: at
            .into_iter()
            .zip(kinds)
            .map(|(at, kind)| Source { kind, at, ..common::ricker(0.0, 0.0, 30.0, 0.02) })
            .collect(),
        receivers: receivers.into(),
    };
    let on = |z: f64, x: f64| Axes { z, x, y: 0.0 };
    let shots = vec![
        between(places(3), places(70)),
        between(vec![on(10.0, 12.0)], vec![on(0.0, 0.0), on(20.0, 24.0)]),
        between(places(3), places(7)),
    ];
    let time = common::every_step(1e-3, 0.03);
    Setup {
        model: VelocityModel::volume(velocity, h).expect("a valid model"),
        boundary,
        shots,
        ..common::homogeneous((1, 1), 10.0, 1500.0, time, Shot::default())
    }
}

/// Compares the recorded gathers with the oracle's.
fn compare_gathers(kernel: &str, engines: &[Box<dyn Engine>], setup: Setup) {
    let plan = Plan::new(setup).expect("a valid setup");
    let run = |engine: &dyn Engine| {
        let mut gathers = Gathers::new(&plan);
        engine.run(&plan, &mut gathers).expect("a stable run");
        gathers.shots
    };
    let oracle = run(&Reference);
    for engine in engines {
        for (shot, (ours, oracle)) in run(engine.as_ref()).iter().zip(&oracle).enumerate() {
            let error = common::gather_error(ours.view(), oracle.view());
            assert!(error < 1e-5, "{kernel}, shot {shot}: {error:e}");
        }
    }
}

/// A plane so large that its tiles are stepped in blocks along x.
#[test]
fn blocks_of_tiles_step_every_node() {
    let n: Axes<usize> = Axes { z: 50, x: 17_000, y: 6 };
    let at = |x: f64| Axes { z: 250.0, x, y: 40.0 };
    let mut source = common::ricker(0.0, 0.0, 25.0, 0.03);
    source.at = at(84_990.0);
    let receivers = (0..20).map(|i| at(84_800.0 + 20.0 * f64::from(i))).collect();
    let shot = Shot { sources: vec![source], receivers };
    let mut setup = common::homogeneous((1, 1), 10.0, 2000.0, common::every_step(1e-3, 0.02), shot);
    let velocity = Array3::from_elem((n.y, n.x, n.z), 2000.0);
    setup.model =
        VelocityModel::volume(velocity, Axes { z: 10.0, x: 10.0, y: 10.0 }).expect("a valid model");
    setup.boundary = common::NO_LAYER;
    let expected = common::gathers(&Parallel, setup.clone()).remove(0);
    for gpu in engines::opened(false) {
        let plan = Plan::new(setup.clone()).expect("a valid setup");
        let kernels = gpu.kernels(&plan).into_iter();
        for kernel in kernels.filter(|it| is_tested(it)) {
            let mut gathers = Gathers::new(&plan);
            gpu.with_kernel(kernel).run(&plan, &mut gathers).expect("a stable run");
            let error = common::gather_error(gathers.shots[0].view(), expected.view());
            assert!(error < 1e-5, "{}: {error:e}", kernel.name);
        }
    }
}
