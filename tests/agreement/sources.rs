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
    let (sources, steps, dt) = (6000, 1500, 1e-3);
    let mut random = common::random(5);
    let mut source = |i: usize| {
        let mut source =
            common::ricker(10.0 * (i % 29) as f64, 10.0 * (i / 29 % 27) as f64, 1.0, 0.0);
        // A Ricker wavelet of 15 Hz at a time of its own.
        let at = 0.2 + (dt * steps as f64 - 0.3) * random();
        let phase = |n: usize| (std::f64::consts::PI * 15.0 * (n as f64 * dt - at)).powi(2);
        let values = (0..steps).map(phase).map(|x| (1.0 - 2.0 * x) * (-x).exp()).collect();
        source.wavelet = Wavelet::Sampled(Sampled { values, interval: dt });
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
        assert!(error < 1e-5, "{:?}: {error:e}", engine.describe());
    }
}
