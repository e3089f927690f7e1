//! Source and receiver may change places in any model, amplitudes included.

use crate::common::{
    self, engines,
    figures::{figure, tiny},
    gather_error, random,
};
use huygens::{acquisition::Shot, grid::Axes, model::VelocityModel};
use ndarray::Array2;

#[test]
fn source_and_receiver_change_places() {
    let mut number = random(5);
    let velocity = Array2::from_shape_fn((71, 61), |_| (1500.0 + 2000.0 * number()) as f32);
    // On nodes, and anywhere that no weight lies in the sponge, whose nodes damp what comes and not
    // what is put in.
    let mut anywhere = |low: f64, high: f64| low + (high - low) * number();
    let mut pairs = vec![((150.0, 120.0), (520.0, 430.0)), ((150.0, 120.0), (656.7, 558.2))];
    pairs.extend((0..3).map(|_| {
        let mut point = || (anywhere(40.0, 660.0), anywhere(40.0, 560.0));
        (point(), point())
    }));
    let trace = |engine: &dyn huygens::engine::Engine, from: (f64, f64), to: (f64, f64)| {
        let shot = Shot {
            sources: vec![common::ricker(from.0, from.1, 25.0, 0.06)],
            receivers: vec![Axes::xz(to.0, to.1)].into(),
        };
        let time = common::every_step(1e-3, 0.6);
        let mut setup = common::homogeneous((71, 61), 10.0, 1500.0, time, shot);
        setup.model = VelocityModel::new(velocity.clone(), 10.0, 10.0).expect("a valid model");
        setup.boundary = common::SPONGE_30;
        common::gathers(engine, setup).remove(0)
    };
    for engine in engines::all() {
        for (a, b) in &pairs {
            let there = trace(engine.as_ref(), *a, *b);
            let back = trace(engine.as_ref(), *b, *a);
            let error = gather_error(there.view(), back.view());
            let case = format!("reciprocity, {a:.1?} and {b:.1?} m");
            let value = tiny(error);
            figure("symmetry", &case, engine.as_ref(), &value, "1e-5", "");
            assert!(there.iter().any(|p| p.abs() > 1e-4));
            assert!(error <= 1e-5, "{error:e}");
        }
    }
}
