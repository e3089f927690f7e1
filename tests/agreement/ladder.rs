//! Every kernel of the ladder gives the oracle's Laplacian and the oracle's steps: odd sizes, every wing,
//! several workgroups, with run-time checks and without.

use crate::common::{engines, random};
use huygens::{
    engine::{
        Engine,
        cpu::{Reference, Scalar},
        gpu::bench::{
            Bench, BenchError, EXPLICIT, Kernel, MAJOR, MAJOR_COLUMNS, MAJOR_PLANE, MINOR, PADDED,
            TILE, UNIFORM, Update, VECTOR, Workgroup,
        },
    },
    plan::Plan,
    workflow::ladder::{Case, Operator},
};
use ndarray::Array2;

const STEPS: usize = 10;
/// Of the result's maximum.
const TOLERANCE: f64 = 2e-6;

type Step = Vec<(&'static Kernel, Workgroup)>;

/// Every way to make a step that the ladder times.
fn steps() -> Vec<Step> {
    let group = Workgroup::new;
    let one = |kernel: &'static Kernel, groups: &[Workgroup]| -> Vec<Step> {
        groups.iter().map(|group| vec![(kernel, *group)]).collect()
    };
    let major = |first: &'static Kernel, groups: &[Workgroup]| -> Vec<Step> {
        groups.iter().map(|group| vec![(first, *group), (&MINOR, MINOR.workgroup)]).collect()
    };
    let plain = [group(64, 4), group(32, 1), group(8, 32)];
    let vectors: Vec<_> =
        [1, 2, 4, 8, 16].map(|columns| group(8, 4).columns(columns)).into_iter().collect();
    [
        one(&EXPLICIT, &plain),
        one(&PADDED, &plain),
        one(&UNIFORM, &plain),
        one(&TILE, &[group(32, 16), group(16, 16), group(8, 4), group(128, 1)]),
        one(&VECTOR, &vectors),
        major(&MAJOR, &[group(256, 1), group(32, 1), group(1, 1)]),
        major(&MAJOR_COLUMNS, &[group(1, 1), group(1, 2), group(1, 3)]),
        major(&MAJOR_PLANE, &[group(1, 1), group(1, 2), group(1, 3)]),
        vec![vec![(&MAJOR, MAJOR.workgroup), (&MINOR, group(8, 8))]],
    ]
    .concat()
}

fn oracle(plan: &Plan, update: Update) -> Array2<f64> {
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
fn error(ours: &Array2<f32>, oracle: &Array2<f64>) -> f64 {
    let peak = oracle.iter().fold(0.0f64, |m, p| m.max(p.abs()));
    let differences = ours.iter().zip(oracle).map(|(a, b)| (f64::from(*a) - b).abs());
    // A NaN is the worst of differences.
    differences.fold(0.0, |m, d| if d > m || d.is_nan() { d } else { m }) / peak
}

fn run(bench: &Bench<'_>, step: &Step, update: Update, checked: bool) -> Option<Array2<f32>> {
    let steps = if update == Update::Wave { STEPS } else { 1 };
    match bench.chain(step, update, checked) {
        Ok(chain) => Some(chain.field(bench, steps).expect("the field comes back")),
        // Whole columns do not fit every device; which they are is asserted below.
        Err(BenchError::Refused { .. }) => None,
        Err(BenchError::Engine(error)) => panic!("{error}"),
    }
}

fn compare(case: Case) {
    let plan = case.plan().expect("a case that can be");
    for gpu in engines::opened(false) {
        let bench = Bench::new(&gpu, &plan).expect("a small field fits");
        let (mut worst, mut refused) = (0.0f64, 0);
        for update in [Update::Laplacian, Update::Wave] {
            let oracle = oracle(&plan, update);
            for step in steps() {
                for checked in [false, true] {
                    let Some(field) = run(&bench, &step, update, checked) else {
                        refused += 1;
                        assert!(
                            step[0].0.name.starts_with("major_"),
                            "{} was refused",
                            step[0].0.name
                        );
                        continue;
                    };
                    let error = error(&field, &oracle);
                    let (kernel, group) = step[0];
                    assert!(
                        error <= TOLERANCE,
                        "{case:?}, {} {group}, {update:?}, checked {checked}: {error:e} of the maximum",
                        kernel.name
                    );
                    worst = worst.max(error);
                }
            }
        }
        println!("{} x {}, {}: {worst:.1e}, {refused} refused", case.nz, case.nx, case.operator);
    }
}

#[test]
fn every_wing_on_an_odd_size() {
    for order in [2, 4, 6, 8, 10, 12, 14, 16] {
        compare(Case { nz: 131, nx: 97, operator: Operator::Order(order) });
    }
    for wing in [3, 8, 16] {
        compare(Case { nz: 203, nx: 59, operator: Operator::Wing(wing) });
    }
}

#[test]
fn slivers_and_single_cells() {
    for (nz, nx) in [(1, 1), (1, 70), (70, 1), (300, 2), (5, 65), (33, 17)] {
        compare(Case { nz, nx, operator: Operator::Order(8) });
        compare(Case { nz, nx, operator: Operator::Wing(16) });
    }
}

#[test]
fn a_large_odd_size() {
    compare(Case { nz: 391, nx: 487, operator: Operator::Order(8) });
}

/// The twin of the ladder's kernels steps as the oracle of the engines does.
#[test]
fn the_scalar_twin_is_the_reference() {
    let plan =
        Case { nz: 61, nx: 47, operator: Operator::Wing(7) }.plan().expect("a case that can be");
    // The Reference fires the Plan's source too; before its wavelet starts that is nothing.
    let mut plan = plan;
    plan.shots[0].sources.clear();
    let mut run = Reference.start(&plan).expect("the oracle starts");
    run.advance(STEPS, &mut ()).expect("ten steps are stable");
    let field = run.field(0).expect("the field comes back");
    let error = error(&field, &oracle(&plan, Update::Wave));
    // The Reference's field comes back as f32.
    assert!(error < 1e-7, "{error:e}");
}

/// A test of the test: one coefficient off by 1 %, or a neighbour that is another, must not pass.
#[test]
fn a_wrong_coefficient_is_seen() {
    let case = Case { nz: 131, nx: 97, operator: Operator::Order(8) };
    let plan = case.plan().expect("a case that can be");
    let mut number = random(5);
    for gpu in engines::opened(false) {
        for update in [Update::Laplacian, Update::Wave] {
            let oracle = oracle(&plan, update);
            for step in steps() {
                let mut wrong = plan.clone();
                let axis =
                    if number() < 0.5 { &mut wrong.operator.x } else { &mut wrong.operator.z };
                axis.second[(3.0 * number()) as usize] *= 1.01;
                let bench = Bench::new(&gpu, &wrong).expect("a small field fits");
                let Some(field) = run(&bench, &step, update, false) else { continue };
                assert!(error(&field, &oracle) > 2.0 * TOLERANCE, "{}", step[0].0.name);
            }
        }
    }
}
