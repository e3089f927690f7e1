//! A migration whose shots are split over several engines makes the image of one, bit for bit.

use crate::{
    common::engines,
    rtm_wavefields::{CPML, FREE, SPONGE, images, plan, setup, with_offsets},
};
use huygens::{
    engine::{Engine, Split, cpu::Parallel},
    grid::Axis,
    operations::rtm::{Migration, Wavefield},
    plan::{Offsets, Plan, Setup},
    stencil::{Family, ete::Points},
};

const WAYS: [Wavefield; 3] = [Wavefield::Kept, Wavefield::Checkpoints, Wavefield::Host];

/// The image of each way on a split is that on the whole, and is no image of nothing.
fn same(whole: &dyn Engine, split: &Split, plan: &Plan, ways: &[Wavefield], case: &str) {
    for way in ways {
        let [one, ours] = [whole, split].map(|engine| images(engine, plan, *way, 5));
        let arrays = one.iter().flat_map(|of| &of.arrays);
        assert!(arrays.clone().all(|of| of.iter().any(|v| *v != 0.0)), "{case}");
        assert!(ours == one, "{case}, {way:?}");
    }
}

fn over_cpus(weights: &[f64]) -> Split {
    let cpus = weights.iter().map(|_| Box::new(Parallel) as Box<dyn Engine>);
    Split::new(cpus.collect(), weights).expect("a weight each")
}

#[test]
fn images_are_those_of_one_cpu() {
    let equal = [1.0; 5];
    let check = |plan: &Plan, weights: &[f64], case: &str| {
        same(&Parallel, &over_cpus(weights), plan, &WAYS, &format!("{case}, {weights:?}"));
    };
    for weights in [&equal[..2], &equal[..3], &equal, &[1.0, 2.0]] {
        check(&plan((1, 71, 52), CPML, 240), weights, "CPML");
    }
    for weights in [&equal[..2], &equal[..3], &[2.0, 3.0]] {
        check(&plan((31, 21, 22), CPML, 60), weights, "3-D");
    }
    // The first share is of layers alone, and the second has a part of them.
    let thin = [0.01, 1.0, 1.0];
    let sponge = setup((1, 41, 42), SPONGE, 220);
    let evolved = Setup { operator: Family::Ete { points: Points::Few }, ..sponge.clone() };
    check(&Plan::new(sponge).expect("a valid setup"), &thin, "sponge");
    check(&Plan::new(evolved).expect("a valid setup"), &thin, "explicit time evolution");
    let by_increments = |of: Plan| Plan { by_increments: true, ..of };
    check(&by_increments(plan((1, 41, 42), FREE, 180)), &equal[..2], "by increments");
    check(&by_increments(plan((27, 15, 17), SPONGE, 60)), &thin, "3-D, by increments");
    let low_order =
        Setup { operator: Family::Taylor { order: 2 }, ..setup((1, 71, 52), CPML, 180) };
    check(&Plan::new(low_order).expect("a valid setup"), &[1.0, 2.0], "order 2");
}

/// Many engines, or a slow one at an end, would get fewer columns than the layers have.
#[test]
fn shares_at_the_ends_hold_their_layers() {
    let plan = plan((1, 71, 52), CPML, 120);
    for weights in [&[1.0; 8][..], &[1.0, 0.01], &[0.01, 1.0, 1.0]] {
        let thin = over_cpus(weights);
        let back = Plan { adjoint: true, ..plan.clone() };
        assert!(thin.batch(&back).is_err(), "{weights:?} are thin");
        let split = thin.with_whole_layers(&plan);
        let pieces = split.pieces(&plan).expect("shares");
        assert!(pieces.iter().all(|share| share.len() >= 4), "{pieces:?}");
        assert_eq!(pieces.iter().map(|share| share.len()).sum::<usize>(), plan.pieces());
        same(&Parallel, &split, &plan, &WAYS[..1], &format!("{weights:?}"));
    }
}

