//! More samples of wavelets than are on a device at once.

use crate::common::{self, engines};
use huygens::{
    acquisition::{Sampled, Shot, Wavelet},
    engine::{Engine, Gathers, cpu::Parallel},
    grid::Axes,
    plan::Plan,
};

#[test]
fn wavelets_go_up_block_by_block() {
    let (sources, steps, dt) = (3000, 4000, 1e-3);
    let mut random = common::random(5);
    let mut source = |i: usize| {
        let mut source =
            common::ricker(10.0 * (i % 29) as f64, 10.0 * (i / 29 % 27) as f64, 1.0, 0.0);
        // A pulse at a time of its own.
        let mut values = vec![0.0; steps];
        values[(steps as f64 * random()) as usize] = 1.0;
        source.wavelet = Wavelet::Sampled(Sampled { values: values.into(), interval: dt });
        source
    };
    let shot = Shot {
        sources: (0..sources).map(&mut source).collect(),
        receivers: (0..20).map(|i| Axes::xz(10.0 * f64::from(i), 130.0)).collect(),
    };
    let time = common::every_step(dt, steps as f64 * dt);
    let mut setup = common::homogeneous((30, 28), 10.0, 2000.0, time, shot);
    setup.boundary = common::cpml(10);
    let plan = Plan::new(setup).expect("a valid setup");
    assert!(plan.wavelets.len() * plan.time.steps > (32 << 20) / 4, "more than a block");
    let gather = |engine: &dyn Engine| {
        let mut gathers = Gathers::new(&plan);
        engine.run(&plan, &mut gathers).expect("a stable run");
        gathers.shots.remove(0)
    };
    let expected = gather(&Parallel);
    for engine in engines::gpus(false) {
        let error = common::gather_error(gather(engine.as_ref()).view(), expected.view());
        assert!(error < 2e-5, "{:?}: {error:e}", engine.describe());
    }
}
