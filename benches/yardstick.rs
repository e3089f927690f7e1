//! The CPU engine beside the same step in C with OpenMP, `benches/c/step3d.c`: 256 x 256 x 256,
//! order 8, two layers of velocity, no absorbing layers.
//!
//! Runs only when it is given a C compiler, with its options:
//!
//! ```text
//! HUYGENS_CC="gcc -std=c11 -O3 -march=native -ffast-math -fopenmp" cargo bench --bench yardstick
//! ```
//!
//! The two take turns, so that a busy machine is as busy for one as for the other; the ratio is the
//! median of the rounds' ratios. Their fields must agree at the end. `RAYON_NUM_THREADS` sets the
//! threads of both.

use huygens::{
    acquisition::{Ricker, Shot, Source, SourceKind, TimeDispersion, Wavelet},
    boundary::{Absorber, Boundary, Top},
    engine::{Engine, cpu::Parallel},
    grid::Axes,
    model::{Density, VelocityModel},
    plan::{Plan, Setup, Step, Time, Window},
    stencil::Family,
};
use ndarray::Array3;
use std::{
    env,
    error::Error,
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Instant,
};

/// Nodes a side.
const N: usize = 256;
/// Steps a round.
const STEPS: usize = 12;
const ROUNDS: usize = 21;
/// Rounds whose times are not taken.
const WARM_UP: usize = 2;
/// Relative to the field's maximum: both are f32, and sum in different orders.
const TOLERANCE: f32 = 1e-4;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let Ok(compiler) = env::var("HUYGENS_CC") else {
        println!("yardstick: not run, HUYGENS_CC names no C compiler");
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let plan = plan()?;
    let mut twin = Twin::start(&compiler, folder.path(), &plan)?;
    let mut run = Parallel.start(plan.clone().into())?;
    let mut times = Vec::new();
    for round in 0..WARM_UP + ROUNDS {
        let begun = Instant::now();
        run.advance(STEPS, &mut ())?;
        let ours = begun.elapsed().as_secs_f64();
        let theirs = twin.advance(&plan, round * STEPS)?;
        if round >= WARM_UP {
            times.push([ours, theirs]);
        }
    }
    let blocking = twin.blocking.clone();
    let (ours, theirs) = (run.field(0)?, twin.field(folder.path())?);
    let peak = |field: &Array3<f32>| field.iter().fold(0.0f32, |m, p| m.max(p.abs()));
    let difference = peak(&(&ours - &theirs)) / peak(&theirs);
    let agree = difference <= TOLERANCE;

    let rate = |seconds: f64| (N * N * N * STEPS) as f64 / seconds / 1e9;
    println!("{N} x {N} x {N}, order 8, {ROUNDS} rounds of {STEPS} steps; Gpts/s, median (best)");
    println!("{}, {}", Parallel.describe().device, Parallel.describe().kernel);
    for (name, i) in [("huygens", 0), ("C", 1)] {
        let rates = sorted(times.iter().map(|t| rate(t[i])));
        println!("{name:<8} {:.2} ({:.2})", rates[ROUNDS / 2], rates[ROUNDS - 1]);
    }
    let ratios = sorted(times.iter().map(|[ours, theirs]| theirs / ours));
    let [low, middle, high] = [ROUNDS / 4, ROUNDS / 2, ROUNDS * 3 / 4].map(|i| ratios[i]);
    println!("ratio    {middle:.2}, half of the rounds within {low:.2} to {high:.2}");
    println!("C's blocks of planes and columns: {blocking}");
    println!("the fields differ by {difference:.1e} of the maximum");
    if agree { Ok(()) } else { Err(format!("that is more than {TOLERANCE:e}").into()) }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// A source in the middle, an interface below it.
fn plan() -> Result<Plan> {
    let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
    let (dt, steps) = (0.0015, STEPS * (WARM_UP + ROUNDS));
    let velocity = |(_, _, z)| if z < N * 9 / 16 { 2000.0 } else { 2500.0 };
    let wavelet = Wavelet::Ricker(Ricker { peak_hz: 15.0, delay: 0.1 });
    let at = Axes { z: 1280.0, x: 1280.0, y: 1280.0 };
    Ok(Plan::new(Setup {
        model: VelocityModel::volume(Array3::from_shape_fn((N, N, N), velocity), h)?,
        operator: Family::Taylor { order: 8 },
        boundary: Boundary { top: Top::Zero, sides: Absorber::Zero },
        time: Time {
            duration: dt * steps as f64,
            step: Step::Seconds(dt),
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
    })?)
}

/// The C program under way.
struct Twin {
    program: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Its best blocking.
    blocking: String,
}

impl Twin {
    fn start(compiler: &str, folder: &Path, plan: &Plan) -> Result<Self> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/c/step3d.c");
        let program = folder.join("step3d");
        let mut words = compiler.split_whitespace();
        let mut build = Command::new(words.next().ok_or("HUYGENS_CC is empty")?);
        let built = build.args(words).arg(source).arg("-o").arg(&program).status()?;
        if !built.success() {
            return Err(format!("`{compiler}` could not build the twin ({built})").into());
        }
        let v2dt2 = plan
            .grid
            .nodes()
            .flat_map(|node| (plan.v2dt2(Window::whole(0), node) as f32).to_le_bytes());
        fs::write(folder.join("model"), v2dt2.collect::<Vec<_>>())?;
        let mut program = Command::new(program)
            .args([folder.join("model"), folder.join("field")])
            .env("OMP_NUM_THREADS", rayon::current_num_threads().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut input = program.stdin.take().ok_or("the twin has no input")?;
        let output = BufReader::new(program.stdout.take().ok_or("the twin has no output")?);
        // The spacing is the same along all axes.
        let mut coefficients = plan.operator.z.second.clone();
        coefficients[0] *= 3.0;
        let words: Vec<_> = coefficients.iter().map(f64::to_string).collect();
        let at = plan.shots[0].sources[0].at;
        writeln!(input, "{N} {} {} {} {}", words.join(" "), at.z, at.x, at.y)?;
        let mut twin = Twin { program, input, output, blocking: String::new() };
        twin.blocking = twin.answer()?;
        Ok(twin)
    }

    fn answer(&mut self) -> Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.trim().into())
    }

    /// A round from a step on; the seconds that it took.
    fn advance(&mut self, plan: &Plan, first: usize) -> Result<f64> {
        let source = &plan.shots[0].sources[0];
        let samples = &plan.wavelets[source.wavelet][first..first + STEPS];
        let words: Vec<_> = samples.iter().map(|s| (source.scale * s).to_string()).collect();
        writeln!(self.input, "{STEPS} {}", words.join(" "))?;
        Ok(self.answer()?.parse()?)
    }

    /// p at the end, shape `[y][x][z]`.
    fn field(self, folder: &Path) -> Result<Array3<f32>> {
        let Twin { mut program, input, .. } = self;
        drop(input);
        let ended = program.wait()?;
        if !ended.success() {
            return Err(format!("the twin failed ({ended})").into());
        }
        let bytes = fs::read(folder.join("field"))?;
        let values = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        Ok(Array3::from_shape_vec((N, N, N), values.collect())?)
    }
}
