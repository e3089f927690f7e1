//! The correction of time dispersion through layers and into an absorbing one: a run at 0.9 of the
//! largest stable step against one at a sixteenth of that, whose own error in time is 256 times
//! smaller.

use crate::common::{self, engines};
use huygens::{
    acquisition::{Shot, TimeDispersion, line},
    grid::{Axes, PlaneAxes},
    model::builtin,
    plan::{Plan, Setup},
};

const FINER: f64 = 16.0;

/// The built-in layers, a line of receivers.
fn setup(dt: f64, record: f64, dispersion: TimeDispersion) -> Setup {
    let shot = Shot {
        sources: vec![common::ricker(1000.0, 40.0, 15.0, 0.1)],
        receivers: line(Axes::xz(0.0, 20.0), Axes::xz(2000.0, 20.0), 21).into(),
    };
    let mut setup = common::homogeneous((1, 1), 10.0, 1500.0, common::every_step(dt, 1.2), shot);
    let model =
        builtin("layers", Some(PlaneAxes { x: 201, z: 101 }), Some(PlaneAxes { x: 10.0, z: 10.0 }));
    setup.model = model.expect("a built-in model");
    setup.time.record = Some(record);
    setup.time.dispersion = dispersion;
    setup
}

#[test]
fn a_large_step_gives_the_gather_of_a_small_one() {
    let limit =
        Plan::new(setup(1e-4, 1e-4, TimeDispersion::Kept)).expect("a valid setup").time.limit;
    let dt = 0.9 * limit;
    let small = setup(dt / FINER, dt, TimeDispersion::Kept);
    let exact = common::gathers(&huygens::engine::cpu::Parallel, small).remove(0);
    for engine in engines::of_studies() {
        let error = |dispersion| {
            let gather = common::gathers(engine.as_ref(), setup(dt, dt, dispersion)).remove(0);
            common::gather_error(gather.view(), exact.view())
        };
        let (kept, corrected) = (error(TimeDispersion::Kept), error(TimeDispersion::Corrected));
        let backend = engine.describe().backend;
        println!("{backend}: {:.2} %, corrected {:.3} %", 100.0 * kept, 100.0 * corrected);
        // The error of the small step, and half as much again for the absorbing layer's own error.
        assert!(corrected <= 1.5 * kept / (FINER * FINER), "{backend}: {kept} to {corrected}");
    }
}
