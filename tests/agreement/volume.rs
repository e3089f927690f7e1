//! Three dimensions: a random field through a random volume gives the oracle's field; and a volume
//! that is the same along y steps as the plane does.

use crate::common::{self, engines, random};
use huygens::{
    acquisition::Shot,
    boundary::Boundary,
    engine::{Engine, Gathers, Observer, Snapshot, SnapshotView, TraceBlock, cpu::Reference},
    grid::Axes,
    model::VelocityModel,
    plan::{Initial, Plan, Setup},
    stencil::{Family, Window},
};
use ndarray::{Array3, Axis};

const STEPS: usize = 10;
/// Relative to the field's maximum over the run: in a grid of two nodes the last field may be near
/// zero.
pub const TOLERANCE: f32 = 2e-6;
const ORDER_8: Family = Family::Taylor { order: 8 };

/// `[y][x][z]` nodes with a spacing of its own along each axis.
pub fn plan(n: (usize, usize, usize), operator: Family, boundary: Boundary, seed: u64) -> Plan {
    let mut number = random(seed);
    let velocity = Array3::from_shape_fn(n, |_| (1500.0 + 3000.0 * number()) as f32);
    let h = Axes { z: 10.0, x: 12.5, y: 15.0 };
    let last = |n: usize, h: f64| (n - 1) as f64 * h;
    let corner = Axes { z: last(n.2, h.z), x: last(n.1, h.x), y: last(n.0, h.y) };
    let inside = Axes { z: h.z * (n.2 / 3) as f64, x: h.x * (n.1 / 2) as f64, y: 0.0 };
    let source = |at| huygens::acquisition::Source { at, ..common::ricker(0.0, 0.0, 40.0, 0.002) };
    let shot =
        Shot { sources: vec![source(corner), source(inside)], receivers: vec![inside].into() };
    let time = common::every_step(0.4e-3, STEPS as f64 * 0.4e-3);
    let mut setup = Setup {
        model: VelocityModel::volume(velocity, h).expect("a valid model"),
        operator,
        boundary,
        ..common::homogeneous((1, 1), 10.0, 1500.0, time, shot)
    };
    let grid = Plan::new(setup.clone()).expect("a valid setup").grid;
    let mut field = || Array3::from_shape_fn(grid.shape(), |_| number() as f32 - 0.5);
    setup.initial = Some(Initial { now: field(), before: field() });
    Plan::new(setup).expect("a valid setup")
}

fn final_field(engine: &dyn Engine, plan: &Plan) -> Array3<f32> {
    let mut run = engine.start(plan.clone().into()).expect("the engine starts");
    run.advance(STEPS, &mut ()).expect("ten steps are stable");
    run.field(0).expect("the field comes back")
}

fn peak(field: &Array3<f32>) -> f32 {
    field.iter().fold(0.0, |m, p| if p.abs() > m || p.is_nan() { p.abs() } else { m })
}

/// The largest error of any engine.
fn error(plan: &Plan) -> f32 {
    error_of(&engines::under_test(), plan)
}

/// The largest error of some engines, of the field's maximum.
pub fn error_of(engines: &[Box<dyn Engine>], plan: &Plan) -> f32 {
    error_against(plan, engines, plan)
}

/// The error against the oracle's run of another Plan.
pub fn error_against(oracle: &Plan, engines: &[Box<dyn Engine>], plan: &Plan) -> f32 {
    let mut run = Reference.start(oracle.clone().into()).expect("the oracle starts");
    let mut scale = 0.0f32;
    for _ in 0..STEPS {
        scale = scale.max(peak(&run.field(0).expect("the field comes back")));
        run.advance(1, &mut ()).expect("ten steps are stable");
    }
    let oracle = run.field(0).expect("the field comes back");
    let scale = scale.max(peak(&oracle));
    let error = |engine: &dyn Engine| peak(&(final_field(engine, plan) - &oracle)) / scale;
    engines.iter().fold(0.0, |worst, engine| {
        let error = error(engine.as_ref());
        if error <= worst { worst } else { error }
    })
}

