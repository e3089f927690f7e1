//! Modelling and its adjoint: `<F s, d> = <s, F' d>` for random wavelets s at points between nodes
//! and random data d at others. F' runs backwards in time, from the receivers to the sources,
//! through the transpose of the layers; where these are none it is F.

use crate::common::{
    self, engines,
    figures::{figure, tiny},
    random,
};
use huygens::{
    acquisition::{Sampled, Shot, Source, Wavelet},
    boundary::{Absorber, Boundary, Cpml, Sponge, Top},
    engine::{Gathers, cpu::Reference},
    grid::{Axes, Position},
    model::VelocityModel,
    plan::{Plan, Setup},
};
use ndarray::{Array2, Array3, Axis, s};

const STEPS: usize = 150;
const DT: f64 = 1e-3;

/// Gives the gather of a Plan's only shot.
type Modelled<'a> = &'a dyn Fn(Plan) -> Array2<f64>;

/// Samples 0 to STEPS at `to`, of wavelets at `from`, a row each.
fn modelled(
    model: Modelled<'_>,
    (n, boundary): ((usize, usize, usize), Boundary),
    (from, wavelets): (&[Position], &Array2<f64>),
    to: &[Position],
    adjoint: bool,
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
        boundary,
        ..common::homogeneous((1, 1), 10.0, 1500.0, time, shot)
    };
    let plan = Plan::new(setup).expect("a valid setup");
    model(if adjoint { plan.adjoint() } else { plan })
}

/// The oracle's results, without rounding to f32.
#[test]
fn the_adjoint_is_exact_in_the_oracle() {
    let model = |plan| Reference.gathers(&plan).expect("the oracle runs").remove(0);
    dot_products(&model, 1e-12, &|case, error| {
        let case = format!("{case}, in f64");
        figure("symmetry", &case, &Reference, &tiny(error), "1e-12", "");
    });
}

#[test]
fn the_adjoint_runs_backwards_from_the_receivers() {
    for engine in engines::all() {
        let model = |plan: Plan| {
            let mut gathers = Gathers::new(&plan);
            engine.run(&plan, &mut gathers).expect("a stable run");
            gathers.shots.remove(0).mapv(f64::from)
        };
        dot_products(&model, 1e-5, &|case, error| {
            figure("symmetry", case, engine.as_ref(), &tiny(error), "1e-5", "");
        });
    }
}

