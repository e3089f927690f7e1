//! Which of several models a recording came through: how often a scan names the true one, over models, receivers and noise.

use crate::common::{self, figures};
use huygens::{
    acquisition::{Shot, line},
    engine::{EngineError, cpu::Parallel},
    grid::{Axes, Position},
    model::VelocityModel,
    plan::{Condition, Focus, Mask, Plan, Setup},
    workflow::locate::{self, Recording, Sharpness},
};
use ndarray::Array2;
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

/// What a scan says of a model: whether its map is strongest at a peak, how strong, how sharp, and where.
struct Seen {
    of: (bool, Option<f64>),
    sharpness: Sharpness,
    at: Position,
}

fn scan(truth: &Setup, models: &[VelocityModel], recording: &Recording) -> Vec<Seen> {
    let first = Setup { model: models[0].clone(), ..truth.clone() };
    let back = locate::backward(first, recording, 1).expect("a sound recording");
    let plan = Plan::scan(back, &models[1..]).expect("a valid setup");
    let hz = recording.dominant_hz();
    let wavelength = f64::from(models[0].range().0) / hz;
    let (grid, receivers) = (plan.model_grid, &recording.receivers);
    let weights = locate::weights(&grid, receivers, 1, wavelength);
    let mask = Mask::new(&grid, receivers, wavelength).weighed(&weights);
    let every = Focus::every(plan.time.dt, hz);
    let condition = Condition::Amplitude;
    let plan = plan.summarised(Focus { every, groups: 1, condition }, mask);
    let mut seen = Vec::new();
    locate::scan(&Parallel, &plan, &mut |_| ControlFlow::Continue(()), &mut |model, summary| {
        let sharpness = Sharpness::of(&summary);
        let strength = locate::strength(&summary, &models[model], receivers, condition);
        let peak = summary.summit.is_some_and(|summit| sharpness.is_of(summit.value));
        let at = summary.summit.map(|summit| locate::refined(&summit, &grid)).unwrap_or_default();
        seen.push(Seen { of: (peak, strength), sharpness, at });
        Ok::<_, EngineError>(())
    })
    .expect("a stable run");
    seen
}

/// What a case came to.
struct Case {
    /// Steps of the factor from the truth, and the models that are said to be as good.
    steps: usize,
    good: Vec<usize>,
    /// The same by the kurtosis.
    kurtosis: usize,
}

impl Case {
    fn is_within_a_step(&self) -> bool {
        self.steps <= 1
    }

    /// Whether the truth is among what is said to do as well, or the range is said to end too soon.
    fn is_warned(&self) -> bool {
        let ends = self.good.contains(&0) || self.good.contains(&(FACTORS.len() - 1));
        self.good.len() > 1 && self.good.contains(&TRUTH) || ends
    }
}

fn case(name: &str, heard: &str, noise: Option<f64>, source: (f64, f64)) -> Case {
    let receivers = receivers(heard);
    let truth = setup(model(name), &receivers, source);
    let gather = common::gathers(&Parallel, truth.clone()).remove(0);
    let clean = Recording { gather, interval: 2e-3, receivers };
    let recording = noise.map_or(clean.clone(), |noise| clean.with_noise(noise));
    let models = FACTORS.map(|factor| truth.model.scaled(factor).expect("a model"));
    let seen = scan(&truth, &models, &recording);
    let of: Vec<_> = seen.iter().map(|seen| seen.of).collect();
    let best = locate::best(&of).expect("models");
    let good = locate::as_good(&of, best);
    let sharpest = (0..seen.len())
        .max_by(|a, b| seen[*a].sharpness.kurtosis.total_cmp(&seen[*b].sharpness.kurtosis))
        .expect("models");
    let most = of[best].1.unwrap_or(1.0);
    let curve = of.iter().map(|(peak, of)| {
        format!("{:.3}{}", of.unwrap_or(0.0) / most, if *peak { "" } else { "!" })
    });
    let off = |index: usize| {
        let at = seen[index].at;
        format!("{:+.0}, {:+.0}", at.x - source.0, at.z - source.1)
    };
    println!(
        "{name}, {heard}, noise {noise:?}: named {}, kurtosis {}; off {} m, through the truth {} m | {}",
        FACTORS[best],
        FACTORS[sharpest],
        off(best),
        off(TRUTH),
        curve.collect::<Vec<_>>().join(" ")
    );
    Case { steps: best.abs_diff(TRUTH), good, kurtosis: sharpest.abs_diff(TRUTH) }
}

const SOURCES: [(f64, f64); 3] = [(1430.0, 1010.0), (1710.0, 1290.0), (1250.0, 830.0)];

/// The table of docs/commands/locate.md.
#[test]
#[ignore = "minutes; the table of docs/commands/locate.md"]
fn scans_name_the_true_model_or_say_that_they_cannot() {
    let mut number = 0;
    let (mut silent, mut all) = (Vec::new(), 0);
    for heard in RECEIVERS {
        for noise in [None, Some(1.0), Some(0.4)] {
            let (mut near, mut sharp, mut warned, mut cases) = (0, 0, 0, 0);
            for name in MODELS {
                let case = case(name, heard, noise, SOURCES[number % SOURCES.len()]);
                number += 1;
                cases += 1;
                near += usize::from(case.is_within_a_step());
                sharp += usize::from(case.kurtosis <= 1);
                warned += usize::from(!case.is_within_a_step() && case.is_warned());
                if !case.is_within_a_step() && !case.is_warned() {
                    silent.push(format!("{name}, {heard}, noise {noise:?}"));
                }
            }
            all += cases;
            let noise = noise.map_or("none".into(), |noise: f64| noise.to_string());
            let line = format!("{heard}, noise {noise}");
            figures::cell("scans", &line, "within a step", &format!("{near} of {cases}"));
            figures::cell(
                "scans",
                &line,
                "others, warned of",
                &format!("{warned} of {}", cases - near),
            );
            figures::cell("scans", &line, "by the kurtosis", &format!("{sharp} of {cases}"));
        }
    }
    println!("{} of {all} named wrong in silence: {silent:#?}", silent.len());
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn a_scan_with_receivers_beside_the_source_names_the_true_model_within_a_step() {
    for (name, noise) in [("gradient", None), ("basin", Some(1.0))] {
        let case = case(name, "surface and well", noise, SOURCES[0]);
        assert!(case.is_within_a_step(), "{name}: {} steps", case.steps);
        assert!(case.kurtosis > 1, "{name}: the kurtosis does as well");
    }
    // Two steps off, which it says.
    let patchy = case("patchy", "surface and well", None, SOURCES[0]);
    assert!(patchy.good.len() > 1 && patchy.good.contains(&TRUTH), "{:?}", patchy.good);
}

/// Along a part of the surface depth and velocity stand in for each other.
#[test]
fn a_scan_that_cannot_tell_says_so() {
    let case = case("homogeneous", "40 along half", None, SOURCES[0]);
    assert!(case.good.len() > 3 && case.good.contains(&TRUTH), "{:?}", case.good);
}
