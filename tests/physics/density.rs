//! Waves through a density that varies: the reflection of a flat jump, what arrives below it, constant
//! densities, exchange of source and receiver, layers and a free surface.

use crate::common::{
    self, engines,
    figures::{cell, figure, percent, tiny},
    gather_error, random,
};
use huygens::{
    acquisition::Shot,
    boundary::{Boundary, Top},
    engine::{
        Engine, Gathers,
        cpu::{Parallel, Reference},
    },
    grid::{Axes, Position},
    medium::REFERENCE,
    model::{Density, VelocityModel},
    plan::{Plan, Setup},
};
use ndarray::{Array2, Array3, s};

/// m, m/s, kg/m3 above the jump.
const H: f64 = 10.0;
const V: f64 = 2000.0;
const ABOVE: f64 = 1000.0;
/// Nodes from the source and the receivers to the last node above the jump.
const DEEP: usize = 20;
/// Columns from the source to the receivers: 0 to 67 degrees.
const OFFSETS: [usize; 7] = [0, 15, 32, 47, 66, 82, 97];
/// The source's column and row.
const SOURCE: [usize; 2] = [75, 75];

fn at([x, z]: [usize; 2]) -> Position {
    Axes::xz(x as f64 * H, z as f64 * H)
}

fn with(setup: Setup, rho: impl Fn(usize, usize, usize) -> f64) -> Setup {
    let shape = setup.model.grid().shape();
    let values = Array3::from_shape_fn(shape, |(y, x, z)| rho(y, x, z) as f32);
    Setup { density: Density::new(values).expect("densities in kg/m3"), ..setup }
}

/// Densities at random from node to node.
pub fn at_random(n: (usize, usize, usize)) -> Density {
    let mut number = random(13);
    let values = Array3::from_shape_simple_fn(n, || 1000.0 + 1500.0 * number() as f32);
    Density::new(values).expect("densities in kg/m3")
}

/// Receivers as deep as the source, and their mirror images below the jump; edges out of reach.
fn flat_jump(points: f64, ratio: f64) -> Setup {
    let [x, z] = SOURCE;
    let line = |z: usize| OFFSETS.into_iter().map(move |offset| at([x + offset, z]));
    let image = z + 2 * DEEP + 1;
    // At 2.5 times the peak frequency there are `points` points in a wavelength.
    let peak = V / (2.5 * points * H);
    let mut source = common::ricker(0.0, 0.0, peak, 1.5 / peak);
    source.at = at(SOURCE);
    let shot = Shot { sources: vec![source], receivers: line(z).chain(line(image)).collect() };
    let n = (2 * x + OFFSETS[6], 2 * z + 2 * DEEP + 1);
    let duration = (106.0 * H / V + 3.0 / peak).min(2.0 * x as f64 * H / V + 0.02);
    let setup = common::homogeneous(n, H, V as f32, common::every_step(1e-3, duration), shot);
    match ratio == 1.0 {
        true => setup,
        false => with(setup, |_, _, row| if row > z + DEEP { ratio * ABOVE } else { ABOVE }),
    }
}

/// The trace of the wave that a jump reflects, and the exact one: that of the image of the receiver
/// through a homogeneous medium times R, as velocities are equal.
fn reflected(engine: &dyn Engine, points: f64, ratio: f64) -> [Array2<f32>; 4] {
    let jump = common::gathers(engine, flat_jump(points, ratio)).remove(0);
    let flat = common::gathers(engine, flat_jump(points, 1.0)).remove(0);
    let (above, below) = (s![..7, ..], s![7.., ..]);
    let reflection = ((ratio - 1.0) / (ratio + 1.0)) as f32;
    let through = (2.0 * ratio / (ratio + 1.0)) as f32;
    [
        &jump.slice(above) - &flat.slice(above),
        reflection * &flat.slice(below),
        jump.slice(below).to_owned(),
        through * &flat.slice(below),
    ]
}

