//! Shots through windows of a model: what they record before a wave can return from a window's side
//! is what they record through the whole model.

use crate::{
    common::{self, engines, gather_error},
    slabs,
};
use huygens::{
    acquisition::Shot,
    boundary::{Absorber, Boundary, Top},
    engine::Engine,
    grid::{Axes, Position},
    model::VelocityModel,
    plan::{Margin, Plan, PlanError, Setup},
};
use ndarray::{Array2, Array3, s};
use std::sync::Arc;

/// f32 engines differ from the oracle by rounding alone.
const ROUNDING: f64 = 5e-6;
/// The bar of the issue, for traces before the earliest return.
const BEFORE: f64 = 1e-6;

/// Four shots that move along the slowest axis, off the nodes, with receivers on both sides.
fn setup(volume: bool) -> Setup {
    let n: Axes<usize> =
        if volume { Axes { z: 22, x: 27, y: 56 } } else { Axes { z: 41, x: 170, y: 1 } };
    let velocity = Array3::from_shape_fn((n.y, n.x, n.z), |(y, x, z)| {
        let along = if volume { y } else { x } as f32;
        1600.0 + 9.0 * z as f32 + 120.0 * (0.21 * along).sin()
    });
    let at = |along: f64, z: f64| -> Position {
        if volume { Axes { z, x: 133.0, y: along } } else { Axes::xz(along, z) }
    };
    let shot = |along: f64| {
        let mut source = common::ricker(0.0, 0.0, 30.0, 0.03);
        source.at = at(along, 43.0);
        let receivers: Vec<_> = (-4..=4).map(|i| at(along + 17.0 * f64::from(i), 30.0)).collect();
        Shot { sources: vec![source], receivers: receivers.into() }
    };
    let end = 10.0 * (if volume { n.y } else { n.x } - 1) as f64;
    let places = [80.0, 0.4 * end, 0.7 * end, end - 80.0];
    let top = if volume { Top::Absorb } else { Top::Free };
    let mut setup = slabs::setup(volume, 8, Boundary { top, ..common::cpml(8) }, 0.0);
    setup.model =
        VelocityModel::volume(velocity, Axes { z: 10.0, x: 10.0, y: 10.0 }).expect("a model");
    setup.shots = places.map(shot).to_vec();
    setup.time = common::every_step(1e-3, if volume { 0.25 } else { 0.5 });
    setup
}

fn margin(volume: bool, metres: f64) -> Margin {
    match volume {
        true => Margin { x: None, y: Some(metres), depth: None },
        false => Margin { x: Some(metres), y: None, depth: None },
    }
}

fn planned(volume: bool, margin: Option<Margin>) -> Plan {
    Plan::new(Setup { window: margin, ..setup(volume) }).expect("a valid setup")
}

fn gathers(engine: &dyn Engine, plan: &Plan) -> Vec<Array2<f32>> {
    let mut gathers = huygens::engine::Gathers::new(plan);
    engine.run(plan, &mut gathers).expect("a stable run");
    gathers.shots
}

#[test]
fn traces_are_those_of_the_whole_model_until_a_wave_returns() {
    for volume in [false, true] {
        let (whole, windowed) =
            (planned(volume, None), planned(volume, Some(margin(volume, 120.0))));
        let returns = windowed.earliest_return().expect("sides inside the model");
        // The wavelet has begun by then, and the run goes on.
        let samples = (returns / whole.time.dt) as usize;
        assert!(samples > 120 && samples < whole.time.steps, "{samples}");
        assert!(5 * windowed.grid.cells() < 4 * whole.grid.cells());
        let exact = gathers(engines::fast_and_oracle()[0].as_ref(), &windowed);
        for engine in engines::fast_and_oracle() {
            let backend = engine.describe().backend;
            let of_whole = gathers(engine.as_ref(), &whole);
            let of_windows = gathers(engine.as_ref(), &windowed);
            let mut latest = 0.0f64;
            for shot in 0..4 {
                let all = gather_error(of_windows[shot].view(), of_whole[shot].view());
                let early = [&of_windows, &of_whole]
                    .map(|all| all[shot].slice(s![.., ..samples]).to_owned());
                let early = gather_error(early[0].view(), early[1].view());
                println!("{backend}, shot {shot}: {early:.1e} until {returns:.3} s, {all:.1e}");
                assert!(early < BEFORE, "{backend}, shot {shot}: {early:.1e}");
                assert!(all < 0.02, "{backend}, shot {shot}: {all:.1e}");
                latest = latest.max(all);
                let rounding = gather_error(of_windows[shot].view(), exact[shot].view());
                assert!(rounding < ROUNDING, "{backend}, shot {shot}: {rounding:.1e}");
            }
            // Then the sides are heard.
            assert!(latest > BEFORE, "{backend}: {latest:.1e}");
        }
    }
}

