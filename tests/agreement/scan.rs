//! Shots through several models at once give what they give through each alone, bit for bit.

use crate::common::{self, engines};
use huygens::{
    acquisition::Shot,
    engine::Gathers,
    grid::Axes,
    model::VelocityModel,
    plan::{Plan, Setup},
};
use ndarray::Array2;

fn setup() -> Setup {
    let shot = |x: f64| Shot {
        sources: vec![common::ricker(x, 200.0, 20.0, 0.05)],
        receivers: (0..9).map(|i| Axes::xz(60.0 * f64::from(i), 100.0)).collect(),
    };
    let time = common::every_step(1e-3, 0.3);
    let mut setup = common::homogeneous((61, 51), 10.0, 2000.0, time, shot(100.0));
    setup.shots = vec![shot(100.0), shot(403.7)];
    setup
}

fn model(velocity: impl Fn(usize, usize) -> f32) -> VelocityModel {
    let velocity = Array2::from_shape_fn((61, 51), |(x, z)| velocity(x, z));
    VelocityModel::new(velocity, 10.0, 10.0).expect("a model")
}

#[test]
fn many_models_are_each_alone() {
    let models = [
        model(|_, _| 2000.0),
        model(|x, z| 1500.0 + 7.0 * x as f32 + 11.0 * z as f32),
        model(|x, z| if (x / 7 + z / 5) % 2 == 0 { 1700.0 } else { 2600.0 }),
    ];
    let [first, others @ ..] = &models;
    let with = |model: &VelocityModel| Setup { model: model.clone(), ..setup() };
    let all = Plan::scan(with(first), others).expect("models on one grid");
    assert_eq!(all.shots.len(), 6);
    for engine in engines::all() {
        let mut together = Gathers::new(&all);
        engine.run(&all, &mut together).expect("a stable run");
        for (index, model) in models.iter().enumerate() {
            // The layers too are of each model.
            let alone = Plan::new(with(model)).expect("a valid setup");
            let mut gathers = Gathers::new(&alone);
            engine.run(&alone, &mut gathers).expect("a stable run");
            for shot in 0..2 {
                let backend = engine.describe().backend;
                let of = format!("{backend}, model {index}, shot {shot}");
                let (ours, theirs) = (&together.shots[2 * index + shot], &gathers.shots[shot]);
                let error = common::gather_error(ours.view(), theirs.view());
                // A source's (v dt)^2 is reached by a ratio.
                assert!(error < 1e-6, "{of}: {error:e}");
            }
            // As a batch of its own, too: a part of a scan.
            let part = all.batch(2 * index..2 * index + 2);
            let mut gathers = Gathers::new(&part);
            engine.run(&part, &mut gathers).expect("a stable run");
            assert_eq!(gathers.shots, together.shots[2 * index..2 * index + 2]);
        }
    }
}

#[test]
fn models_of_other_grids_are_refused() {
    let velocity = Array2::from_elem((61, 50), 2000.0);
    let other = VelocityModel::new(velocity, 10.0, 10.0).expect("a model");
    let refused = Plan::scan(setup(), &[other]).expect_err("another grid").to_string();
    assert!(refused.contains("61 x 50") && refused.contains("61 x 51"), "{refused}");
}
