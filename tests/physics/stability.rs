//! The largest stable step is what it says: below it nothing grows, above it nothing is run, and
//! what is run all the same is stopped.

use crate::common::{
    self, engines,
    figures::{figure, tiny},
    random,
};
use huygens::{
    acquisition::Shot,
    boundary::{Boundary, Cpml},
    engine::{Cause, Engine, EngineError, Gathers, cpu::Parallel},
    grid::{Axes, PerAxis},
    model::VelocityModel,
    plan::{Plan, PlanError, Setup, Step},
    stencil::{Family, Window, ete::Points},
};
use ndarray::{Array2, s};

/// A random model, and the step that is `fraction` of its limit.
fn setup(fraction: f64, steps: usize, boundary: Boundary) -> Setup {
    setup_of(8, fraction, steps, boundary)
}

/// [`setup`] with an operator of another order.
fn setup_of(order: usize, fraction: f64, steps: usize, boundary: Boundary) -> Setup {
    setup_with(Family::Taylor { order }, fraction, steps, boundary)
}

fn setup_with(operator: Family, fraction: f64, steps: usize, boundary: Boundary) -> Setup {
    let mut number = random(11);
    let velocity = Array2::from_shape_fn((43, 37), |_| (1500.0 + 3000.0 * number()) as f32);
    let shot = Shot {
        sources: vec![common::ricker(200.0, 100.0, 25.0, 0.06)],
        receivers: vec![Axes::xz(300.0, 200.0)].into(),
    };
    let time = common::every_step(1e-4, 1e-3);
    let mut setup = common::homogeneous((43, 37), 10.0, 1500.0, time, shot);
    setup.model = VelocityModel::new(velocity, 10.0, 10.0).expect("a valid model");
    setup.operator = operator;
    setup.boundary = boundary;
    let limit = Plan::new(setup.clone()).expect("a tiny step is stable").time.limit;
    setup.time.step = Step::Seconds(fraction * limit);
    setup.time.duration = fraction * limit * steps as f64;
    setup
}

#[test]
fn nothing_grows_just_below_the_limit() {
    for (name, order, boundary) in [
        ("zero", 8, common::NO_LAYER),
        ("sponge", 8, common::SPONGE_30),
        ("CPML", 8, common::cpml(10)),
        ("thinnest CPML", 8, common::cpml(Cpml::THINNEST)),
        ("thinnest CPML", 2, common::cpml(Cpml::THINNEST)),
        ("thinnest CPML", 16, common::cpml(Cpml::THINNEST)),
    ] {
        let plan = Plan::new(setup_of(order, 0.99, 20_000, boundary));
        let plan = plan.expect("0.99 of the limit is stable");
        assert_eq!(plan.time.steps, 20_000);
        for engine in engines::of_studies() {
            let mut gathers = Gathers::new(&plan);
            engine.run(&plan, &mut gathers).expect("a stable run");
            let trace = gathers.shots[0].row(0).to_owned();
            let peak = |from: usize, to: usize| {
                trace.iter().take(to).skip(from).fold(0.0f32, |m, p| m.max(p.abs()))
            };
            let (early, late) = (peak(0, 2000), peak(18_000, 20_001));
            // Layers drain the model, and leave nothing that would grow.
            let share = if name.contains("CPML") { 1e-3 } else { 1.0 };
            let most = share * early;
            let (case, value) = (format!("{name}, order {order}"), format!("{:.1e}", late / early));
            figure("stability", &case, engine.as_ref(), &value, &format!("{share}"), "");
            assert!(early > 0.0 && late <= most, "{name}: {early} to {late}");
        }
    }
}