#[test]
fn every_order_and_boundary_on_odd_sizes() {
    let mut zero_top = common::cpml(6);
    zero_top.top = huygens::boundary::Top::Zero;
    let sponge = Boundary {
        sides: huygens::boundary::Absorber::Sponge(huygens::boundary::Sponge {
            cells: 7,
            strength: huygens::boundary::Sponge::STRENGTH,
        }),
        ..common::NO_LAYER
    };
    let boundaries = [
        ("zero", common::NO_LAYER),
        ("sponge", sponge),
        ("CPML", common::cpml(5)),
        ("CPML, zero top", zero_top),
        ("CPML, free surface", crate::kernels::FREE_SURFACE),
    ];
    for (name, boundary) in boundaries {
        for order in common::all_or(&[2, 8, 12], &[12]) {
            let plan = plan((13, 29, 37), Family::Taylor { order }, boundary, order as u64);
            let error = error(&plan);
            println!("{name}, order {order}: {error:.1e} of the maximum");
            assert!(error <= TOLERANCE, "{name}, order {order}: {error:e}");
        }
    }
}

/// Columns so long that the CPU steps a plane in several tiles, and planes enough for several
/// bands.
#[test]
fn long_columns_in_tiles_and_bands() {
    for boundary in [common::NO_LAYER, common::cpml(5)] {
        let plan = plan((7, 53, 1100), Family::Taylor { order: 16 }, boundary, 5);
        let error = error(&plan);
        assert!(error <= TOLERANCE, "{error:e}");
    }
}

#[test]
fn slivers_and_its_own_operator_on_each_axis() {
    let windows = Axes {
        z: Window { wing: 5, alpha: 0.54, beta: 4.0 },
        x: Window { wing: 16, alpha: 0.5, beta: 5.0 },
        y: Window { wing: 3, alpha: 0.6, beta: 3.0 },
    };
    for operator in [ORDER_8, Family::WindowedSinc { window: windows }] {
        let sizes = [(2, 1, 1), (2, 1, 40), (3, 50, 1), (70, 2, 3), (33, 17, 5)];
        for n in common::all_or(&sizes, &[(2, 1, 40), (33, 17, 5)]) {
            for boundary in [common::NO_LAYER, common::cpml(5)] {
                let plan = plan(n, operator, boundary, 7);
                let error = error(&plan);
                assert!(error <= TOLERANCE, "{n:?}: {error:e}");
            }
        }
    }
}

/// Tests the test: one coefficient of any axis off by 1 % must not pass.
#[test]
fn a_wrong_coefficient_is_seen() {
    let right = plan((13, 29, 37), ORDER_8, common::cpml(5), 3);
    let oracle = final_field(&Reference, &right);
    for axis in 0..3 {
        let mut wrong = right.clone();
        let operator = &mut wrong.operator;
        let axis = [&mut operator.z, &mut operator.x, &mut operator.y].into_iter().nth(axis);
        axis.expect("three axes").second[2] *= 1.01;
        for engine in engines::fast() {
            let field = final_field(engine.as_ref(), &wrong);
            let error = peak(&(field - &oracle)) / peak(&oracle);
            assert!(error > 2.0 * TOLERANCE, "{error:e}");
        }
    }
}

