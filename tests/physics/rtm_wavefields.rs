//! A source wavefield that is recomputed from checkpoints, or stored in the host's memory, makes the
//! image of one that is kept, bit for bit.

use crate::common::{self, engines};
use huygens::{
    acquisition::Shot,
    boundary::{Absorber, Boundary, Cpml, Sponge, Top},
    engine::{Engine, EngineError},
    grid::{Axes, Axis, Position},
    model::VelocityModel,
    operations::rtm::{Migration, Partial, Wavefield},
    plan::{Offsets, Plan, Setup},
    stencil::{Family, ete::Points},
};
use ndarray::{Array2, Array3};
use std::ops::ControlFlow;

const H: f64 = 10.0;

/// Two shots over a model that is rough along every axis, `[y][x][z]`; for `steps` steps.
pub fn plan(size: (usize, usize, usize), boundary: Boundary, steps: usize) -> Plan {
    Plan::new(setup(size, boundary, steps)).expect("a valid setup")
}

pub fn setup((y, x, z): (usize, usize, usize), boundary: Boundary, steps: usize) -> Setup {
    let velocity = Array3::from_shape_fn((y, x, z), |(iy, ix, iz)| {
        let layer = if iz + ix / 6 + iy / 4 > z / 2 { 700.0 } else { 0.0 };
        1500.0 + layer + 4.0 * ix as f32 + 3.0 * iz as f32
    });
    let at = |x: f64, z: f64| Position { z, x, y: if y > 1 { 0.4 * H * y as f64 } else { 0.0 } };
    let along = H * (x - 1) as f64;
    let receivers: Vec<_> = (0..x).step_by(2).map(|x| at(H * x as f64, H)).collect();
    let shot = |share: f64| {
        let mut source = common::ricker(0.0, 0.0, 18.0, 0.06);
        // Between nodes: some of what it is lies elsewhere than the node.
        source.at = at(share * along, 23.0);
        Shot { sources: vec![source], receivers: receivers.clone().into() }
    };
    let time = common::every_step(1e-3, 1e-3 * steps as f64);
    Setup {
        model: VelocityModel::volume(velocity, Axes { z: H, x: H, y: H }).expect("a valid model"),
        boundary,
        shots: vec![shot(0.3), shot(0.8)],
        ..common::homogeneous((1, 1), H, 1500.0, time, shot(0.5))
    }
}

/// A wave that comes back, the later the further off it was heard.
fn gather(plan: &Plan, shot: usize) -> Array2<f32> {
    let receivers = plan.shots[shot].receivers.len();
    Array2::from_shape_fn((receivers, plan.time.samples), |(receiver, step)| {
        let t = step as f64 * plan.time.dt - 0.12 - 0.002 * receiver as f64;
        let a = (18.0 * std::f64::consts::PI * t).powi(2);
        ((1.0 - 2.0 * a) * (-a).exp()) as f32
    })
}

pub fn images(engine: &dyn Engine, plan: &Plan, way: Wavefield, every: usize) -> Vec<Partial> {
    with_offsets(engine, plan, (way, &[]), every)
}

pub fn with_offsets(
    engine: &dyn Engine,
    plan: &Plan,
    (way, offsets): (Wavefield, &[Offsets]),
    every: usize,
) -> Vec<Partial> {
    let migration = Migration::new(engine, plan, every, offsets, u64::MAX).expect("it fits");
    let migration = migration.by(way).expect("it fits");
    let mut images = Vec::new();
    let ran = migration.run::<EngineError>(
        &|shot| Ok(gather(plan, shot).into()),
        &mut |_| ControlFlow::Continue(()),
        &mut |image| {
            images.push(image);
            Ok(())
        },
    );
    ran.expect("a stable run");
    images
}

pub const CPML: Boundary = Boundary { top: Top::Absorb, sides: Absorber::Cpml(Cpml::new(6)) };
pub const FREE: Boundary = Boundary { top: Top::Free, sides: Absorber::Cpml(Cpml::new(6)) };
const ZERO_TOP: Boundary = Boundary { top: Top::Zero, ..CPML };
pub const SPONGE: Boundary =
    Boundary { top: Top::Free, sides: Absorber::Sponge(Sponge { cells: 12, strength: 0.1 }) };
/// Thinner than the stencil reaches.
const THIN: Boundary =
    Boundary { top: Top::Absorb, sides: Absorber::Sponge(Sponge { cells: 2, strength: 0.3 }) };

