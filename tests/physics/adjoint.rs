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
    engine::Engine,
    grid::{Axes, Position},
    model::VelocityModel,
    plan::Setup,
};
use ndarray::{Array2, Array3, Axis, s};

const STEPS: usize = 150;
const DT: f64 = 1e-3;

/// Samples 0 to STEPS at `to`, of wavelets at `from`, a row each.
fn modelled(
    engine: &dyn Engine,
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
        receivers: to.to_vec(),
    };
    let time = common::every_step(DT, STEPS as f64 * DT);
    let setup = Setup {
        model: VelocityModel::volume(velocity, Axes { z: 10.0, x: 11.0, y: 12.0 })
            .expect("a valid model"),
        boundary: Boundary { top, sides: Absorber::Zero },
        ..common::homogeneous((1, 1), 10.0, 1500.0, time, shot)
    };
    common::gathers(engine, setup).remove(0).mapv(f64::from)
}

#[test]
fn the_adjoint_runs_backwards_from_the_receivers() {
    for engine in engines::all() {
        for n in [(1, 37, 41), (15, 17, 19)] {
            for top in [Top::Zero, Top::Free] {
                let mut number = random(29);
                let mut points = |count: usize| -> Vec<Position> {
                    let mut along = |n: usize, h: f64| h * (n - 1) as f64 * number();
                    (0..count)
                        .map(|_| Axes {
                            z: along(n.2, 10.0),
                            x: along(n.1, 11.0),
                            y: along(n.0, 12.0),
                        })
                        .collect()
                };
                let (sources, receivers) = (points(4), points(5));
                let mut rows =
                    |count| Array2::from_shape_fn((count, STEPS + 1), |_| number() - 0.5);
                let (wavelets, data) = (rows(4), rows(5));
                let there = modelled(engine.as_ref(), (n, top), (&sources, &wavelets), &receivers);
                let reversed = data.slice(s![.., ..;-1]).to_owned();
                let back = modelled(engine.as_ref(), (n, top), (&receivers, &reversed), &sources);
                let back = back.slice(s![.., ..;-1]);
                let (forward, adjoint) = ((&there * &data).sum(), (&wavelets * &back).sum());
                let error = (forward - adjoint).abs() / forward.abs();
                let kind = if n.0 == 1 { "plane" } else { "volume" };
                let case = format!("adjoint, {kind}, top {top:?}").to_lowercase();
                let value = tiny(error);
                figure("symmetry", &case, engine.as_ref(), &value, "1e-5", "");
                assert!(error <= 1e-5, "{n:?}, {top:?}: {forward} {adjoint}");
                // A test of the test: one sample late.
                let late = wavelets.slice(s![.., 1..]).to_owned() * back.slice(s![.., ..-1]);
                assert!((forward - late.sum()).abs() > 2e-5 * forward.abs());
                assert_eq!(there.len_of(Axis(1)), STEPS + 1);
            }
        }
    }
}