/// A layer that is too thin for its operator grows as its warning says, and another does not.
#[test]
fn a_layer_grows_as_its_warning_says() {
    let of = |cells: usize, steps: usize| {
        let window = Window { wing: 8, alpha: 0.54, beta: 2.0 };
        let window = Axes { z: window, x: window, y: window };
        let setup = setup_with(Family::WindowedSinc { window }, 0.9, steps, common::cpml(cells));
        let mut plan = Plan::new(setup.clone()).expect("a valid setup");
        // The growth is that of the fastest rock.
        let fastest = Array2::from_elem((43, 37), plan.fastest);
        let model = VelocityModel::new(fastest, 10.0, 10.0).expect("a model");
        plan = Plan::new(Setup { model, ..setup }).expect("a valid setup");
        let mut gathers = Gathers::new(&plan);
        Parallel.run(&plan, &mut gathers).expect("no blow-up yet");
        let peak = |of: std::ops::Range<usize>| {
            gathers.shots[0].slice(s![0, of]).iter().fold(0.0f32, |most, p| most.max(p.abs()))
        };
        let growth = f64::from(peak(steps - 1..steps + 1) / peak(steps - 2001..steps - 1999));
        (growth.ln() / 2000.0, plan.growing_layer())
    };
    let (measured, told) = of(10, 6000);
    let told = told.expect("it is told");
    let rate = told.factor.ln() / 6000.0;
    figure(
        "stability",
        "growth a step, 10 cells, a windowed sinc",
        &Parallel,
        &tiny(measured),
        &tiny(rate),
        "",
    );
    assert!(rate > 1e-4 && (measured / rate - 1.0).abs() < 0.1, "{measured} {rate}");
    let (measured, told) = of(40, 6000);
    assert!(measured < 0.0 && told.is_none(), "{measured} {told:?}");
}

/// The weights of explicit time evolution change from node to node, and its operator is no longer
/// its own transpose: the longest step is such that nothing grows all the same.
#[test]
fn explicit_time_evolution_does_not_grow_in_a_random_model() {
    for points in [Points::Few, Points::Many] {
        for (name, boundary) in [("zero", common::NO_LAYER), ("CPML", common::cpml(10))] {
            let setup = setup_with(Family::Ete { points }, 0.99, 20_000, boundary);
            let plan = Plan::new(setup).expect("0.99 of the limit is stable");
            for engine in engines::of_studies() {
                let mut gathers = Gathers::new(&plan);
                engine.run(&plan, &mut gathers).expect("a stable run");
                let peak = |from: usize, to: usize| {
                    let samples = gathers.shots[0].slice(s![0, from..to]).to_owned();
                    samples.iter().fold(0.0f32, |m, p| m.max(p.abs()))
                };
                let [early, middle, late] =
                    [(0, 2000), (8000, 10_000), (18_000, 20_001)].map(|(from, to)| peak(from, to));
                let case = format!("{name}, ETE, {} points", points.count());
                let value = format!("{:.1e}", late / early);
                // Energy that the layers have not yet absorbed goes on falling.
                let share = if name == "CPML" { 0.01 } else { 1.0 };
                figure("stability", &case, engine.as_ref(), &value, &format!("{share}"), "");
                assert!(early > 0.0 && late <= share * early, "{case}: {early} to {late}");
                assert!(name != "CPML" || late < 0.5 * middle, "{case}: {middle} to {late}");
            }
        }
    }
}

#[test]
fn above_the_limit_is_refused_with_a_step_that_would_do() {
    let refused = Plan::new(setup(1.01, 100, common::NO_LAYER));
    let Err(error @ PlanError::Unstable { limit, .. }) = refused else { panic!("{refused:?}") };
    let message = error.to_string();
    let (_, offered) = message.split_once("use step = ").expect("a step is offered");
    let (offered, _) = offered.split_once(" or less").expect("a step is offered");
    let offered: f64 = offered.parse().expect("seconds");
    assert!(offered <= limit && offered > 0.99 * limit, "{error}");
    let mut would_do = setup(1.01, 100, common::NO_LAYER);
    would_do.time.step = Step::Seconds(offered);
    assert!(Plan::new(would_do).is_ok());
}

#[test]
fn a_forced_run_is_stopped_with_step_time_and_cell() {
    // The limit is that of a model which is everywhere as fast as its fastest cell; only there is 1
    // % above it sure to grow.
    let mut forced = setup(1.01, 20_000, common::NO_LAYER);
    let fastest = forced.model.range().1;
    let velocity = Array2::from_elem((43, 37), fastest);
    forced.model = VelocityModel::new(velocity, 10.0, 10.0).expect("a valid model");
    forced.allow_unstable = true;
    let plan = Plan::new(forced).expect("forced");
    assert!(plan.time.dt > plan.time.limit);
    let mut seen = Vec::new();
    for engine in engines::all() {
        let error = engine.run(&plan, &mut ()).expect_err("it blows up");
        println!("{}: {error}", engine.describe().backend);
        let EngineError::BlowUp { step, time, at: Some(at), value, ref cause, .. } = error else {
            panic!("{error}")
        };
        assert!(step < 20_000 && (time - step as f64 * plan.time.dt).abs() < 1e-9);
        assert!((0.0..=420.0).contains(&at.x) && (0.0..=360.0).contains(&at.z));
        assert!(value.is_finite() && value > 1.0);
        assert!(matches!(cause, Cause::Step { .. }), "{cause}");
        seen.push(step);
    }
    // The engines look at the same steps; rounding may put the limit one look apart.
    let (first, last) = (seen.iter().min(), seen.iter().max());
    assert!(last.zip(first).is_some_and(|(last, first)| last - first <= 100), "{seen:?}");
}

