//! The loss of accuracy from storing the model in 16 bits: gathers through built-in models,
//! compared with those of the same engine with 32 bits.

use crate::common::{self, engines};
use huygens::{
    acquisition::{Shot, TimeDispersion, line},
    boundary::{Boundary, Top},
    engine::gpu::{Gpu, ModelStorage},
    grid::Axes,
    model::{self, VelocityModel},
    plan::{Setup, Step, Time},
    stencil::Family,
};
use ndarray::Array2;

/// A shot recorded below the surface, along x through the middle.
fn setup(model: VelocityModel, duration: f64, peak_hz: f64) -> Setup {
    let (n, h) = (model.grid().n, model.grid().h);
    let middle = h.y * (n.y / 2) as f64;
    let at = |x: usize, z: usize| Axes { z: h.z * z as f64, x: h.x * x as f64, y: middle };
    let mut source = common::ricker(0.0, 0.0, peak_hz, 1.5 / peak_hz);
    source.at = at(n.x / 2, 2);
    let receivers = line(at(0, 1), at(n.x - 1, 1), n.x);
    Setup {
        model,
        operator: Family::Taylor { order: 8 },
        boundary: Boundary { top: Top::Zero, ..common::cpml(20) },
        time: Time {
            duration,
            step: Step::Auto,
            record: Some(0.008),
            dispersion: TimeDispersion::Kept,
        },
        shots: vec![Shot { sources: vec![source], receivers: receivers.into() }],
        snapshots: Vec::new(),
        initial: None,
        allow_unstable: false,
    }
}

/// The change by 16 bits: of the whole gather and of the largest amplitude.
struct Change {
    /// Relative L2 of the gather.
    gather: f64,
    /// Of the trace that changes most.
    trace: f64,
    /// Largest |difference| over the largest amplitude.
    peak: f64,
}

fn change(ours: &Array2<f32>, exact: &Array2<f32>) -> Change {
    let peak = |gather: &Array2<f32>| gather.iter().fold(0.0f32, |m, p| m.max(p.abs()));
    let row = |gather: &Array2<f32>, i: usize| gather.slice(ndarray::s![i..=i, ..]).to_owned();
    let trace = |i| common::gather_error(row(ours, i).view(), row(exact, i).view());
    Change {
        gather: common::gather_error(ours.view(), exact.view()),
        trace: (0..exact.nrows()).map(trace).fold(0.0, f64::max),
        peak: f64::from(peak(&(ours - exact)) / peak(exact)),
    }
}

/// On each adapter.
fn changes(name: &str, setup: &Setup) -> Vec<Change> {
    let of = |gpu: Gpu| {
        let gather = |model| common::gathers(&gpu.with_model(model), setup.clone()).remove(0);
        let change = change(&gather(ModelStorage::Unorm16), &gather(ModelStorage::F32));
        println!(
            "{name}: {:.1e} of the gather, {:.1e} of a trace at most, {:.1e} of the largest amplitude",
            change.gather, change.trace, change.peak
        );
        change
    };
    engines::opened(false).into_iter().map(of).collect()
}

fn salt() -> Setup {
    setup(
        model::builtin("salt", Some((450, 140)), Some((30.0, 30.0))).expect("a built-in model"),
        4.0,
        5.0,
    )
}

fn salt3d() -> Setup {
    let n = Axes { z: 50, x: 60, y: 60 };
    let h = Axes { z: 80.0, x: 80.0, y: 80.0 };
    let model = model::builtin_volume("salt3d", Some(n), Some(h)).expect("a built-in model");
    setup(model, 2.0, 3.0)
}

/// Water whose velocity lies between two of the 65,535 values, half a step from either, with the
/// extremes in far corners: 5 km to either side, and no error cancels another.
fn between() -> Setup {
    let (low, high) = (1500.0f64.powi(2), 4500.0f64.powi(2));
    let water = (low + 0.5 * (high - low) / 65_534.0).sqrt();
    let mut velocity = Array2::from_elem((500, 60), water as f32);
    velocity[[0, 59]] = 1500.0;
    velocity[[499, 59]] = 4500.0;
    let mut setup =
        setup(VelocityModel::new(velocity, 20.0, 20.0).expect("a valid model"), 4.0, 8.0);
    setup.boundary = common::CPML_20;
    setup
}

/// The bounds that docs/notebook.md states. The last of them is why 16 bits are not the default.
#[test]
fn sixteen_bits_change_no_more_than_is_stated() {
    if crate::common::left_to_full("what a 16-bit model changes") {
        return;
    }
    let cases = [
        ("salt", salt(), 1e-4, 3e-5),
        ("salt3d", salt3d(), 5e-5, 2e-5),
        ("between", between(), 3e-3, 1e-3),
    ];
    for (name, setup, gather, peak) in cases {
        for change in changes(name, &setup) {
            assert!(change.gather <= gather, "{name}: {:e}", change.gather);
            assert!(change.peak <= peak, "{name}: {:e}", change.peak);
            // Rounding to f32 in another order is less than this.
            assert!(change.gather > 2e-6, "{name}: the model is not in 16 bits");
        }
    }
}
