//! Born modelling F and its adjoint F': `<F e, d> = <e, F' d>` for random perturbations e and
//! random data d, through every kind of edge, between nodes; and F is the derivative of modelling.

use crate::{
    common::{
        self, engines,
        figures::{figure, tiny},
        random,
    },
    density,
};
use huygens::{
    acquisition::{Shot, Source, TimeDispersion},
    boundary::{Absorber, Boundary, Cpml, Sponge, Top},
    engine::{
        Engine, Gathers, Image, Observer, Split,
        cpu::{Parallel, Reference},
        gpu::Gpu,
    },
    grid::{Axes, Position},
    model::{Anisotropy, Thomsen, VelocityModel},
    plan::{Imaging, Margin, Plan, Scattering, Setup},
};
use ndarray::{Array2, Array3, s};
use std::sync::Arc;

pub const STEPS: usize = 160;
const DT: f64 = 1e-3;

/// How a medium's Plan is made.
type Planned = fn((usize, usize, usize), Boundary, (usize, TimeDispersion), &Array3<f32>) -> Plan;

/// A random medium, two shots between nodes, five receivers between nodes.
pub fn plan(
    n: (usize, usize, usize),
    boundary: Boundary,
    samples: (usize, TimeDispersion),
    velocity: &Array3<f32>,
) -> Plan {
    Plan::new(setup(n, boundary, samples, velocity)).expect("a valid setup")
}

/// [`plan`] with a density that varies.
pub fn dense_plan(
    n: (usize, usize, usize),
    boundary: Boundary,
    samples: (usize, TimeDispersion),
    velocity: &Array3<f32>,
) -> Plan {
    let density = density::at_random(n);
    Plan::new(Setup { density, ..setup(n, boundary, samples, velocity) }).expect("a valid setup")
}

/// [`plan`] of anisotropic rock, with constant density.
pub fn vti_plan(
    n: (usize, usize, usize),
    boundary: Boundary,
    samples: (usize, TimeDispersion),
    velocity: &Array3<f32>,
) -> Plan {
    Plan::new(anisotropic(n, setup(n, boundary, samples, velocity))).expect("a valid setup")
}

/// [`vti_plan`] with a density that varies.
fn dense_vti_plan(
    n: (usize, usize, usize),
    boundary: Boundary,
    samples: (usize, TimeDispersion),
    velocity: &Array3<f32>,
) -> Plan {
    let setup = setup(n, boundary, samples, velocity);
    let dense = Setup { density: density::at_random(n), ..setup };
    Plan::new(anisotropic(n, dense)).expect("a valid setup")
}

/// epsilon and epsilon - delta from 0 to 0.2 from node to node.
fn anisotropic(n: (usize, usize, usize), setup: Setup) -> Setup {
    let mut number = random(47);
    let mut values = || Array3::from_shape_simple_fn(n, || (0.2 * number()) as f32);
    let (epsilon, apart) = (values(), values());
    let delta = Thomsen::new(&epsilon - &apart);
    let both = Anisotropy::new(Thomsen::new(epsilon), delta, Anisotropy::SHEAR_RATIO);
    Setup { anisotropy: Some(both.expect("it is allowed")), ..setup }
}

/// [`plan`] of shots at both ends of the slowest axis, in windows that overlap.
fn windowed_plan(
    n: (usize, usize, usize),
    boundary: Boundary,
    samples: (usize, TimeDispersion),
    velocity: &Array3<f32>,
) -> Plan {
    Plan::new(in_windows(n, setup(n, boundary, samples, velocity))).expect("a valid setup")
}

/// [`windowed_plan`] with a density that varies.
fn dense_windowed_plan(
    n: (usize, usize, usize),
    boundary: Boundary,
    samples: (usize, TimeDispersion),
    velocity: &Array3<f32>,
) -> Plan {
    let density = density::at_random(n);
    let dense = Setup { density, ..setup(n, boundary, samples, velocity) };
    Plan::new(in_windows(n, dense)).expect("a valid setup")
}

