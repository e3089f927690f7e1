//! Steps of the thesis' grid and of a cube on the CPU engine and on every GPU: `cargo bench`.
//!
//! Throughput is in node updates: 1 Gelem/s is 1 Gpts/s.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use huygens::{
    acquisition::{Ricker, Sampled, Shot, Source, SourceKind, TimeDispersion, Wavelet, line},
    boundary::{Absorber, Boundary, Cpml, Sponge, Top},
    engine::{
        Engine,
        cpu::Parallel,
        gpu::{self, Gpu},
    },
    grid::Axes,
    model::{Density, VelocityModel, builtin},
    plan::{Condition, Focus, Plan, Setup, Step, Time},
    stencil::{Family, Window},
};
use ndarray::Array3;

const STEPS: usize = 200;

/// A cube of 256 nodes a side in a homogeneous volume; layers come on top.
fn cube(sides: Absorber) -> Plan {
    let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
    let wavelet = Wavelet::Ricker(Ricker { peak_hz: 15.0, delay: 0.1 });
    let at = Axes { z: 1280.0, x: 1280.0, y: 1280.0 };
    let velocity = Array3::from_elem((256, 256, 256), 2000.0);
    Plan::new(Setup {
        model: VelocityModel::volume(velocity, h).expect("a valid model"),
        operator: Family::Taylor { order: 8 },
        boundary: Boundary { top: Top::Zero, sides },
        time: Time {
            duration: 0.002 * STEPS as f64,
            step: Step::Seconds(0.002),
            record: None,
            dispersion: TimeDispersion::Kept,
        },
        shots: vec![Shot {
            sources: vec![Source { kind: SourceKind::Monopole, at, wavelet, amplitude: 1.0 }],
            receivers: Default::default(),
        }],
        snapshots: Vec::new(),
        initial: None,
        window: None,
        density: Density::default(),
        anisotropy: None,
        allow_unstable: false,
    })
    .expect("a valid setup")
}

/// The thesis' case the other way round: a source at every receiver, each with samples of its own.
fn backward(operator: Family, sides: Absorber) -> Plan {
    let mut setup = thesis(operator, sides);
    let shot = &mut setup.shots[0];
    let source = |(number, at): (usize, &Axes<f64>)| {
        let sample = |n: usize| (0.1 * n as f64 + number as f64).sin();
        let values = (0..STEPS).map(sample).collect();
        let wavelet = Wavelet::Sampled(Sampled { values, interval: 0.002 });
        Source { kind: SourceKind::Monopole, at: *at, wavelet, amplitude: 1.0 }
    };
    shot.sources = shot.receivers.iter().enumerate().map(source).collect();
    shot.receivers = Default::default();
    Plan::new(setup).expect("a valid setup")
}

/// The thesis' case, shortened.
fn plan(operator: Family, sides: Absorber) -> Plan {
    Plan::new(thesis(operator, sides)).expect("a valid setup")
}

fn thesis(operator: Family, sides: Absorber) -> Setup {
    let wavelet = Wavelet::Ricker(Ricker { peak_hz: 8.0, delay: 0.2 });
    let source = Source {
        kind: SourceKind::Monopole,
        at: Axes::xz(6000.0, 1000.0),
        wavelet,
        amplitude: 1.0,
    };
    let receivers = line(Axes::xz(0.0, 0.0), Axes::xz(13_480.0, 0.0), 675);
    Setup {
        model: builtin("salt", None, None).expect("a built-in model"),
        operator,
        boundary: Boundary { top: Top::Zero, sides },
        time: Time {
            duration: 0.002 * STEPS as f64,
            step: Step::Seconds(0.002),
            record: None,
            dispersion: TimeDispersion::Kept,
        },
        shots: vec![Shot { sources: vec![source], receivers: receivers.into() }],
        snapshots: Vec::new(),
        initial: None,
        window: None,
        density: Density::default(),
        anisotropy: None,
        allow_unstable: false,
    }
}

fn step(criterion: &mut Criterion) {
    let sponge = Absorber::Sponge(Sponge { cells: 50, strength: Sponge::STRENGTH });
    let cpml = Absorber::Cpml(Cpml::new(20));
    let window = Window { wing: 8, alpha: 0.5, beta: 5.0 };
    let sinc = Family::WindowedSinc { window: Axes { z: window, x: window, y: window } };
    let order_8 = Family::Taylor { order: 8 };
    let looked_for = |plan: Plan, condition| plan.focused(Focus { every: 4, groups: 1, condition });
    let (amplitude, energy) = (Condition::Amplitude, Condition::Energy { quarter: 4 });
    let cases = [
        ("order 8, sponge 50", plan(order_8, sponge)),
        ("order 8, CPML 20", plan(order_8, cpml)),
        ("thesis: windowed sinc 8, sponge 50", plan(sinc, sponge)),
        ("thesis, backward", backward(sinc, sponge)),
        ("thesis, backward, amplitude", looked_for(backward(sinc, sponge), amplitude)),
        ("thesis, backward, energy", looked_for(backward(sinc, sponge), energy)),
        ("3-D, 256 x 256 x 256, order 8", cube(Absorber::Zero)),
        ("3-D, 256 x 256 x 256, order 8, amplitude", looked_for(cube(Absorber::Zero), amplitude)),
        ("3-D, 256 x 256 x 256, order 8, energy", looked_for(cube(Absorber::Zero), energy)),
        ("3-D, 256 x 256 x 256, order 8, CPML 20", cube(cpml)),
    ];
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Parallel)];
    for adapter in gpu::list(false).iter().filter(|adapter| adapter.lacks.is_empty()) {
        engines.push(Box::new(Gpu::open(adapter, false).expect("an adapter that lacks nothing")));
    }
    for engine in &engines {
        let described = engine.describe();
        let name = format!("step, {} {}", described.backend, described.device);
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for (name, plan) in &cases {
            group.throughput(Throughput::Elements((plan.grid.cells() * STEPS) as u64));
            group.bench_function(*name, |bencher| {
                bencher.iter_custom(|times| {
                    // Stepping alone: set-up is not what is measured.
                    let stepping = |_| {
                        let timings = engine.run(plan, &mut ()).expect("a stable run");
                        std::time::Duration::from_secs_f64(
                            timings.device.unwrap_or(timings.stepping),
                        )
                    };
                    (0..times).map(stepping).sum()
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, step);
criterion_main!(benches);
