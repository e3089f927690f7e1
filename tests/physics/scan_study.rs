//! Which of several models a recording came through: how often a scan names the true one, over
//! models, receivers and noise.

use crate::common::{self, figures};
use huygens::{
    acquisition::{Recording, Shot, SourceKind, line},
    engine::{EngineError, cpu::Parallel},
    grid::{Axes, Position},
    model::VelocityModel,
    operations::locate::{self, Fitting, Sharpness, Trial},
    plan::{Condition, Focus, Mask, Plan, PlanError, Setup},
};
use ndarray::Array2;
use rayon::prelude::*;
use std::ops::ControlFlow;

const NODES: (usize, usize) = (161, 91);
const H: f64 = 20.0;
/// 1 is the truth.
const FACTORS: [f64; 9] = [0.92, 0.94, 0.96, 0.98, 1.0, 1.02, 1.04, 1.06, 1.08];
const TRUTH: usize = 4;
const MODELS: [&str; 6] = ["gradient", "basin", "layers", "homogeneous", "lens", "patchy"];
const RECEIVERS: [&str; 4] =
    ["78 along the surface", "20 along the surface", "40 along half", "surface and well"];

fn model(name: &str) -> VelocityModel {
    let mut random = common::random(7);
    let mut between = |low: f64, high: f64| low + (high - low) * random();
    let patches: Vec<[f64; 4]> = (0..60)
        .map(|_| {
            [between(0.0, 3200.0), between(0.0, 1800.0), between(80.0, 280.0), between(-0.13, 0.12)]
        })
        .collect();
    let velocity = |x: f64, z: f64| match name {
        "gradient" => 1800.0 + 0.7 * z,
        "basin" => {
            let floor = 350.0 + 550.0 * (-((x - 1500.0) / 800.0).powi(2)).exp();
            if z < floor { 1700.0 + 0.5 * z } else { 2900.0 + 0.3 * z }
        }
        "layers" => match z + 0.08 * x {
            z if z < 400.0 => 1800.0,
            z if z < 800.0 => 2200.0,
            z if z < 1300.0 => 2600.0,
            _ => 3100.0,
        },
        "lens" => {
            let within = ((x - 1700.0) / 600.0).powi(2) + ((z - 500.0) / 150.0).powi(2) < 1.0;
            if within { 3600.0 } else { 2000.0 + 0.4 * z }
        }
        "patchy" => {
            let patch = |[px, pz, r, part]: &[f64; 4]| {
                part * (-((x - px) / r).powi(2) - ((z - pz) / r).powi(2)).exp()
            };
            (2200.0 + 0.4 * z) * (1.0 + patches.iter().map(patch).sum::<f64>())
        }
        _ => 2400.0,
    };
    let values = Array2::from_shape_fn(NODES, |(x, z)| velocity(x as f64 * H, z as f64 * H) as f32);
    VelocityModel::new(values, H, H).expect("a model")
}

fn receivers(name: &str) -> Vec<Position> {
    let surface = |from: f64, to: f64, count| line(Axes::xz(from, 40.0), Axes::xz(to, 40.0), count);
    match name {
        "78 along the surface" => surface(50.0, 3150.0, 78),
        "20 along the surface" => surface(100.0, 3100.0, 20),
        "40 along half" => surface(400.0, 2000.0, 40),
        _ => {
            let well = line(Axes::xz(2800.0, 100.0), Axes::xz(2800.0, 1700.0), 41);
            [surface(0.0, 3200.0, 41), well].concat()
        }
    }
}

/// A Ricker of 10 Hz, heard for 2 s.
fn setup(model: VelocityModel, receivers: &[Position], (x, z): (f64, f64)) -> Setup {
    let shot = Shot { sources: vec![common::ricker(x, z, 10.0, 0.2)], receivers: receivers.into() };
    let time = common::every_step(2e-3, 2.0);
    Setup {
        model,
        boundary: common::cpml(15),
        ..common::homogeneous((3, 3), H, 2000.0, time, shot)
    }
}

/// Failures of a fit.
#[derive(Debug)]
#[expect(dead_code, reason = "it is shown")]
enum RunError {
    Engine(EngineError),
    Plan(PlanError),
}

impl From<EngineError> for RunError {
    fn from(error: EngineError) -> Self {
        RunError::Engine(error)
    }
}

impl From<PlanError> for RunError {
    fn from(error: PlanError) -> Self {
        RunError::Plan(error)
    }
}

/// The scan's result for a model: whether its map is strongest at a peak, how strong, how sharp,
/// where and when.
struct Finding {
    of: (bool, Option<f64>),
    sharpness: Sharpness,
    at: Position,
    time: f64,
}

