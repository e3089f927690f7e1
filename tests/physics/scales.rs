//! Sources of any amplitude: a power of two changes no digit of what a run gives.

use crate::common::{self, engines};
use huygens::{
    acquisition::Shot,
    boundary::{Absorber, Boundary, Cpml, Top},
    engine::{Engine, EngineError},
    grid::Axes,
    misfit::Misfit,
    model::VelocityModel,
    operations::{
        gradient::{Effort, Gradient, Observed},
        rtm::{Condition, Migration, Stack, Stacked, scale},
        shot,
    },
    plan::{Plan, Setup},
};
use ndarray::{Array, Array2, Array3, Dimension};
use std::ops::ControlFlow;

const NODES: (usize, usize) = (33, 29);
const POWERS: [i32; 2] = [-100, 100];

/// Two shots of an amplitude over a lower layer, with a snapshot each.
fn plan(amplitude: f64, lower: f32) -> Plan {
    let shot = |x: f64| {
        let mut source = common::ricker(x, 40.0, 20.0, 0.06);
        source.amplitude = amplitude;
        Shot {
            sources: vec![source],
            receivers: (0..12)
                .map(|x| Axes::xz(30.0 + 25.0 * f64::from(x), 20.0))
                .collect::<Vec<_>>()
                .into(),
        }
    };
    let velocity = Array2::from_shape_fn(NODES, |(_, z)| if z < 15 { 2000.0 } else { lower });
    let time = common::every_step(1e-3, 0.3);
    let setup = Setup {
        model: VelocityModel::new(velocity, 10.0, 10.0).expect("a valid model"),
        boundary: Boundary { top: Top::Absorb, sides: Absorber::Cpml(Cpml::new(8)) },
        snapshots: vec![0.15],
        shots: vec![shot(80.0), shot(200.0)],
        ..common::homogeneous((1, 1), 10.0, 1500.0, time, shot(80.0))
    };
    Plan::new(setup).expect("a valid setup")
}

fn times<D: Dimension>(values: &Array<f32, D>, factor: f64) -> Array<f32, D> {
    values.mapv(|value| (f64::from(value) * factor) as f32)
}

/// The most that values differ from known ones of another unit, over the largest; smaller ones than f32 resolves beside
/// it do not count.
fn off(ours: &Array3<f64>, known: &Array3<f64>, unit: f64) -> f64 {
    let largest = known.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    assert!(largest > 0.0);
    let of = |(ours, known): (&f64, &f64)| match (ours / unit, known) {
        (ours, known) if ours.abs().max(known.abs()) < 1e-25 * largest => 0.0,
        (ours, known) => (ours - known).abs() / largest,
    };
    ours.iter().zip(known).map(of).fold(0.0, f64::max)
}

#[test]
fn gathers_of_any_power_of_two_have_the_same_digits() {
    for engine in engines::fast_and_oracle() {
        let run = |amplitude| shot::run(engine.as_ref(), &plan(amplitude, 2400.0));
        let known = run(1.0).expect("a stable run").shots;
        for power in POWERS {
            let factor = 2f64.powi(power);
            let ours = run(factor).expect("a stable run").shots;
            for (ours, known) in ours.iter().zip(&known) {
                assert!(known.gather.iter().any(|p| p.abs() > 1e-3));
                assert_eq!(ours.gather, times(&known.gather, factor), "2^{power}");
                let [ours, known] = [ours, known].map(|shot| &shot.snapshots[0].field);
                assert_eq!(*ours, times(known, factor), "2^{power}");
            }
        }
        // Other factors round the samples of the sources.
        let ours = run(1e30).expect("a stable run").shots.remove(0).gather;
        let error = common::gather_error(times(&ours, 1e-30).view(), known[0].gather.view());
        assert!(error < 3e-6, "{error}");
    }
}

fn gradient(engine: &dyn Engine, plan: &Plan, gathers: &[Array2<f32>]) -> Gradient {
    let observed = Observed { gathers, weights: None, misfit: Misfit::L2 };
    let effort = Effort { every: 1, memory: Some(1 << 30), within: None };
    let mut go_on = |_, _| ControlFlow::Continue(());
    Gradient::of(&[engine], plan, observed, effort, &mut go_on, None).expect("a stable run")
}

fn migrated(engine: &dyn Engine, plan: &Plan, gathers: &[Array2<f32>]) -> Stacked {
    let migration = Migration::new(engine, plan, 1, &[], 1 << 30).expect("it fits");
    let (mut stack, mut go_on) = (Stack::default(), |_| ControlFlow::Continue(()));
    let gather = |shot: usize| Ok::<_, EngineError>(gathers[shot].clone().into());
    let mut done = |partial| {
        stack.add(partial);
        Ok(())
    };
    migration.run(&gather, &mut go_on, &mut done).expect("a stable run");
    stack.sum(&scale(plan, 1), &[]).expect("two shots")
}

#[test]
fn gradients_and_images_of_any_power_of_two_have_the_same_digits() {
    for engine in engines::fast() {
        let engine = engine.as_ref();
        let recorded = shot::run(engine, &plan(1.0, 2400.0)).expect("a stable run").shots;
        let of = |amplitude: f64| {
            let gathers: Vec<_> =
                recorded.iter().map(|shot| times(&shot.gather, amplitude)).collect();
            let plan = plan(amplitude, 2000.0);
            (gradient(engine, &plan, &gathers), migrated(engine, &plan, &gathers))
        };
        let (gradient, image) = of(1.0);
        for power in POWERS {
            let square = 2f64.powi(2 * power);
            let (ours, imaged) = of(2f64.powi(power));
            let misfits = ours.misfits.iter().map(|misfit| misfit / square);
            for (ours, known) in misfits.zip(&gradient.misfits) {
                assert!((ours / known - 1.0).abs() < 1e-12, "{ours} {known}, 2^{power}");
            }
            let correlation = |of: &Stacked| of.image(Condition::CrossCorrelation);
            let normalised = |of: &Stacked| of.image(Condition::SourceNormalised);
            for (what, ours, known, unit) in [
                ("gradient", &ours.by_slowness, &gradient.by_slowness, square),
                ("its illumination", &ours.illumination, &gradient.illumination, square),
                ("image", &correlation(&imaged), &correlation(&image), square),
                ("normalised image", &normalised(&imaged), &normalised(&image), 1.0),
                ("illumination", &imaged.illumination(), &image.illumination(), square),
            ] {
                // Traces of 2^-100 have lost what is below 1e-45.
                let (off, bar) = (off(ours, known, unit), if power < 0 { 1e-9 } else { 0.0 });
                assert!(off <= bar, "{what}, 2^{power}: {off:e}");
            }
        }
    }
}
