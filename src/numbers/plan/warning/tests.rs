use super::*;
use crate::{
    acquisition::{
        Gaussian, Klauder, Ormsby, Ricker, Sampled, Shot, Source, TimeDispersion, Wavelet,
    },
    boundary::{Absorber, Boundary, Top},
    grid::{Axes, PlaneAxes},
    model::{VelocityModel, builtin},
    plan::{NewStep, Setup, Step, Time},
    stencil::{Family, Window},
};

/// A line of 32 km in the homogeneous 2000 m/s, 40 m between nodes.
fn setup(family: Family, peak_hz: f64) -> Setup {
    let source = Source::new(Axes::xz(0.0, 0.0), Wavelet::ricker(peak_hz));
    let receivers = [400.0, 32_000.0, 1200.0].map(|x| Axes::xz(x, 0.0)).to_vec();
    let model = builtin(
        "homogeneous",
        Some(PlaneAxes { x: 801, z: 40 }),
        Some(PlaneAxes { x: 40.0, z: 40.0 }),
    )
    .expect("a model");
    let shots = vec![Shot::new(source, receivers)];
    Setup {
        operator: family,
        boundary: Boundary { top: Top::Zero, sides: Absorber::Zero },
        time: Time { step: Step::Seconds(2e-3), ..Time::new(20.0) },
        allow_unstable: true,
        ..Setup::new(model, shots, 20.0)
    }
}

fn plan(setup: &Setup) -> Plan {
    Plan::new(setup.clone()).expect("a valid setup")
}

const TAYLOR_4: Family = Family::Taylor { order: 4 };

#[test]
fn the_phase_error_follows_the_series() {
    // Order 4, ten points: c/v - 1 = -(1/180) theta^4 + (w dt)^2 / 24, over 32,000 m of 2000 m/s.
    let plan = plan(&setup(TAYLOR_4, 5.0));
    let dispersion = plan.dispersion().expect("there is a source");
    let w = std::f64::consts::TAU * 5.0;
    let theta: f64 = w / 2000.0 * 40.0;
    let late = 16.0 * (theta.powi(4) / 180.0 - (w * 2e-3).powi(2) / 24.0);
    let seconds = dispersion.seconds.expect("it travels");
    assert!((seconds / late - 1.0).abs() < 0.1, "{seconds} {late}");
    assert!((dispersion.periods.expect("it travels") / seconds - 5.0).abs() < 1e-9);
    assert_eq!(dispersion.path, 32_000.0);
    assert_eq!(dispersion.dominant.points_per_wavelength, 10.0);
    assert!((dispersion.highest.frequency - 12.0).abs() < 0.1);
    assert!(["x", "z"].contains(&dispersion.dominant.direction.name));
    assert_eq!(plan.warnings(), []);
}

#[test]
fn a_way_is_no_longer_than_the_wave_comes_nor_than_the_model() {
    let mut short = setup(TAYLOR_4, 5.0);
    short.time.duration = 1.0;
    assert!((plan(&short).dispersion().expect("a source").path - 2000.0).abs() < 1e-6);
    let mut alone = setup(TAYLOR_4, 5.0);
    alone.shots[0].receivers = Default::default();
    let diagonal = 32_000f64.hypot(39.0 * 40.0);
    assert!((plan(&alone).path - diagonal).abs() < 1e-9);
}

/// A setup with a remedy applied; with `auto`, the automatic step if the remedy offers it.
fn cured(setup: &Setup, remedy: &Remedy, auto: bool) -> Setup {
    let mut cured = setup.clone();
    let step = |step: Option<NewStep>| match step {
        Some(step) if auto && step.auto => Step::Auto,
        Some(step) => Step::Seconds(step.seconds),
        None => setup.time.step,
    };
    match *remedy {
        Remedy::Order { order, step: needed } => {
            cured.operator = Family::Taylor { order };
            cured.time.step = step(needed);
        }
        Remedy::Wing { wing, step: needed } => {
            let Family::WindowedSinc { window } = setup.operator else { panic!("{remedy}") };
            let window = window.map(|window| Window { wing, ..window });
            cured.operator = Family::WindowedSinc { window };
            cured.time.step = step(needed);
        }
        Remedy::Spacing { spacing, nodes, step: needed, .. } => {
            let nodes = PlaneAxes { x: nodes.x, z: nodes.z };
            let spacing = PlaneAxes { x: spacing.x, z: spacing.z };
            let model = builtin("homogeneous", Some(nodes), Some(spacing));
            cured.model = model.expect("a finer model");
            cured.time.step = step(needed);
        }
        Remedy::Corrected => cured.time.dispersion = TimeDispersion::Corrected,
        Remedy::Step { step } => cured.time.step = Step::Seconds(step),
        Remedy::Frequency { peak_hz: lower } => match &mut cured.shots[0].sources[0].wavelet {
            Wavelet::Ricker(Ricker { peak_hz, delay }) => {
                (*peak_hz, *delay) = (lower, 1.5 / lower);
            }
            Wavelet::Gaussian(Gaussian { peak_hz, delay, derivative }) => {
                (*peak_hz, *delay) = (lower, Gaussian::delay(*derivative, lower));
            }
            other => panic!("{other:?} has no peak_hz"),
        },
        Remedy::Frequencies { factor } => {
            let scaled = |delay: &mut f64| *delay /= factor;
            match &mut cured.shots[0].sources[0].wavelet {
                Wavelet::Ormsby(Ormsby { corners_hz, delay }) => {
                    *corners_hz = corners_hz.map(|corner| factor * corner);
                    scaled(delay);
                }
                Wavelet::Klauder(Klauder { from_hz, to_hz, length, delay }) => {
                    (*from_hz, *to_hz) = (factor * *from_hz, factor * *to_hz);
                    [length, delay].into_iter().for_each(scaled);
                }
                Wavelet::Sampled(Sampled { interval, .. }) => scaled(interval),
                other => panic!("{other:?} has a peak_hz"),
            }
        }
    }
    cured
}