#[test]
fn images_are_those_of_one_gpu() {
    for gpu in engines::opened(false) {
        let whole = gpu.with_slabs(1);
        let over = |weights: &[f64], slabs: usize| {
            let gpus = weights.iter().map(|_| Box::new(gpu.with_slabs(slabs)) as Box<dyn Engine>);
            Split::new(gpus.collect(), weights).expect("a weight each")
        };
        let check = |plan: &Plan, split: &Split, ways: &[Wavefield], case: &str| {
            same(&whole, split, plan, ways, case);
        };
        check(&plan((1, 71, 52), CPML, 120), &over(&[1.0, 2.0], 1), &WAYS, "CPML");
        check(&plan((31, 21, 22), CPML, 60), &over(&[1.0; 3], 1), &WAYS[..1], "3-D");
        // The first share is of layers alone.
        let sponge = plan((1, 41, 42), SPONGE, 120);
        check(&sponge, &over(&[0.01, 1.0], 1), &WAYS[1..2], "sponge");
        // Diagonals read columns of a neighbour.
        let diagonals = Family::Ete { points: Points::Few };
        let evolved = Setup { operator: diagonals, ..setup((1, 41, 42), SPONGE, 120) };
        let evolved = Plan::new(evolved).expect("a valid setup");
        check(&evolved, &over(&[1.0; 2], 1), &WAYS[1..2], "explicit time evolution");
        let by_increments = Plan { by_increments: true, ..sponge };
        check(&by_increments, &over(&[1.0; 2], 2), &WAYS[1..2], "by increments, in slabs");
    }
}

/// Shares that exchange after two steps keep the same waves.
#[test]
fn ghosts_of_several_steps_keep_the_same_images() {
    let split = over_cpus(&[1.0; 2]).with_ghost_steps(2).expect("two steps");
    same(&Parallel, &split, &plan((1, 41, 42), SPONGE, 220), &WAYS[..2], "ghosts of two steps");
}

/// On lines that lie in one share each, and of a plane along z.
#[test]
fn offset_gathers_are_those_of_one_engine() {
    let gpus = engines::opened(false).into_iter();
    let gpus = gpus.map(|gpu| -> Box<dyn Fn() -> Box<dyn Engine>> {
        Box::new(move || Box::new(gpu.with_slabs(1)))
    });
    let cpu: Box<dyn Fn() -> Box<dyn Engine>> = Box::new(|| Box::new(Parallel));
    for one in [cpu].into_iter().chain(gpus) {
        let offsets = |along, line| Offsets { along, line, most: 6, step: 2 };
        let lines = [(Axis::X, 26), (Axis::Z, 3), (Axis::X, 3)];
        let lines = lines.map(|(along, line)| offsets(along, line));
        let cases: [(_, &[f64], &[Offsets]); 2] = [
            (plan((31, 21, 22), CPML, 60), &[1.0; 3], &lines),
            (plan((1, 41, 42), SPONGE, 120), &[0.01, 1.0, 1.0], &[offsets(Axis::Z, 0)]),
        ];
        for (plan, weights, offsets) in cases {
            let split = Split::new(weights.iter().map(|_| one()).collect(), weights);
            let split = split.expect("a weight each");
            let how = (Wavefield::Kept, offsets);
            let whole = with_offsets(one().as_ref(), &plan, how, 5);
            assert!(whole.iter().flat_map(|of| &of.arrays).all(|of| of.iter().any(|v| *v != 0.0)));
            assert!(whole[0].arrays.len() == 2 + offsets.len());
            assert!(with_offsets(&split, &plan, how, 5) == whole, "{weights:?}");
        }
    }
    let plane = plan((1, 41, 42), SPONGE, 120);
    let along_x = [Offsets { along: Axis::X, line: 0, most: 6, step: 2 }];
    let split = over_cpus(&[1.0; 2]);
    let refused = Migration::new(&split, &plane, 5, &along_x, u64::MAX).err().expect("x is cut");
    assert_eq!(
        refused.to_string(),
        "offset gathers along x are not made of a plane that is split along x over 2 engines, as each has the waves of its own columns \
         alone; make them along z, or have the devices share the shots, without --split"
    );
}
