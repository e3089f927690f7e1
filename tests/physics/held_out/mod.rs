//! Public models that the code was not tuned on, against Deepwave and Devito in f64: the same
//! nodes, velocities and densities in f32, wavelet samples, time step and coefficients. Nothing is scaled beyond
//! docs/other-codes.md, nothing shifted.

mod models;
mod peer;
mod random_medium;

use crate::common::{
    self, engines,
    figures::{cell, figure, percent},
    relative_error,
};
use huygens::{
    boundary::Top,
    engine::cpu::{Parallel, Reference},
    plan::Setup,
    stencil::Family,
};
use models::Case;
use ndarray::{Array1, Array2, ArrayView2, s};
use peer::{ACOUSTIC, DEEPWAVE, DEEPWAVE_F32, DEVITO, Peers};

const TABLE: &str = "held-out";

fn error(ours: ArrayView2<f64>, theirs: ArrayView2<f64>) -> f64 {
    assert_eq!(ours.dim(), theirs.dim());
    let flat = |gather: ArrayView2<f64>| gather.iter().copied().collect::<Array1<f64>>();
    relative_error(flat(ours).view(), flat(theirs).view())
}

fn ours(engine: &dyn huygens::engine::Engine, setup: Setup) -> Array2<f64> {
    common::gathers(engine, setup).remove(0).mapv(f64::from)
}

/// The allowed reflection of our absorbing layer, relative to the gather: that of Deepwave's
/// design. Whole gathers have both layers.
const LAYER: f64 = 1e-3;
const WHOLE: f64 = 2.0 * LAYER;
/// If edges are too far away to matter, only rounding remains: the bar is that of f32 in
/// `rounding.rs`.
const CLEAR: f64 = 4e-5;

