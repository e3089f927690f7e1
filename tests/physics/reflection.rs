//! What an absorbing layer sends back at one angle of incidence.
//!
//! A source and a receiver stand beside a layer so that the wave that turns at its outer edge meets
//! it at the angle; what turns on the way meets it at a larger one. Three runs on the same nodes:
//! with the layer, with the layer switched off, so that the outer edge is a wall, and with the
//! model so large there that nothing returns. The reflected energy is that of (layer - large) over
//! that of (wall - large): nothing is windowed, direct waves cancel, and both waves have come the
//! same way. The other edges are out of reach.

use crate::common::{
    self, engines,
    figures::{cell, figure},
};
use huygens::{
    acquisition::{Shot, Source},
    boundary::{Absorber, Boundary, Coefficients, Cpml, Sponge, Top},
    engine::{Engine, Gathers, cpu::Parallel},
    grid::Axes,
    model::VelocityModel,
    plan::{Plan, Setup},
};
use ndarray::{Array2, Array3};

/// Metres, and metres per second.
const H: f64 = 10.0;
const V: f64 = 2000.0;
/// A lower layer, whose surface enters the absorbing one this many cells below the receiver.
const LOWER: f64 = 3000.0;
const BELOW: usize = 10;

/// The scheme's shortest waves arrive early by this factor of a path.
const FORERUNNERS: f64 = 1.15;

/// A wave on its way to a layer.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// Angle of incidence, degrees.
    pub angle: f64,
    /// Width of the layer, cells.
    pub cells: usize,
    /// Points per wavelength at the peak frequency.
    pub points: usize,
    /// From the source to the layer, cells.
    pub distance: usize,
    /// Whether there is a lower layer.
    pub layered: bool,
    /// The fastest rock there is over that beside the layer. It lies on the other side, where no
    /// wave comes back from, but the time step is for it.
    pub contrast: f64,
    /// Whether it is in a volume.
    pub volume: bool,
}

/// The extent of a scene, cells.
struct Span {
    /// From the source to the receiver.
    offset: usize,
    /// To the layer's outer edge and back, and the wavelet with a wavelength of what follows it.
    path: f64,
    /// The path of the fastest waves in that time: edges whose distance there and back is longer
    /// are out of reach.
    reach: usize,
}

impl Scene {
    /// In a homogeneous plane.
    pub fn new(angle: f64, cells: usize) -> Self {
        let distance = (3 * cells / 2).max(30);
        Scene { angle, cells, points: 10, distance, layered: false, contrast: 1.0, volume: false }
    }

    /// The trace with these sides and `more` additional cells of the model on the side of the
    /// layer.
    fn trace(&self, engine: &dyn Engine, sides: Absorber, more: usize) -> Array2<f32> {
        common::gathers(engine, self.setup(sides, more)).remove(0)
    }

    /// The trace with these sides, whose nodes along x are made otherwise.
    fn trace_of(&self, sides: Absorber, otherwise: impl FnMut(&mut Coefficients)) -> Array2<f32> {
        let mut plan = Plan::new(self.setup(sides, 0)).expect("a valid setup");
        plan.profile.x.nodes.iter_mut().for_each(otherwise);
        let mut gathers = Gathers::new(&plan);
        Parallel.run(&plan, &mut gathers).expect("a stable run");
        gathers.shots.remove(0)
    }

    fn fastest(&self) -> f64 {
        if self.layered { LOWER } else { V }
    }

    fn span(&self) -> Span {
        let deep = 2.0 * (self.distance + self.cells) as f64;
        let offset = (deep * self.angle.to_radians().tan()).round();
        let path = deep.hypot(offset) + 4.0 * self.points as f64;
        let reach = (FORERUNNERS * path * self.fastest() / V).ceil() as usize;
        Span { offset: offset as usize, path, reach }
    }

    fn setup(&self, sides: Absorber, more: usize) -> Setup {
        let Span { offset, path, reach } = self.span();
        let (distance, fastest) = (self.distance, self.fastest());
        let half = reach / 2 + 1;
        let interface = half + offset + BELOW;
        let n = Axes {
            z: (half + offset + reach.saturating_sub(offset) / 2 + 2).max(interface + 2),
            x: more + distance + half,
            y: if self.volume { reach + 2 } else { 1 },
        };
        let velocity = Array3::from_shape_fn((n.y, n.x, n.z), |(_, x, z)| {
            let faster = if x + 1 == n.x { self.contrast } else { 1.0 };
            (if self.layered && z >= interface { LOWER } else { V * faster }) as f32
        });
        let at = |z: usize| Axes {
            z: H * z as f64,
            x: H * (more + distance) as f64,
            y: H * (n.y / 2) as f64,
        };
        let peak = V / (self.points as f64 * H);
        let source = Source { at: at(half), ..common::ricker(0.0, 0.0, peak, 1.5 / peak) };
        let shot = Shot { sources: vec![source], receivers: vec![at(half + offset)].into() };
        let step = 0.4 * H / fastest.max(V * self.contrast);
        let duration = (path * H / V / step).round() * step;
        let mut setup =
            common::homogeneous((1, 1), H, V as f32, common::every_step(step, duration), shot);
        let h = Axes { z: H, x: H, y: H };
        setup.model = VelocityModel::volume(velocity, h).expect("a valid model");
        setup.boundary = Boundary { top: Top::Absorb, sides };
        setup
    }

