//! Modelling and its adjoint: `<F s, d> = <s, F' d>` for random wavelets s at points between nodes and random
//! data d at others. In a medium that absorbs nothing F' is F backwards in time, from the receivers to the sources.

use crate::common::{
    self, engines,
    figures::{figure, tiny},
    random,
};
use huygens::{
    acquisition::{Sampled, Shot, Source, Wavelet},
    boundary::{Absorber, Boundary, Top},
    engine::cpu::Reference,
    grid::{Axes, Position},
    model::VelocityModel,
    plan::{Plan, Setup},
};
use ndarray::{Array2, Array3, Axis, s};

const STEPS: usize = 150;
const DT: f64 = 1e-3;

/// Gives the gather of a setup's only shot.
type Modelled<'a> = &'a dyn Fn(Setup) -> Array2<f64>;

/// Samples 0 to STEPS at `to`, of wavelets at `from`, a row each.
fn modelled(
    model: Modelled<'_>,
    (n, top): ((usize, usize, usize), Top),
    (from, wavelets): (&[Position], &Array2<f64>),
    to: &[Position],
) -> Array2<f64> {
    let mut number = random(3);
    let velocity = Array3::from_shape_fn(n, |_| (1500.0 + 1500.0 * number()) as f32);
    let source = |(at, row): (&Position, ndarray::ArrayView1<'_, f64>)| {
        let wavelet = Wavelet::Sampled(Sampled { values: row.to_vec().into(), interval: DT });
        Source { at: *at, wavelet, ..common::ricker(0.0, 0.0, 1.0, 0.0) }
    };
    let shot = Shot {
        sources: from.iter().zip(wavelets.rows()).map(source).collect(),
        receivers: to.into(),
    };
    let time = common::every_step(DT, STEPS as f64 * DT);
    let setup = Setup {
        model: VelocityModel::volume(velocity, Axes { z: 10.0, x: 11.0, y: 12.0 })
            .expect("a valid model"),
        boundary: Boundary { top, sides: Absorber::Zero },
        ..common::homogeneous((1, 1), 10.0, 1500.0, time, shot)
    };
    model(setup)
}

/// What the oracle computes, not rounded to f32 on its way out.
#[test]
fn the_adjoint_is_that_of_f64_in_the_oracle() {
    let model = |setup| {
        let plan = Plan::new(setup).expect("a valid setup");
        Reference.gathers(&plan).expect("the oracle runs").remove(0)
    };
    dot_products(&model, 1e-12, &|case, error| {
        let case = format!("{case}, in f64");
        figure("symmetry", &case, &Reference, &tiny(error), "1e-12", "");
    });
}

#[test]
fn the_adjoint_runs_backwards_from_the_receivers() {
    for engine in engines::all() {
        let model = |setup| common::gathers(engine.as_ref(), setup).remove(0).mapv(f64::from);
        dot_products(&model, 1e-5, &|case, error| {
            figure("symmetry", case, engine.as_ref(), &tiny(error), "1e-5", "");
        });
    }
}

/// `<F s, d>` and `<s, F' d>` in random planes and volumes, under either top.
fn dot_products(model: Modelled<'_>, bar: f64, told: &dyn Fn(&str, f64)) {
    for n in [(1, 37, 41), (15, 17, 19)] {
        for top in [Top::Zero, Top::Free] {
            let mut number = random(29);
            let mut points = |count: usize| -> Vec<Position> {
                let mut along = |n: usize, h: f64| h * (n - 1) as f64 * number();
                (0..count)
                    .map(|_| Axes { z: along(n.2, 10.0), x: along(n.1, 11.0), y: along(n.0, 12.0) })
                    .collect()
            };
            let (sources, receivers) = (points(4), points(5));
            let mut rows = |count| Array2::from_shape_fn((count, STEPS + 1), |_| number() - 0.5);
            let (wavelets, data) = (rows(4), rows(5));
            let there = modelled(model, (n, top), (&sources, &wavelets), &receivers);
            let reversed = data.slice(s![.., ..;-1]).to_owned();
            let back = modelled(model, (n, top), (&receivers, &reversed), &sources);
            let back = back.slice(s![.., ..;-1]);
            let (forward, adjoint) = ((&there * &data).sum(), (&wavelets * &back).sum());
            let error = (forward - adjoint).abs() / forward.abs();
            let kind = if n.0 == 1 { "plane" } else { "volume" };
            let case = format!("adjoint, {kind}, top {top:?}").to_lowercase();
            told(&case, error);
            assert!(error <= bar, "{n:?}, {top:?}: {forward} {adjoint}");
            // A test of the test: one sample late.
            let late = wavelets.slice(s![.., 1..]).to_owned() * back.slice(s![.., ..-1]);
            assert!((forward - late.sum()).abs() > 2e-5 * forward.abs());
            assert_eq!(there.len_of(Axis(1)), STEPS + 1);
        }
    }
}