/// If nothing depends on y, a volume steps as a plane does: a line source is a source of the plane.
#[test]
fn a_volume_without_y_is_the_plane() {
    let (ny, nx, nz) = (25, 21, 17);
    let mut number = random(9);
    let mut setup = {
        let plan = plan((1, nx, nz), ORDER_8, common::NO_LAYER, 4);
        let shot = Shot { sources: vec![], receivers: vec![].into() };
        let time = common::every_step(0.4e-3, STEPS as f64 * 0.4e-3);
        let mut setup = common::homogeneous((nx, nz), 10.0, 1500.0, time, shot);
        setup.boundary = common::NO_LAYER;
        let velocity = plan.velocities[0].to_array().remove_axis(ndarray::Axis(0));
        setup.model = VelocityModel::new(velocity, 12.5, 10.0).expect("a valid model");
        setup
    };
    let mut field = || Array3::from_shape_fn((1, nx, nz), |_| number() as f32 - 0.5);
    setup.initial = Some(Initial { now: field(), before: field() });
    let mut volume = setup.clone();
    let along_y = |field: &Array3<f32>| {
        field.broadcast((ny, nx, nz)).expect("one plane becomes many").to_owned()
    };
    let h = Axes { z: 10.0, x: 12.5, y: 15.0 };
    let velocity = along_y(&setup.model.velocity().to_owned());
    volume.model = VelocityModel::volume(velocity, h).expect("a valid model");
    let initial = setup.initial.as_ref().expect("a random field");
    let (now, before) = (along_y(&initial.now), along_y(&initial.before));
    volume.initial = Some(Initial { now, before });
    let plane = Plan::new(setup).expect("a valid setup");
    let volume = Plan::new(volume).expect("a valid setup");
    // Waves from the edges along y have come this far; they must not reach the middle plane.
    let steps = (ny / 2) / 4;
    for engine in engines::all() {
        let run = |plan: &Plan| {
            let mut run = engine.start(plan.clone().into()).expect("the engine starts");
            run.advance(steps, &mut ()).expect("a few steps are stable");
            run.field(0).expect("the field comes back")
        };
        let (plane, volume) = (run(&plane), run(&volume));
        let middle = volume.index_axis(Axis(0), ny / 2);
        let difference = peak(&(&plane - &middle.insert_axis(Axis(0))));
        assert!(difference / peak(&plane) < 2e-6, "{difference:e}");
    }
}

/// The results of a run: traces of receivers in other planes, and snapshots.
#[test]
fn gathers_and_snapshots_agree_with_the_oracle() {
    let at = |z: usize, x: usize, y: usize| Axes {
        z: 10.0 * z as f64,
        x: 10.0 * x as f64,
        y: 10.0 * y as f64,
    };
    let source =
        huygens::acquisition::Source { at: at(7, 8, 9), ..common::ricker(0.0, 0.0, 25.0, 0.03) };
    let receivers = (0..15).flat_map(|y| (0..20).map(move |x| at((x + y) % 17, x, y))).collect();
    let shot = Shot { sources: vec![source], receivers };
    let time = common::every_step(1e-3, 0.08);
    let velocity = Array3::from_elem((15, 20, 17), 2000.0f32);
    let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
    let mut setup = common::homogeneous((1, 1), 10.0, 1500.0, time, shot.clone());
    setup.model = VelocityModel::volume(velocity, h).expect("a valid model");
    setup.boundary = common::cpml(6);
    setup.shots = vec![shot.clone(), shot];
    setup.snapshots = vec![0.0, 0.05];
    let plan = Plan::new(setup).expect("a valid setup");
    let run = |engine: &dyn Engine| {
        let mut out = Out { gathers: Gathers::new(&plan), snapshots: Vec::new() };
        engine.run(&plan, &mut out).expect("a stable run");
        out
    };
    let oracle = run(&Reference);
    let loudest = oracle.gathers.shots[0].iter().fold(0.0f32, |m, p| m.max(p.abs()));
    assert!(loudest > 0.0);
    for engine in engines::under_test() {
        let ours = run(engine.as_ref());
        for (ours, oracle) in ours.gathers.shots.iter().zip(&oracle.gathers.shots) {
            let error = common::gather_error(ours.view(), oracle.view());
            assert!(error < 1e-5, "{}: {error:e}", engine.describe().device);
        }
        assert_eq!(ours.snapshots.len(), oracle.snapshots.len());
        for (ours, oracle) in ours.snapshots.iter().zip(&oracle.snapshots) {
            assert_eq!((ours.shot, ours.step), (oracle.shot, oracle.step));
            assert_eq!(ours.field.dim(), (15, 20, 17));
            assert!(peak(&(&ours.field - &oracle.field)) <= 1e-5 * loudest);
        }
    }
}

struct Out {
    gathers: Gathers,
    snapshots: Vec<Snapshot>,
}

impl Observer for Out {
    fn traces(&mut self, block: TraceBlock<'_>) {
        self.gathers.traces(block);
    }

    fn snapshot(&mut self, snapshot: SnapshotView<'_>) {
        self.snapshots.push(snapshot.to_owned());
        self.snapshots.sort_by_key(|snapshot| (snapshot.step, snapshot.shot));
    }
}
