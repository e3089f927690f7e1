//! The gradient of a misfit: its derivative over four decades of steps, on every engine, by every
//! misfit, however the source wavefield is kept.

use crate::{
    born::{STEPS, dense_plan, medium, plan, vti_plan},
    common::{
        engines,
        figures::{figure, tiny},
        random,
    },
};
use huygens::{
    acquisition::TimeDispersion,
    boundary::{Absorber, Boundary, Cpml, Top},
    engine::{
        Engine, SnapshotView,
        cpu::{Parallel, Reference},
    },
    misfit::Misfit,
    model::VelocityModel,
    operations::{
        gradient::{Effort, Gradient, Observed, by_velocity},
        shot,
    },
    plan::{Imaging, Plan},
};
use ndarray::{Array2, Array3};
use std::{ops::ControlFlow, sync::Arc};

const N: (usize, usize, usize) = (1, 37, 41);
/// All of a source wavefield.
const PLENTY: u64 = 1 << 30;

fn edges() -> Boundary {
    Boundary { top: Top::Free, sides: Absorber::Cpml(Cpml::new(6)) }
}

fn through(velocity: &Array3<f32>, record: usize, dispersion: TimeDispersion) -> Plan {
    plan(N, edges(), (record, dispersion), velocity)
}

/// A smooth change inside the model: the layers have the velocities at its edges.
fn change() -> Array3<f64> {
    let bump = |i: usize, n: usize| {
        let t = (i as f64 - 3.0) / (n as f64 - 7.0);
        if (0.0..1.0).contains(&t) { (std::f64::consts::PI * t).sin().powi(2) } else { 0.0 }
    };
    let mut number = random(17);
    Array3::from_shape_fn(N, |(_, x, z)| bump(x, N.1) * bump(z, N.2) * (0.5 + number()))
}

/// The velocities with their squared slowness changed by `h e`, and what it is in single precision.
fn changed(velocity: &Array3<f32>, h: f64) -> (Array3<f32>, Array3<f64>) {
    let mut new = velocity.clone();
    new.zip_mut_with(&change(), |v, e| *v = (f64::from(*v) / (1.0 + h * e).sqrt()) as f32);
    let mut e = velocity.mapv(f64::from);
    e.zip_mut_with(&new, |old, new| *old = (*old / f64::from(*new)).powi(2) - 1.0);
    (new, e)
}

fn modelled(engine: &dyn Engine, plan: &Plan) -> Vec<Array2<f32>> {
    let mut gathers = vec![Array2::zeros((0, 0)); plan.shots.len()];
    let mut keep = |of_shot: shot::ShotResult| {
        gathers[of_shot.shot] = of_shot.gather;
        Ok::<_, huygens::engine::EngineError>(())
    };
    let mut go_on = |_| ControlFlow::Continue(());
    let none = &mut |_, _: &SnapshotView<'_>| false;
    shot::model(engine, plan, &mut go_on, none, &mut keep).expect("a stable run");
    gathers
}

fn gradient(engine: &dyn Engine, plan: &Plan, observed: Observed<'_>, memory: u64) -> Gradient {
    let effort = Effort { every: 1, memory: Some(memory), within: None };
    let mut go_on = |_, _| ControlFlow::Continue(());
    Gradient::of(&[engine], plan, observed, effort, &mut go_on, None).expect("a stable run")
}

/// dJ/dv = dJ/de de/dv, with e the relative change of the squared slowness, by differences.
#[test]
fn a_gradient_by_velocity_is_that_by_slowness_times_the_change_of_slowness() {
    let velocity = Array2::from_shape_fn((3, 2), |(x, z)| (1500 + 400 * x + 90 * z) as f32);
    let model = VelocityModel::new(velocity, 10.0, 10.0).expect("a model");
    let mut gradient = Array3::from_elem((1, 3, 2), 3.0);
    by_velocity(&mut gradient, &model);
    for (g, v) in gradient.iter().zip(model.velocity()) {
        let v = f64::from(*v);
        let change = |dv: f64| (v / (v + dv)).powi(2) - 1.0;
        let expected = 3.0 * (change(0.1) - change(-0.1)) / 0.2;
        assert!((g / expected - 1.0).abs() < 1e-6, "{g} {expected}");
    }
}

/// `J(m + h e) = J(m) + h <dJ, e> + O(h^2)` in f64, where residuals alone are rounded to f32.
#[test]
fn the_misfit_has_this_gradient_over_four_decades() {
    let samples = (1, TimeDispersion::Kept);
    let constant = left(&|velocity| plan(N, edges(), samples, velocity));
    let dense = left(&|velocity| dense_plan(N, edges(), samples, velocity));
    let vti = left(&|velocity| vti_plan(N, edges(), samples, velocity));
    for (what, found) in [("Misfit", constant), ("Misfit, density", dense), ("Misfit, VTI", vti)] {
        for (ratio, h) in found {
            let case = format!("{what}, what its gradient leaves at a tenth of h = {h}");
            let ratio = format!("1/{ratio:.1}");
            figure("symmetry", &case, &Reference, &ratio, "1/50 to 1/200", "");
        }
    }
}

