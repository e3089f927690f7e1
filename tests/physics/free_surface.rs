//! Under a free surface the field is the odd half of that in the medium mirrored at the surface,
//! with each source's negative image: the stencil then needs no rule at the surface at all.

use crate::common::{
    self, engines,
    figures::{figure, tiny},
    gather_error, random,
};
use huygens::{
    acquisition::{Shot, Source},
    boundary::{Absorber, Boundary, Cpml, Sponge, Top},
    engine::Engine,
    grid::{Axes, Position},
    model::VelocityModel,
    plan::Setup,
    stencil::Family,
};
use ndarray::{Array2, Array3};

const H: f64 = 10.0;
/// Rows below the surface.
const ROWS: usize = 40;

fn setup(n: (usize, usize), order: usize, sides: Absorber, shot: Shot) -> Setup {
    let mut number = random(17);
    // A random column of rocks at every x and y; the same for both.
    let half = Array3::from_shape_fn((n.0, n.1, ROWS), |_| (1500.0 + 2000.0 * number()) as f32);
    let time = common::every_step(1e-3, 0.15);
    let mut setup = common::homogeneous((1, 1), H, 1500.0, time, shot);
    setup.model = VelocityModel::volume(half, Axes { z: H, x: H, y: H }).expect("a valid model");
    setup.operator = Family::Taylor { order };
    setup.boundary = Boundary { top: Top::Free, sides };
    setup
}

/// The setup with the medium mirrored above row 0, which becomes row ROWS - 1, and a negative image
/// of each source.
fn mirrored(setup: &Setup) -> Setup {
    let half = setup.model.velocity();
    let (ny, nx, _) = half.dim();
    let both = Array3::from_shape_fn((ny, nx, 2 * ROWS - 1), |(y, x, z)| {
        half[[y, x, z.abs_diff(ROWS - 1)]]
    });
    let surface = H * (ROWS - 1) as f64;
    let below = |at: &Position| Position { z: surface + at.z, ..*at };
    let mut setup = setup.clone();
    setup.model = VelocityModel::volume(both, Axes { z: H, x: H, y: H }).expect("a valid model");
    // The same layers, and above the surface the image of those below.
    setup.boundary.top = Top::Absorb;
    let shot = &mut setup.shots[0];
    let images = shot.sources.iter().map(|source| {
        let at = Position { z: surface - source.at.z, ..source.at };
        Source { at, amplitude: -source.amplitude, ..source.clone() }
    });
    let images: Vec<Source> = images.collect();
    shot.sources.iter_mut().for_each(|source| source.at = below(&source.at));
    shot.sources.extend(images);
    shot.receivers = shot.receivers.iter().map(below).collect();
    setup
}

fn gather(engine: &dyn Engine, setup: Setup) -> Array2<f32> {
    common::gathers(engine, setup).remove(0)
}

#[test]
fn the_field_is_the_odd_half_of_the_mirrored_one() {
    for n in [(1, 33), (19, 21)] {
        let at =
            |x: usize, y: usize, z: f64| Position { z, x: H * x as f64, y: H * (y % n.0) as f64 };
        let source = |at| Source { at, ..common::ricker(0.0, 0.0, 20.0, 0.06) };
        let receivers = (0..20).map(|i| at(i, 7 * i, H * (i % 6) as f64)).collect();
        let shot = Shot { sources: vec![source(at(9, 8, H)), source(at(4, 3, 60.0))], receivers };
        let cpml = Absorber::Cpml(Cpml::new(8));
        let sponge = Absorber::Sponge(Sponge { cells: 8, strength: Sponge::STRENGTH });
        let zero = Absorber::Zero;
        for (order, sides) in [(2, zero), (8, zero), (16, zero), (8, cpml), (4, sponge)] {
            let setup = setup(n, order, sides, shot.clone());
            for engine in engines::fast_and_oracle() {
                let free = gather(engine.as_ref(), setup.clone());
                let images = gather(engine.as_ref(), mirrored(&setup));
                let error = gather_error(free.view(), images.view());
                let kind = if n.0 == 1 { "plane" } else { "volume" };
                let case = format!("mirrored medium, {kind}, order {order}");
                let value = tiny(error);
                figure("surface", &case, engine.as_ref(), &value, "2e-6", "");
                let backend = engine.describe().backend;
                // A receiver on the surface hears nothing.
                assert!(free.row(0).iter().all(|p| *p == 0.0) && free.iter().any(|p| *p != 0.0));
                assert!(error <= 2e-6, "{n:?}, order {order}, {sides:?}, {backend}: {error:e}");
            }
        }
    }
}