#[test]
fn images_are_those_of_a_wave_that_is_kept() {
    for engine in engines::of_studies() {
        let engine = engine.as_ref();
        let cases = [
            ("CPML", (1, 71, 52), CPML, 420, 7, false),
            ("3-D", (14, 18, 17), FREE, 180, 8, false),
            ("no layers", (1, 42, 43), common::NO_LAYER, 220, 9, false),
            ("CPML, by increments", (1, 61, 42), CPML, 240, 7, true),
            ("every step imaged", (1, 42, 51), FREE, 200, 1, false),
            ("zero above", (1, 42, 43), ZERO_TOP, 220, 9, false),
            ("sponge, free surface, by increments", (1, 41, 42), SPONGE, 240, 8, true),
            ("a thin sponge", (1, 41, 42), THIN, 240, 8, false),
            ("3-D, by increments", (14, 15, 17), CPML, 180, 5, true),
        ];
        for (name, n, boundary, steps, every, increments) in cases {
            let mut plan = plan(n, boundary, steps);
            plan.by_increments = increments;
            let kept = images(engine, &plan, Wavefield::Kept, every);
            let arrays = kept.iter().flat_map(|of| &of.arrays);
            assert!(arrays.clone().all(|of| of.iter().any(|v| *v != 0.0)), "{name}: a black image");
            let some = images(engine, &plan, Wavefield::Checkpoints, every);
            assert!(some == kept, "{name}: checkpoints");
            let staged = images(engine, &plan, Wavefield::Host, every);
            assert!(staged == kept, "{name}: in the host's memory");
        }
    }
}

/// A requested storage that does not fit is rejected with those that do, and nothing is rejected
/// that was not requested.
#[test]
fn misfits_are_refused_by_name() {
    // A shot: how many are migrated at once depends on the cores.
    let plan = plan((1, 71, 52), CPML, 420).batch(0..1);
    let engine = &huygens::engine::cpu::Parallel as &dyn Engine;
    let migration = |memory, wanted| {
        Migration::new(engine, &plan, 1, &[], memory).expect("a shot fits").by(wanted)
    };
    let taken = |memory, wanted| {
        let migration = migration(memory, wanted).expect("it fits");
        migration.costs().into_iter().find(|cost| cost.taken).expect("a way is taken")
    };
    // For every step: 71 x 52 nodes 421 times.
    let all = taken(u64::MAX, Wavefield::Auto);
    assert_eq!((all.name, all.bytes, all.work), ("all imaging steps", 4 * 71 * 52 * 421, 1.0));
    let refused = |memory, wanted| match migration(memory, wanted) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{wanted:?} of {memory} bytes is taken"),
    };
    let said = refused(all.bytes - 1, Wavefield::Kept);
    for word in ["5.9 MiB", "checkpoints", "raise rtm.memory"] {
        assert!(said.contains(word), "{said}");
    }
    assert!(refused(1, Wavefield::Checkpoints).ends_with("raise rtm.memory"));
    // Nothing fits, and it runs nevertheless.
    assert!(!taken(1, Wavefield::Auto).fits);
    // The fastest that fits.
    for share in 1..20 {
        let memory = all.bytes * share / 20;
        let migration = migration(memory, Wavefield::Auto).expect("a way");
        let costs = migration.costs();
        let taken = costs.iter().find(|cost| cost.taken).expect("a way is taken");
        for other in costs.iter().filter(|other| other.fits) {
            assert!(!taken.fits || taken.work <= other.work, "{taken:?}, {other:?}");
        }
    }
}

/// In several slabs every way keeps the same waves as in one.
#[test]
fn slabs_keep_the_same_waves() {
    for gpu in engines::opened(false) {
        let diagonals = Family::Ete { points: Points::Few };
        for (size, sides, steps, operator, by_increments) in [
            ((1, 41, 42), SPONGE, 220, Family::Taylor { order: 8 }, false),
            ((1, 41, 42), SPONGE, 220, diagonals, false),
            ((31, 21, 22), CPML, 60, Family::Taylor { order: 8 }, false),
            ((1, 41, 42), SPONGE, 120, Family::Taylor { order: 8 }, true),
        ] {
            let setup = Setup { operator, ..setup(size, sides, steps) };
            let plan = Plan { by_increments, ..Plan::new(setup).expect("a valid setup") };
            let [whole, cut] =
                [1, 3].map(|slabs| images(&gpu.with_slabs(slabs), &plan, Wavefield::Host, 5));
            assert!(whole == cut, "{size:?}");
            // A line that lies in one of the slabs or, of a plane, in all.
            let line = if size.0 > 1 { 17 } else { 0 };
            let offsets = [Axis::X, Axis::Z].map(|along| Offsets { along, line, most: 6, step: 2 });
            let how = (Wavefield::Kept, &offsets[..]);
            let [whole, cut] =
                [1, 3].map(|slabs| with_offsets(&gpu.with_slabs(slabs), &plan, how, 5));
            assert!(whole == cut && whole[0].arrays.len() == 4, "{size:?}");
            assert!(whole.iter().flat_map(|of| &of.arrays).all(|of| of.iter().any(|v| *v != 0.0)));
        }
    }
}
