//! A random field through a random model for ten steps: every engine, operator, boundary and odd
//! size gives the oracle's field.

use crate::common::{self, engines, figures::figure, random};
use huygens::{
    boundary::Boundary,
    engine::{Engine, cpu::Reference, prove},
    grid::Axes,
    model::VelocityModel,
    plan::{Initial, Plan},
    stencil::{Family, Window},
};
use ndarray::{Array2, Array3};

const STEPS: usize = 10;
/// Relative to the field's maximum over the run: a single cell may pass through zero at its end.
const TOLERANCE: f32 = 2e-6;

fn plan((nx, nz): (usize, usize), operator: Family, boundary: Boundary, seed: u64) -> Plan {
    let mut number = random(seed);
    let velocity = Array2::from_shape_fn((nx, nz), |_| (1500.0 + 3000.0 * number()) as f32);
    let (hx, hz) = (12.5, 10.0);
    // One source on a corner and one inside, so that injection is compared too.
    let last = ((nx - 1) as f64 * hx, (nz - 1) as f64 * hz);
    let inside = ((nx / 2) as f64 * hx, (nz / 3) as f64 * hz);
    let source = |(x, z): (f64, f64)| common::ricker(x, z, 40.0, 0.002);
    let shot = huygens::acquisition::Shot {
        sources: vec![source(last), source(inside)],
        receivers: vec![Axes::xz(inside.0, inside.1)].into(),
    };
    // 0.5 ms is stable for the fastest velocity and every operator here.
    let time = common::every_step(0.5e-3, STEPS as f64 * 0.5e-3);
    let mut setup = common::homogeneous((nx, nz), 10.0, 1500.0, time, shot);
    setup.model = VelocityModel::new(velocity, hx, hz).expect("a valid model");
    setup.operator = operator;
    setup.boundary = boundary;
    let grid = Plan::new(setup.clone()).expect("a valid setup").grid;
    let mut field = || Array3::from_shape_fn(grid.shape(), |_| number() as f32 - 0.5);
    setup.initial = Some(Initial { now: field(), before: field() });
    Plan::new(setup).expect("a valid setup")
}

fn final_field(engine: &dyn Engine, plan: &Plan) -> Array3<f32> {
    let mut run = engine.start(plan.clone().into()).expect("the engine starts");
    // In uneven parts, so that a part boundary cannot hide a mistake.
    for part in [1, 2, STEPS - 3] {
        run.advance(part, &mut ()).expect("ten steps are stable");
    }
    run.field(0).expect("the field comes back")
}

fn peak(field: &Array3<f32>) -> f32 {
    field.iter().fold(0.0, |m, p| m.max(p.abs()))
}

fn compare(engines: &[Box<dyn Engine>], plan: &Plan, case: &str) -> f32 {
    let oracle = final_field(&Reference, plan);
    let initial = plan.initial.as_ref().expect("a random field");
    let peak = peak(&oracle).max(peak(&initial.now));
    let mut worst = 0.0f32;
    for engine in engines {
        let field = final_field(engine.as_ref(), plan);
        let error = self::peak(&(&field - &oracle)) / peak;
        let described = engine.describe();
        assert!(
            error <= TOLERANCE,
            "{case}, {} ({}): {error:e} of the maximum",
            described.device,
            described.kernel
        );
        worst = worst.max(error);
    }
    worst
}

const LARGE: (usize, usize) = (487, 391);

#[test]
fn every_order_on_an_odd_size() {
    let engines = engines::under_test();
    for order in (2..=16).step_by(2) {
        let case = format!("487 x 391 nodes, order {order}");
        let plan = plan(LARGE, Family::Taylor { order }, common::NO_LAYER, order as u64);
        for engine in engines.chunks(1) {
            let value = format!("{:.0e}", compare(engine, &plan, &case));
            figure("agreement", &case, engine[0].as_ref(), &value, "2e-6", "");
        }
    }
}

#[test]
fn windowed_sinc_with_its_own_window_on_each_axis() {
    let z = Window { wing: 5, alpha: 0.54, beta: 4.0 };
    let x = Window { wing: 16, alpha: 0.5, beta: 5.0 };
    let operator = Family::WindowedSinc { window: Axes { z, x, y: x } };
    let plan = plan(LARGE, operator, common::NO_LAYER, 30);
    compare(&engines::under_test(), &plan, "windowed sinc");
}

#[test]
fn every_boundary() {
    let engines = engines::under_test();
    let mut zero_top = common::cpml(13);
    zero_top.top = huygens::boundary::Top::Zero;
    let mut free = common::cpml(13);
    free.top = huygens::boundary::Top::Free;
    let boundaries = [
        ("sponge", common::SPONGE_30),
        ("CPML", common::CPML_20),
        ("CPML, zero top", zero_top),
        ("CPML, free surface", free),
    ];
    for (name, boundary) in boundaries {
        for order in [4, 8, 14] {
            let case = format!("{name}, order {order}");
            let plan = plan((131, 97), Family::Taylor { order }, boundary, order as u64);
            println!("{case}: {:.1e} of the maximum", compare(&engines, &plan, &case));
        }
    }
}

#[test]
fn slivers_and_single_cells() {
    let engines = engines::under_test();
    // From 9 to 12 cells along z the two ends of the thinnest CPML meet within a four of nodes.
    let meeting = [(30, 9), (30, 10), (30, 11), (30, 12), (30, 13)];
    for size in [(1, 1), (1, 70), (70, 1), (2, 300), (65, 5)].into_iter().chain(meeting) {
        for boundary in [common::NO_LAYER, common::cpml(5)] {
            let plan = plan(size, Family::Taylor { order: 8 }, boundary, 7);
            compare(&engines, &plan, &format!("{size:?}"));
        }
    }
}

/// Tests the test: one coefficient off by 1 % must not pass.
#[test]
fn a_wrong_coefficient_is_seen() {
    let right = plan((131, 97), Family::Taylor { order: 8 }, common::CPML_20, 3);
    let oracle = final_field(&Reference, &right);
    let peak = peak(&oracle);
    for j in 0..=4 {
        let mut wrong = right.clone();
        wrong.operator.x.second[j] *= 1.01;
        for engine in engines::fast() {
            let field = final_field(engine.as_ref(), &wrong);
            let error = self::peak(&(&field - &oracle)) / peak;
            assert!(error > 2.0 * TOLERANCE, "coefficient {j}: {error:e}");
        }
    }
}

/// The check that `--backend auto` makes before it takes a device.
#[test]
fn every_engine_is_proved() {
    for engine in engines::under_test() {
        prove(engine.as_ref()).expect("it computes waves");
    }
}
