//! A volume whose rocks do not change along y, with a line of sources along y, is the plane: a
//! source on every node along y, each of amplitude hy, is one source of the plane, whose delta is 1
//! over an area.
//!
//! The line ends where the model does, and what is missing beyond its ends reaches the middle plane
//! later than what is there. So the model is long enough along y for the middle plane to hear
//! nothing of the ends in the 0.36 s that are compared: they lie 540 m away, 0.36 s at 1500 m/s,
//! and 0.376 s by way of the lower layer (0.216 s along it, 0.16 s down to it and up again). The
//! absorbing layers along y lie beyond the ends. Nothing that is compared is scaled or shifted.

use crate::common::{self, engines, gather_error};
use huygens::{
    acquisition::{Shot, Source},
    engine::{Engine, Gathers, cpu::Parallel},
    grid::Axes,
    model::VelocityModel,
    plan::{Plan, Setup},
};
use ndarray::{Array2, Array3};

/// Nodes along x and z at 10 m, and along y at 12 m.
const N: Axes<usize> = Axes { z: 45, x: 50, y: 91 };
const H: Axes<f64> = Axes { z: 10.0, x: 10.0, y: 12.0 };
const MIDDLE: f64 = (N.y / 2) as f64 * H.y;
const SOURCE: (f64, f64) = (150.0, 60.0);
const BAR: f64 = 0.01;

/// Two layers, the lower from 200 m on.
fn velocity(z: usize) -> f32 {
    if z < 20 { 1500.0 } else { 2500.0 }
}

fn setup(sources: Vec<Source>, y: f64) -> Setup {
    let receivers = (5..N.x).step_by(5).map(|x| Axes { z: 40.0, x: H.x * x as f64, y });
    let shot = Shot { sources, receivers: receivers.collect() };
    let time = common::every_step(1.5e-3, 0.36);
    // Both have the same layers, so that what comes back from them is the same.
    let boundary = common::cpml(10);
    Setup { boundary, ..common::homogeneous((1, 1), 10.0, 1500.0, time, shot) }
}

fn plane(engine: &dyn Engine) -> Array2<f32> {
    let mut setup = setup(vec![common::ricker(SOURCE.0, SOURCE.1, 20.0, 0.075)], 0.0);
    let velocity = Array2::from_shape_fn((N.x, N.z), |(_, z)| velocity(z));
    setup.model = VelocityModel::new(velocity, H.x, H.z).expect("a valid model");
    common::gathers(engine, setup).remove(0)
}

/// The volume with sources on the nodes along y that are not left out.
fn volume(left_out: Option<usize>) -> Setup {
    let source = |y: usize| {
        let one = common::ricker(SOURCE.0, SOURCE.1, 20.0, 0.075);
        Source { at: Axes { y: H.y * y as f64, ..one.at }, amplitude: H.y, ..one }
    };
    let on = (0..N.y).filter(|y| Some(*y) != left_out);
    let mut setup = setup(on.map(source).collect(), MIDDLE);
    let velocity = Array3::from_shape_fn((N.y, N.x, N.z), |(_, _, z)| velocity(z));
    setup.model = VelocityModel::volume(velocity, H).expect("a valid model");
    setup
}

#[test]
fn a_line_of_sources_along_y_is_a_source_of_the_plane() {
    for engine in engines::of_studies() {
        let plane = plane(engine.as_ref());
        assert!(plane.iter().any(|p| p.abs() > 1e-3));
        let volume = common::gathers(engine.as_ref(), volume(None)).remove(0);
        let error = gather_error(volume.view(), plane.view());
        println!("{}: {:.4} % (bar {} %)", engine.describe().device, 100.0 * error, 100.0 * BAR);
        assert!(error <= BAR, "{}: {error}", engine.describe().device);
    }
}

/// Tests the test: one node of the line left out, and one coefficient of y off by 1 %.
#[test]
fn mistakes_are_seen() {
    let engine = &Parallel;
    let plane = plane(engine);
    let seen = |mistake: &str, gather: &Array2<f32>| {
        let error = gather_error(gather.view(), plane.view());
        println!("{mistake}: {:.1} %", 100.0 * error);
        assert!(error > 2.0 * BAR, "{mistake}: {error}");
    };
    seen("one node", &common::gathers(engine, volume(Some(N.y / 2)))[0]);

    let mut plan = Plan::new(volume(None)).expect("a valid setup");
    plan.operator.y.second[2] *= 1.01;
    let mut gathers = Gathers::new(&plan);
    engine.run(&plan, &mut gathers).expect("a stable run");
    seen("one coefficient of y", &gathers.shots[0]);
}
