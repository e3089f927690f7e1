//! Every shader with every combination of constants that ships is valid WGSL, and every backend has
//! a translation of it.

use crate::{common, translated};
use huygens::{
    acquisition::Shot,
    boundary::Top,
    engine::gpu::{
        self,
        bench::{BOUNDS, ETE_KERNELS, PLANE_KERNELS, VOLUME_KERNELS},
    },
    grid::{Axes, Axis},
    ladder::{Case, Operator},
    model::VelocityModel,
    plan::{Condition, Focus, Imaging, Offsets, Plan, Scattering},
    stencil::{Family, Window, ete::Points},
};
use ndarray::{Array2, Array3};
use std::{collections::BTreeMap, sync::Arc};

#[test]
fn the_ladders_shaders_are_valid_for_every_wing_and_workgroup() {
    let (mut seen, mut expected, mut distinct) = (0, 0, BTreeMap::new());
    let plane = [&BOUNDS[..], &PLANE_KERNELS[..]].concat();
    let wings: Vec<usize> = (1..=16).collect();
    for wing in common::all_or(&wings, &[1, 5, 16]) {
        let operator = Operator::Wing(wing);
        for (case, kernels) in [
            (Case::plane(50, 40, operator), &plane[..]),
            (Case::volume([50, 40, 30], operator), &VOLUME_KERNELS[..]),
        ] {
            let plan = case.plan().expect("a case that can be");
            for kernel in kernels {
                for workgroup in kernel.workgroups() {
                    for (name, text) in gpu::bench::shaders(&plan, kernel, workgroup) {
                        seen += 1;
                        distinct.insert(text, name);
                    }
                }
                expected += 2 * (1 + kernel.others.len());
            }
        }
    }
    translated::check(&distinct);
    println!("{seen} specialised shaders, {} of them distinct, are valid", distinct.len());
    assert_eq!(seen, expected);
}

#[test]
fn the_shaders_of_explicit_time_evolution_are_valid_for_both_stencils() {
    let (mut seen, mut expected, mut distinct) = (0, 0, BTreeMap::new());
    for points in [Points::Few, Points::Many] {
        for n in common::all_or(&[[50, 40, 30], [48, 40, 30]], &[[50, 40, 30]]) {
            let n = Axes { z: n[0], x: n[1], y: n[2] };
            for kernel in ETE_KERNELS.iter().filter(|kernel| kernel.is_for(points)) {
                for workgroup in kernel.workgroups() {
                    let of = gpu::bench::Weighing { points, bins: 64 };
                    let texts = gpu::bench::ete_shaders(n, of, kernel, workgroup);
                    seen += texts.len();
                    distinct.extend(texts.into_iter().map(|(name, text)| (text, name)));
                    expected += 1;
                }
            }
        }
    }
    translated::check(&distinct);
    println!("{seen} specialised shaders, {} of them distinct, are valid", distinct.len());
    // Two sweeps are of two texts each.
    assert!(seen > expected);
}

#[test]
fn shaders_are_valid_for_every_radius_and_boundary() {
    let mut zero_top = common::CPML_20;
    zero_top.top = Top::Zero;
    let (mut seen, mut distinct, mut of_born) = ([0, 0], BTreeMap::new(), 0);
    let free = crate::kernels::FREE_SURFACE;
    for boundary in [common::NO_LAYER, common::SPONGE_30, common::CPML_20, zero_top, free] {
        for wing in 1..=16 {
            // Every wing where the layers' code is longest; elsewhere the extremes, and one of each
            // kind of what goes by the wing below.
            if boundary != free && ![1, 2, 5, 15, 16].contains(&wing)
                || !common::full() && ![1, 4, 16].contains(&wing)
            {
                continue;
            }
            let window = Window { wing, alpha: 0.5, beta: 5.0 };
            // On a node; and between nodes for half of the wings.
            let shot = Shot {
                sources: vec![common::ricker(0.0, 0.0, 10.0, 0.1)],
                receivers: vec![Axes::xz(if wing % 2 == 0 { 0.0 } else { 4.0 }, 0.0)].into(),
            };
            let time = common::every_step(1e-3, 0.1);
            let mut setup = common::homogeneous((50, 40), 10.0, 1500.0, time, shot);
            setup.boundary = boundary;
            setup.snapshots = vec![0.05];
            setup.operator =
                Family::WindowedSinc { window: Axes { z: window, x: window, y: window } };
            let mut volume = setup.clone();
            let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
            // Wide enough that layers and the widest stencil leave something in the middle.
            let velocity = Array3::from_elem((34, 50, 110), 1500.0);
            volume.model = VelocityModel::volume(velocity, h).expect("a valid model");
            for setup in [setup, volume] {
                let mut plan = Plan::new(setup).expect("a valid setup");
                plan.by_increments = wing % 4 < 2;
                // Every look for a focus is seen with some stencil.
                let condition = match wing % 2 {
                    0 => Condition::Amplitude,
                    _ => Condition::Energy { quarter: 3 },
                };
                let focus = Focus { every: 1, groups: 1 + wing % 3 / 2, condition };
                born(&plan, &mut distinct, &mut of_born);
                let plan = Arc::new(plan.focused(focus));
                for slabs in [1, 2] {
                    let shaders = gpu::shaders(&plan, slabs).expect("they can be cut");
                    seen[slabs - 1] += shaders.len();
                    distinct.extend(shaders.into_iter().map(|(name, text)| (text, name)));
                }
            }
        }
    }
    translated::check(&distinct);
    println!("{seen:?} specialised shaders, {} of them distinct, are valid", distinct.len());
    // As many as when they were last looked at: none is left out in silence.
    let expected = if common::full() { ([1270, 2716], 988) } else { ([395, 834], 300) };
    assert_eq!((seen, of_born), expected);
}

/// The shaders of waves that are stored, scattered and sent back.
fn born(plan: &Plan, distinct: &mut BTreeMap<String, &'static str>, seen: &mut usize) {
    let imaging = Imaging { every: 1, slots: 2 };
    let perturbation = Array3::zeros(plan.model_grid.shape());
    let gathers = plan.shots.iter().map(|shot| (shot.receivers.len(), plan.time.samples));
    let gathers: Vec<_> = gathers.map(Array2::zeros).collect();
    let back = plan.sent_back(&gathers, imaging).expect("gathers that fit");
    let along = |along| Offsets { along, line: 0, most: 4, step: 2 };
    let back = back.with_offsets(imaging, &[along(Axis::X), along(Axis::Z)]);
    let scattered = plan.scattered(Scattering { imaging, perturbation });
    for plan in [plan.stored(imaging), back, scattered] {
        let shaders = gpu::shaders(&Arc::new(plan), 1).expect("one slab");
        let own = [
            "store",
            "imaging",
            "waves",
            "naive",
            "staged",
            "several",
            "sum",
            "scatter",
            "transposed",
        ];
        let own: Vec<_> = shaders.into_iter().filter(|(name, _)| own.contains(name)).collect();
        *seen += own.len();
        distinct.extend(own.into_iter().map(|(name, text)| (text, name)));
    }
}
