//! Waves in VTI: arrivals at the group velocity of the exact equations, a medium with jumps in which nothing grows,
//! exchange of source and receiver, and sources in isotropic rock.

use crate::{
    born::{InF32, Pair},
    common::{self, engines, gather_error, random},
};
use huygens::{
    acquisition::{Shot, TimeDispersion},
    boundary::{Boundary, Top},
    engine::{Engine, cpu::Reference},
    grid::Axes,
    model::{Anisotropy, Density, Thomsen, VelocityModel},
    plan::{Imaging, Plan, Setup, Step, Time},
};
use ndarray::{Array3, ArrayView1, s};

/// m, m/s along the axis.
const H: f64 = 10.0;
const V: f64 = 2000.0;
const EPSILON: f64 = 0.2;
const DELTA: f64 = 0.05;
const RATIO: f64 = Anisotropy::SHEAR_RATIO;

/// The phase velocity of P waves over that along the axis, at an angle from it: Tsvankin 1996, "P-wave signatures and
/// notation for transversely isotropic media: an overview", Geophysics 61, 467-483, equation 8.
fn phase(angle: f64) -> f64 {
    let (f, sin2) = (1.0 - RATIO * RATIO, angle.sin().powi(2));
    let inner = (1.0 + 2.0 * EPSILON * sin2 / f).powi(2)
        - 2.0 * (EPSILON - DELTA) * (2.0 * angle).sin().powi(2) / f;
    (1.0 + EPSILON * sin2 - 0.5 * f + 0.5 * f * inner.sqrt()).sqrt()
}

/// The group velocity along a ray at an angle from the axis, over the velocity along it.
fn group(ray: f64) -> f64 {
    let slope = |angle: f64| (phase(angle + 1e-5) - phase(angle - 1e-5)) / 2e-5;
    // The angle of the ray grows with that of the phase.
    let of = |angle: f64| angle + (slope(angle) / phase(angle)).atan();
    let (mut low, mut high) = (0.0, std::f64::consts::FRAC_PI_2);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if of(middle) < ray { low = middle } else { high = middle }
    }
    phase(low).hypot(slope(low))
}

