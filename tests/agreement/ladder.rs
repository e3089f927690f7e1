//! Every kernel of the ladder gives the oracle's Laplacian and the oracle's steps: odd sizes, every wing,
//! several workgroups, with run-time checks and without.

use crate::common::engines;
use huygens::{
    engine::{
        Engine, Layout,
        cpu::{Reference, Scalar},
        gpu::bench::{
            Bench, BenchError, Copies, EMPTY, EXPLICIT, Kernel, MAJOR, MAJOR_COLUMNS, MAJOR_PLANE,
            MINOR, PADDED, Part, RoundTrip, STREAM, TILE, UNIFORM, Update, VECTOR, Workgroup,
        },
    },
    plan::Plan,
    workflow::ladder::{Case, Operator},
};
use ndarray::{Array2, Array3};

const STEPS: usize = 10;
/// Of the result's maximum.
const TOLERANCE: f64 = 2e-6;

type Step = Vec<(&'static Kernel, Workgroup)>;

/// Every step that the ladder makes, with the workgroups that it makes them with.
fn usual_steps() -> Vec<Step> {
    let one = |kernel: &'static Kernel| vec![(kernel, kernel.workgroup)];
    let minor = (&MINOR, MINOR.workgroup);
    let mut steps: Vec<Step> = [&EXPLICIT, &PADDED, &UNIFORM, &TILE].map(one).into();
    steps.extend(
        [&MAJOR, &MAJOR_COLUMNS, &MAJOR_PLANE].map(|major| vec![(major, major.workgroup), minor]),
    );
    steps.extend(VECTOR.workgroups().map(|group| vec![(&VECTOR, group)]));
    steps
}

/// The same with other workgroups.
fn unusual_steps() -> Vec<Step> {
    let group = Workgroup::new;
    let one = |kernel: &'static Kernel, groups: &[Workgroup]| -> Vec<Step> {
        groups.iter().map(|group| vec![(kernel, *group)]).collect()
    };
    let major = |first: &'static Kernel, groups: &[Workgroup]| -> Vec<Step> {
        groups.iter().map(|group| vec![(first, *group), (&MINOR, MINOR.workgroup)]).collect()
    };
    let plain = [group(32, 1), group(8, 32)];
    [
        one(&EXPLICIT, &plain),
        one(&PADDED, &plain),
        one(&UNIFORM, &plain),
        one(&TILE, &[group(16, 16), group(8, 4), group(128, 1)]),
        one(&VECTOR, &[1, 4, 8, 16].map(|columns| group(8, 4).columns(columns))),
        major(&MAJOR, &[group(32, 1), group(1, 1)]),
        major(&MAJOR_COLUMNS, &[group(1, 2), group(1, 3)]),
        major(&MAJOR_PLANE, &[group(1, 2), group(1, 3)]),
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
fn error(ours: &Array3<f32>, oracle: &Array2<f64>) -> f64 {
    let peak = oracle.iter().fold(0.0f64, |m, p| m.max(p.abs()));
    let differences = ours.iter().zip(oracle).map(|(a, b)| (f64::from(*a) - b).abs());
    // A NaN is the worst of differences.
    differences.fold(0.0, |m, d| if d > m || d.is_nan() { d } else { m }) / peak
}

fn run(bench: &Bench<'_>, step: &Step, update: Update, checked: bool) -> Option<Array3<f32>> {
    let steps = if update == Update::Wave { STEPS } else { 1 };
    match bench.chain(step, update, checked) {
        Ok(chain) => Some(chain.field(bench, steps).expect("the field comes back")),
        // Whole columns do not fit every device; `compare` knows which.
        Err(BenchError::Refused { .. }) => None,
        Err(BenchError::Engine(error)) => panic!("{error}"),
    }
}

/// `checked`: with run-time checks too.
fn compare(case: Case, steps: &[Step], checked: bool) {
    let plan = case.plan().expect("a case that can be");
    for (gpu, adapter) in engines::opened(false).into_iter().zip(engines::adapters()) {
        let bench = Bench::new(&gpu, &plan).expect("a small field fits");
        let (mut worst, mut refused) = (0.0f64, 0);
        let column = Layout::new(&plan).column;
        let fits = |(kernel, group): (&Kernel, Workgroup)| {
            let whole_columns = kernel.name.starts_with("major_");
            !whole_columns || column * group.x <= adapter.max_invocations as usize
        };
        for update in [Update::Laplacian, Update::Wave] {
            let oracle = oracle(&plan, update);
            for (step, checked) in steps
                .iter()
                .flat_map(|step| (0..=usize::from(checked)).map(move |c| (step, c == 1)))
            {
                let (kernel, group) = step[0];
                let Some(field) = run(&bench, step, update, checked) else {
                    refused += 1;
                    assert!(!fits(step[0]), "{} {group} was refused", kernel.name);
                    continue;
                };
                assert!(fits(step[0]), "{} {group} was not refused", kernel.name);
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

#[test]
fn every_wing_on_an_odd_size() {
    for order in (2..=16).step_by(2) {
        let case = Case { nz: 131, nx: 97, operator: Operator::Order(order) };
        compare(case, &usual_steps(), order == 8);
    }
    for wing in [3, 8, 16] {
        let case = Case { nz: 203, nx: 59, operator: Operator::Wing(wing) };
        compare(case, &usual_steps(), wing == 8);
    }
}

#[test]
fn slivers_and_single_cells() {
    for (nz, nx) in [(1, 1), (1, 70), (70, 1), (300, 2), (5, 65), (33, 17)] {
        compare(Case { nz, nx, operator: Operator::Wing(5) }, &usual_steps(), false);
    }
    compare(Case { nz: 31, nx: 1, operator: Operator::Wing(16) }, &usual_steps(), true);
}

#[test]
fn other_workgroups_on_a_large_odd_size() {
    compare(Case { nz: 391, nx: 487, operator: Operator::Order(8) }, &unusual_steps(), false);
}

/// The ladder's kernels share their fields, and are timed over thousands of steps: what they leave is still
/// a wavefield, no infinity or NaN, on which a processor may be faster or slower.
#[test]
fn what_is_timed_stays_finite() {
    let plan = Case { nz: 61, nx: 47, operator: Operator::Wing(8) }.plan().expect("a case");
    let before = plan.initial.as_ref().expect("a random field").now.map(|p| p.abs());
    let before = before.iter().fold(0.0f32, |m, p| m.max(*p));
    for gpu in engines::opened(false) {
        let bench = Bench::new(&gpu, &plan).expect("a small field fits");
        let bounds = [&STREAM, &EMPTY].map(|kernel| vec![(kernel, kernel.workgroup)]);
        for step in bounds.into_iter().chain(usual_steps()) {
            for update in [Update::Wave, Update::Laplacian] {
                let mut chain = bench.chain(&step, update, false).expect("a small column fits");
                chain.sample(1000).expect("a thousand steps");
                let peak = bench.field().expect("the field comes back").map(|p| p.abs());
                // A NaN is above everything.
                let peak = peak.iter().fold(0.0, |m: f32, p| if *p <= m { m } else { *p });
                let name = step[0].0.name;
                assert!(peak > 0.0 && peak < 1e3 * before, "{name}, {update:?}: {peak}");
            }
        }
    }
}

/// What makes the round trip is the Laplacian, whichever way it is copied.
#[test]
fn a_round_trip_brings_the_laplacian_back() {
    let case = Case { nz: 131, nx: 97, operator: Operator::Wing(8) };
    let plan = case.plan().expect("a case that can be");
    let oracle = oracle(&plan, Update::Laplacian);
    for gpu in engines::opened(false) {
        let bench = Bench::new(&gpu, &plan).expect("a small field fits");
        for copies in [Copies::Whole, Copies::Columns] {
            let step = [(&VECTOR, VECTOR.workgroup)];
            let trip = RoundTrip::new(&bench, &step, copies, Part::RoundTrip, false);
            let mut trip = trip.expect("every device takes it");
            trip.sample(3).expect("three steps");
            let ours = Array3::from_shape_vec((1, case.nx, case.nz), trip.laplacian().to_vec());
            let ours = ours.expect("a value a node");
            assert!(error(&ours, &oracle) <= TOLERANCE, "{copies:?}");
        }
    }
}

/// What a device does not take is said with the number and the limit, and not tried.
#[test]
fn what_a_device_does_not_take_is_refused() {
    let plan =
        Case { nz: 70, nx: 50, operator: Operator::Wing(16) }.plan().expect("a case that can be");
    for gpu in engines::opened(false) {
        let bench = Bench::new(&gpu, &plan).expect("a small field fits");
        let too_many = Workgroup::new(1 << 12, 1 << 12);
        let hungry = Workgroup::new(512, 1);
        let uneven = VECTOR.workgroup.columns(3);
        let none = Workgroup::new(0, 1);
        for (kernel, group) in
            [(&UNIFORM, too_many), (&TILE, hungry), (&VECTOR, uneven), (&TILE, none)]
        {
            match bench.chain(&[(kernel, group)], Update::Wave, false) {
                Err(refused @ BenchError::Refused { .. }) => println!("{refused}"),
                // A device with much workgroup memory may take the hungry one.
                Ok(_) if group == hungry => {}
                Ok(_) => panic!("{} {group} was taken", kernel.name),
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// The twin of the ladder's kernels steps as the oracle of the engines does.
#[test]
fn the_scalar_twin_is_the_reference() {
    let case = Case { nz: 61, nx: 47, operator: Operator::Wing(7) };
    let mut plan = case.plan().expect("a case that can be");
    plan.shots[0].sources.clear();
    let mut run = Reference.start(&plan).expect("the oracle starts");
    run.advance(STEPS, &mut ()).expect("ten steps are stable");
    let field = run.field(0).expect("the field comes back");
    let error = error(&field, &oracle(&plan, Update::Wave));
    // The Reference's field comes back as f32.
    assert!(error < 1e-7, "{error:e}");
}

/// A test of the test: one coefficient off by 1 % must not pass.
#[test]
fn a_wrong_coefficient_is_seen() {
    let case = Case { nz: 131, nx: 97, operator: Operator::Order(8) };
    let plan = case.plan().expect("a case that can be");
    for gpu in engines::opened(false) {
        for update in [Update::Laplacian, Update::Wave] {
            let oracle = oracle(&plan, update);
            for (index, step) in usual_steps().into_iter().enumerate() {
                let mut wrong = plan.clone();
                let operator = &mut wrong.operator;
                let axis = if index % 2 == 0 { &mut operator.x } else { &mut operator.z };
                axis.second[index % 3] *= 1.01;
                let bench = Bench::new(&gpu, &wrong).expect("a small field fits");
                let Some(field) = run(&bench, &step, update, false) else { continue };
                assert!(error(&field, &oracle) > 2.0 * TOLERANCE, "{}", step[0].0.name);
            }
        }
    }
}
