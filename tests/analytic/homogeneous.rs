//! A homogeneous plane: acceptance figures of independent codes on the same case.

use crate::common::{self, analytic::plane, relative_error};
use huygens::{acquisition::Shot, engine::cpu::Parallel, grid::Axes, plan::Setup, stencil::Family};
use ndarray::{Array2, ArrayView1};

const V: f64 = 1500.0;
const PEAK: f64 = 90.0;
const DT: f64 = 1e-4;
const SAMPLES: usize = 1501;

/// A source at (200, 200) m heard at (260, 260) m, edges beyond reach, and the exact trace.
fn case(order: usize, h: f64) -> (Setup, Vec<f64>) {
    // 0.15 s at 1500 m/s is 225 m of path: no edge may be nearer than that to source and back.
    let nodes = (400.0 / h) as usize + 1;
    let shot = Shot {
        sources: vec![common::ricker(200.0, 200.0, PEAK, 1.5 / PEAK)],
        receivers: vec![Axes::xz(260.0, 260.0)],
    };
    let time = common::every_step(DT, 0.15);
    let mut setup = common::homogeneous((nodes, nodes), h, V as f32, time, shot);
    setup.operator = Family::Taylor { order };
    let wavelet = setup.shots[0].sources[0].wavelet.samples(DT, SAMPLES).expect("a Ricker");
    let r = 60.0 * 2f64.sqrt();
    (setup, plane(&wavelet, DT, r, V, SAMPLES, false))
}

fn error(gather: &Array2<f32>, exact: &[f64]) -> f64 {
    let ours: Vec<f64> = gather.row(0).iter().map(|p| f64::from(*p)).collect();
    relative_error(ArrayView1::from(&ours), ArrayView1::from(exact))
}

/// The bars are the figures of independent codes: 0.760 and 1.318 % at order 8, and "6.3 %", printed to
/// two digits, at order 4.
#[test]
fn errors_are_those_of_the_independent_codes() {
    for engine in common::engines::all() {
        for (order, h, bar) in [(8, 2.0, 0.0077), (8, 2.5, 0.0133), (4, 2.0, 0.0635)] {
            let (setup, exact) = case(order, h);
            let gather = common::gathers(engine.as_ref(), setup).remove(0);
            let error = error(&gather, &exact);
            let backend = engine.describe().backend;
            println!(
                "{backend}: order {order}, h {h} m: {:.3} % (bar {:.2} %)",
                100.0 * error,
                100.0 * bar
            );
            assert!(error <= bar, "{backend}, order {order}, h {h}: {error}");
        }
    }
}

/// A test of the test.
#[test]
fn mistakes_are_seen() {
    let (setup, exact) = case(8, 2.0);
    for (mistake, gather) in common::wrong_gathers(&Parallel, setup) {
        let error = error(&gather, &exact);
        println!("{mistake}: {:.1} %", 100.0 * error);
        assert!(error > 2.0 * 0.0077, "{mistake}: {error}");
    }
}
