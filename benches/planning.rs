//! From a recording to the Plan that sends it back: 8,000 traces of 4,001 samples,
//! `cargo bench --bench planning`.

use huygens::{
    acquisition::{Recording, SourceKind, TimeDispersion, line},
    boundary::{Absorber, Boundary, Top},
    grid::Axes,
    model::{Density, builtin},
    plan::{Plan, Setup, Step, Time},
    stencil::Family,
};
use ndarray::Array2;
use std::{error::Error, time::Instant};

const TRACES: usize = 8_000;
const SAMPLES: usize = 4_001;
const ROUNDS: usize = 5;

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
                Plan::new(setup().time_reversed(&recording, 1, (SourceKind::Monopole, 1.0))?)?;
            seconds.push(begun.elapsed().as_secs_f64());
            dt = plan.time.dt;
        }
        seconds.sort_by(f64::total_cmp);
        println!(
            "{what}, {interval} s and steps of {dt:.6} s: {:.2} ({:.2})",
            seconds[ROUNDS / 2],
            seconds[0]
        );
    }
    Ok(())
}
