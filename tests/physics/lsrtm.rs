//! Least-squares migration gives the strength of reflectors, of Born traces and of those of the whole
//! equation; migration alone does not.

use huygens::{
    acquisition::{Band, Shot, Source, Wavelet, line},
    engine::{Engine, EngineError, Gathers, cpu::Parallel},
    grid::Axes,
    job::{Inputs, JobError, JobFile, Supplied},
    model::VelocityModel,
    operations::{
        OnStep,
        lsrtm::{LeastSquares, LeastSquaresSurvey, Solved},
        rtm::Stage,
        shot,
    },
    plan::{Imaging, Plan, PlanError, Scattering, Setup},
};
use ndarray::{Array2, Array3, ArrayView1, s};
use std::{ops::ControlFlow, path::PathBuf, sync::Arc};

const N: (usize, usize) = (111, 71);
const H: f64 = 12.5;
const PEAK: f64 = 12.0;
/// Nodes of the interfaces, and of the top and the base of the lens on the middle column.
const DEPTHS: [usize; 2] = [26, 54];
const JOB: &str = "\
[time]
duration = 0.9
step = 0.0015
[boundary]
top = \"absorb\"
sides = { kind = \"cpml\", cells = 15 }
[rtm]
smooth = 75.0
[lsrtm]
iterations = 8
";

/// Three layers and a lens.
fn truth() -> VelocityModel {
    let velocity = Array2::from_shape_fn(N, |(x, z)| {
        let (dx, dz) = ((x as f64 - 55.0) / 22.0, (z as f64 - 40.0) / 5.0);
        match z {
            _ if dx * dx + dz * dz < 1.0 => 2180.0,
            0..=25 => 1900.0,
            26..=53 => 2040.0,
            _ => 2200.0f32,
        }
    });
    VelocityModel::new(velocity, H, H).expect("a model")
}

fn shots() -> Vec<Shot> {
    let receivers = line(Axes::xz(0.0, 25.0), Axes::xz(1375.0, 25.0), 111);
    let place = |i: u32| Axes::xz(75.0 + 175.0 * f64::from(i), 25.0);
    let source = |i| Source::new(place(i), Wavelet::ricker(PEAK));
    (0..8).map(|i| Shot::new(source(i), receivers.clone())).collect()
}

#[derive(Debug)]
#[expect(dead_code, reason = "it is shown")]
struct Failed(String);

macro_rules! failed {
    ($($error:ty),+) => {$(
        impl From<$error> for Failed {
            fn from(error: $error) -> Self {
                Failed(error.to_string())
            }
        }
    )+};
}

failed![EngineError, JobError, PlanError];

fn file(direct: &str, illumination: f64) -> JobFile {
    let text = JOB.replace("[rtm]\n", &format!("[rtm]\ndirect = \"{direct}\"\n"));
    let text = format!("{text}illumination = {illumination}\n");
    let mut file = JobFile::parse("a job", &text, PathBuf::new()).expect("a job");
    file.supplied = Supplied { model: Some(truth()), shots: Some(shots()), ..Supplied::default() };
    file
}

/// The image of some traces at every step, and the residuals.
fn solved(file: &JobFile, inputs: &Inputs, of: &LeastSquares, traces: Vec<Array2<f32>>) -> Solved {
    let recorded =
        file.recorded_in("traces", traces, inputs.plan.time.dt).expect("they are of the shots");
    let engines: [&dyn Engine; 1] = [&Parallel];
    let mut begin = |_: Stage<'_>| -> Result<Box<OnStep<'_>>, Failed> {
        Ok(Box::new(|_| ControlFlow::Continue(())))
    };
    let survey = LeastSquaresSurvey { engines: &engines, inputs, of };
    let done = survey.solve(Some(recorded), None, &mut begin, &mut |_, _| Ok(()));
    done.expect("it is solved").solved
}

/// What dv/v scatters, at every step.
fn scattered(plan: &Plan, image: &Array3<f64>) -> Vec<Array2<f32>> {
    let imaging = Imaging { every: 1, slots: plan.time.steps + 1 };
    let run = |plan: Plan| {
        let mut source = Parallel.start(Arc::new(plan.stored(imaging))).expect("it starts");
        source.advance(plan.time.steps, &mut ()).expect("a stable run");
        source.finish(&mut ()).expect("a stable run");
        let wave = source.source_wavefield().expect("it is kept");
        let perturbation = image * -2.0;
        let plan = Arc::new(plan.scattered(Scattering { imaging, perturbation }));
        let mut run = Parallel.start_with(plan.clone(), &wave).expect("it starts");
        let mut gathers = Gathers::new(&plan);
        run.advance(plan.time.steps, &mut gathers).expect("a stable run");
        run.finish(&mut gathers).expect("a stable run");
        gathers.shots.remove(0)
    };
    (0..plan.shots.len()).map(|shot| run(plan.batch(shot..shot + 1))).collect()
}

/// A column of dv/v in the band of the wavelet, in two-way time.
fn in_band(column: ArrayView1<'_, f64>, velocity: ArrayView1<'_, f32>) -> Vec<f64> {
    let (dt, count) = (1e-3, 900);
    let times: Vec<f64> = velocity
        .iter()
        .scan(0.0, |t, v| {
            let now = *t;
            *t += 2.0 * H / f64::from(*v);
            Some(now)
        })
        .collect();
    let at = |k: usize| {
        let t = k as f64 * dt;
        let after = times.partition_point(|time| *time <= t).clamp(1, times.len() - 1);
        let part = ((t - times[after - 1]) / (times[after] - times[after - 1])).min(1.0);
        column[after - 1] + part * (column[after] - column[after - 1])
    };
    let wavelet = Wavelet::ricker(PEAK).samples(dt, 400).expect("samples");
    Band::new(&wavelet, count).expect("it sounds").pass((0..count).map(at))
}

/// The factor of an image at the peaks of the true one, in the wavelet's band, around some times of the
/// columns in the middle half: the mean over the columns of each reflector.
fn factors(image: &Array3<f64>, exact: &Array3<f64>, velocity: &VelocityModel) -> Vec<f64> {
    let columns = N.0 / 4..N.0 - N.0 / 4;
    let of_depth = |depth: usize| {
        let of_column = |x: usize| {
            let velocity = velocity.velocity();
            let column =
                |of: &Array3<f64>| in_band(of.slice(s![0, x, ..]), velocity.slice(s![0, x, ..]));
            let (found, exact) = (column(image), column(exact));
            let slowness = velocity.slice(s![0, x, ..depth]);
            let t: f64 = slowness.iter().map(|v| 2.0 * H / f64::from(*v)).sum();
            let near = (1e3 * t) as usize - 40..(1e3 * t) as usize + 40;
            let peak = near.max_by(|a, b| exact[*a].abs().total_cmp(&exact[*b].abs()));
            let peak = peak.expect("samples");
            (found[peak], exact[peak])
        };
        let pairs: Vec<_> = columns.clone().map(of_column).collect();
        let sum = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
        sum(|pair| pair.0 * pair.1) / sum(|pair| pair.1 * pair.1)
    };
    DEPTHS.into_iter().chain([40]).map(of_depth).collect()
}

#[test]
fn reflectors_have_their_strength() {
    let file = file("kept", 2.0);
    let inputs = file.inputs().expect("sound inputs");
    let of = file.least_squares(&inputs.setup, inputs.plan.time.dt).expect("keys that fit");
    let smooth = truth().smoothed(75.0).expect("smoothed");
    let exact = (&truth().velocity() - &smooth.velocity()).mapv(f64::from)
        / smooth.velocity().mapv(f64::from);
    let plan = Plan::new(Setup { model: smooth.clone(), ..inputs.setup.clone() }).expect("valid");
    let done = solved(&file, &inputs, &of, scattered(&plan, &exact));
    let residuals = done.residuals();
    assert!(residuals.windows(2).all(|pair| pair[1] < pair[0]), "{residuals:?}");
    assert!(residuals.last() < Some(&0.2), "{residuals:?}");
    let found = factors(&done.image(&of), &exact, &smooth);
    println!("born: residuals {residuals:.3?}, factors {found:.3?}");
    // Eight iterations leave more of the lens than of the flat reflectors.
    let off: Vec<f64> = found.iter().map(|of| (of - 1.0).abs()).collect();
    assert!(off[0] < 0.1 && off[1] < 0.1 && off[2] < 0.2, "{found:?}");
}

#[test]
fn reflectors_of_the_whole_equation_have_their_strength() {
    let file = file("muted", 1.0);
    let inputs = file.inputs().expect("sound inputs");
    let of = file.least_squares(&inputs.setup, inputs.plan.time.dt).expect("keys that fit");
    let smooth = truth().smoothed(75.0).expect("smoothed");
    let exact = (&truth().velocity() - &smooth.velocity()).mapv(f64::from)
        / smooth.velocity().mapv(f64::from);
    let recorded = shot::run(&Parallel, &inputs.plan).expect("a stable run");
    let recorded = recorded.shots.into_iter().map(|shot| shot.gather).collect();
    let done = solved(&file, &inputs, &of, recorded);
    let found = factors(&done.image(&of), &exact, &smooth);
    println!("whole equation: residuals {:.3?}, factors {found:.3?}", done.residuals());
    let worst = found.iter().map(|of| (of - 1.0).abs()).fold(0.0, f64::max);
    assert!(worst < 0.15, "{found:?}");
}
