//! Full waveform inversion: a Gaussian anomaly is found, and a run that is resumed ends with the same
//! bits.

use huygens::{
    acquisition::{Shot, Source, Wavelet, line},
    engine::{Engine, EngineError, cpu::Parallel},
    grid::Axes,
    job::{JobError, JobFile, Supplied},
    model::VelocityModel,
    operations::{invert::Inverted, recorded::Recorded, shot},
    plan::PlanError,
};
use ndarray::Array2;
use std::{ops::ControlFlow, path::PathBuf};

const JOB: &str = "\
[time]
duration = 0.8
[invert]
bands = [6.0, 12.0]
iterations = 5
least = 1800.0
most = 2600.0
water = 60.0
";
const N: (usize, usize) = (61, 51);

fn model(anomaly: f32) -> VelocityModel {
    let velocity = Array2::from_shape_fn(N, |(x, z)| {
        let (dx, dz) = (x as f32 - 30.0, z as f32 - 26.0);
        2000.0 + 4.0 * z as f32 + anomaly * (-(dx * dx + dz * dz) / 50.0).exp()
    });
    VelocityModel::new(velocity, 20.0, 20.0).expect("a model")
}

/// Shots from above and from the left, heard on the opposite sides too.
fn shots() -> Vec<Shot> {
    let at = |x: f64, z: f64| Axes::xz(x, z);
    let receivers = [
        line(at(40.0, 40.0), at(1160.0, 40.0), 29),
        line(at(40.0, 960.0), at(1160.0, 960.0), 29),
        line(at(1160.0, 40.0), at(1160.0, 960.0), 24),
    ]
    .concat();
    let places =
        [at(200.0, 40.0), at(600.0, 40.0), at(1000.0, 40.0), at(40.0, 300.0), at(40.0, 700.0)];
    places
        .map(|place| Shot::new(Source::new(place, Wavelet::ricker(8.0)), receivers.clone()))
        .into()
}

#[derive(Debug, PartialEq)]
enum Ended {
    Failed(String),
    Enough,
}

macro_rules! failed {
    ($($error:ty),+) => {$(
        impl From<$error> for Ended {
            fn from(error: $error) -> Self {
                Ended::Failed(error.to_string())
            }
        }
    )+};
}

failed![EngineError, JobError, PlanError];

/// The kept states, and the model at the end.
fn inverted(
    earlier: Option<Inverted>,
    until: usize,
) -> (Vec<Vec<u8>>, Result<VelocityModel, Ended>) {
    let engine: &dyn Engine = &Parallel;
    let mut file = JobFile::parse("a job", JOB, PathBuf::new()).expect("a job");
    file.supplied =
        Supplied { model: Some(model(0.0)), shots: Some(shots()), ..Supplied::default() };
    let (inputs, bounds) = file.inputs_to_invert().expect("a valid job");
    let mut truth = inputs.setup.clone();
    truth.model = model(200.0);
    let plan = huygens::plan::Plan::new(truth).expect("the true model");
    let modelled = shot::run(engine, &plan).expect("a stable run");
    let observed: Vec<_> = modelled.shots.into_iter().map(|shot| shot.gather).collect();
    let observations =
        file.observed(Recorded::whole(observed, plan.time.interval()), &inputs).expect("they fit");
    let inversion = file.inversion(observations, &inputs, bounds).expect("a valid inversion");
    let mut kept = Vec::new();
    let mut hear = |_, _| ControlFlow::Continue(());
    let found = inversion.run::<Ended>(&[engine], &inputs, earlier, &mut hear, &mut |done, _| {
        kept.push(postcard::to_allocvec(done).expect("bytes"));
        if kept.len() == until { Err(Ended::Enough) } else { Ok(()) }
    });
    (
        kept,
        found.map(|(model, misfits)| {
            for band in &misfits {
                assert!(band.windows(2).all(|pair| pair[1] <= pair[0]), "{misfits:?}");
                assert!(band.last() < band.first(), "{misfits:?}");
            }
            model
        }),
    )
}

fn error(of: &VelocityModel) -> f64 {
    let truth = model(200.0);
    let pairs = of.velocity().into_iter().zip(truth.velocity());
    pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn an_anomaly_is_found_and_the_water_stays() {
    let (_, found) = inverted(None, usize::MAX);
    let found = found.expect("it ends");
    let (before, after) = (error(&model(0.0)), error(&found));
    assert!(after < 0.5 * before, "{after} of {before}");
    let (v, start) = (found.velocity(), model(0.0));
    let middle = v[[0, 30, 26]] - start.velocity()[[0, 30, 26]];
    assert!((100.0..300.0).contains(&middle), "{middle}");
    for x in 0..N.0 {
        for z in 0..3 {
            assert_eq!(v[[0, x, z]].to_bits(), start.velocity()[[0, x, z]].to_bits());
        }
    }
    println!("model error {:.3} of that at the start", after / before);
}

#[test]
fn a_run_that_is_resumed_has_the_same_bits() {
    let (all, whole) = inverted(None, usize::MAX);
    let whole = whole.expect("it ends");
    // In the middle of a band, and at the end of one.
    for until in [3, 5, 7] {
        let (kept, ended) = inverted(None, until);
        assert_eq!(ended, Err(Ended::Enough));
        let state = postcard::from_bytes(kept.last().expect("a state")).expect("a state");
        let (rest, again) = inverted(Some(state), usize::MAX);
        assert_eq!(again.expect("it ends"), whole, "after {until}");
        assert_eq!(rest.last(), all.last(), "after {until}");
    }
}
