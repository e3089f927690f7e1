//! Source and receiver may change places in any model, amplitudes included.

use crate::common::{self, engines, gather_error, random};
use huygens::{acquisition::Shot, grid::Axes, model::VelocityModel};
use ndarray::Array2;

#[test]
fn source_and_receiver_change_places() {
    let mut number = random(5);
    let velocity = Array2::from_shape_fn((71, 61), |_| (1500.0 + 2000.0 * number()) as f32);
    let (a, b) = ((150.0, 120.0), (520.0, 430.0));
    let trace = |engine: &dyn huygens::engine::Engine, from: (f64, f64), to: (f64, f64)| {
        let shot = Shot {
            sources: vec![common::ricker(from.0, from.1, 25.0, 0.06)],
            receivers: vec![Axes::xz(to.0, to.1)],
        };
        let time = common::every_step(1e-3, 0.6);
        let mut setup = common::homogeneous((71, 61), 10.0, 1500.0, time, shot);
        setup.model = VelocityModel::new(velocity.clone(), 10.0, 10.0).expect("a valid model");
        setup.boundary = common::SPONGE_30;
        common::gathers(engine, setup).remove(0)
    };
    for engine in engines::all() {
        let there = trace(engine.as_ref(), a, b);
        let back = trace(engine.as_ref(), b, a);
        let error = gather_error(there.view(), back.view());
        println!("{}: {error:.1e}", engine.describe().backend);
        assert!(there.iter().any(|p| p.abs() > 1e-4));
        assert!(error <= 1e-5, "{error:e}");
    }
}
