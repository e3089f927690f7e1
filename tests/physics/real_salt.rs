//! The SEG/EAGE salt section against the gather of an independent code. The data are not ours to
//! ship: the test looks for them in the folder that `HUYGENS_DATA` names, or in `../shared/data`.

use crate::common::{
    self,
    figures::{figure, mistake, percent},
};
use huygens::{
    acquisition::{Sampled, Shot, Source, TimeDispersion, Wavelet, line},
    engine::{
        EngineError,
        cpu::{Parallel, Reference},
    },
    grid::Axes,
    io::npy,
    model::{Density, VelocityModel},
    operations::rtm::{
        self, Condition, Conditioning, Migration, Mute, Partial, Resampling, Stack, laplacian,
    },
    plan::{Plan, Setup, Step, Time},
    stencil::Family,
};
use ndarray::{Array2, Axis, Ix1, Ix2, s};
use std::{ops::ControlFlow, path::PathBuf};

const H: f64 = 24.384;
const DT: f64 = 0.001;

/// The folder of the salt data, where it is there.
fn data() -> Option<PathBuf> {
    let root =
        std::env::var_os("HUYGENS_DATA").map_or_else(|| "../shared/data".into(), PathBuf::from);
    let folder = root.join("salt");
    folder.join("gather.npy").exists().then_some(folder)
}

/// The case and their gather; `None`, and a word, where the data are not here.
fn case() -> Option<(Setup, Array2<f32>)> {
    let Some(folder) = data() else {
        println!("NOT RUN: the SEG/EAGE salt data are not here; set HUYGENS_DATA to their folder");
        return None;
    };
    let read = |name: &str| npy::read::<f64>(&folder.join(name)).expect("a whole file");
    let velocity = read("velocity.npy").into_dimensionality::<Ix2>().expect("two axes");
    let wavelet = read("wavelet.npy").into_dimensionality::<Ix1>().expect("one axis");
    let theirs = read("gather.npy").into_dimensionality::<Ix2>().expect("two axes");

    let values = wavelet.iter().copied().collect();
    let wavelet = Wavelet::Sampled(Sampled { values, interval: DT });
    let source = Source { wavelet, ..common::ricker(322.0 * H, 4.0 * H, 0.0, 0.0) };
    let receivers = line(Axes::xz(0.0, 4.0 * H), Axes::xz(640.0 * H, 4.0 * H), 129);
    let setup = Setup {
        model: VelocityModel::new(velocity.mapv(|v| v as f32), H, H).expect("a valid model"),
        operator: Family::Taylor { order: 8 },
        boundary: common::cpml(40),
        time: Time {
            duration: 3.0,
            step: Step::Seconds(DT),
            record: None,
            dispersion: TimeDispersion::Kept,
        },
        shots: vec![Shot { sources: vec![source], receivers: receivers.into() }],
        snapshots: Vec::new(),
        initial: None,
        window: None,
        density: Density::default(),
        anisotropy: None,
        allow_unstable: false,
    };
    Some((setup, theirs.mapv(|v| v as f32)))
}

/// Over the samples 5 to `last`.
fn error(ours: &Array2<f32>, theirs: &Array2<f32>, last: usize) -> f64 {
    let window = s![.., 5..=last];
    common::gather_error(ours.slice(window), theirs.slice(window))
}

const BAR: f64 = 0.005;

#[test]
fn the_gather_agrees_with_an_independent_code() {
    let Some((setup, theirs)) = case() else { return };
    for engine in common::engines::of_studies() {
        let ours = common::gathers(engine.as_ref(), setup.clone()).remove(0);
        let (all, early) = (error(&ours, &theirs, 2995), error(&ours, &theirs, 1500));
        for (window, error, bar) in
            [("samples 5 to 2995", all, "0.5 %"), ("samples 5 to 1500", early, "-")]
        {
            figure("salt", window, engine.as_ref(), &percent(error), bar, "");
        }
        assert!(all <= BAR, "{all}");
    }
}

