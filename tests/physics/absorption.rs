//! The reflection of an absorbing layer, compared with a grid so large that nothing returns: its
//! energy relative to that of the whole gather, direct wave included, at all angles together.

use crate::common::{self, engines};
use huygens::{acquisition::Shot, boundary::Boundary, engine::Engine, grid::Axes};
use ndarray::Array2;

/// Cells of the model, at 10 m.
const N: usize = 100;
/// Cells more on every side of the large one.
const FAR: usize = 200;

/// A source near the left edge and receivers along it, so that waves arrive at the layer at all
/// angles.
fn gather(engine: &dyn Engine, boundary: Boundary, more: usize) -> Array2<f32> {
    let at = |x: usize, z: usize| Axes::xz(10.0 * (x + more) as f64, 10.0 * (z + more) as f64);
    let source = common::ricker(at(30, 50).x, at(30, 50).z, 15.0, 0.1);
    let receivers = (0..N).step_by(5).map(|z| at(10, z)).collect();
    let shot = Shot { sources: vec![source], receivers };
    let n = N + 2 * more;
    let time = common::every_step(1e-3, 1.0);
    let mut setup = common::homogeneous((n, n), 10.0, 2000.0, time, shot);
    setup.boundary = boundary;
    common::gathers(engine, setup).remove(0)
}

#[test]
fn twenty_cells_of_cpml_and_thirty_of_sponge() {
    for engine in engines::of_studies() {
        let free = gather(engine.as_ref(), common::NO_LAYER, FAR);
        let mut sponge = common::SPONGE_30;
        sponge.top = huygens::boundary::Top::Absorb;
        for (name, boundary, bar) in
            [("CPML, 20 cells", common::CPML_20, -60.0), ("sponge, 30 cells", sponge, -20.0)]
        {
            let ours = gather(engine.as_ref(), boundary, 0);
            let energy = |g: &Array2<f32>| g.iter().map(|p| f64::from(*p).powi(2)).sum::<f64>();
            let decibels = 10.0 * (energy(&(&ours - &free)) / energy(&free)).log10();
            println!("{name}, {}: {decibels:.1} dB", engine.describe().backend);
            assert!(decibels < bar, "{name}: {decibels} dB");
        }
    }
}