#[test]
fn gathers_are_those_of_independent_codes() {
    let Some(peers) = Peers::here() else { return };
    let mut cases = vec![models::marmousi(&peers.marmousi())];
    cases.extend(models::built());
    let mut wrong = Vec::new();
    for case in cases {
        describe(&case);
        let clear = s![.., ..case.clear()];
        let [deepwave, in_f32, devito] = peers.gathers(&case, [DEEPWAVE, DEEPWAVE_F32, DEVITO]);
        let line = |what: &str| format!("{}; {what}", case.name);
        let (whole, until, far) = (line("Deepwave"), line("Devito, layers"), line("Devito"));
        for engine in engines::fast_and_oracle() {
            let apart = ours(engine.as_ref(), case.without_echoes());
            let ours = ours(engine.as_ref(), case.setup());
            for (line, error, bar) in [
                (&whole, error(ours.view(), deepwave.view()), WHOLE),
                (&until, error(ours.slice(clear), devito.view()), LAYER),
                (&far, error(apart.view(), devito.view()), CLEAR),
            ] {
                figure(TABLE, line, engine.as_ref(), &percent(error), &percent(bar), "");
                if error.is_nan() || error > bar {
                    wrong.push(format!("{}, {line}: {error:e}", engine.describe().backend));
                }
            }
        }
        cell(TABLE, &whole, "Deepwave, f32", &percent(error(in_f32.view(), deepwave.view())));
        for (name, gather) in [("Deepwave, f32", &in_f32), ("Deepwave, f64", &deepwave)] {
            cell(TABLE, &until, name, &percent(error(gather.slice(clear), devito.view())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Deepwave's staggered grid has other derivatives, and the mean of both densities half-way between
/// nodes: the bar is 1 %, for waves of about 10 nodes.
#[test]
fn densities_are_those_of_an_independent_code() {
    const BAR: f64 = 0.01;
    let Some(peers) = Peers::here() else { return };
    for case in models::dense(models::marmousi(&peers.marmousi())) {
        let [theirs] = peers.gathers(&case, [ACOUSTIC]);
        let line = format!("{}; Deepwave's acoustic", case.name);
        for engine in engines::fast_and_oracle() {
            let error = error(ours(engine.as_ref(), case.setup()).view(), theirs.view());
            figure("density", &line, engine.as_ref(), &percent(error), &percent(BAR), "");
            assert!(error <= BAR, "{}, {line}: {error:e}", engine.describe().backend);
        }
        // Tests the test: the same waves without the density.
        let without = ours(&Parallel, Case { density: None, ..case }.setup());
        let error = error(without.view(), theirs.view());
        assert!(error > BAR, "{line}, without the density: {error:e}");
    }
}

fn describe(case: &Case) {
    let (y, x, z) = case.velocity.dim();
    let nodes = if case.is_volume() { format!("{x} x {y} x {z}") } else { format!("{x} x {z}") };
    let column = |column: &str, value: &str| cell("held-out models", case.name, column, value);
    column("what it is", case.origin);
    column("nodes", &nodes);
    column("spacing, m", &case.spacing.to_string());
    column("wavelet, Hz", &case.peak_hz.to_string());
    column("step, ms", &format!("{:.3}", 1e3 * case.step));
    column("samples", &case.samples.to_string());
    column("until an echo", &case.clear().to_string());
}

/// In a volume a wave keeps its shape, so that its peak tells the time: (1/k) acosh(1 + k^2 r^2 /
/// (2 v1 v2)) for a velocity that rises by k a metre (Slotnick 1936).
#[test]
fn a_linear_velocity_has_its_exact_times() {
    const BAR: f64 = 1e-3;
    let case = models::gradient();
    let gather = ours(&Parallel, case.setup());
    let (v0, slope) = models::GRADIENT;
    let mut worst = 0.0f64;
    for (trace, receiver) in gather.rows().into_iter().zip(&case.receivers) {
        let along = |a: usize| case.spacing * (receiver[a] as f64 - case.source[a] as f64);
        let square = (0..3).map(|a| along(a).powi(2)).sum::<f64>();
        let v = |z: usize| v0 + slope * case.spacing * z as f64;
        let (v1, v2) = (v(case.source[2]), v(receiver[2]));
        let exact = (1.0 + slope * slope * square / (2.0 * v1 * v2)).acosh() / slope;
        let n =
            (1..trace.len() - 1).max_by(|a, b| trace[*a].total_cmp(&trace[*b])).expect("samples");
        let [before, at, after] = [trace[n - 1], trace[n], trace[n + 1]];
        let peak = n as f64 + 0.5 * (before - after) / (before - 2.0 * at + after);
        worst = worst.max((peak * case.step - 1.5 / case.peak_hz - exact).abs());
    }
    if Peers::here().is_some() {
        let (line, value) =
            (format!("{}; its exact times", case.name), format!("{:.2} ms", 1e3 * worst));
        figure(TABLE, &line, &Parallel, &value, "1 ms", "");
    }
    assert!(worst <= BAR, "{worst}");
}

/// Many steps that are short for their waves, where rounding is summed longest. The bar is what the
/// f32 of an independent code loses in a real section there.
#[test]
fn ten_thousand_short_steps_are_those_of_the_oracle() {
    const BAR: f64 = 1.8e-4;
    let Some(peers) = Peers::here() else { return };
    let case = models::marmousi(&peers.marmousi());
    let case = Case { step: 1e-4, samples: 10_001, ..case };
    let line = "Marmousi, 10,000 steps of 0.1 ms; the f64 of each code";
    let exact = ours(&Reference, case.setup());
    for engine in engines::fast() {
        let error = error(ours(engine.as_ref(), case.setup()).view(), exact.view());
        figure(TABLE, line, engine.as_ref(), &percent(error), &percent(BAR), "");
        assert!(error <= BAR, "{}: {error:e}", engine.describe().backend);
    }
    let [theirs, in_f32] = peers.gathers(&case, [DEEPWAVE, DEEPWAVE_F32]);
    cell(TABLE, line, "Deepwave, f32", &percent(error(in_f32.view(), theirs.view())));
}

/// Tests the test, with the bar of whole gathers.
#[test]
fn mistakes_are_seen() {
    let Some(peers) = Peers::here() else { return };
    let case = models::iasp91();
    let [theirs] = peers.gathers(&case, [DEEPWAVE]);
    let mut mistakes = Vec::from(common::wrong_gathers(&Parallel, case.setup()));
    let mut other = case.setup();
    other.boundary.top = Top::Zero;
    mistakes.push(("the thesis' top", common::gathers(&Parallel, other).remove(0)));
    let mut other = case.setup();
    other.operator = Family::Taylor { order: 6 };
    mistakes.push(("order 6", common::gathers(&Parallel, other).remove(0)));
    for (what, gather) in mistakes {
        let error = error(gather.mapv(f64::from).view(), theirs.view());
        let line = format!("{}: {what}", case.name);
        let told = format!("{} ({})", percent(error), percent(2.0 * WHOLE));
        cell("held-out mistakes", &line, "error (seen above)", &told);
        assert!(error > 2.0 * WHOLE, "{what}: {error}");
    }
}
