//! Every kernel that ships, whichever a measurement would choose, gives the oracle's field.

use crate::{
    common::{self, engines},
    volume::{TOLERANCE, error_of, plan},
};
use huygens::{
    boundary::{Absorber, Boundary, Sponge, Top},
    engine::{
        Engine,
        gpu::{Gpu, KERNELS, ModelStorage},
    },
    stencil::Family,
};

/// Each kernel on each adapter.
fn with_each_kernel(checked: &[bool]) -> Vec<(String, Vec<Box<dyn Engine>>)> {
    with_each_kernel_and(ModelStorage::F32, checked)
}

/// The same, keeping the model so.
pub fn with_each_kernel_and(
    model: ModelStorage,
    checked: &[bool],
) -> Vec<(String, Vec<Box<dyn Engine>>)> {
    let gpus: Vec<Gpu> = checked.iter().flat_map(|checked| engines::opened(*checked)).collect();
    let of = |kernel| {
        gpus.iter().map(move |gpu| -> Box<dyn Engine> {
            Box::new(gpu.with_kernel(kernel).with_model(model))
        })
    };
    KERNELS.iter().map(|kernel| (kernel.name.to_owned(), of(kernel).collect())).collect()
}

pub fn boundaries() -> [(&'static str, Boundary); 4] {
    let sponge = Absorber::Sponge(Sponge { cells: 6, strength: Sponge::STRENGTH });
    let zero_top = Boundary { top: Top::Zero, ..common::cpml(5) };
    [
        ("zero", common::NO_LAYER),
        ("sponge", Boundary { sides: sponge, ..common::NO_LAYER }),
        ("CPML", common::cpml(5)),
        ("CPML, zero top", zero_top),
    ]
}

#[test]
fn every_kernel_on_every_boundary() {
    for (kernel, engines) in with_each_kernel(&[false, true]) {
        let n = if kernel.starts_with("plane") { (1, 71, 93) } else { (23, 27, 75) };
        let mut worst = 0.0f32;
        for (boundary, layers) in boundaries() {
            let plan = plan(n, Family::Taylor { order: 8 }, layers, 5);
            let error = error_of(&engines, &plan);
            assert!(error <= TOLERANCE, "{kernel}, {boundary}: {error:e}");
            worst = worst.max(error);
        }
        println!("{kernel}: {worst:.1e} of the maximum");
    }
}

#[test]
fn every_kernel_at_every_order() {
    for (kernel, engines) in with_each_kernel(&[false]) {
        let n = if kernel.starts_with("plane") { (1, 23, 37) } else { (11, 9, 37) };
        for order in (2..=16).step_by(2) {
            let plan = plan(n, Family::Taylor { order }, common::cpml(5), order as u64);
            let error = error_of(&engines, &plan);
            assert!(error <= TOLERANCE, "{kernel}, order {order}: {error:e}");
        }
    }
}

#[test]
fn every_kernel_on_slivers() {
    for (kernel, engines) in with_each_kernel(&[false]) {
        let slivers = match kernel.starts_with("plane") {
            true => [(1, 1, 50), (1, 40, 1), (1, 2, 3)],
            false => [(2, 1, 70), (19, 40, 1), (3, 2, 2)],
        };
        for n in slivers {
            for layers in [common::NO_LAYER, common::cpml(5)] {
                let plan = plan(n, Family::Taylor { order: 8 }, layers, 7);
                let error = error_of(&engines, &plan);
                assert!(error <= TOLERANCE, "{kernel}, {n:?}: {error:e}");
            }
        }
    }
}
