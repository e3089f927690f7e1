//! Every kernel of the ladders gives the oracle's Laplacian and the oracle's steps.

mod ete;
mod plane;
mod volume;

use crate::common::engines;
use huygens::{
    engine::{
        Layout,
        gpu::bench::{Bench, BenchError, Kernel, Update, Workgroup},
    },
    grid::Axes,
    ladder::{Case, Scalar},
    plan::Plan,
};
use ndarray::Array3;

/// A multiple of what any kernel takes a pass.
const STEPS: usize = 12;
/// Relative to the result's maximum.
const TOLERANCE: f64 = 2e-6;

type Step = Vec<(&'static Kernel, Workgroup)>;

fn oracle(plan: &Plan, update: Update) -> Array3<f64> {
    let mut oracle = Scalar::<f64>::new(plan);
    match update {
        Update::Laplacian => {
            oracle.laplacian();
            oracle.result()
        }
        Update::Wave => {
            (0..STEPS).for_each(|_| oracle.step());
            oracle.field()
        }
    }
}

/// The largest difference, of the oracle's maximum.
fn error(ours: &Array3<f32>, oracle: &Array3<f64>) -> f64 {
    let peak = oracle.iter().fold(0.0f64, |m, p| m.max(p.abs()));
    let differences = ours.iter().zip(oracle).map(|(a, b)| (f64::from(*a) - b).abs());
    // A NaN is the worst of differences.
    differences.fold(0.0, |m, d| if d > m || d.is_nan() { d } else { m }) / peak
}

/// The largest |p|; a NaN is above everything.
fn peak(field: &Array3<f32>) -> f32 {
    field.iter().fold(0.0, |m: f32, p| if p.abs() <= m { m } else { p.abs() })
}

fn run(
    bench: &Bench<'_>,
    step: &Step,
    update: Update,
    checked: bool,
) -> Result<Array3<f32>, String> {
    let steps = if update == Update::Wave { STEPS } else { 1 };
    match bench.chain(step, update, checked) {
        Ok(chain) => Ok(chain.field(steps).expect("the field comes back")),
        // Not every device takes every grouping; `compare` knows which.
        Err(BenchError::Refused { why, .. }) => Err(why),
        Err(error) => panic!("{error}"),
    }
}

/// `checked`: with run-time checks too.
fn compare(case: Case, steps: &[Step], checked: bool) {
    let plan = case.plan().expect("a case that can be");
    compare_with(&plan, case, steps, checked);
}

/// With an operator whose outermost coefficients are large. A Taylor operator's are so small that
/// an error in their product over several steps, all that a halo one node short gets wrong, hides
/// in rounding.
fn compare_with_heavy_tips(case: Case, steps: &[Step]) {
    let mut plan = case.plan().expect("a case that can be");
    let Axes { z, x, y } = &mut plan.operator;
    for axis in [z, x, y] {
        let centre = axis.second[0];
        if let Some(tip) = axis.second.last_mut() {
            *tip = -0.75 * centre;
        }
    }
    compare_with(&plan, case, steps, false);
}

fn compare_with(plan: &Plan, case: Case, steps: &[Step], checked: bool) {
    for (gpu, adapter) in engines::opened(false).into_iter().zip(engines::adapters()) {
        let bench = Bench::new(&gpu, plan).expect("a small field fits");
        let (mut worst, mut refused) = (0.0f64, 0);
        let column = Layout::new(plan).column;
        let invocations = |(kernel, group): (&Kernel, Workgroup)| match kernel.name {
            "major_columns" | "major_plane" => column * group.x,
            _ => group.z * group.x * group.y,
        };
        let fits = |kernel| invocations(kernel) <= adapter.max_invocations as usize;
        for update in [Update::Laplacian, Update::Wave] {
            let oracle = oracle(plan, update);
            for (step, checked) in steps
                .iter()
                .flat_map(|step| (0..=usize::from(checked)).map(move |c| (step, c == 1)))
            {
                let (kernel, group) = step[0];
                let several = kernel.steps > 1;
                let all_fit = step.iter().all(|kernel| fits(*kernel));
                let field = match run(&bench, step, update, checked) {
                    Ok(field) => field,
                    Err(why) => {
                        refused += 1;
                        let bare = several && update == Update::Laplacian;
                        let known = ["bytes of workgroup memory", "halos"];
                        let known = known.iter().any(|known| why.contains(known));
                        assert!(
                            !all_fit || known || bare && why.contains("one step a pass only"),
                            "{} {group} was refused: {why}",
                            kernel.name
                        );
                        continue;
                    }
                };
                assert!(all_fit, "{} {group} was not refused", kernel.name);
                assert!(!several || update == Update::Wave, "{} has no Laplacian", kernel.name);
                let error = error(&field, &oracle);
                assert!(
                    error <= TOLERANCE,
                    "{case}, {} {group}, {update:?}, checked {checked}: {error:e} of the maximum",
                    kernel.name
                );
                worst = worst.max(error);
            }
        }
        println!("{case}: {worst:.1e} of the maximum, {refused} refused");
    }
}

/// The ladder's kernels share their fields, and are timed over thousands of steps: what they leave
/// is still a wavefield, no infinity or NaN, on which a processor may be faster or slower.
fn stays_finite(case: Case, steps: &[Step], count: usize) {
    let plan = case.plan().expect("a case");
    let before = plan.initial.as_ref().expect("a random field").now.map(|p| p.abs());
    let before = before.iter().fold(0.0f32, |m, p| m.max(*p));
    for gpu in engines::opened(false) {
        let bench = Bench::new(&gpu, &plan).expect("a small field fits");
        for step in steps {
            let one = step.iter().all(|(kernel, _)| kernel.steps == 1);
            for update in [Update::Wave, Update::Laplacian].into_iter().take(1 + usize::from(one)) {
                let mut chain = match bench.chain(step, update, false) {
                    Err(BenchError::Refused { kernel, why, .. }) => {
                        println!("NOT RUN on this device: {kernel}: {why}");
                        continue;
                    }
                    chain => chain.expect("a small column fits"),
                };
                chain.sample(count).expect("many steps");
                let peak = peak(&bench.field().expect("the field comes back"));
                let name = step[0].0.name;
                assert!(peak > 0.0 && peak < 1e3 * before, "{name}, {update:?}: {peak}");
            }
        }
    }
}
