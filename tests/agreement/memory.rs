//! A simulation too large for a device is rejected before anything is allocated, with a size that
//! fits.

use crate::common::{self, engines};
use huygens::{
    acquisition::Shot,
    engine::{Engine, EngineError, Gathers, Shortage, cpu::Parallel},
    grid::Axes,
    model::VelocityModel,
    plan::Plan,
};
use ndarray::Array3;

/// Devices whose limits a test can afford to pass, bytes a binding.
const AFFORDABLE: u64 = 256 << 20;

fn shot(x: f64) -> Shot {
    Shot {
        sources: vec![common::ricker(x, 200.0, 20.0, 0.05)],
        receivers: vec![Axes::xz(x + 20.0, 200.0)].into(),
    }
}

/// A cube without layers.
fn cube(n: usize) -> Plan {
    let time = common::every_step(1e-3, 0.01);
    let mut setup = common::homogeneous((1, 1), 10.0, 2000.0, time, shot(100.0));
    setup.boundary = common::NO_LAYER;
    let velocity = Array3::from_elem((n, n, n), 2000.0);
    let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
    setup.model = VelocityModel::volume(velocity, h).expect("a valid model");
    Plan::new(setup).expect("a valid setup")
}

fn shortage<T>(refused: Result<T, EngineError>) -> Box<Shortage> {
    match refused {
        Err(EngineError::DoesNotFit(shortage)) => shortage,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was taken"),
    }
}

#[test]
fn a_volume_larger_than_a_binding_runs_in_slabs_and_is_refused_as_one() {
    for adapter in engines::adapters().iter().filter(|adapter| adapter.max_binding <= AFFORDABLE) {
        let gpu = huygens::engine::gpu::Gpu::open(adapter, false).expect("it opens");
        let nodes = ((adapter.max_binding / 4) as f64).cbrt() as usize + 1;
        let plan = cube(nodes);
        assert_eq!(gpu.slabs(&plan), Ok(2));
        let gather = |engine: &dyn Engine| {
            let mut gathers = Gathers::new(&plan);
            engine.run(&plan, &mut gathers).expect("a stable run");
            gathers.shots.remove(0)
        };
        let (ours, expected) = (gather(&gpu), gather(&Parallel));
        let error = common::gather_error(ours.view(), expected.view());
        assert!(error < 1e-5, "{}: {error:e}", adapter.name);

        let one = gpu.with_slabs(1);
        let refused = shortage(one.batch(&plan));
        assert_eq!(shortage(one.start(plan.into()).map(drop)), refused);
        let field = refused.arrays.iter().find(|array| array.name.contains("wavefield"));
        assert!(field.expect("a wavefield").bytes > adapter.max_binding);
        let largest = refused.largest.expect("a smaller cube fits");
        println!("{}: {largest:?} of {nodes}", adapter.name);
        assert!(largest.z == largest.x && largest.x == largest.y && largest.z > nodes / 2);
        assert_eq!(one.batch(&cube(largest.z)), Ok(1));
        shortage(one.batch(&cube(largest.z + 1)));
    }
}

#[test]
fn more_shots_at_once_than_fit_are_refused() {
    for adapter in engines::adapters().iter().filter(|adapter| adapter.max_binding <= AFFORDABLE) {
        let gpu = huygens::engine::gpu::Gpu::open(adapter, false).expect("it opens").with_slabs(1);
        let time = common::every_step(1e-3, 0.01);
        let mut setup = common::homogeneous((61, 51), 10.0, 2000.0, time, shot(100.0));
        let of_one = Plan::new(setup.clone()).expect("a valid setup").grid.cells() as u64 * 4;
        setup.shots = vec![shot(100.0); (adapter.max_binding / of_one) as usize + 1];
        let plan = Plan::new(setup).expect("a valid setup");
        let refused = shortage(gpu.start(plan.clone().into()).map(drop));
        assert!(refused.to_string().contains("fewer shots at once"), "{refused}");
        let at_once = gpu.batch(&plan).expect("one of them fits");
        assert!(at_once > 1 && at_once < plan.shots.len(), "{at_once}");
        assert!(gpu.start(plan.batch(0..at_once).into()).is_ok());
    }
}