#[test]
fn every_remedy_does_by_itself() {
    let window = Window { wing: 2, alpha: 0.5, beta: 5.0 };
    let sinc = Family::WindowedSinc { window: Axes { z: window, x: window, y: window } };
    let ricker = Wavelet::ricker;
    let gaussian = Gaussian { peak_hz: 7.0, derivative: 1, delay: Gaussian::delay(1, 7.0) };
    let corners_hz = [2.0, 4.0, 14.0, 18.0];
    let ormsby = Ormsby { corners_hz, delay: Ormsby::delay(corners_hz) };
    let (from_hz, to_hz, length) = (3.0, 12.0, 6.0);
    let delay = Klauder::delay(from_hz, to_hz, length);
    let klauder = Klauder { from_hz, to_hz, length, delay };
    let values = ricker(8.0).samples(5e-3, 100).expect("a Ricker has samples").into();
    let sampled = Wavelet::Sampled(Sampled { values, interval: 5e-3 });
    let order = |order| Family::Taylor { order };
    let seconds = Step::Seconds;
    for (family, wavelet, step, record, least) in [
        (order(4), ricker(6.8), seconds(2e-3), None, 3),
        (sinc, ricker(6.8), seconds(2e-3), None, 2),
        (order(4), ricker(9.0), seconds(2e-3), None, 2),
        // A recording interval that a shorter step must divide.
        (order(4), ricker(6.8), seconds(2e-3), Some(0.01), 3),
        (order(2), ricker(5.0), seconds(4e-3), Some(4e-3), 2),
        (order(16), ricker(5.0), seconds(0.01), Some(0.02), 2),
        // All steps are new ones.
        (order(4), ricker(6.8), Step::Auto, None, 2),
        (order(2), ricker(5.0), Step::Auto, Some(8e-3), 2),
        (order(6), ricker(9.0), Step::Auto, Some(5e-3), 2),
        // Wavelets of which some have no peak_hz.
        (order(4), Wavelet::Gaussian(gaussian), seconds(2e-3), None, 2),
        (order(4), Wavelet::Ormsby(ormsby), seconds(2e-3), None, 2),
        (order(4), Wavelet::Klauder(klauder), seconds(2e-3), Some(4e-3), 2),
        (order(4), sampled, seconds(2e-3), None, 2),
    ] {
        let mut setup = setup(family, 1.0);
        setup.shots[0].sources[0].wavelet = wavelet;
        (setup.time.step, setup.time.record) = (step, record);
        let warnings = plan(&setup).warnings();
        let [Warning::Dispersion { remedies, .. }] = warnings.as_slice() else {
            panic!("{warnings:?}")
        };
        println!("{}", warnings[0]);
        assert!(remedies.len() >= least, "{}", warnings[0]);
        for remedy in remedies {
            for auto in [false, true] {
                let cured = Plan::new(cured(&setup, remedy, auto));
                let cured = cured.unwrap_or_else(|error| panic!("{remedy}: {error}"));
                assert_eq!(cured.warnings(), [], "{remedy}");
                assert!(cured.time.dt <= cured.time.limit, "{remedy}");
            }
        }
    }
}

#[test]
fn an_order_that_has_no_room_is_not_offered() {
    let orders = |rows: usize, top: Top| {
        let mut setup = setup(Family::Taylor { order: 2 }, 5.0);
        setup.boundary.top = top;
        let model = builtin(
            "homogeneous",
            Some(PlaneAxes { x: 801, z: rows }),
            Some(PlaneAxes { x: 40.0, z: 40.0 }),
        );
        setup.model = model.expect("a model");
        let remedies = plan(&setup).dispersion_remedies();
        remedies.iter().filter(|remedy| matches!(remedy, Remedy::Order { .. })).count()
    };
    assert_eq!((orders(40, Top::Zero), orders(40, Top::Free)), (1, 1));
    // Order 4 is five nodes wide, and has images of two rows.
    assert_eq!((orders(4, Top::Zero), orders(4, Top::Free)), (0, 0));
}