/// A recording sent back through some models, and the mask.
fn backward(truth: &Setup, models: &[VelocityModel], recording: &Recording) -> (Plan, Focus, Mask) {
    let first = Setup { model: models[0].clone(), ..truth.clone() };
    let back =
        first.time_reversed(recording, 1, SourceKind::Monopole, 1.0).expect("a sound recording");
    let plan = Plan::scan(back, &models[1..]).expect("a valid setup");
    let hz = recording.dominant_hz();
    let wavelength = wavelength(truth, recording);
    let (grid, receivers) = (plan.model_grid, &recording.receivers);
    let weights = locate::weights(&grid, receivers, 1, wavelength);
    let mask = Mask::new(&grid, receivers, wavelength).weighed(&weights);
    let every = Focus::every(plan.time.dt, hz);
    (plan, Focus { every, groups: 1, condition: Condition::Amplitude }, mask)
}

/// In the slowest rock of the first model, m.
fn wavelength(truth: &Setup, recording: &Recording) -> f64 {
    f64::from(truth.model.range().0) / recording.dominant_hz()
}

fn scan(truth: &Setup, models: &[VelocityModel], recording: &Recording) -> Vec<Finding> {
    let (plan, focus, mask) = backward(truth, models, recording);
    let plan = plan.summarised(focus, mask);
    let (grid, receivers) = (plan.model_grid, &recording.receivers);
    let mut seen = Vec::new();
    locate::scan(&Parallel, &plan, &mut |_| ControlFlow::Continue(()), &mut |model, summary| {
        let sharpness = Sharpness::of(&summary);
        let strength = locate::strength(&summary, &models[model], receivers, focus.condition);
        let peak = summary.summit.is_some_and(|summit| sharpness.is_of(summit.value));
        let at = summary.summit.map(|summit| locate::refined(&summit, &grid)).unwrap_or_default();
        let back = summary.summit.map_or(0, |summit| summit.step as usize);
        let time = plan.time.at(plan.time.steps - back);
        seen.push(Finding { of: (peak, strength), sharpness, at, time });
        Ok::<_, EngineError>(())
    })
    .expect("a stable run");
    seen
}

/// True if the map through a model has peaks that are nearly as high as the source, which `locate`
/// warns of.
fn is_doubtful(truth: &Setup, model: &VelocityModel, recording: &Recording) -> bool {
    let (plan, focus, mask) = backward(truth, std::slice::from_ref(model), recording);
    let plan = plan.focused(focus);
    let mut doubtful = false;
    let go_on = &mut |_| ControlFlow::Continue(());
    locate::run(&Parallel, &plan, go_on, &mut |_| false, &mut |found| {
        let apart = 2.0 * wavelength(truth, recording);
        let peaks = locate::peaks(&found.map, &plan.model_grid, &mask, 1, apart);
        doubtful = peaks.iter().any(|peak| peak.weakness(focus.condition).is_some());
        Ok::<_, EngineError>(())
    })
    .expect("a stable run");
    doubtful
}

/// The results of a case.
struct Case {
    /// Steps of the factor from the truth, and the models that are said to do as well.
    steps: usize,
    good: Vec<usize>,
    /// Whether the source through the named one is said to be doubtful.
    doubtful: bool,
    /// Likewise by the kurtosis, and by the strength of the focus.
    kurtosis: usize,
    strength: usize,
}

impl Case {
    fn is_within_a_step(&self) -> bool {
        self.steps <= 1
    }

    /// True if the truth is among the models that do as well, if the range is reported to end too
    /// soon, or the source to be doubtful.
    fn is_warned(&self) -> bool {
        let ends = self.good.contains(&0) || self.good.contains(&(FACTORS.len() - 1));
        self.good.len() > 1 && self.good.contains(&TRUTH) || ends || self.doubtful
    }
}