/// One after the other on one run, alone, and cut into slabs: the same bits.
#[test]
fn windows_of_a_batch_are_those_of_single_shots() {
    for volume in [false, true] {
        let plan = planned(volume, Some(margin(volume, 120.0)));
        let batches = [0..2, 2..4].map(|shots| Arc::new(plan.batch(shots)));
        let alone: Vec<_> = (0..4).map(|shot| plan.batch(shot..shot + 1)).collect();
        for engine in engines::fast_and_oracle() {
            let mut run = engine.start(batches[0].clone()).expect("it fits");
            let first = slabs::results_of(run.as_mut(), &batches[0]);
            assert_eq!(run.restart(&batches[1]), Ok(true));
            let second = slabs::results_of(run.as_mut(), &batches[1]);
            let backend = engine.describe().backend;
            for (batch, results) in [first, second].iter().enumerate() {
                let new = slabs::results_by(engine.as_ref(), &batches[batch]);
                assert_eq!(slabs::differences(results, &new), [""; 0], "{backend}");
            }
            let together = gathers(engine.as_ref(), &plan);
            for (shot, alone) in alone.iter().enumerate() {
                assert_eq!(gathers(engine.as_ref(), alone)[0], together[shot], "{backend}");
            }
        }
        for gpu in engines::opened(false) {
            let whole = slabs::results_by(&gpu.with_slabs(1), &plan);
            let cut = slabs::results_by(&gpu.with_slabs(3), &plan);
            assert_eq!(slabs::differences(&whole, &cut), [""; 0]);
        }
    }
}

/// A column of a window ends where rock goes on.
#[test]
fn a_window_may_end_above_the_bottom_of_the_model() {
    let deep = Margin { depth: Some(200.0), ..Margin::default() };
    let (whole, windowed) = (planned(false, None), planned(false, Some(deep)));
    assert!(windowed.model_grid.n.z < whole.model_grid.n.z);
    let returns = windowed.earliest_return().expect("a side inside the model");
    let samples = (returns / whole.time.dt) as usize;
    let exact = gathers(engines::fast_and_oracle()[0].as_ref(), &windowed);
    for engine in engines::fast_and_oracle() {
        let backend = engine.describe().backend;
        let [of_windows, of_whole] = [&windowed, &whole].map(|plan| gathers(engine.as_ref(), plan));
        for shot in 0..4 {
            let early =
                [&of_windows, &of_whole].map(|all| all[shot].slice(s![.., ..samples]).to_owned());
            let early = gather_error(early[0].view(), early[1].view());
            assert!(early < BEFORE, "{backend}, shot {shot}: {early:.1e}");
            let rounding = gather_error(of_windows[shot].view(), exact[shot].view());
            assert!(rounding < ROUNDING, "{backend}, shot {shot}: {rounding:.1e}");
        }
    }
}

/// Windows as wide as the model are the model, bit for bit.
#[test]
fn a_wide_margin_is_the_whole_model() {
    for far in [1e30, f64::MAX] {
        let deep = Margin { depth: Some(far), ..margin(false, far) };
        assert!(planned(false, Some(deep)).windows.is_none(), "{far}");
    }
    let (whole, wide) = (planned(false, None), planned(false, Some(margin(false, 1e5))));
    assert!(wide.windows.is_none());
    for engine in engines::fast_and_oracle() {
        let [one, other] = [&whole, &wide].map(|plan| gathers(engine.as_ref(), plan));
        assert_eq!(one, other);
    }
}

#[test]
fn margins_that_make_no_window_are_refused() {
    let refused = |margin: Margin, boundary: Boundary| {
        let error = Plan::new(Setup { window: Some(margin), boundary, ..setup(false) });
        error.expect_err("no window").to_string()
    };
    for metres in [0.0, -5.0, 59.0, f64::NAN, f64::INFINITY] {
        let of = margin(false, metres);
        let said = refused(of, common::cpml(8));
        assert!(said.contains("60 m or more"), "{metres}: {said}");
    }
    let deep = Margin { depth: Some(10.0), ..Margin::default() };
    assert!(refused(deep, common::cpml(8)).contains("along z"));
    let rigid = Boundary { top: Top::Zero, sides: Absorber::Zero };
    assert!(refused(margin(false, 100.0), rigid).contains("sides that absorb"));
    let others = [setup(false).model];
    let scan = Plan::scan(Setup { window: Some(margin(false, 100.0)), ..setup(false) }, &others);
    assert!(matches!(scan, Err(PlanError::NoWindow)));
}