fn in_windows(n: (usize, usize, usize), setup: Setup) -> Setup {
    let (volume, margin) = (n.0 > 1, Some(75.0));
    let last = if volume { 12.0 * (n.0 - 1) as f64 } else { 11.0 * (n.1 - 1) as f64 };
    let moved = |(number, shot): (usize, Shot)| {
        let within = |mut at: Position| {
            let along = if volume { &mut at.y } else { &mut at.x };
            *along = 0.25 * *along + 0.75 * last * number as f64;
            at
        };
        let source = |source: Source| Source { at: within(source.at), ..source };
        Shot {
            sources: shot.sources.into_iter().map(source).collect(),
            receivers: shot.receivers.iter().copied().map(within).collect(),
        }
    };
    let shots = setup.shots.into_iter().enumerate().map(moved).collect();
    let window = match volume {
        true => Margin { y: margin, ..Margin::default() },
        false => Margin { x: margin, ..Margin::default() },
    };
    Setup { shots, window: Some(window), ..setup }
}

fn setup(
    n: (usize, usize, usize),
    boundary: Boundary,
    (record, dispersion): (usize, TimeDispersion),
    velocity: &Array3<f32>,
) -> Setup {
    let mut number = random(29);
    let mut along = |n: usize, h: f64| h * (n - 1) as f64 * number();
    let mut points = |count: usize| -> Vec<Position> {
        (0..count)
            .map(|_| Axes { z: along(n.2, 10.0), x: along(n.1, 11.0), y: along(n.0, 12.0) })
            .collect()
    };
    let receivers = points(5);
    let mut shot = || {
        let at = points(1)[0];
        let source = Source { at, ..common::ricker(0.0, 0.0, 20.0, 0.05) };
        Shot { sources: vec![source], receivers: receivers.clone().into() }
    };
    let shots = vec![shot(), shot()];
    let mut time = common::every_step(DT, STEPS as f64 * DT);
    time.record = Some(record as f64 * DT);
    time.dispersion = dispersion;
    Setup {
        model: VelocityModel::volume(velocity.clone(), Axes { z: 10.0, x: 11.0, y: 12.0 })
            .expect("a valid model"),
        boundary,
        shots,
        ..common::homogeneous(
            (1, 1),
            10.0,
            1500.0,
            time,
            Shot { sources: vec![], receivers: vec![].into() },
        )
    }
}

pub fn medium(n: (usize, usize, usize)) -> Array3<f32> {
    let mut number = random(3);
    Array3::from_shape_fn(n, |_| (1800.0 + 600.0 * number()) as f32)
}

/// The sums of a run.
#[derive(Default)]
struct Sums(Vec<Array3<f64>>);

impl Observer for Sums {
    fn image(&mut self, image: Image) {
        self.0.push(image.values.mapv(f64::from));
    }
}

/// F e, as gathers, and F' d, for one engine.
pub trait Pair {
    fn scattered(&self, plan: &Plan, e: &Array3<f64>, imaging: Imaging) -> Vec<Array2<f64>>;
    fn imaged(&self, plan: &Plan, d: &[Array2<f32>], imaging: Imaging) -> Array3<f64>;
}

/// Runs the shots of a Plan to the end and keeps their waves.
fn source(engine: &dyn Engine, plan: &Plan, imaging: Imaging) -> Box<dyn huygens::engine::Run> {
    let mut run = engine.start(Arc::new(plan.stored(imaging))).expect("it starts");
    run.advance(plan.time.steps, &mut ()).expect("a stable run");
    run.finish(&mut ()).expect("a stable run");
    run
}

fn image(plan: &Plan, sums: Vec<Array3<f64>>) -> Array3<f64> {
    let mut all = Array3::zeros(plan.survey_grid().shape());
    for (shot, sums) in plan.shots.iter().zip(sums) {
        let (Axes { z, x, y }, (ny, nx, nz)) = (shot.window.first, sums.dim());
        let mut part = all.slice_mut(s![y..y + ny, x..x + nx, z..z + nz]);
        part += &sums;
    }
    all * plan.image_scale()
}