fn case(name: &str, heard: &str, noise: Option<f64>, source: (f64, f64)) -> Case {
    let receivers = receivers(heard);
    let truth = setup(model(name), &receivers, source);
    let gather = common::gathers(&Parallel, truth.clone()).remove(0);
    let clean = Recording { gather, interval: 2e-3, receivers };
    let recording = noise.map_or(clean.clone(), |noise| clean.with_noise(noise).expect("a ratio"));
    let models = FACTORS.map(|factor| truth.model.scaled(factor).expect("a model"));
    let seen = scan(&truth, &models, &recording);
    let of: Vec<_> = seen.iter().map(|seen| seen.of).collect();
    let contenders = locate::contenders(&of);
    let trial = |index: &usize| Trial {
        model: &models[*index],
        at: seen[*index].at,
        time: seen[*index].time,
    };
    let trials: Vec<_> = contenders.iter().map(trial).collect();
    let fitting = Fitting::new(&truth, &recording, &trials).expect("valid trials");
    let fits = fitting
        .run::<RunError>(&Parallel, &mut |_, _| Box::new(|_| ControlFlow::Continue(())))
        .expect("a stable run");
    let best = fits.best().expect("models");
    let good: Vec<usize> =
        (0..trials.len()).filter(|fit| fits.is_as_good(*fit)).map(|fit| contenders[fit]).collect();
    let named = contenders[best];
    let sharpest = (0..seen.len())
        .max_by(|a, b| seen[*a].sharpness.kurtosis.total_cmp(&seen[*b].sharpness.kurtosis))
        .expect("models");
    let curve = (0..FACTORS.len()).map(|index| {
        let fit = contenders.iter().position(|contender| *contender == index);
        let good = if good.contains(&index) { "*" } else { "" };
        fit.map_or("-".into(), |fit| format!("{:.4}{good}", fits.all[fit].explained))
    });
    let at = fits.all[best].at;
    let doubtful = is_doubtful(&truth, &models[named], &recording);
    println!(
        "{name}, {heard}, noise {noise:?}: named {}, by the strength {}, by the kurtosis {}; off {:+.1}, {:+.1} m{} | {}",
        FACTORS[named],
        FACTORS[contenders[0]],
        FACTORS[sharpest],
        at.x - source.0,
        at.z - source.1,
        if doubtful { ", in doubt" } else { "" },
        curve.collect::<Vec<_>>().join(" ")
    );
    let steps = |index: usize| index.abs_diff(TRUTH);
    Case {
        doubtful,
        steps: steps(named),
        good,
        kurtosis: steps(sharpest),
        strength: steps(contenders[0]),
    }
}

const SOURCES: [(f64, f64); 3] = [(1430.0, 1010.0), (1710.0, 1290.0), (1250.0, 830.0)];

/// The table of docs/locating.md.
#[test]
#[ignore = "minutes; the table of docs/locating.md"]
fn scans_name_the_true_model_or_say_that_they_cannot() {
    let (mut silent, mut right, mut all) = (Vec::new(), 0, 0);
    for heard in RECEIVERS {
        for noise in [None, Some(1.0), Some(0.4)] {
            let of = |(number, name): (usize, &&'static str)| {
                (*name, case(name, heard, noise, SOURCES[number % SOURCES.len()]))
            };
            let cases: Vec<_> = MODELS.par_iter().enumerate().map(of).collect();
            let count = |which: fn(&Case) -> bool| cases.iter().filter(|(_, c)| which(c)).count();
            let near = count(Case::is_within_a_step);
            let warned = count(|case| !case.is_within_a_step() && case.is_warned());
            let (strong, sharp) =
                (count(|case| case.strength <= 1), count(|case| case.kurtosis <= 1));
            let wrong = cases.iter().filter(|(_, c)| !c.is_within_a_step() && !c.is_warned());
            silent.extend(wrong.map(|(name, _)| format!("{name}, {heard}, noise {noise:?}")));
            let cases = cases.len();
            (right, all) = (right + near, all + cases);
            let noise = noise.map_or("none".into(), |noise: f64| noise.to_string());
            let line = format!("{heard}, noise {noise}");
            figures::cell("scans", &line, "within a step", &format!("{near} of {cases}"));
            figures::cell(
                "scans",
                &line,
                "others, warned of",
                &format!("{warned} of {}", cases - near),
            );
            figures::cell("scans", &line, "by the strength", &format!("{strong} of {cases}"));
            figures::cell("scans", &line, "by the kurtosis", &format!("{sharp} of {cases}"));
        }
    }
    println!("{right} of {all} within a step; in silence wrong: {silent:#?}");
    assert!(10 * right >= 9 * all, "{right} of {all}");
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn a_scan_names_the_true_model_and_the_kurtosis_another() {
    for (name, heard, noise) in [
        ("basin", "78 along the surface", None),
        ("lens", "20 along the surface", None),
        ("layers", "40 along half", Some(1.0)),
        ("patchy", "surface and well", Some(1.0)),
    ] {
        let case = case(name, heard, noise, SOURCES[0]);
        assert_eq!(case.steps, 0, "{name}");
        assert!(case.kurtosis > 1, "{name}: the kurtosis does as well");
    }
}

/// Along a part of the surface depth and velocity stand in for each other.
#[test]
fn a_scan_that_noise_keeps_from_telling_says_so() {
    let homogeneous = case("homogeneous", "40 along half", Some(0.4), SOURCES[0]);
    let good = homogeneous.good;
    assert!(good.len() > 3 && good.contains(&TRUTH), "{good:?}");
    // Waves meet elsewhere: the place is said to be in doubt.
    let lens = case("lens", "40 along half", Some(1.0), SOURCES[1]);
    assert!(lens.steps > 1 && lens.doubtful);
}