/// At 1.3 of its limit a step multiplies the field by 4.5: all of it has overflowed before the
/// first look, and so has the padding of columns that are no whole number of fours.
#[test]
fn a_field_that_overflows_is_stopped_without_a_place() {
    for nz in [36, 37, 38, 39] {
        let mut forced = setup(1.3, 1000, common::NO_LAYER);
        let velocity = Array2::from_elem((43, nz), forced.model.range().1);
        forced.model = VelocityModel::new(velocity, 10.0, 10.0).expect("a valid model");
        forced.allow_unstable = true;
        // The first shot is silent, and well; it is the second that blows up.
        let mut silent = forced.shots[0].clone();
        silent.sources[0].amplitude = 0.0;
        forced.shots.insert(0, silent);
        let plan = Plan::new(forced).expect("forced");
        for engine in engines::all() {
            let error = engine.run(&plan, &mut ()).expect_err("it blows up");
            println!("{nz} rows, {}: {error}", engine.describe().backend);
            let EngineError::BlowUp { step, healthy, shot, at, value, cause, .. } = error else {
                panic!("{error}")
            };
            assert!(!value.is_finite(), "{value}");
            assert_eq!((shot, healthy, step, at), (1, Some(0), 100, None));
            assert!(matches!(cause, Cause::Step { .. }), "{cause}");
        }
    }
}

/// The engines run a faulty Plan all the same; the causes are told apart by the position where they
/// begin.
fn blown_up(plan: &Plan) -> Vec<(PerAxis<f64>, Cause)> {
    let mut seen = Vec::new();
    for engine in engines::all() {
        let mut gathers = Gathers::new(plan);
        let error = engine.run(plan, &mut gathers).expect_err("it blows up");
        println!("{}: {error}", engine.describe().backend);
        let EngineError::BlowUp { step, healthy: Some(healthy), at: Some(at), cause, .. } = error
        else {
            panic!("{error}")
        };
        assert!(healthy < step && step - healthy <= 100, "{healthy} {step}");
        // Everything recorded before the blow-up is there.
        let trace = gathers.shots[0].row(0);
        let well = trace.iter().take(healthy + 1);
        assert!(well.clone().all(|p| p.is_finite()));
        assert!(healthy == 0 || well.clone().any(|p| *p != 0.0), "{healthy}");
        seen.push((at, cause));
    }
    seen
}

#[test]
fn a_layer_that_grows_is_named_as_the_cause() {
    let mut setup = setup(0.9, 20_000, common::SPONGE_30);
    setup.model =
        VelocityModel::new(Array2::from_elem((43, 37), 2000.0), 10.0, 10.0).expect("a model");
    let mut plan = Plan::new(setup).expect("a valid setup");
    // A sponge that feeds waves instead of damping them, on the right.
    let n = plan.profile.x.nodes.len();
    plan.profile.x.nodes[n - 30..].iter_mut().for_each(|node| node.damping = 1.03);
    for (at, cause) in blown_up(&plan) {
        assert!(at.x > 400.0, "{at:?}");
        assert_eq!(cause, Cause::Layer { contrast: None });
    }
}

#[test]
fn a_contrast_that_grows_is_named_as_the_cause() {
    let mut setup = setup(0.9, 20_000, common::NO_LAYER);
    setup.model =
        VelocityModel::new(Array2::from_elem((43, 37), 2000.0), 10.0, 10.0).expect("a model");
    let mut plan = Plan::new(setup).expect("a valid setup");
    // Faster than the Plan knows, in a block about x = 350 m.
    let mut velocity = plan.velocities[0].to_array();
    velocity.slice_mut(s![.., 33..37, 10..14]).fill(6000.0);
    plan.velocities[0] = velocity.into();
    let seen = blown_up(&plan);
    for (at, cause) in &seen {
        assert!((at.x - 345.0).abs() < 60.0 && (at.z - 115.0).abs() < 60.0, "{at:?}");
        assert_eq!(*cause, Cause::Contrast { velocities: (2000.0, 6000.0) });
        // A wave grows there, and not rounding: every engine names the same node.
        assert_eq!(*at, seen[0].0);
    }
}