/// How much smaller what the gradient leaves is at a tenth of each change.
fn left(through: &dyn Fn(&Array3<f32>) -> Plan) -> Vec<(f64, &'static str)> {
    let velocity = medium(N);
    let observed = Reference.gathers(&through(&changed(&velocity, -0.2).0));
    let observed = observed.expect("a stable run");
    let gathers =
        |velocity: &Array3<f32>| Reference.gathers(&through(velocity)).expect("a stable run");
    let misfit = |gathers: &[Array2<f64>]| -> f64 {
        let both = gathers.iter().zip(&observed);
        both.map(|(p, d)| 0.5 * (p - d).mapv(|r| r * r).sum()).sum()
    };
    let plan = through(&velocity);
    let before = gathers(&velocity);
    let imaging = Imaging { every: 1, slots: STEPS + 1 };
    let residual: Vec<_> =
        before.iter().zip(&observed).map(|(p, d)| (p - d).mapv(|r| r as f32)).collect();
    let mut run = Reference.start(Arc::new(plan.stored(imaging))).expect("it starts");
    run.advance(STEPS, &mut ()).expect("a stable run");
    run.finish(&mut ()).expect("a stable run");
    let back = plan.sent_back(&residual, imaging).expect("gathers that fit");
    let wave = run.source_wavefield().expect("it is kept");
    let sums = Reference.sums(&back, &wave).expect("a stable run");
    let by_slowness = sums.into_iter().fold(Array3::zeros(N), |all, of| all + of);
    let by_slowness = by_slowness * plan.image_scale();

    let start = misfit(&before);
    let remainder = |h: f64| {
        let (velocity, e) = changed(&velocity, h);
        let along: f64 = (&by_slowness * &e).sum();
        (misfit(&gathers(&velocity)) - start - along).abs()
    };
    let remainders = [0.1, 0.01, 1e-3, 1e-4, 1e-5].map(remainder);
    let ratios = remainders.windows(2).map(|pair| pair[0] / pair[1]);
    let ratios: Vec<_> = ratios.zip(["0.1", "0.01", "1e-3", "1e-4"]).collect();
    assert!(ratios.iter().all(|(ratio, _)| (50.0..200.0).contains(ratio)), "{remainders:?}");
    // Tests the test: a gradient that is 1 % off leaves what falls with h alone.
    let (velocity, e) = changed(&velocity, 1e-4);
    let along: f64 = (&by_slowness * &e).sum();
    let off = misfit(&gathers(&velocity)) - start - 1.01 * along;
    assert!(off.abs() > 10.0 * remainders[3]);
    ratios
}

/// On every engine: against differences of the misfit, by every misfit, with samples that are not
/// every step and are corrected for time dispersion.
#[test]
fn every_engine_and_misfit_gives_the_derivative() {
    let velocity = medium(N);
    let corrected = TimeDispersion::Corrected;
    let observed = modelled(&Parallel, &through(&changed(&velocity, -0.1).0, 2, corrected));
    let plan = through(&velocity, 2, corrected);
    let weights: Vec<_> = observed
        .iter()
        .map(|gather| {
            Array2::from_shape_fn(gather.dim(), |(r, k)| if k < 5 * r { 0.0 } else { 1.0 })
        })
        .collect();
    let interval = plan.time.interval();
    for engine in engines::of_studies() {
        for misfit in [
            Misfit::L2,
            Misfit::Huber,
            Misfit::Correlation,
            Misfit::Envelope,
            Misfit::Transport,
            Misfit::Adaptive,
        ] {
            let data = Observed { gathers: &observed, weights: Some(&weights), misfit };
            let found = gradient(engine.as_ref(), &plan, data, PLENTY);
            let of = |h: f64| {
                let (velocity, _) = changed(&velocity, h);
                let modelled = modelled(engine.as_ref(), &through(&velocity, 2, corrected));
                let each = modelled.iter().zip(&observed).zip(&weights);
                each.map(|((p, d), w)| misfit.of(&(p * w), &(d * w), interval).0).sum::<f64>()
            };
            let h = 1e-3;
            let difference = (of(h) - of(-h)) / (2.0 * h);
            let along: f64 = (&found.by_slowness * &change()).sum();
            let error = (along / difference - 1.0).abs();
            figure(
                "symmetry",
                &format!("Gradient of the misfit {misfit:?} along a change"),
                engine.as_ref(),
                &tiny(error),
                "2e-3",
                "",
            );
            assert!((found.misfit() / of(0.0) - 1.0).abs() < 1e-5, "{misfit:?}");
            assert!(error < 2e-3, "{misfit:?}: {along:e} {difference:e}");
        }
    }
}

/// With little memory parts of the source wave are run again.
#[test]
fn memory_changes_no_gradient() {
    let velocity = medium(N);
    let samples = (1, TimeDispersion::Kept);
    let plans = [plan, vti_plan].map(|plan| {
        [&changed(&velocity, -0.1).0, &velocity].map(|velocity| plan(N, edges(), samples, velocity))
    });
    for (engine, [other, plan]) in engines::of_studies()
        .iter()
        .flat_map(|engine| plans.iter().map(move |plans| (engine, plans)))
    {
        let observed = modelled(&Parallel, other);
        let data = Observed { gathers: &observed, weights: None, misfit: Misfit::L2 };
        let [all, little] = [PLENTY, 200_000]
            .map(|memory| gradient(engine.as_ref(), plan, data, memory).by_slowness);
        let norm = |of: &Array3<f64>| of.mapv(|v| v * v).sum().sqrt();
        let error = norm(&(&all - &little)) / norm(&all);
        assert!(norm(&all) > 0.0 && error < 1e-3, "{error:e}");
        let data = Observed { gathers: &observed[..1], ..data };
        let effort = Effort { every: 1, memory: Some(PLENTY), within: None };
        let mut go_on = |_, _| ControlFlow::Continue(());
        assert!(Gradient::of(&[engine.as_ref()], plan, data, effort, &mut go_on, None).is_err());
    }
}