/// 10,000 steps of 0.1 ms, which are short for these waves, against the f64 oracle. The bar is what
/// the f32 of an independent code is off by.
#[test]
fn short_steps_are_those_of_the_oracle() {
    if crate::common::left_to_full("short steps through the salt beside the oracle") {
        return;
    }
    const BAR: f64 = 1.8e-4;
    let Some((mut setup, _)) = case() else { return };
    setup.time = common::every_step(1e-4, 1.0);
    let exact = common::gathers(&Reference, setup.clone()).remove(0);
    for engine in common::engines::of_studies() {
        let ours = common::gathers(engine.as_ref(), setup.clone()).remove(0);
        let error = common::gather_error(ours.view(), exact.view());
        let case = "10,000 steps of 0.1 ms, against the oracle";
        figure("salt", case, engine.as_ref(), &percent(error), "0.018 %", "0.018 %");
        assert!(error <= BAR, "{}: {error:e}", engine.describe().backend);
    }
}

/// Tests the test.
#[test]
fn mistakes_are_seen() {
    let Some((setup, theirs)) = case() else { return };
    for (what, ours) in common::wrong_gathers(&Parallel, setup) {
        let error = error(&ours, &theirs, 2995);
        mistake("real salt", what, error, 2.0 * BAR);
        assert!(error > 2.0 * BAR, "{what}: {error}");
    }
}

/// The gather of the independent code, migrated: where the velocity falls at the base of the salt
/// there is a trough, within a cell at the true velocity.
#[test]
fn the_base_of_the_salt_is_where_it_is() {
    let Some((setup, theirs)) = case() else { return };
    let velocity = setup.model.velocity().index_axis(Axis(0), 0).to_owned();
    let worst = |factor: f64| {
        let model = setup.model.scaled(factor).expect("a factor");
        let errors = base(Setup { model, ..setup.clone() }, &velocity, &theirs);
        errors.iter().fold(0.0f64, |worst, error| worst.max(error.abs()))
    };
    let right = worst(1.0);
    let case = "base of the SEG/EAGE salt, a shot of an independent code";
    figure("imaging", case, &Parallel, &format!("{right} cells"), "1 cell", "");
    assert!(right <= 1.0, "{right} cells");
    // Tests the test.
    let slow = worst(0.95);
    assert!(slow > 2.0, "{slow} cells");
}

/// Columns below the shot, whose base of the salt it lights.
const COLUMNS: (usize, usize) = (310, 360);

/// The distance of the nearest trough from the base of the salt, cells, column by column.
fn base(setup: Setup, velocity: &Array2<f32>, gather: &Array2<f32>) -> Vec<f64> {
    let plan = Plan::new(setup).expect("a valid setup");
    let mute = Mute { velocity: 1524.0, delay: 2.0 / 6.0, taper: 1.0 / 6.0 };
    let conditioning = Conditioning {
        mute: Some(mute),
        taper: 1.0 / 6.0,
        integrated_above: Some(0.6),
        ..Default::default()
    };
    let resampling = Resampling::new(DT, &plan);
    let (every, mut stack) = (20, Stack::default());
    let migration = Migration::new(&Parallel, &plan, every, &[], u64::MAX).expect("it fits");
    let traces = |shot| {
        let traces = conditioning.apply(gather, &resampling, &plan, shot);
        Ok::<_, EngineError>(traces.expect("short steps").into())
    };
    let mut done = |image: Partial| {
        stack.add(image);
        Ok(())
    };
    migration.run(&traces, &mut |_| ControlFlow::Continue(()), &mut done).expect("a stable run");
    let stacked = stack.sum(&rtm::scale(&plan, every), &[]).expect("a shot");
    // The filter of the image turns its sign.
    let image = -laplacian(&stacked.image(Condition::SourceNormalised), &plan.model_grid);
    let column = |x: usize| {
        let salt = |z: &usize| velocity[[x, *z]] > 4400.0;
        let base = (0..velocity.ncols()).rev().find(salt).expect("salt below the shot");
        let trough = (base - 6..base + 8)
            .min_by(|a, b| image[[0, x, *a]].total_cmp(&image[[0, x, *b]]))
            .expect("rows");
        trough as f64 - (base as f64 + 0.5)
    };
    (COLUMNS.0..COLUMNS.1).map(column).collect()
}
