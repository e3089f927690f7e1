//! From a recording to the Plan that sends it back: 8,000 traces of 4,001 samples; and the Plan of a
//! volume of 300^3 nodes whose density varies. `cargo bench --bench planning`.

use huygens::{
    acquisition::{Recording, SourceKind, TimeDispersion, line},
    boundary::{Absorber, Boundary, Top},
    grid::Axes,
    model::{Density, VelocityModel, builtin},
    plan::{Plan, Setup, Step, Time},
    stencil::Family,
};
use ndarray::{Array2, Array3};
use std::{error::Error, time::Instant};

const TRACES: usize = 8_000;
const SAMPLES: usize = 4_001;
const ROUNDS: usize = 5;
/// Nodes along each axis of the volume.
const NODES: usize = 300;

/// A wave of 12 Hz with a different arrival time at each receiver, and zeros at the end, for
/// `zeros` s.
fn recording(interval: f64, zeros: f64) -> Recording {
    let last = SAMPLES - (zeros / interval) as usize;
    let gather = Array2::from_shape_fn((TRACES, SAMPLES), |(trace, n)| {
        let x = 12.0 * (n as f64 * interval - 0.5 - 1e-4 * trace as f64);
        if n < last {
            ((1.0 - 20.0 * x * x) * (-10.0 * x * x).exp() + 1e-3 * (97.0 * x).sin()) as f32
        } else {
            0.0
        }
    });
    let receivers = line(Axes::xz(0.0, 0.0), Axes::xz(13_400.0, 0.0), TRACES);
    Recording { gather, interval, receivers }
}

fn setup() -> Setup {
    Setup {
        model: builtin("salt", None, None).expect("a built-in model"),
        operator: Family::Taylor { order: 8 },
        boundary: Boundary { top: Top::Zero, sides: Absorber::Zero },
        time: Time {
            duration: 0.0,
            step: Step::Auto,
            record: None,
            dispersion: TimeDispersion::Kept,
        },
        shots: Vec::new(),
        snapshots: Vec::new(),
        initial: None,
        window: None,
        density: Density::default(),
        anisotropy: None,
        allow_unstable: false,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{TRACES} traces of {SAMPLES} samples, s: median (best) of {ROUNDS}");
    for (what, interval, zeros) in [
        ("every step a sample", 1e-3, 0.0),
        ("with half a second of zeros", 1e-3, 0.5),
        ("every second step a sample", 4e-3, 0.0),
    ] {
        let recording = recording(interval, zeros);
        let mut seconds = Vec::new();
        let mut dt = 0.0;
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            let plan =
                Plan::new(setup().time_reversed(&recording, 1, SourceKind::Monopole, 1.0)?)?;
            seconds.push(begun.elapsed().as_secs_f64());
            dt = plan.time.dt;
        }
        tell(&format!("{what}, {interval} s and steps of {dt:.6} s"), seconds);
    }
    volumes()
}

fn tell(what: &str, mut seconds: Vec<f64>) {
    seconds.sort_by(f64::total_cmp);
    println!("{what}: {:.2} ({:.2})", seconds[seconds.len() / 2], seconds[0]);
}

/// Plans of a volume of one density, of layers, of densities that differ by up to 2 at random from
/// node to node, and by up to 4: these need a test of their lines.
fn volumes() -> Result<(), Box<dyn Error>> {
    let all = (NODES, NODES, NODES);
    let model =
        VelocityModel::volume(Array3::from_elem(all, 2000.0), Axes { z: 10.0, x: 10.0, y: 10.0 })?;
    let at_random = |most: usize| {
        move |(y, x, z): (usize, usize, usize)| {
            let n = (y * NODES + x) * NODES + z;
            1000.0 + 1000.0 * ((n * 7919 % 1000) * most) as f32 / 1000.0
        }
    };
    let layers = |(_, _, z): (usize, usize, usize)| 1000.0 + 200.0 * (z / 30) as f32;
    for (what, density) in [
        ("one density", Density::uniform(2000.0)?),
        ("layers", Density::new(Array3::from_shape_fn(all, layers))?),
        ("ratios to 2", Density::new(Array3::from_shape_fn(all, at_random(1)))?),
        ("ratios to 4", Density::new(Array3::from_shape_fn(all, at_random(3)))?),
    ] {
        let mut seconds = Vec::new();
        for _ in 0..ROUNDS {
            let time = Time { duration: 0.1, ..setup().time };
            let setup = Setup { model: model.clone(), density: density.clone(), time, ..setup() };
            let begun = Instant::now();
            let plan = Plan::new(setup)?;
            seconds.push(begun.elapsed().as_secs_f64());
            drop(plan);
        }
        tell(&format!("a volume of {NODES}^3, {what}"), seconds);
    }
    Ok(())
}
