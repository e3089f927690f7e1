//! The rounding error that f32 adds to the scheme: in steps that are short for their waves, and
//! over many steps in a closed box.

use crate::common::{
    self, engines,
    figures::{figure, tiny},
};
use huygens::{
    acquisition::{Gaussian, Shot, Wavelet},
    engine::{
        Engine, Gathers,
        cpu::{Parallel, Reference},
    },
    grid::Axes,
    plan::{Plan, PlanError, Setup, Warning},
};
use ndarray::Array2;

/// 30 x 30 nodes of 20 m, 2000 m/s, a Ricker wavelet of 10 Hz.
fn small(step: f64, duration: f64) -> Setup {
    let shot = Shot {
        sources: vec![common::ricker(300.0, 300.0, 10.0, 0.12)],
        receivers: [(300.0, 300.0), (100.0, 200.0), (500.0, 80.0)]
            .map(|(x, z)| Axes::xz(x, z))
            .into(),
    };
    common::homogeneous((30, 30), 20.0, 2000.0, common::every_step(step, duration), shot)
}

fn gather(engine: &dyn Engine, plan: &Plan) -> Array2<f32> {
    let mut gathers = Gathers::new(plan);
    engine.run(plan, &mut gathers).expect("a stable run");
    gathers.shots.remove(0)
}

/// The largest difference, of the peak.
fn error(ours: &Array2<f32>, exact: &Array2<f32>) -> f64 {
    let peak = exact.iter().fold(0.0f32, |m, p| m.max(p.abs()));
    let worst = ours.iter().zip(exact).fold(0.0f32, |m, (a, b)| m.max((a - b).abs()));
    f64::from(worst / peak)
}

/// A fifth of what the leapfrog in f32 was off by at 0.1 ms, whatever the step.
#[test]
fn short_steps_lose_no_more_than_long_ones() {
    const BAR: f64 = 3.6e-5;
    for (step, name) in [(5e-4, "0.5 ms"), (1e-4, "0.1 ms"), (2e-5, "20 us"), (5e-6, "5 us")] {
        for (edges, boundary) in [("closed", common::NO_LAYER), ("CPML", common::CPML_20)] {
            if step < 1e-5 && edges == "CPML" {
                continue;
            }
            let plan = Plan::new(Setup { boundary, ..small(step, 0.4) }).expect("a valid setup");
            assert_eq!(plan.by_increments, step <= 1e-4);
            let exact = gather(&Reference, &plan);
            for engine in engines::of_studies() {
                let error = error(&gather(engine.as_ref(), &plan), &exact);
                let case = format!("steps of {name}, {edges}");
                figure("rounding", &case, engine.as_ref(), &tiny(error), &tiny(BAR), "");
                assert!(error <= BAR, "{}, {case}: {error:e}", engine.describe().backend);
            }
        }
    }
}

/// Tests the test: without increments it fails.
#[test]
fn the_leapfrog_in_f32_fails_in_short_steps() {
    let mut plan = Plan::new(small(2e-5, 0.4)).expect("a valid setup");
    plan.by_increments = false;
    let error = error(&gather(&Parallel, &plan), &gather(&Reference, &plan));
    assert!(error > 5e-4, "{error:e}");
}

/// A Gaussian's wave has a mean, which a Laplacian that does not vanish for a constant field moves.
/// The bar is what a Ricker wavelet's wave, which has none, was off by.
#[test]
fn nothing_drifts_in_a_closed_box() {
    const BAR: f64 = 4.8e-4;
    let wavelet = Wavelet::Gaussian(Gaussian { derivative: 0, peak_hz: 10.0, delay: 0.12 });
    let mut setup = small(2e-3, 20.0);
    setup.boundary = common::NO_LAYER;
    setup.shots[0].sources[0].wavelet = wavelet;
    let plan = Plan::new(setup).expect("a valid setup");
    // By the weights of Fornberg (1988, table 1), which f32 does not hold.
    let weights = [-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];
    let mut unrounded = plan.clone();
    for axis in [&mut unrounded.operator.x, &mut unrounded.operator.z] {
        axis.second = weights.map(|c: f64| c / 400.0).into();
    }
    let exact = gather(&Reference, &unrounded);
    for engine in engines::of_studies() {
        let error = error(&gather(engine.as_ref(), &plan), &exact);
        figure(
            "rounding",
            "a Gaussian, 20 s, closed",
            engine.as_ref(),
            &tiny(error),
            &tiny(BAR),
            "",
        );
        assert!(error <= BAR, "{}: {error:e}", engine.describe().backend);
    }
}

#[test]
fn steps_too_short_for_increments_are_warned_of_and_refused() {
    let warned = |setup| {
        let warnings = Plan::new(setup).expect("a valid setup").warnings();
        let rounding = warnings.into_iter().find(|w| matches!(w, Warning::Rounding(_)));
        rounding.map(|warning| warning.to_string())
    };
    assert_eq!(warned(small(1e-6, 0.12)), None);
    let told = warned(small(5e-8, 0.12)).expect("2 million steps a period");
    assert!(told.contains("5e-8 s") && told.contains("step = 1e-7 or more"), "{told}");
    let refused = Plan::new(small(5e-9, 0.12));
    let Err(PlanError::Rounding(rounding)) = refused else { panic!("{refused:?}") };
    assert!(warned(small(rounding.step, 0.12)).is_none(), "{rounding}");
}