/// Errors of the reflected wave at these angles, ratio 2 and 8 points in a wavelength; the values at 0,
/// 38, 58 and 67 degrees are those of a numpy model of the operator. They fall with the square of
/// the spacing.
const ERRORS: [f64; 7] = [0.020, 0.0175, 0.012, 0.0085, 0.006, 0.004, 0.003];

/// How the error below a jump grows with its ratio, about: the square of the reflection coefficient.
fn below_at(ratio: f64) -> f64 {
    ((ratio - 1.0) / (ratio + 1.0)).powi(2)
}

#[test]
fn a_flat_jump_reflects_by_the_impedance_at_every_angle() {
    let cases = [(8.0, 1.5), (8.0, 2.0), (8.0, 3.0), (12.0, 3.0), (16.0, 2.0)];
    for engine in engines::of_studies().iter().chain([&oracle()]) {
        for (points, ratio) in common::all_or(&cases, &cases[1..3]) {
            let [ours, exact, through, exact_through] = reflected(engine.as_ref(), points, ratio);
            for (i, (offset, expected)) in OFFSETS.into_iter().zip(ERRORS).enumerate() {
                let bar = 1.2 * expected * (8.0f64 / points).powi(2);
                let angle = (offset as f64 / (2 * DEEP + 1) as f64).atan().to_degrees();
                let row = s![i..=i, ..];
                let error = gather_error(ours.slice(row), exact.slice(row));
                let of = engine.describe().backend;
                let case = format!("{of}, ratio {ratio}, {points} points, {angle:.0} degrees");
                let below = gather_error(through.slice(row), exact_through.slice(row));
                println!("{case}: {:.2} %, below {:.2} %", 100.0 * error, 100.0 * below);
                assert!(error < bar, "{case}: {error}");
                let bar_below = 0.003 * below_at(ratio) / below_at(2.0) * (8.0f64 / points).powi(2);
                let is_oracle = of == "reference";
                let both = [("reflected", error, bar), ("below", below, bar_below)];
                for (what, value, bar) in both.into_iter().filter(|_| is_oracle) {
                    let line = format!("{what}, ratio {ratio}, {points} points");
                    let value = format!("{} ({})", percent(value), percent(bar));
                    cell("density by angle", &line, &format!("{angle:.0}°"), &value);
                }
                assert!(below < bar_below, "{case}, below: {below}");
                // Tests the test: a density 5 % off.
                let off = gather_error((1.05f32 * &ours).slice(row), exact.slice(row));
                assert!(off > bar, "{case}: {off}");
            }
        }
    }
}

fn oracle() -> Box<dyn Engine> {
    Box::new(Reference)
}

/// A density that varies only where no wave comes makes the engines step its equation.
#[test]
fn a_constant_density_changes_nothing() {
    let constant = flat_jump(8.0, 1.0);
    let far = |rho: f64| {
        with(constant.clone(), move |_, x, z| if (x, z) == (0, 0) { 1.02 * rho } else { rho })
    };
    for engine in engines::fast_and_oracle() {
        let [exact, water, rock] = [constant.clone(), far(1000.0), far(2700.0)]
            .map(|setup| common::gathers(engine.as_ref(), setup).remove(0));
        // Until a wave has been at that corner and back.
        let until = ((2.0f64.sqrt() * 75.0 * H / V) / 1e-3) as usize;
        let early = |gather: &Array2<f32>| gather.slice(s![..7, ..until]).to_owned();
        for (what, gather, bar) in [("1000", &water, 1e-6), ("2700", &rock, 5e-6)] {
            let error = gather_error(early(gather).view(), early(&exact).view());
            let case = format!("{what} kg/m3 but at a far node, against no density");
            figure("density", &case, engine.as_ref(), &tiny(error), &tiny(bar), "");
            assert!(error < bar, "{}, {case}: {error:e}", engine.describe().backend);
        }
        let all = [1000.0, 2700.0].map(|rho| with(constant.clone(), move |_, _, _| rho));
        for same in all {
            assert_eq!(common::gathers(engine.as_ref(), same).remove(0), exact);
        }
    }
}

