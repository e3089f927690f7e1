//! Shots through several models at once give what they give through each alone, bit for bit.

use crate::common::{self, engines};
use huygens::{
    acquisition::{Shot, SourceKind},
    engine::Gathers,
    grid::{Axes, Axis},
    model::VelocityModel,
    plan::{Plan, Setup},
};
use ndarray::Array2;

fn setup() -> Setup {
    let shot = |x: f64| Shot {
        sources: vec![common::ricker(x, 200.0, 20.0, 0.05)],
        receivers: (0..9).map(|i| Axes::xz(60.0 * f64::from(i), 100.0)).collect(),
    };
    let time = common::every_step(1e-3, 0.16);
    let mut setup = common::homogeneous((61, 51), 10.0, 2000.0, time, shot(100.0));
    setup.boundary = common::cpml(6);
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

/// Shots of their own through each model, as fits have them.
#[test]
fn models_with_their_own_shots_are_each_alone() {
    let slow = setup();
    let mut fast = Setup { model: model(|x, z| 2200.0 + (x + 3 * z) as f32), ..setup() };
    fast.shots.remove(0);
    let receivers = fast.shots[0].receivers.clone();
    let mut source = common::ricker(250.0, 301.3, 15.0, 0.1);
    source.kind = SourceKind::Dipole(Axis::Z);
    fast.shots.push(Shot { sources: vec![source], receivers });
    let own = [(fast.model.clone(), fast.shots.clone())];
    let both = Plan::each(slow.clone(), &own).expect("models on one grid");
    for engine in engines::all() {
        let gathers = |plan: &Plan| {
            let mut gathers = Gathers::new(plan);
            engine.run(plan, &mut gathers).expect("a stable run");
            gathers.shots
        };
        let alone = [slow.clone(), fast.clone()].map(|setup| Plan::new(setup).expect("valid"));
        let alone = alone.iter().flat_map(gathers);
        assert_eq!(gathers(&both), alone.collect::<Vec<_>>(), "{}", engine.describe().backend);
    }
    let mut refused = own;
    refused[0].1[1].sources[0].at.x = 1e6;
    let refused = Plan::each(slow, &refused).expect_err("outside").to_string();
    assert!(refused.contains("shot 4"), "{refused}");
}

#[test]
fn models_of_other_grids_are_refused() {
    let velocity = Array2::from_elem((61, 50), 2000.0);
    let other = VelocityModel::new(velocity, 10.0, 10.0).expect("a model");
    let refused = Plan::scan(setup(), &[other]).expect_err("another grid").to_string();
    assert!(refused.contains("61 x 50") && refused.contains("61 x 51"), "{refused}");
}