/// Not rounded to f32 on its way out.
struct InF64;

impl Pair for InF64 {
    fn scattered(&self, plan: &Plan, e: &Array3<f64>, imaging: Imaging) -> Vec<Array2<f64>> {
        let run = source(&Reference, plan, imaging);
        let plan = plan.scattered(Scattering { imaging, perturbation: e.clone() });
        Reference.gathers_with(&plan, run.source_wavefield().as_ref()).expect("a stable run")
    }

    fn imaged(&self, plan: &Plan, d: &[Array2<f32>], imaging: Imaging) -> Array3<f64> {
        let run = source(&Reference, plan, imaging);
        let back = plan.sent_back(d, imaging).expect("gathers that fit");
        let wave = run.source_wavefield().expect("it is kept");
        image(plan, Reference.sums(&back, &wave).expect("a stable run"))
    }
}

pub struct InF32<'e>(pub &'e dyn Engine);

impl Pair for InF32<'_> {
    fn scattered(&self, plan: &Plan, e: &Array3<f64>, imaging: Imaging) -> Vec<Array2<f64>> {
        let run = source(self.0, plan, imaging);
        let plan = Arc::new(plan.scattered(Scattering { imaging, perturbation: e.clone() }));
        let wave = run.source_wavefield().expect("it is kept");
        let mut scattered = self.0.start_with(plan.clone(), &wave).expect("it starts");
        let mut gathers = Gathers::new(&plan);
        scattered.advance(plan.time.steps, &mut gathers).expect("a stable run");
        scattered.finish(&mut gathers).expect("a stable run");
        gathers.shots.into_iter().map(|gather| gather.mapv(f64::from)).collect()
    }

    fn imaged(&self, plan: &Plan, d: &[Array2<f32>], imaging: Imaging) -> Array3<f64> {
        let run = source(self.0, plan, imaging);
        let back = Arc::new(plan.sent_back(d, imaging).expect("gathers that fit"));
        let wave = run.source_wavefield().expect("it is kept");
        let mut run = self.0.start_with(back, &wave).expect("it starts");
        let mut sums = Sums::default();
        run.advance(plan.time.steps, &mut sums).expect("a stable run");
        run.finish(&mut sums).expect("a stable run");
        image(plan, sums.0)
    }
}

/// A kind of edge, steps from record to record and from image to image, by increments or not.
struct Case {
    name: &'static str,
    n: (usize, usize, usize),
    boundary: Boundary,
    record: usize,
    every: usize,
    by_increments: bool,
    dispersion: TimeDispersion,
    plan: Planned,
}

fn cases() -> Vec<Case> {
    let cpml = Absorber::Cpml(Cpml::new(6));
    let sponge = Absorber::Sponge(Sponge { cells: 7, strength: 2.0 });
    let case = |name, n, (top, sides), (record, every), by_increments| {
        let boundary = Boundary { top, sides };
        let dispersion = TimeDispersion::Kept;
        Case { name, n, boundary, record, every, by_increments, dispersion, plan }
    };
    let of = |plan: Planned, of: Case| Case { plan, ..of };
    let corrected = |of: Case| Case { dispersion: TimeDispersion::Corrected, ..of };
    let (plane, volume) = ((1, 37, 41), (15, 17, 19));
    vec![
        case("plane, cpml", plane, (Top::Absorb, cpml), (1, 1), false),
        case("plane, free surface and cpml", plane, (Top::Free, cpml), (2, 3), false),
        case("plane, sponge, by increments", plane, (Top::Zero, sponge), (1, 1), true),
        case("plane, cpml, by increments", plane, (Top::Absorb, cpml), (1, 3), true),
        case("volume, free surface and cpml", volume, (Top::Free, cpml), (1, 1), false),
        corrected(case("plane, cpml, corrected", plane, (Top::Absorb, cpml), (2, 1), false)),
        of(
            dense_plan,
            case("plane, density, free surface", plane, (Top::Free, cpml), (2, 3), false),
        ),
        of(
            dense_plan,
            case("volume, density, by increments", volume, (Top::Zero, cpml), (1, 1), true),
        ),
        of(vti_plan, case("plane, VTI, free surface", plane, (Top::Free, cpml), (2, 3), false)),
        of(dense_vti_plan, case("plane, VTI, sponge", plane, (Top::Zero, sponge), (1, 1), false)),
        of(
            dense_vti_plan,
            case("volume, VTI, by increments", volume, (Top::Zero, cpml), (1, 1), true),
        ),
        of(
            windowed_plan,
            case("plane, windows, free surface", (1, 57, 41), (Top::Free, cpml), (2, 3), false),
        ),
        of(
            dense_windowed_plan,
            case("volume, windows, density", (37, 15, 17), (Top::Zero, cpml), (1, 1), true),
        ),
    ]
}

