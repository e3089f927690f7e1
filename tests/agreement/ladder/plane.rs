//! The 2-D ladder: odd sizes, every wing, several workgroups, with run-time checks and without.

use super::{
    STEPS, Step, TOLERANCE, compare, compare_with_heavy_tips, error, oracle, run, stays_finite,
};
use crate::common::{all_or, engines, full, left_to_full};
use huygens::{
    engine::{
        Engine,
        cpu::Reference,
        gpu::bench::{
            BOUNDS, Bench, BenchError, Copies, EXPLICIT, Kernel, MAJOR, MAJOR_COLUMNS, MAJOR_PLANE,
            MINOR, PADDED, Part, QUEUE_4, RoundTrip, STRIP_STEPS, TILE, TILE_STEPS, UNIFORM,
            Update, VECTOR, Workgroup,
        },
    },
    ladder::{Case, Operator},
};
use ndarray::Array3;

/// Every step that the ladder makes, with the workgroups that it makes them with.
fn usual_steps() -> Vec<Step> {
    let one = |kernel: &'static Kernel| vec![(kernel, kernel.workgroup)];
    let minor = (&MINOR, MINOR.workgroup);
    let mut steps: Vec<Step> = [&EXPLICIT, &PADDED, &UNIFORM, &TILE].map(one).into();
    steps.extend(
        [&MAJOR, &MAJOR_COLUMNS, &MAJOR_PLANE].map(|major| vec![(major, major.workgroup), minor]),
    );
    steps.extend(VECTOR.workgroups().map(|group| vec![(&VECTOR, group)]));
    steps.extend(TILE_STEPS.iter().chain(&STRIP_STEPS).map(one));
    steps
}

/// The steps with other workgroups.
fn unusual_steps() -> Vec<Step> {
    let group = Workgroup::new;
    let one = |kernel: &'static Kernel, groups: &[Workgroup]| -> Vec<Step> {
        groups.iter().map(|group| vec![(kernel, *group)]).collect()
    };
    let major = |first: &'static Kernel, groups: &[Workgroup]| -> Vec<Step> {
        groups.iter().map(|group| vec![(first, *group), (&MINOR, MINOR.workgroup)]).collect()
    };
    let plain = [group(32, 1), group(8, 32)];
    let tiles = [group(16, 16).columns(3), group(10, 12).columns(5)];
    let strips = [group(16, 1).columns(5), group(11, 1).columns(1)];
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
        TILE_STEPS.iter().flat_map(|kernel| one(kernel, &tiles)).collect(),
        STRIP_STEPS.iter().flat_map(|kernel| one(kernel, &strips)).collect(),
        TILE_STEPS
            .iter()
            .chain(&STRIP_STEPS)
            .flat_map(|kernel| one(kernel, kernel.others))
            .collect(),
    ]
    .concat()
}

#[test]
fn every_wing_on_an_odd_size() {
    for order in all_or(&[2, 4, 6, 8, 10, 12, 14, 16], &[8]) {
        let case = Case::plane(131, 97, Operator::Order(order));
        compare(case, &usual_steps(), order == 8 && full());
    }
    for wing in all_or(&[3, 8, 16], &[16]) {
        let case = Case::plane(203, 59, Operator::Wing(wing));
        compare(case, &usual_steps(), wing == 8);
    }
}

/// Tiles and strips that end within the grid, and an operator that tells a halo that is a node
/// short.
#[test]
fn halos_of_several_steps_are_wide_enough() {
    let group = Workgroup::new;
    let tiles = [group(16, 16).columns(3), group(16, 12).columns(4)];
    let strips = [group(16, 1).columns(29), group(24, 1).columns(7)];
    let with = |kernels: &'static [Kernel], groups: [Workgroup; 2]| {
        kernels.iter().flat_map(move |kernel| groups.map(|group| vec![(kernel, group)]))
    };
    let steps: Vec<Step> = with(&TILE_STEPS, tiles).chain(with(&STRIP_STEPS, strips)).collect();
    for order in all_or(&[2, 4, 6, 8], &[4]) {
        compare_with_heavy_tips(Case::plane(131, 97, Operator::Order(order)), &steps);
    }
}

#[test]
fn slivers_and_single_cells() {
    let sizes = [(1, 1), (1, 70), (70, 1), (300, 2), (5, 65), (33, 17)];
    for (nz, nx) in all_or(&sizes, &[]) {
        compare(Case::plane(nz, nx, Operator::Wing(5)), &usual_steps(), false);
    }
    compare(Case::plane(31, 1, Operator::Wing(16)), &usual_steps(), full());
}

#[test]
fn other_workgroups_on_a_large_odd_size() {
    if left_to_full("other workgroups of the ladder in a plane") {
        return;
    }
    compare(Case::plane(391, 487, Operator::Order(8)), &unusual_steps(), false);
}

#[test]
fn the_timed_field_stays_finite() {
    let bounds = BOUNDS.map(|kernel| vec![(kernel, kernel.workgroup)]);
    let steps: Vec<_> = bounds.into_iter().chain(usual_steps()).collect();
    stays_finite(Case::plane(131, 97, Operator::Order(8)), &steps, 300);
}

/// The round trip returns the Laplacian, by either route of the copy.
#[test]
fn a_round_trip_brings_the_laplacian_back() {
    let case = Case::plane(131, 97, Operator::Wing(8));
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

/// A shape that a device does not support is rejected with the number and the limit, and not tried.
#[test]
fn unsupported_shapes_are_refused() {
    let plan = Case::plane(70, 50, Operator::Wing(16)).plan().expect("a case that can be");
    for gpu in engines::opened(false) {
        let bench = Bench::new(&gpu, &plan).expect("a small field fits");
        let too_many = Workgroup::new(1 << 12, 1 << 12);
        let hungry = Workgroup::new(512, 1);
        let uneven = VECTOR.workgroup.columns(3);
        let none = Workgroup::new(0, 1);
        let of_volumes = QUEUE_4.workgroup;
        let ignored = UNIFORM.workgroup.columns(2);
        for (kernel, group) in [
            (&UNIFORM, too_many),
            (&TILE, hungry),
            (&VECTOR, uneven),
            (&TILE, none),
            (&QUEUE_4, of_volumes),
            (&UNIFORM, ignored),
        ] {
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
    let case = Case::plane(61, 47, Operator::Wing(7));
    let mut plan = case.plan().expect("a case that can be");
    plan.shots[0].sources = Default::default();
    let mut run = Reference.start(plan.clone().into()).expect("the oracle starts");
    run.advance(STEPS, &mut ()).expect("ten steps are stable");
    let field = run.field(0).expect("the field comes back");
    let error = error(&field, &oracle(&plan, Update::Wave));
    // The Reference's field comes back as f32.
    assert!(error < 1e-7, "{error:e}");
}

/// Tests the test: one coefficient off by 1 % must not pass.
#[test]
fn a_wrong_coefficient_is_seen() {
    let case = Case::plane(131, 97, Operator::Order(8));
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
                let Ok(field) = run(&bench, &step, update, false) else { continue };
                assert!(error(&field, &oracle) > 2.0 * TOLERANCE, "{}", step[0].0.name);
            }
        }
    }
}