#[test]
fn a_fast_layer_is_looked_at_too() {
    // At the slowest velocity the grid's error compensates for that of the step; at the fastest
    // it does not.
    let mut setup = setup(TAYLOR_4, 8.0);
    let velocity = |(x, _): (usize, usize)| if x < 400 { 2000.0 } else { 3000.0 };
    let velocity = ndarray::Array2::from_shape_fn((801, 40), velocity);
    setup.model = VelocityModel::new(velocity, 40.0, 40.0).expect("a model");
    (setup.time.step, setup.time.duration) = (Step::Seconds(6e-3), 9.6);
    let plan = plan(&setup);
    let dispersion = plan.dispersion().expect("there is a source");
    assert!(dispersion.periods.is_some_and(|periods| periods.abs() < MOST_PERIODS));
    assert!(dispersion.fastest.periods.is_some_and(|periods| periods < -MOST_PERIODS));
    assert_eq!(dispersion.worst(), dispersion.fastest);
    let text = plan.warnings()[0].to_string();
    assert!(text.contains("early after 28.80 km at 3000 m/s"), "{text}");
}

#[test]
fn a_corrected_job_is_told_of_the_wavelet_that_it_asked_for() {
    let mut setup = setup(TAYLOR_4, 10.0);
    setup.time.step = Step::Seconds(0.01);
    let kept = plan(&setup);
    setup.time.dispersion = TimeDispersion::Corrected;
    let corrected = plan(&setup);
    assert!((corrected.highest / kept.highest - 1.0).abs() < 1e-9, "{}", corrected.highest);
    assert!((kept.highest / 10.0 - 2.4).abs() < 0.02);
    // A path is no longer than the wave travels in the recorded time.
    setup.time.duration = 1.0;
    let path = plan(&setup).dispersion().expect("a source").path;
    assert!((path - 2000.0).abs() < 1e-6, "{path}");
}

#[test]
fn a_long_step_is_seen_as_what_it_is() {
    // Twenty steps a period over eighty periods: no operator would do, a shorter step would.
    let mut late = setup(Family::Taylor { order: 16 }, 5.0);
    late.time.step = Step::Seconds(0.01);
    let plan = plan(&late);
    assert!(plan.dispersion().and_then(|d| d.seconds).is_some_and(|s| s < 0.0), "early");
    let warnings = plan.warnings();
    let [warning @ Warning::Dispersion { remedies, .. }] = warnings.as_slice() else {
        panic!("{warnings:?}")
    };
    assert!(warning.to_string().contains("early"), "{warning}");
    assert!(remedies.iter().any(|remedy| matches!(remedy, Remedy::Step { .. })));
    assert!(!remedies.iter().any(|remedy| matches!(remedy, Remedy::Order { .. })));
}

#[test]
fn what_does_not_travel_and_what_grows_is_said() {
    let warning = plan(&setup(TAYLOR_4, 30.0)).warnings();
    let text = warning[0].to_string();
    assert!(text.contains("do not travel") && text.contains("peak_hz"), "{text}");
    let mut unstable = setup(TAYLOR_4, 5.0);
    unstable.time.step = Step::Seconds(0.02);
    let warnings = plan(&unstable).warnings();
    assert!(matches!(warnings.as_slice(), [Warning::Unstable { .. }]), "{warnings:?}");
}

#[test]
fn what_is_not_heard_to_its_end_is_told() {
    let with = |delay: f64, amplitude: f64| {
        let mut setup = setup(Family::Taylor { order: 8 }, 3.0);
        let source = &mut setup.shots[0].sources[0];
        source.wavelet = Wavelet::Ricker(Ricker { peak_hz: 3.0, delay });
        source.amplitude = amplitude;
        plan(&setup).warnings()
    };
    assert_eq!(with(0.5, 1.0), []);
    for (delay, amplitude) in [(1e3, 1.0), (-1e3, 1.0), (0.5, 0.0)] {
        let warnings = with(delay, amplitude);
        let cut = warnings.iter().find(|warning| matches!(warning, Warning::Truncated(_)));
        let said = cut.expect("it is told").to_string();
        assert!(said.contains("makes no wave"), "{said}");
    }
    // The peak comes after the end: the start means nothing.
    let warnings = with(20.1, 1.0);
    assert!(!warnings.iter().any(|warning| matches!(warning, Warning::AbruptStart(_))));
    let end = warnings.iter().find_map(|warning| match warning {
        Warning::Truncated(Truncated { end, .. }) => *end,
        _ => None,
    });
    assert!(end.is_some_and(|end| end > 0.5), "{warnings:?}");
}