fn dot_products(pair: &dyn Pair, bar: f64, told: &dyn Fn(&str, f64)) {
    for of in cases() {
        let Case { name: case, n, boundary, record, every, by_increments, dispersion, plan } = of;
        let mut plan = plan(n, boundary, (record, dispersion), &medium(n));
        assert_eq!(plan.windows.is_some(), case.contains("windows"));
        // Corrected gathers are sent back as f32.
        let bar = if dispersion == TimeDispersion::Corrected { bar.max(1e-6) } else { bar };
        plan.by_increments = by_increments;
        let mut number = random(31);
        let e = Array3::from_shape_fn(n, |_| number() - 0.5);
        let shape = (5, plan.time.kept());
        let d = [0; 2].map(|_| Array2::from_shape_fn(shape, |_| (number() - 0.5) as f32));
        let imaging = Imaging { every, slots: plan.time.steps / every + 1 };
        let mut there = pair.scattered(&plan, &e, imaging);
        there.iter_mut().for_each(|gather| plan.correct(gather));
        let mut sent = d.clone();
        sent.iter_mut().for_each(|gather| plan.correct_adjoint(gather));
        let back = pair.imaged(&plan, &sent, imaging);
        let product = |a: &Array2<f64>, b: &Array2<f32>| (a * &b.mapv(f64::from)).sum();
        let forward: f64 = there.iter().zip(&d).map(|(a, b)| product(a, b)).sum();
        let adjoint = (&e * &back).sum();
        // The typical product of random rows; it may be near zero by chance.
        let squares = |rows: &Array2<f64>| rows.mapv(|v| v * v).sum();
        let size = there.iter().map(squares).sum::<f64>().sqrt() * (1.0f64 / 12.0).sqrt();
        let error = (forward - adjoint).abs() / size;
        told(case, error);
        assert!(size > 0.0 && error <= bar, "{case}: {forward:e} {adjoint:e}, {error:e}");
        // Tests the test: the image a cell off.
        let off = (&e.slice(s![.., 1.., ..]) * &back.slice(s![.., ..-1, ..])).sum();
        assert!((forward - off).abs() > 100.0 * bar * size, "{case}");
    }
}

#[test]
fn the_pair_is_adjoint_in_f64() {
    dot_products(&InF64, 1e-12, &|case, error| {
        figure(
            "symmetry",
            &format!("Born pair, {case}, in f64"),
            &Reference,
            &tiny(error),
            "1e-12",
            "",
        );
    });
}

#[test]
fn the_pair_is_adjoint() {
    for engine in engines::of_studies() {
        dot_products(&InF32(engine.as_ref()), 1e-5, &|case, error| {
            figure(
                "symmetry",
                &format!("Born pair, {case}"),
                engine.as_ref(),
                &tiny(error),
                "1e-5",
                "",
            );
        });
    }
}