    /// The wave reflected by a wall, and the trace of a grid so large that nothing returns.
    pub fn bare(&self, engine: &dyn Engine) -> Bare {
        let large = (self.span().reach / 2 + 1).saturating_sub(self.distance).max(self.cells);
        let large = self.trace(engine, Absorber::Zero, large);
        let wall = self.trace(engine, Absorber::Zero, self.cells);
        Bare { wall: energy(&(wall - &large)), large }
    }

    /// Energy that comes back from a layer, dB.
    pub fn reflected(&self, engine: &dyn Engine, bare: &Bare, sides: Absorber) -> f64 {
        assert_eq!(sides.cells(), self.cells);
        bare.decibels(&self.trace(engine, sides, 0))
    }
}

/// A scene without a layer.
pub struct Bare {
    large: Array2<f32>,
    wall: f64,
}

impl Bare {
    fn decibels(&self, trace: &Array2<f32>) -> f64 {
        10.0 * (energy(&(trace - &self.large)) / self.wall).log10()
    }
}

fn energy(trace: &Array2<f32>) -> f64 {
    trace.iter().map(|p| f64::from(*p).powi(2)).sum()
}

pub fn cpml(cells: usize) -> Absorber {
    Absorber::Cpml(Cpml::new(cells))
}

pub fn sponge(cells: usize) -> Absorber {
    Absorber::Sponge(Sponge { cells, strength: Sponge::STRENGTH })
}

/// Angles, and what may come back, dB.
const BARS: [(f64, f64); 3] = [(0.0, -60.0), (30.0, -50.0), (60.0, -35.0)];

fn check(engine: &dyn Engine, medium: &str, scene: Scene, bar: f64) {
    let bare = scene.bare(engine);
    let reflected = scene.reflected(engine, &bare, cpml(scene.cells));
    let case = format!("{medium}, {} degrees", scene.angle);
    figure("absorption", &case, engine, &decibels(reflected), &decibels(bar), "");
    assert!(reflected < bar, "{case}: {reflected} dB");
}

/// To whole decibels.
pub fn decibels(value: f64) -> String {
    format!("{value:.0} dB")
}

#[test]
fn twenty_cells_at_every_angle() {
    for engine in engines::of_studies() {
        for (angle, bar) in BARS {
            // The widest scene on the CPU alone; GPUs are compared with the oracle in
            // tests/agreement.
            let wide = angle > 45.0 && engine.describe().backend != "cpu";
            let media = [("homogeneous", false), ("two layers", true)];
            for (medium, layered) in media.into_iter().take(if wide { 1 } else { 2 }) {
                let scene = Scene { layered, ..Scene::new(angle, 20) };
                check(engine.as_ref(), medium, scene, bar);
            }
        }
    }
}

/// Ratios of the velocity elsewhere to the velocity beside the layer.
pub const CONTRASTS: [f64; 4] = [1.0, 2.0, 3.0, 4.0];

/// The allowed reflection of 10 cells at normal incidence, dB.
const BESIDE_SLOW_ROCK: f64 = -60.0;

/// A layer is good for slow rock beside it too.
#[test]
fn beside_slow_rock() {
    for engine in engines::of_studies() {
        for (cells, bar) in [(10, BESIDE_SLOW_ROCK), (20, -85.0)] {
            for contrast in CONTRASTS {
                let medium = format!("{cells} cells, rock {contrast} times as fast elsewhere");
                let scene = Scene { contrast, ..Scene::new(0.0, cells) };
                check(engine.as_ref(), &medium, scene, bar);
            }
        }
        // Fast and slow rock meet in the layer.
        let scene = Scene { layered: true, ..Scene::new(0.0, 10) };
        check(engine.as_ref(), "10 cells, two layers", scene, BESIDE_SLOW_ROCK);
    }
}

/// On the CPU; GPUs are compared with the oracle in tests/agreement.
#[test]
fn twenty_cells_in_a_volume() {
    let scene = Scene { points: 8, distance: 10, volume: true, ..Scene::new(30.0, 20) };
    check(&Parallel, "a volume", scene, BARS[1].1);
}

/// Tests the test: the usual three mistakes, no layer, a sponge, and a CPML without the slope of its
/// damping.
#[test]
fn mistakes_are_seen() {
    let bar = BARS[0].1;
    let scene = Scene::new(0.0, 20);
    let bare = scene.bare(&Parallel);
    let mut wrong: Vec<_> = common::wrong_gathers(&Parallel, scene.setup(cpml(20), 0)).into();
    wrong.push(("a wall", scene.trace(&Parallel, Absorber::Zero, 20)));
    wrong.push(("a sponge", scene.trace(&Parallel, sponge(20), 0)));
    let no_slope = |node: &mut Coefficients| node.slope = 0.0;
    wrong.push(("no slope of the damping", scene.trace_of(cpml(20), no_slope)));
    for (what, trace) in wrong {
        let reflected = bare.decibels(&trace);
        cell("mistakes", "absorbing layer", what, &format!("{} ({bar} dB)", decibels(reflected)));
        assert!(reflected > bar, "{what}: {reflected}");
    }
}
