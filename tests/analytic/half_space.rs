//! A homogeneous half-space under a free surface: the response of the plane minus that of the image
//! source.

use crate::common::{
    self,
    analytic::plane,
    figures::{figure, mistake, percent},
    relative_error,
};
use huygens::{
    acquisition::Shot,
    boundary::{Boundary, Top},
    engine::cpu::Parallel,
    grid::Axes,
    plan::Setup,
};
use ndarray::{Array2, ArrayView1};

const V: f64 = 1500.0;
const PEAK: f64 = 90.0;
const DT: f64 = 1e-4;
const SAMPLES: usize = 1501;
const H: f64 = 2.0;
/// A little above an independent code's 0.92 %.
const BAR: f64 = 0.0095;

/// The surface at z = 0, a source at (200, 40) m heard at (260, 60) m, the other edges beyond
/// reach, and the exact trace.
fn case() -> (Setup, Vec<f64>) {
    // 0.15 s at 1500 m/s is 225 m of path: no other edge may be nearer than that to source and
    // back.
    let shot = Shot {
        sources: vec![common::ricker(200.0, 40.0, PEAK, 1.5 / PEAK)],
        receivers: vec![Axes::xz(260.0, 60.0)].into(),
    };
    let time = common::every_step(DT, 0.15);
    let mut setup = common::homogeneous((201, 121), H, V as f32, time, shot);
    setup.boundary = Boundary { top: Top::Free, ..common::CPML_20 };
    let wavelet = setup.shots[0].sources[0].wavelet.samples(DT, SAMPLES).expect("a Ricker");
    let from = |z: f64| plane(&wavelet, DT, 60f64.hypot(60.0 - z), V, SAMPLES, false);
    let exact = from(40.0).into_iter().zip(from(-40.0)).map(|(direct, image)| direct - image);
    (setup, exact.collect())
}

fn error(gather: &Array2<f32>, exact: &[f64]) -> f64 {
    let ours: Vec<f64> = gather.row(0).iter().map(|p| f64::from(*p)).collect();
    relative_error(ArrayView1::from(&ours), ArrayView1::from(exact))
}

#[test]
fn the_error_agrees_with_an_independent_code() {
    let (setup, exact) = case();
    for engine in common::engines::all() {
        let error = error(&common::gathers(engine.as_ref(), setup.clone())[0], &exact);
        let case = "half-space, order 8, h 2 m";
        figure("surface", case, engine.as_ref(), &percent(error), "0.95 %", "0.92 %");
        assert!(error <= BAR, "{}: {error}", engine.describe().backend);
    }
}

/// Tests the test: the usual three mistakes, and the thesis' top instead of the free surface, which
/// lies a row higher.
#[test]
fn mistakes_are_seen() {
    let (setup, exact) = case();
    let wrong = common::wrong_gathers(&Parallel, setup.clone());
    let zero = Setup { boundary: Boundary { top: Top::Zero, ..common::CPML_20 }, ..setup };
    let zero = ("the thesis' top", common::gathers(&Parallel, zero).remove(0));
    for (what, gather) in wrong.into_iter().chain([zero]) {
        let error = error(&gather, &exact);
        mistake("free surface", what, error, 2.0 * BAR);
        assert!(error > 2.0 * BAR, "{what}: {error}");
    }
}