/// rho(A) G(A to B) = rho(B) G(B to A), on and between nodes, by the density of the nearest node.
#[test]
fn source_and_receiver_change_places() {
    let mut number = random(5);
    let (nx, nz) = (71, 61);
    let velocity = Array2::from_shape_fn((nx, nz), |_| (1500.0 + 2000.0 * number()) as f32);
    let rho = Array2::from_shape_fn((nx, nz), |_| 1000.0 + 1500.0 * number());
    let pairs = [((150.0, 120.0), (520.0, 430.0)), ((153.1, 118.7), (516.7, 435.2))];
    let plan = |from: (f64, f64), to: (f64, f64)| {
        let shot = Shot {
            sources: vec![common::ricker(from.0, from.1, 25.0, 0.06)],
            receivers: vec![Axes::xz(to.0, to.1)].into(),
        };
        let time = common::every_step(1e-3, 0.5);
        let setup = common::homogeneous((nx, nz), 10.0, 1500.0, time, shot);
        let model = VelocityModel::new(velocity.clone(), 10.0, 10.0).expect("a valid model");
        let boundary = Boundary { top: Top::Free, ..common::SPONGE_30 };
        Plan::new(with(Setup { model, boundary, ..setup }, |_, x, z| rho[[x, z]]))
            .expect("a valid setup")
    };
    // As a Plan has it, whose roots are f32.
    let near = |(x, z): (f64, f64)| {
        let node = [x, z].map(|at| (at / 10.0).round() as usize);
        let root = f64::from((REFERENCE / f64::from(rho[node] as f32)).sqrt() as f32);
        REFERENCE / root.powi(2)
    };
    for ((a, b), place) in pairs.into_iter().zip(["on nodes", "between nodes"]) {
        let line = format!("source and receiver changed places, {place}");
        let (there, back) = (plan(a, b), plan(b, a));
        let of = |plan: &Plan| Reference.gathers(plan).expect("a stable run").remove(0);
        let difference = near(a) * of(&there) - near(b) * of(&back);
        let norm = |rows: &Array2<f64>| rows.mapv(|v| v * v).sum().sqrt();
        let error = norm(&difference) / norm(&(near(a) * of(&there)));
        figure("density", &format!("{line}, in f64"), &Reference, &tiny(error), "1e-12", "");
        assert!(error < 1e-12, "{error:e}");
        for engine in engines::of_studies() {
            let of = |plan: &Plan| {
                let mut gathers = Gathers::new(plan);
                engine.run(plan, &mut gathers).expect("a stable run");
                gathers.shots.remove(0)
            };
            let [there, back] = [(near(a) as f32) * of(&there), (near(b) as f32) * of(&back)];
            let error = gather_error(there.view(), back.view());
            figure("density", &line, engine.as_ref(), &tiny(error), "1e-5", "");
            assert!(error < 1e-5, "{error:e}");
        }
    }
}

/// Rock whose density varies along a layer and meets a free surface, against a model so wide that
/// nothing returns.
fn crossing(more: usize, top: Top) -> Setup {
    let (nx, nz) = (100 + 2 * more, 60 + more);
    let place = |x: usize, z: usize| at([x + more, z]);
    let source =
        huygens::acquisition::Source { at: place(50, 6), ..common::ricker(0.0, 0.0, 12.0, 0.12) };
    let receivers = (1..10).map(|i| place(10 * i, 9)).collect();
    let shot = Shot { sources: vec![source], receivers };
    let setup = common::homogeneous((nx, nz), H, V as f32, common::every_step(1e-3, 0.7), shot);
    let boundary = Boundary { top, ..common::CPML_20 };
    with(Setup { boundary, ..setup }, |_, x, z| {
        // Beyond the narrow model's edges its rock goes on, as in its layers and beside them.
        let (x, z) = (x.clamp(more + 3, more + 96) - more, z.min(56));
        1700.0 + 500.0 * (0.31 * z as f64).sin() + 200.0 * (x as f64 / 23.0).sin()
    })
}

