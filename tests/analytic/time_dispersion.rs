//! The correction of time dispersion where the scheme's error in time is nearly all there is: a
//! fine operator at 0.9 of the largest stable step.

use crate::common::{
    self,
    analytic::plane,
    engines,
    figures::{figure, percent},
    relative_error,
};
use huygens::{
    acquisition::{Shot, TimeDispersion},
    engine::{
        Engine, Gathers,
        cpu::{Parallel, Reference},
    },
    grid::Axes,
    plan::{Plan, Setup},
    stencil::Family,
};
use ndarray::{Array2, ArrayView1, s};

const V: f64 = 1500.0;
const H: f64 = 2.0;
const PEAK: f64 = 90.0;
/// 0.9 of the largest stable step of order 16, s.
const DT: f64 = 6.2e-4;
const STEPS: usize = 242;

/// A source at (200, 200) m heard at (260, 260) m, with no edge within reach, and the exact trace.
fn case(dt: f64, steps: usize, dispersion: TimeDispersion) -> (Setup, Vec<f64>) {
    let shot = Shot {
        sources: vec![common::ricker(200.0, 200.0, PEAK, 1.5 / PEAK)],
        receivers: vec![Axes::xz(260.0, 260.0)].into(),
    };
    let time = common::every_step(dt, steps as f64 * dt);
    let mut setup = common::homogeneous((201, 201), H, V as f32, time, shot);
    setup.operator = Family::Taylor { order: 16 };
    setup.time.dispersion = dispersion;
    let wavelet = setup.shots[0].sources[0].wavelet.samples(dt, steps + 1).expect("a Ricker");
    (setup, plane(&wavelet, dt, 60.0 * 2f64.sqrt(), V, steps + 1, false))
}

fn error(gather: &Array2<f32>, exact: &[f64]) -> f64 {
    let ours: Vec<f64> = gather.row(0).iter().map(|p| f64::from(*p)).collect();
    relative_error(ArrayView1::from(&ours), ArrayView1::from(exact))
}

/// The bar is three times what order 16 leaves of the error in space at this spacing, 3.3e-5.
const BAR: f64 = 1e-4;

#[test]
fn next_to_the_largest_step_only_the_operators_error_is_left() {
    let (kept, exact) = case(DT, STEPS, TimeDispersion::Kept);
    let limit = Plan::new(kept.clone()).expect("a valid setup").time.limit;
    assert!((DT / limit - 0.9).abs() < 0.01, "{}", DT / limit);
    for engine in engines::all() {
        let error = |dispersion| {
            let mut setup = kept.clone();
            setup.time.dispersion = dispersion;
            error(&common::gathers(engine.as_ref(), setup)[0], &exact)
        };
        let (kept, corrected) = (error(TimeDispersion::Kept), error(TimeDispersion::Corrected));
        let backend = engine.describe().backend;
        let case = "order 16, step 0.62 ms";
        figure("time", &format!("{case}, kept"), engine.as_ref(), &percent(kept), "-", "");
        let value = percent(corrected);
        figure("time", &format!("{case}, corrected"), engine.as_ref(), &value, "0.01 %", "");
        assert!(kept > 0.2 && corrected <= BAR, "{backend}: {kept} to {corrected}");
    }
}

/// Tests the test: half of the correction, that of another step, silence, one sample late.
#[test]
fn mistakes_are_seen() {
    let (setup, exact) = case(DT, STEPS, TimeDispersion::Corrected);
    let plan = Plan::new(setup.clone()).expect("a valid setup");
    let record = |plan: &Plan| {
        let mut gathers = Gathers::new(plan);
        Parallel.run(plan, &mut gathers).expect("a stable run");
        gathers.shots.remove(0)
    };
    let correct = |mut gather: Array2<f32>, every: usize| {
        let mut other = plan.clone();
        other.time.record_every = every;
        other.correct(&mut gather);
        gather
    };
    let recorded = record(&plan);
    assert!(error(&correct(recorded.clone(), 1), &exact) <= BAR);

    let mut unwarped = plan.clone();
    let samples = setup.shots[0].sources[0].wavelet.samples(DT, plan.time.steps);
    unwarped.wavelets = vec![samples.expect("a Ricker").into()];
    let mut late = correct(recorded.clone(), 1);
    let early = late.slice(s![.., ..-1]).to_owned();
    late.slice_mut(s![.., 1..]).assign(&early);
    for (mistake, gather) in [
        ("the wavelet left as it is", correct(record(&unwarped), 1)),
        ("the traces left as they are", recorded.slice(s![.., ..=STEPS]).to_owned()),
        ("as of half the step", correct(recorded.clone(), 2)),
        ("silence", Array2::zeros((1, STEPS + 1))),
        ("one sample late", late),
    ] {
        let error = error(&gather, &exact);
        println!("{mistake}: {:.2} %", 100.0 * error);
        assert!(error > 10.0 * BAR, "{mistake}: {error}");
    }
}

/// Twice the step is four times the error as it is, and none to speak of once corrected.
#[test]
fn the_second_order_in_time_is_gone() {
    let error = |dt: f64, dispersion| {
        let (setup, exact) = case(dt, (0.15 / dt).round() as usize, dispersion);
        error(&common::gathers(&Reference, setup)[0], &exact)
    };
    let [coarse, fine] = [3e-4, 1.5e-4].map(|dt| error(dt, TimeDispersion::Kept));
    let slope = (coarse / fine).log2();
    println!("kept: {coarse:.2e} at 0.3 ms, {fine:.2e} at 0.15 ms, slope {slope:.2}");
    assert!((slope - 2.0).abs() <= 0.2, "slope {slope}");
    for dt in [6e-4, 3e-4, 1.5e-4] {
        let corrected = error(dt, TimeDispersion::Corrected);
        println!("corrected: {corrected:.2e} at {} ms", 1e3 * dt);
        assert!(corrected <= BAR, "{dt}: {corrected}");
    }
}

/// A recording interval of several steps is corrected by the step of the simulation.
#[test]
fn the_recording_interval_does_not_matter() {
    let gather = |record| {
        let (mut setup, _) = case(5e-4, 300, TimeDispersion::Corrected);
        setup.time.record = record;
        common::gathers(&Parallel, setup).remove(0)
    };
    let (every, third) = (gather(None), gather(Some(1.5e-3)));
    assert_eq!((every.ncols(), third.ncols()), (301, 101));
    let error = common::gather_error(third.view(), every.slice(s![.., ..;3]));
    println!("recorded every third step: {error:.1e} from every step");
    // 333 Hz is the Nyquist frequency there; what a Ricker wavelet of 90 Hz has above is 1e-4 of
    // it.
    assert!(error < 3e-4, "{error}");
}
