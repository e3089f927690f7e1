//! The gradient of shots that run through windows: added at each window's place, it is the derivative
//! of their misfit.

use crate::common;
use huygens::{
    acquisition::Shot,
    engine::{SnapshotView, cpu::Parallel},
    grid::{Axes, Position},
    misfit::Misfit,
    model::VelocityModel,
    operations::{
        gradient::{Effort, Gradient, Observed},
        shot,
    },
    plan::{Margin, Plan, Setup},
};
use ndarray::{Array2, Array3};
use std::ops::ControlFlow;

/// Nodes along the axis along which the shots lie.
const LONG: usize = 150;

/// Two shots so far apart that no window has nodes of the other's layers.
fn plan(volume: bool, velocity: &Array3<f32>) -> Plan {
    let at = |along: f64, z: f64| -> Position {
        if volume { Axes { z, x: 64.0, y: along } } else { Axes::xz(along, z) }
    };
    let shot = |along: f64| {
        let mut source = common::ricker(0.0, 0.0, 25.0, 0.04);
        source.at = at(along, 33.0);
        let receivers = (-3..=3).map(|i| at(along + 24.0 * f64::from(i), 20.0));
        Shot { sources: vec![source], receivers: receivers.collect() }
    };
    let setup =
        common::homogeneous((1, 1), 10.0, 2000.0, common::every_step(1e-3, 0.16), shot(0.0));
    let margin = Some(70.0);
    let model = VelocityModel::volume(velocity.clone(), Axes { z: 10.0, x: 10.0, y: 10.0 });
    let plan = Plan::new(Setup {
        model: model.expect("a model"),
        boundary: common::cpml(10),
        shots: vec![shot(360.0), shot(1130.0)],
        window: Some(match volume {
            true => Margin { y: margin, ..Margin::default() },
            false => Margin { x: margin, ..Margin::default() },
        }),
        ..setup
    });
    plan.expect("a valid setup")
}

fn modelled(plan: &Plan) -> Vec<Array2<f32>> {
    let mut gathers = vec![Array2::zeros((0, 0)); plan.shots.len()];
    let mut keep = |of_shot: shot::ShotResult| {
        gathers[of_shot.shot] = of_shot.gather;
        Ok::<_, huygens::engine::EngineError>(())
    };
    let mut go_on = |_| ControlFlow::Continue(());
    let none = &mut |_, _: &SnapshotView<'_>| false;
    shot::model(&Parallel, plan, &mut go_on, none, &mut keep).expect("a stable run");
    gathers
}

#[test]
fn the_gradient_of_windows_is_the_derivative_of_their_misfit() {
    for volume in [false, true] {
        let (shape, across) = if volume { ((LONG, 13, 16), 13) } else { ((1, LONG, 24), 1) };
        let mut number = common::random(5);
        let velocity = Array3::from_shape_fn(shape, |(_, _, z)| {
            (1800.0 + 8.0 * z as f64 + 200.0 * number()) as f32
        });
        let windows = plan(volume, &velocity);
        let n = windows.model_grid.n;
        let width = if volume { n.y } else { n.x };
        let first = windows.shots.iter().map(|shot| shot.window.first.x + shot.window.first.y);
        let first: Vec<_> = first.collect();
        assert!(first[0] > 10 && first[1] > first[0] + width + 20, "{first:?} {width}");
        // Smooth, within three nodes of no window's edge, and outside of its layers.
        let bump = |i: usize, n: usize| {
            let t = (i as f64 - 3.0) / (n as f64 - 7.0);
            if (0.0..1.0).contains(&t) { (std::f64::consts::PI * t).sin().powi(2) } else { 0.0 }
        };
        let change = Array3::from_shape_fn(shape, |(y, x, z)| {
            let (along, beside) = if volume { (y, bump(x, across)) } else { (x, 1.0) };
            let inside = first.iter().find(|first| (**first..**first + width).contains(&along));
            inside.map_or(0.0, |first| bump(along - first, width)) * beside * bump(z, shape.2)
        });
        let changed = |h: f64| {
            let mut new = velocity.clone();
            new.zip_mut_with(&change, |v, e| *v = (f64::from(*v) / (1.0 + h * e).sqrt()) as f32);
            plan(volume, &new)
        };
        let observed = modelled(&changed(-0.1));
        let of = |h: f64| -> f64 {
            let both = modelled(&changed(h)).into_iter().zip(&observed);
            both.map(|(p, d)| Misfit::L2.of(&p, d, windows.time.interval()).0).sum()
        };
        let data = Observed { gathers: &observed, weights: None, misfit: Misfit::L2 };
        let effort = Effort { every: 1, memory: Some(1 << 30), within: None };
        let mut go_on = |_, _| ControlFlow::Continue(());
        let found = Gradient::of(&[&Parallel], &windows, data, effort, &mut go_on, None);
        let found = found.expect("a stable run");
        assert_eq!(found.by_slowness.dim(), shape);
        let along: f64 = (&found.by_slowness * &change).sum();
        let h = 2e-3;
        let difference = (of(h) - of(-h)) / (2.0 * h);
        let error = (along / difference - 1.0).abs();
        println!("volume {volume}: {error:.1e}");
        assert!(error < 2e-3, "volume {volume}: {along:e} {difference:e}");
    }
}