/// `<F s, d>` and `<s, F' d>` in random planes and volumes, under either top.
fn dot_products(model: Modelled<'_>, bar: f64, told: &dyn Fn(&str, f64)) {
    let layers = [
        ("none", Absorber::Zero),
        ("sponge", Absorber::Sponge(Sponge { cells: 7, strength: 2.0 })),
        ("cpml", Absorber::Cpml(Cpml::new(6))),
    ];
    let tops = [Top::Zero, Top::Free, Top::Absorb];
    let cases = layers.iter().flat_map(|layer| tops.map(|top| (*layer, top)));
    for n in [(1, 37, 41), (15, 17, 19)] {
        for ((layer, sides), top) in cases.clone() {
            if top == Top::Absorb && sides == Absorber::Zero {
                continue;
            }
            let boundary = Boundary { top, sides };
            let mut number = random(29);
            // Sources so far inside that their nodes are: only there is the field of the adjoint
            // asked for.
            let mut points = |count: usize, inside: f64| -> Vec<Position> {
                let mut along = |n: usize, h: f64| {
                    let last = (n - 1) as f64;
                    let inside = inside.min(0.5 * last);
                    h * (inside + (last - 2.0 * inside) * number())
                };
                (0..count)
                    .map(|_| Axes { z: along(n.2, 10.0), x: along(n.1, 11.0), y: along(n.0, 12.0) })
                    .collect()
            };
            let (sources, receivers) = (points(4, 4.0), points(5, 0.0));
            let mut rows = |count| Array2::from_shape_fn((count, STEPS + 1), |_| number() - 0.5);
            let (wavelets, data) = (rows(4), rows(5));
            let there = modelled(model, (n, boundary), (&sources, &wavelets), &receivers, false);
            let reversed = data.slice(s![.., ..;-1]).to_owned();
            let back = |adjoint| {
                modelled(model, (n, boundary), (&receivers, &reversed), &sources, adjoint)
            };
            let forward = (&there * &data).sum();
            // The typical product of such random rows; it may be near zero by chance.
            let norm = |rows: &Array2<f64>| rows.mapv(|v| v * v).sum().sqrt();
            let size = norm(&there) * norm(&data) / (data.len() as f64).sqrt();
            let error = |back: &Array2<f64>| {
                let adjoint = (&wavelets * &back.slice(s![.., ..;-1])).sum();
                (forward - adjoint).abs() / size
            };
            let right = back(true);
            // Sent back through the layers as they are, it is not the adjoint: the oracle shows it.
            if bar < 1e-6 {
                let wrong = error(&back(false));
                let is_own = sides == Absorber::Zero;
                assert!(is_own == (wrong <= bar), "{layer}, top {top:?}: {wrong:e}");
            }
            let back = right.slice(s![.., ..;-1]);
            let error = error(&right);
            let kind = if n.0 == 1 { "plane" } else { "volume" };
            let case = format!("adjoint, {kind}, top {top:?}, sides {layer}").to_lowercase();
            told(&case, error);
            assert!(error <= bar, "{case}: {error:e}");
            // Tests the test: one sample late.
            let late = wavelets.slice(s![.., 1..]).to_owned() * back.slice(s![.., ..-1]);
            assert!((forward - late.sum()).abs() > 2e-5 * size);
            assert_eq!(there.len_of(Axis(1)), STEPS + 1);
        }
    }
}

/// Shots through a model each go back together as each does alone, to the bit: their layers lie one
/// after another.
#[test]
fn shots_of_a_model_each_go_back_as_each_alone() {
    for n in [(1, 37, 41), (15, 17, 19)] {
        let mut number = random(7);
        let mut model = || {
            let velocity = Array3::from_shape_fn(n, |_| (1500.0 + 1500.0 * number()) as f32);
            VelocityModel::volume(velocity, Axes { z: 10.0, x: 11.0, y: 12.0 }).expect("a model")
        };
        let models = [model(), model()];
        let y = if n.0 == 1 { 0.0 } else { 60.0 };
        let shots = [60.0, 110.0].map(|x| Shot {
            sources: vec![Source {
                at: Axes { z: 30.0, x, y },
                ..common::ricker(0.0, 0.0, 20.0, 0.05)
            }],
            receivers: vec![Axes { z: 50.0, x: 77.0, y }, Axes { z: 10.0, x: 33.0, y }].into(),
        });
        let setup = |which: usize| Setup {
            model: models[which].clone(),
            boundary: Boundary { top: Top::Absorb, sides: Absorber::Cpml(Cpml::new(6)) },
            ..common::homogeneous(
                (1, 1),
                10.0,
                1500.0,
                common::every_step(DT, STEPS as f64 * DT),
                shots[which].clone(),
            )
        };
        let others = [(models[1].clone(), vec![shots[1].clone()])];
        let together = Plan::each(setup(0), &others).expect("a valid setup").adjoint();
        for engine in engines::of_studies() {
            let heard = |plan: &Plan| {
                let mut gathers = Gathers::new(plan);
                engine.run(plan, &mut gathers).expect("a stable run");
                gathers.shots
            };
            let both = heard(&together);
            assert_ne!(both[0], both[1]);
            for (which, gather) in both.into_iter().enumerate() {
                let alone = heard(&Plan::new(setup(which)).expect("a valid setup").adjoint());
                assert_eq!(vec![gather], alone, "shot {which} of {n:?}");
            }
        }
    }
}