/// `M(m + h e) = M(m) + h F e` to second order in h.
#[test]
fn born_modelling_is_the_derivative_of_modelling() {
    let ratio = derivative_ratio(plan);
    figure(
        "symmetry",
        "Born modelling, what is left at a tenth of h",
        &Reference,
        &format!("1/{ratio:.1}"),
        "1/9 to 1/11",
        "",
    );
    derivative_ratio(dense_plan);
    derivative_ratio(dense_vti_plan);
}

/// How much smaller what the derivative leaves is at a tenth of a change.
fn derivative_ratio(plan: Planned) -> f64 {
    let n = (1, 37, 41);
    let edges = Boundary { top: Top::Free, sides: Absorber::Cpml(Cpml::new(6)) };
    let velocity = medium(n);
    let mut number = random(7);
    // Away from the edges, whose velocities the layers have too.
    let inside = |i: usize, n: usize| i > 2 && i + 3 < n;
    let e = Array3::from_shape_fn(n, |(_, x, z)| {
        if inside(x, n.1) && inside(z, n.2) { number() - 0.5 } else { 0.0 }
    });
    let background = plan(n, edges, (1, TimeDispersion::Kept), &velocity);
    let imaging = Imaging { every: 1, slots: STEPS + 1 };
    let derivative = InF64.scattered(&background, &e, imaging);
    let before = Reference.gathers(&background).expect("a stable run");
    let remainder = |h: f64| {
        let perturbed = |v: f32, e: f64| (f64::from(v) / (1.0 + h * e).sqrt()) as f32;
        let mut changed = velocity.clone();
        changed.zip_mut_with(&e, |v, e| *v = perturbed(*v, *e));
        let mut plan = plan(n, edges, (1, TimeDispersion::Kept), &changed);
        plan.by_increments = background.by_increments;
        let after = Reference.gathers(&plan).expect("a stable run");
        let norm = |rows: &Array2<f64>| rows.mapv(|v| v * v).sum();
        let both = after.iter().zip(&before).zip(&derivative);
        let left: f64 = both.map(|((a, b), d)| norm(&(a - b - h * d))).sum();
        let whole: f64 = derivative.iter().map(|d| norm(&(h * d))).sum();
        (left / whole).sqrt()
    };
    // Relative to h F e it falls as h does.
    let [coarse, fine] = [0.1, 0.01].map(remainder);
    let ratio = coarse / fine;
    assert!(fine < 0.02 && (9.0..11.0).contains(&ratio), "{coarse:e}, {fine:e}");
    ratio
}

