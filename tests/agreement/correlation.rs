//! The correlation of two waves in the engine's memory.

use crate::{
    common::{self, engines},
    slabs::{boundaries, setup},
};
use huygens::{
    engine::{Engine, Image, Observer, ShotState, Snapshots, cpu::Reference},
    plan::Plan,
};
use ndarray::Array3;
use std::sync::Arc;

#[derive(Default)]
struct Images(Vec<Image>);

impl Observer for Images {
    fn image(&mut self, image: Image) {
        self.0.push(image);
    }
}

fn images(engine: &dyn Engine, plan: &Plan) -> Vec<Image> {
    let mut images = Images::default();
    engine.run(plan, &mut images).expect("a stable run");
    images.0
}

fn error(ours: &Array3<f32>, expected: &Array3<f32>) -> f64 {
    let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
    let difference = ours.iter().zip(expected).map(|(a, b)| f64::from(*a) - f64::from(*b));
    norm(&mut { difference }) / norm(&mut expected.iter().map(|v| f64::from(*v)))
}

/// The products of the snapshots of the oracle.
#[test]
fn an_image_is_the_sum_of_the_products_of_two_fields() {
    for volume in [false, true] {
        let boundaries = boundaries();
        for boundary in common::all_or(&boundaries, &boundaries[3..]) {
            let mut setup = setup(volume, 8, boundary, 3.7);
            setup.snapshots = (0..=9).map(|i| 0.01 * f64::from(i)).collect();
            let plan = Plan::new(setup).expect("a valid setup").correlated(10);
            assert_eq!(plan.set_size(), 2);
            let mut seen = Snapshots::default();
            Reference.run(&plan, &mut seen).expect("a stable run");
            let mut expected = Array3::zeros(plan.model_grid.shape());
            for pair in seen.0.chunks(2) {
                assert_eq!((pair[0].step, pair[0].shot, pair[1].shot), (pair[1].step, 0, 1));
                expected += &(&pair[0].field * &pair[1].field);
            }
            for engine in engines::fast_and_oracle() {
                let found = images(engine.as_ref(), &plan);
                assert_eq!((found.len(), found[0].of), (1, 0));
                let error = error(&found[0].values, &expected);
                assert!(error < 1e-5, "{:?}: {error:e}", engine.describe());
            }
            for gpu in engines::opened(common::full()) {
                assert!(images(&gpu.with_slabs(3), &plan) == images(&gpu.with_slabs(1), &plan));
            }
        }
    }
}

/// Two waves that are turned around meet where they met on their way: each starts from a state of
/// its own.
#[test]
fn waves_that_go_backward_meet_where_they_met() {
    let forward = Plan::new(setup(false, 8, common::NO_LAYER, 0.0)).expect("a valid setup");
    let (forward, steps) = (Arc::new(forward), 20);
    for engine in engines::fast_and_oracle() {
        let state = |step: usize| {
            let mut run = engine.start(forward.clone()).expect("it fits");
            run.advance(step, &mut ()).expect("a stable run");
            run.state().expect("a state")
        };
        // Without their sources, which are silent by then.
        let mut backward = (*forward).clone().correlated(1);
        backward.wavelets.iter_mut().for_each(|row| *row = vec![0.0; row.len()].into());
        backward.time.steps = steps;
        let backward = Arc::new(backward);
        let mut quiet = (*forward).clone();
        quiet.wavelets = backward.wavelets.clone();
        let quiet = Arc::new(quiet);
        let mut free = engine.start(quiet.clone()).expect("it fits");
        let late = state(65).shots;
        free.restore(&free.state_of(0, late)).expect("its own");
        let mut expected = Array3::<f32>::zeros(forward.grid.shape());
        for step in 0..=steps {
            let [a, b] = [0, 1].map(|shot| free.field(shot).expect("a field"));
            expected += &(a * b);
            if step < steps {
                free.advance(1, &mut ()).expect("a stable run");
            }
        }
        // One step further, so that p before is the last that was added.
        free.advance(1, &mut ()).expect("a stable run");
        let last = free.state().expect("a state").shots;
        let back: Vec<ShotState> = last.into_iter().map(|shot| shot.reversed(false)).collect();
        let mut seen = Images::default();
        let mut run = engine.start(backward.clone()).expect("it fits");
        run.restore(&run.state_of(0, back)).expect("its own");
        run.advance(steps, &mut seen).expect("a stable run");
        run.finish(&mut seen).expect("a stable run");
        let error = error(&seen.0[0].values, &expected);
        assert!(error < 1e-5, "{:?}: {error:e}", engine.describe());
    }
}
