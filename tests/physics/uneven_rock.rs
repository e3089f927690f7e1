//! Absorbing layers beside rock that varies along them.

use crate::common::{
    self, engines,
    figures::{figure, tiny},
    gather_error, relative_error,
};
use huygens::{
    acquisition::Shot,
    boundary::Boundary,
    engine::cpu::Reference,
    grid::{Axes, Position},
    model::VelocityModel,
    plan::{Plan, Setup},
};
use ndarray::Array2;

/// m/s; seven layers of 6 cells, again and again.
const ROCK: [f32; 7] = [1500.0, 2600.0, 1900.0, 4000.0, 2200.0, 3200.0, 5000.0];
const NODES: usize = 60;
const H: f64 = 10.0;
const SOURCE: [usize; 2] = [20, 25];
const RECEIVERS: [[usize; 2]; 5] = [[5, 4], [30, 2], [57, 10], [3, 40], [45, 55]];

/// Dipping layers with a fault, whose rock at each edge goes on for `beyond` cells.
fn faulted(beyond: usize) -> Array2<f32> {
    let inside = |i: usize| i.saturating_sub(beyond).min(NODES - 1);
    let wide = NODES + 2 * beyond;
    Array2::from_shape_fn((wide, wide), |(x, z)| {
        let (x, z) = (inside(x), inside(z));
        let fault = if x >= NODES / 2 { 5 } else { 0 };
        ROCK[(z + x / 3 + fault) / 6 % ROCK.len()]
    })
}

/// A shot of 15 Hz in the middle of `faulted`, for as long as a wave needs to come back from an edge
/// 160 cells away.
fn setup(beyond: usize, boundary: Boundary, source: [usize; 2], receivers: &[[usize; 2]]) -> Setup {
    let at = |[x, z]: [usize; 2]| -> Position {
        Axes::xz(H * (x + beyond) as f64, H * (z + beyond) as f64)
    };
    let Axes { x, z, .. } = at(source);
    let shot = Shot {
        sources: vec![common::ricker(x, z, 15.0, 0.1)],
        receivers: receivers.iter().map(|receiver| at(*receiver)).collect(),
    };
    let time = common::every_step(8e-4, 0.6);
    Setup {
        model: VelocityModel::new(faulted(beyond), H, H).expect("a valid model"),
        boundary,
        ..common::homogeneous((1, 1), H, 1500.0, time, shot)
    }
}

/// What a layer sends back does not depend on whether the rock beside it varies. Rates that follow
/// the rock gave -42, -52 and -65 dB here.
#[test]
fn rock_may_vary_along_a_layer() {
    for engine in engines::of_studies() {
        let gather = |beyond, boundary| {
            let setup = setup(beyond, boundary, SOURCE, &RECEIVERS);
            common::gathers(engine.as_ref(), setup).remove(0)
        };
        let wide = gather(160, common::NO_LAYER);
        for (cells, bar) in [(10, -60.0), (20, -70.0), (40, -80.0)] {
            let error = gather_error(gather(0, common::cpml(cells)).view(), wide.view());
            let reflected = 20.0 * error.log10();
            let case = format!("{cells} cells, faulted rock");
            let (value, least) = (format!("{reflected:.0} dB"), format!("{bar:.0} dB"));
            figure("absorption", &case, engine.as_ref(), &value, &least, "");
            assert!(reflected < bar, "{case}: {reflected} dB");
        }
    }
}

/// An operator with layers is symmetric up to the derivatives across a layer. Rates that follow the
/// rock gave 3e-2 and 1e-2 here.
#[test]
fn layers_do_not_break_reciprocity() {
    let trace = |cells, from, to| {
        let plan = Plan::new(setup(0, common::cpml(cells), from, &[to])).expect("a valid setup");
        Reference.gathers(&plan).expect("a stable run").remove(0)
    };
    let (here, there) = ([4, 6], [52, 49]);
    for (cells, bar) in [(10, 1e-5), (20, 1e-6)] {
        let (one, other) = (trace(cells, here, there), trace(cells, there, here));
        let error = relative_error(one.row(0), other.row(0));
        let case = format!("reciprocity, {cells} cells beside faulted rock, in f64");
        figure("symmetry", &case, &Reference, &tiny(error), &tiny(bar), "");
        assert!(error < bar, "{case}: {error:e}");
    }
}