/// However a simulation is split over engines, both are the same bits.
#[test]
fn the_pair_is_the_same_in_shares() {
    if crate::common::left_to_full("the adjoint pair in shares of several engines") {
        return;
    }
    let sponge = Absorber::Sponge(Sponge { cells: 7, strength: 2.0 });
    let cpml = Absorber::Cpml(Cpml::new(6));
    let gpus = engines::opened(false).into_iter();
    let again = |gpu: Gpu| -> Box<dyn Fn() -> Box<dyn Engine>> {
        Box::new(move || Box::new(gpu.with_slabs(1)))
    };
    let cpu: Box<dyn Fn() -> Box<dyn Engine>> = Box::new(|| Box::new(Parallel));
    for one in [cpu].into_iter().chain(gpus.map(again)) {
        let over = |weights: &[f64]| {
            Split::new(weights.iter().map(|_| one()).collect(), weights).expect("a weight each")
        };
        let whole = one();
        let cases: [(_, _, &[f64], _, _); 4] = [
            ((1, 61, 41), cpml, &[1.0, 2.0], 2, false),
            ((43, 13, 14), cpml, &[1.0, 1.0, 1.0], 2, false),
            // The first share is of layers alone.
            ((1, 37, 41), sponge, &[0.01, 1.0], 1, true),
            ((1, 61, 41), sponge, &[1.0; 5], 3, false),
        ];
        let some = if !whole.gpus().is_empty() { 3 } else { cases.len() };
        for (n, sides, weights, every, by_increments) in cases.into_iter().take(some) {
            let split = over(weights);
            let imaging = Imaging { every, slots: STEPS / every + 1 };
            let boundary = Boundary { top: Top::Free, sides };
            let mut plan = plan(n, boundary, (1, TimeDispersion::Kept), &medium(n));
            plan.by_increments = by_increments;
            let mut number = random(41);
            let e = Array3::from_shape_fn(n, |_| number() - 0.5);
            let there = InF32(whole.as_ref()).scattered(&plan, &e, imaging);
            assert!(there[0].iter().any(|v| *v != 0.0));
            assert!(InF32(&split).scattered(&plan, &e, imaging) == there, "{n:?}, {sides:?}");
            let shape = (5, plan.time.samples);
            let d = [0; 2].map(|_| Array2::from_shape_fn(shape, |_| (number() - 0.5) as f32));
            let image = InF32(whole.as_ref()).imaged(&plan, &d, imaging);
            assert!(image.iter().any(|v| *v != 0.0));
            assert!(InF32(&split).imaged(&plan, &d, imaging) == image, "{n:?}, {sides:?}");
            let refused = |split: &Split| {
                let back = plan.sent_back(&d, imaging).expect("as many traces as shots");
                split.batch(&back).expect_err("it cannot be").to_string()
            };
            if sides == cpml && n.0 == 1 {
                let said = refused(&over(&[1.0; 6]));
                let part = "6 shares are too thin for a wave that goes back through a CPML: the first and the last take 14 columns";
                assert!(said.starts_with(part), "{said}");
                let said = refused(&over(&[1.0; 2]).with_ghost_steps(2).expect("two steps"));
                let part = "a wave that goes back through a CPML exchanges after every step, and ghosts of 2 steps";
                assert!(said.starts_with(part), "{said}");
            }
        }
    }
}

/// However a GPU cuts the waves into slabs, both are the same bits.
#[test]
fn the_pair_is_the_same_in_slabs() {
    let sponge = Absorber::Sponge(Sponge { cells: 7, strength: 2.0 });
    let cpml = Absorber::Cpml(Cpml::new(6));
    let imaging = Imaging { every: 2, slots: STEPS / 2 + 1 };
    for gpu in engines::opened(false) {
        let (one, three) = (InF32(&gpu), gpu.with_slabs(3));
        let three = InF32(&three);
        let cases: [(_, _, Planned); 7] = [
            ((1, 37, 41), sponge, plan),
            ((15, 17, 19), sponge, plan),
            ((1, 37, 41), cpml, plan),
            ((22, 17, 19), cpml, plan),
            ((22, 17, 19), cpml, dense_vti_plan),
            ((1, 57, 41), cpml, windowed_plan),
            ((37, 15, 17), cpml, dense_windowed_plan),
        ];
        for (n, sides, planned) in cases {
            let boundary = Boundary { top: Top::Zero, sides };
            let plan = planned(n, boundary, (1, TimeDispersion::Kept), &medium(n));
            let mut number = random(41);
            let e = Array3::from_shape_fn(n, |_| number() - 0.5);
            let there = one.scattered(&plan, &e, imaging);
            assert!(there[0].iter().any(|v| *v != 0.0));
            assert!(three.scattered(&plan, &e, imaging) == there, "{n:?}, {sides:?}");
            let shape = (5, plan.time.samples);
            let d = [0; 2].map(|_| Array2::from_shape_fn(shape, |_| (number() - 0.5) as f32));
            let image = one.imaged(&plan, &d, imaging);
            assert!(three.imaged(&plan, &d, imaging) == image, "{n:?}, {sides:?}");
            if sides == cpml && n == (1, 37, 41) {
                let back = plan.sent_back(&d, imaging).expect("as many traces as shots");
                let refused = gpu.with_slabs(8).batch(&back).expect_err("they cut the layers");
                assert!(refused.to_string().contains("take 10 columns at the least"), "{refused}");
            }
        }
    }
}