#[test]
fn a_density_crosses_a_layer_and_meets_a_free_surface() {
    for top in [Top::Absorb, Top::Free] {
        let wide = common::gathers(&Parallel, crossing(90, top)).remove(0);
        for engine in engines::of_studies() {
            let ours = common::gathers(engine.as_ref(), crossing(0, top)).remove(0);
            let error = gather_error(ours.view(), wide.view());
            let below = if top == Top::Free { "a free surface" } else { "layers alone" };
            let case = format!("crosses layers of 20 cells, {below}, against a wide model");
            figure("density", &case, engine.as_ref(), &percent(error), &percent(1e-4), "");
            assert!(error < 1e-4, "{case}: {error:e}");
        }
    }
}

/// Nothing grows in 20,000 steps at 0.99 of the largest step, in densities and velocities at random.
#[test]
fn nothing_grows() {
    let mut number = random(9);
    let (nx, nz) = (61, 53);
    let velocity = Array2::from_shape_fn((nx, nz), |_| (1500.0 + 3000.0 * number()) as f32);
    let rho = Array2::from_shape_fn((nx, nz), |_| 1000.0 + 1700.0 * number());
    for top in [Top::Absorb, Top::Free] {
        let shot = Shot {
            sources: vec![common::ricker(300.0, 200.0, 20.0, 0.06)],
            receivers: vec![Axes::xz(200.0, 100.0)].into(),
        };
        let setup =
            common::homogeneous((nx, nz), 10.0, 1500.0, common::every_step(1e-3, 1.0), shot);
        let setup = Setup {
            model: VelocityModel::new(velocity.clone(), 10.0, 10.0).expect("a valid model"),
            boundary: Boundary { top, ..common::cpml(10) },
            allow_unstable: true,
            ..with(setup, |_, x, z| rho[[x, z]])
        };
        let limit = Plan::new(setup.clone()).expect("a valid setup").time.limit;
        let dt = 0.99 * limit;
        let time = common::every_step(dt, dt * if common::full() { 20_000.0 } else { 6000.0 });
        let gather = common::gathers(&Parallel, Setup { time, ..setup }).remove(0);
        let peak = |from: f64, to: f64| {
            let n = gather.ncols() as f64;
            let part = gather.slice(s![.., (from * n) as usize..(to * n) as usize]);
            part.iter().fold(0.0f32, |most, p| most.max(p.abs()))
        };
        // What is trapped in the rough rock leaks slowly.
        let [early, middle, late] = [peak(0.0, 0.1), peak(0.4, 0.5), peak(0.9, 1.0)];
        assert!(early > 0.0 && middle < 0.1 * early, "{top:?}: {early:e}, {middle:e}");
        assert!(late < 0.8 * middle, "{top:?}: {middle:e}, {late:e}");
    }
}

/// Rock whose velocity and density both vary, with a jump; edges out of reach.
fn both_vary() -> Setup {
    let (nx, nz) = (241, 221);
    let source =
        huygens::acquisition::Source { at: at([120, 110]), ..common::ricker(0.0, 0.0, 8.0, 0.15) };
    let receivers = (0..9).map(|i| at([80 + 10 * i, 90 + 12 * (i % 5)])).collect();
    let shot = Shot { sources: vec![source], receivers };
    let setup = common::homogeneous((nx, nz), H, V as f32, common::every_step(1e-3, 0.7), shot);
    let velocity = Array2::from_shape_fn((nx, nz), |(x, z)| {
        (1900.0 + 400.0 * (x as f64 / 17.0).sin() * (z as f64 / 13.0).cos()) as f32
    });
    let model = VelocityModel::new(velocity, H, H).expect("a valid model");
    let rho = |x: usize, z: usize| {
        let jump = if z > 140 { 400.0 } else { 0.0 };
        1600.0 + jump + 500.0 * (z as f64 / 11.0 + x as f64 / 29.0).sin()
    };
    with(Setup { model, boundary: common::NO_LAYER, ..setup }, move |_, x, z| rho(x, z))
}