/// By how many samples `late` is later than `early`: the largest correlation, between samples by a parabola.
fn lag(early: ArrayView1<'_, f32>, late: ArrayView1<'_, f32>) -> f64 {
    let at = |lag: usize| -> f64 {
        early.iter().zip(late.iter().skip(lag)).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let all: Vec<f64> = (0..late.len() / 2).map(at).collect();
    let most = (1..all.len() - 1).max_by(|a, b| all[*a].total_cmp(&all[*b])).expect("a trace");
    let [before, here, after] = [all[most - 1], all[most], all[most + 1]];
    most as f64 + 0.5 * (before - after) / (before - 2.0 * here + after)
}

/// Along rays at ten angles between two distances, at 10 points in the shortest wavelength at 2.5 times the peak frequency.
#[test]
fn waves_arrive_at_the_group_velocity() {
    let peak = V / (2.5 * 10.0 * H);
    let near = 120.0 * H;
    let far = 220.0 * H;
    let angles: Vec<f64> = (0..10).map(|i| f64::from(10 * i).to_radians()).collect();
    let line = |r: f64| {
        angles
            .iter()
            .map(move |angle| Axes::xz(60.0 * H + r * angle.sin(), 60.0 * H + r * angle.cos()))
    };
    let mut source = common::ricker(0.0, 0.0, peak, 1.5 / peak);
    source.at = Axes::xz(60.0 * H, 60.0 * H);
    let shot = Shot { sources: vec![source], receivers: line(near).chain(line(far)).collect() };
    let dt = 0.5e-3;
    // Until the slow wave of the source arrives at the nearer receivers.
    let duration = 0.95 * near / (1.05 * RATIO * V);
    let time = Time {
        duration: (duration / dt).round() * dt,
        step: Step::Seconds(dt),
        record: None,
        dispersion: TimeDispersion::Corrected,
    };
    let thomsen = |value: f64| Thomsen::uniform(value as f32);
    let both = Anisotropy::new(thomsen(EPSILON), thomsen(DELTA), RATIO).expect("it is allowed");
    let base = common::homogeneous((310, 310), H, V as f32, time, shot);
    let setup = Setup { anisotropy: Some(both), ..base };
    for engine in engines::of_studies() {
        let gather = common::gathers(engine.as_ref(), setup.clone()).remove(0);
        for (i, angle) in angles.iter().enumerate() {
            let seconds = lag(gather.row(i), gather.row(i + 10)) * dt;
            let (ours, exact) = ((far - near) / seconds, V * group(*angle));
            println!("{:2.0} degrees: {ours:.2} m/s, exact {exact:.2}", angle.to_degrees());
            assert!((ours / exact - 1.0).abs() < 1e-3, "{ours} {exact}");
            // Tests the test: delta as large as epsilon would give another velocity between the axes.
            let elliptical = V
                * ((1.0 + 2.0 * EPSILON)
                    / ((1.0 + 2.0 * EPSILON) * angle.cos().powi(2) + angle.sin().powi(2)))
                .sqrt();
            assert!(!(2..8).contains(&i) || (ours / elliptical - 1.0).abs() > 5e-3);
        }
    }
}

/// A medium whose parameters are random from node to node, with a density or without, in layers beneath a free surface.
fn rough(has_density: bool, steps: usize) -> Setup {
    let mut number = random(31);
    let n = (1, 60, 50);
    let mut values = |from: f64, to: f64| {
        Array3::from_shape_simple_fn(n, || (from + (to - from) * number()) as f32)
    };
    let velocity = values(1500.0, 4500.0);
    let h = Axes { z: H, x: H, y: H };
    let (epsilon, apart) = (values(0.0, 0.3), values(0.0, 0.25));
    let both =
        Anisotropy::new(Thomsen::new(epsilon.clone()), Thomsen::new(&epsilon - &apart), RATIO);
    let density = Density::new(values(1000.0, 2500.0)).expect("densities in kg/m3");
    let source = common::ricker(20.0 * H, 15.0 * H, 15.0, 0.1);
    let shot = Shot::new(source, [Axes::xz(403.0, 333.0)]);
    let base = common::homogeneous((1, 1), H, 1500.0, common::every_step(5e-4, 0.1), shot);
    let mut setup = Setup {
        model: VelocityModel::volume(velocity, h).expect("a valid model"),
        density: if has_density { density } else { Density::default() },
        anisotropy: Some(both.expect("it is allowed")),
        boundary: Boundary { top: Top::Free, ..common::cpml(10) },
        ..base
    };
    let limit = Plan::new(setup.clone()).expect("a valid setup").time.limit;
    let dt = 0.99 * limit;
    setup.time = common::every_step(dt, dt * steps as f64);
    setup
}

/// At 0.99 of the largest stable step, 100,000 steps with `--full`.
#[test]
fn nothing_grows_in_a_medium_with_jumps() {
    let steps = if common::full() { 100_000 } else { 4000 };
    for has_density in [false, true] {
        let setup = rough(has_density, steps);
        for engine in engines::of_studies() {
            let gather = common::gathers(engine.as_ref(), setup.clone()).remove(0);
            let peak = |from: usize, to: usize| {
                gather.row(0).iter().skip(from).take(to - from).fold(0.0f32, |m, p| m.max(p.abs()))
            };
            let (early, late) = (peak(0, steps / 8), peak(7 * steps / 8, steps));
            println!("{steps} steps, density: {has_density}: {early:e}, then {late:e}");
            assert!(early > 0.0 && late < 0.5 * early, "{early:e} {late:e}");
        }
    }
}

/// Energy that is conserved has a symmetric operator, so source and receiver can be exchanged. The layers, whose rock
/// varies along them, are out of reach.
#[test]
fn source_and_receiver_can_be_exchanged() {
    let base = rough(false, 100);
    let at = [Axes::xz(20.0 * H, 15.0 * H), Axes::xz(30.0 * H, 28.0 * H)];
    let gather = |from: usize| {
        let mut source = common::ricker(0.0, 0.0, 15.0, 0.05);
        source.at = at[from];
        let shots = vec![Shot::new(source, [at[1 - from]])];
        common::gathers(&Reference as &dyn Engine, Setup { shots, ..base.clone() }).remove(0)
    };
    let error = gather_error(gather(0).view(), gather(1).view());
    assert!(error < 1e-6, "{error:e}");
}

/// A source in isotropic rock makes hardly any of the slow wave, which is the largest of one in anisotropic rock.
#[test]
fn a_source_in_isotropic_rock_makes_no_slow_wave() {
    let thomsen = |value: f64| Thomsen::uniform(value as f32);
    let both = Anisotropy::new(thomsen(0.3), thomsen(0.0), RATIO).expect("it is allowed");
    let source = common::ricker(60.0 * H, 60.0 * H, 8.0, 0.15);
    let at = source.at;
    // The slow wave arrives after 0.94 s or later, when P waves have gone.
    let shot = Shot::new(source, [Axes::xz(90.0 * H, 90.0 * H)]);
    let base = common::homogeneous((121, 121), H, V as f32, common::every_step(1e-3, 1.2), shot);
    let late = |anisotropy: Anisotropy| {
        let setup = Setup { anisotropy: Some(anisotropy), ..base.clone() };
        let gather = common::gathers(&Reference as &dyn Engine, setup).remove(0);
        gather.row(0).iter().skip(650).fold(0.0f32, |m, p| m.max(p.abs()))
    };
    let around = both.isotropic_around(base.model.grid(), &[at], 250.0);
    let (with, without) = (late(both), late(around));
    println!("slow wave {with:e}, with isotropic rock around the source {without:e}");
    assert!(without < 0.1 * with, "{with:e} {without:e}");
}

/// The image of a thin flat layer by wide angles lies at its depth if both fields are migrated through the
/// anisotropic rock above it. Through isotropic rock of the velocity along the axis it lies at another.
#[test]
fn a_flat_layer_is_imaged_at_its_depth() {
    let depth = 650.0;
    let thomsen = |value: f64| Thomsen::uniform(value as f32);
    let both = Anisotropy::new(thomsen(0.2), thomsen(0.1), RATIO).expect("it is allowed");
    let source = common::ricker(200.0, 50.0, 15.0, 0.1);
    let receivers: Vec<_> = (0..41).map(|i| Axes::xz(1200.0 + 10.0 * f64::from(i), 50.0)).collect();
    let shot = Shot::new(source, receivers);
    let base = common::homogeneous((161, 101), H, V as f32, common::every_step(1e-3, 1.1), shot);
    let above = Setup { boundary: common::cpml(15), anisotropy: Some(both), ..base };
    let mut velocity = above.model.velocity().to_owned();
    velocity.slice_mut(s![.., .., (depth / H) as usize]).fill(2400.0);
    let h = Axes { z: H, x: H, y: H };
    let with = VelocityModel::volume(velocity, h).expect("a valid model");
    let with = Setup { model: with, ..above.clone() };
    let found = |engine: &dyn Engine, setup: Setup| {
        let [mut observed, direct] =
            [&with, &above].map(|setup| common::gathers(engine, setup.clone()).remove(0));
        observed -= &direct;
        let plan = Plan::new(setup).expect("a valid setup");
        let imaging = Imaging { every: 4, slots: plan.time.steps / 4 + 1 };
        let image = InF32(engine).imaged(&plan, &[observed], imaging);
        // Half-way between the source and the middle of the receivers; sources are bright.
        let column = image.slice(s![0, 80, 30..]).mapv(f64::abs);
        let most = column.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).expect("a column");
        H * (30 + most.0) as f64
    };
    for engine in engines::of_studies() {
        let isotropic = Setup { anisotropy: None, ..above.clone() };
        let [right, wrong] = [above.clone(), isotropic].map(|setup| found(engine.as_ref(), setup));
        println!("imaged at {right} m, through isotropic rock at {wrong} m");
        assert!((right - depth).abs() <= H && (wrong - depth).abs() > 3.0 * H, "{right} {wrong}");
    }
}