/// The same by another scheme: `p_tt = rho v^2 (div(b grad p) + b s delta)` with first derivatives of
/// order 8 on a staggered grid, and b half-way between nodes the mean of both.
fn staggered(setup: &Setup) -> Array2<f32> {
    const WEIGHTS: [f64; 4] = [1225.0 / 1024.0, -245.0 / 3072.0, 49.0 / 5120.0, -5.0 / 7168.0];
    // Zeros around the grid, as wide as both derivatives reach.
    const PAD: usize = 8;
    let plan = Plan::new(setup.clone()).expect("a valid setup");
    let (n, dt) = (plan.grid.n, plan.time.dt);
    let (column, len) = (n.z + 2 * PAD, (n.x + 2 * PAD) * (n.z + 2 * PAD));
    let place = |node: Axes<usize>| (node.x + PAD) * column + node.z + PAD;
    let rho = setup.density.values().expect("it varies");
    let node = |i: usize| {
        let within = |i: usize, n: usize| i.clamp(PAD, n + PAD - 1) - PAD;
        Axes { z: within(i % column, n.z), x: within(i / column, n.x), y: 0 }
    };
    let b: Vec<f64> = (0..len).map(node).map(|at| 1.0 / f64::from(rho[[0, at.x, at.z]])).collect();
    let (mut p, mut before) = (vec![0.0; len], vec![0.0; len]);
    let shot = &plan.shots[0];
    let mut gather = Array2::zeros((shot.receivers.len(), plan.time.samples));
    let source = setup.shots[0].sources[0].at.map(|at| (at / H).round() as usize);
    for step in 0..plan.time.samples {
        for (receiver, to) in setup.shots[0].receivers.iter().zip(gather.column_mut(step)) {
            *to = p[place(receiver.map(|at| (at / H).round() as usize))] as f32;
        }
        let mut divergence = vec![0.0; len];
        for apart in [1, column] {
            // From i to i + apart, half-way.
            let mut flow = vec![0.0; len];
            for i in 4 * column..len - 4 * column {
                let pair = |k: usize| WEIGHTS[k] * (p[i + (k + 1) * apart] - p[i - k * apart]);
                flow[i] = 0.5 * (b[i] + b[i + apart]) * (0..4).map(pair).sum::<f64>() / H;
            }
            for i in 4 * column..len - 4 * column {
                let pair =
                    |k: usize| WEIGHTS[k] * (flow[i + k * apart] - flow[i - (k + 1) * apart]);
                divergence[i] += (0..4).map(pair).sum::<f64>() / H;
            }
        }
        let sample = plan.wavelets[0].get(step).copied().unwrap_or(0.0);
        divergence[place(source)] += b[place(source)] * sample / (H * H);
        for at in plan.grid.nodes() {
            let i = place(at);
            let v2dt2 = (f64::from(setup.model.velocity()[[0, at.x, at.z]]) * dt).powi(2);
            before[i] = 2.0 * p[i] - before[i] + v2dt2 / b[i] * divergence[i];
        }
        std::mem::swap(&mut p, &mut before);
    }
    gather
}

#[test]
fn a_staggered_scheme_makes_the_same_waves() {
    let setup = both_vary();
    let exact = staggered(&setup);
    let ours = common::gathers(&Parallel, setup.clone()).remove(0);
    let error = gather_error(ours.view(), exact.view());
    let flat = common::gathers(&Parallel, Setup { density: Density::default(), ..setup }).remove(0);
    let without = gather_error(flat.view(), exact.view());
    let case = "rock whose velocity and density vary, against a staggered scheme of order 8";
    figure("density", case, &Parallel, &percent(error), "1 %", "");
    println!("{:.0} % without the density", 100.0 * without);
    assert!(error < 0.01 && without > 0.1, "{error:e}, {without:e}");
}
