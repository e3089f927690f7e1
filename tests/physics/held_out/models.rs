//! Public models that nothing in the code was made or tuned on.
//!
//! To add a held-out model: a `Case` that says where it comes from, and a line in `built`.

use super::random_medium::RandomMedium;
use huygens::{
    acquisition::{Ricker, Sampled, Shot, Source, SourceKind, TimeDispersion, Wavelet},
    boundary::{Absorber, Boundary, Cpml, Top},
    grid::Axes,
    io::npz,
    model::{Density, VelocityModel},
    plan::{Setup, Step, Time},
    stencil::Family,
};
use ndarray::{Array3, Ix2};
use std::{f64::consts::PI, path::Path};

/// A node: along y, x and z.
pub type Node = [usize; 3];

/// A model with its survey.
pub struct Case {
    pub name: &'static str,
    /// Its origin.
    pub origin: &'static str,
    /// m/s, `[y][x][z]`.
    pub velocity: Array3<f32>,
    /// kg/m3, of the same nodes; `None` where it is constant.
    pub density: Option<Array3<f32>>,
    /// Between nodes along every axis, m.
    pub spacing: f64,
    /// A free surface at row 0, or absorbing as the other edges.
    pub free: bool,
    /// Cells of an absorbing layer.
    pub layer: usize,
    /// Cells beyond the model of a run whose edges send everything back, but too late.
    pub beyond: usize,
    pub peak_hz: f64,
    /// s.
    pub step: f64,
    pub samples: usize,
    pub source: Node,
    pub receivers: Vec<Node>,
}

impl Case {
    /// A Ricker wavelet's samples.
    pub fn wavelet(&self) -> Vec<f64> {
        let ricker = Ricker { peak_hz: self.peak_hz, delay: 1.5 / self.peak_hz };
        let value = |n: usize| {
            let a = (PI * ricker.peak_hz * (n as f64 * self.step - ricker.delay)).powi(2);
            (1.0 - 2.0 * a) * (-a).exp()
        };
        (0..self.samples).map(value).collect()
    }

    pub fn is_volume(&self) -> bool {
        self.velocity.dim().0 > 1
    }

    pub fn setup(&self) -> Setup {
        let h = self.spacing;
        let at = |[y, x, z]: Node| Axes { z: z as f64 * h, x: x as f64 * h, y: y as f64 * h };
        let samples = Sampled { values: self.wavelet().into(), interval: self.step };
        let source = Source {
            kind: SourceKind::Monopole,
            at: at(self.source),
            wavelet: Wavelet::Sampled(samples),
            amplitude: 1.0,
        };
        let (top, sides) = (
            if self.free { Top::Free } else { Top::Absorb },
            Absorber::Cpml(Cpml::new(self.layer)),
        );
        let model = if self.is_volume() {
            VelocityModel::volume(self.velocity.clone(), Axes { z: h, x: h, y: h })
        } else {
            VelocityModel::new(self.velocity.index_axis(ndarray::Axis(0), 0).to_owned(), h, h)
        };
        Setup {
            model: model.expect("a valid model"),
            operator: Family::Taylor { order: 8 },
            boundary: Boundary { top, sides },
            time: Time {
                duration: (self.samples - 1) as f64 * self.step,
                step: Step::Seconds(self.step),
                record: None,
                dispersion: TimeDispersion::Kept,
            },
            shots: vec![Shot {
                sources: vec![source],
                receivers: self.receivers.iter().map(|r| at(*r)).collect(),
            }],
            snapshots: Vec::new(),
            initial: None,
            window: None,
            density: match &self.density {
                Some(values) => Density::new(values.clone()).expect("densities in kg/m3"),
                None => Density::default(),
            },
            anisotropy: None,
            allow_unstable: false,
        }
    }

    /// The setup with `beyond` more cells at each edge, whose outer ends reflect everything, up to
    /// the echo.
    pub fn without_echoes(&self) -> Setup {
        let wide = self.beyond;
        let (ny, nx, nz) = self.velocity.dim();
        // Nothing is added along y to a plane, nor above a free surface.
        let before = [if ny > 1 { wide } else { 0 }, wide, if self.free { 0 } else { wide }];
        let after = [before[0], wide, wide];
        let inside =
            |n: usize, axis: usize, nodes: usize| n.saturating_sub(before[axis]).min(nodes - 1);
        let nodes =
            (ny + before[0] + after[0], nx + before[1] + after[1], nz + before[2] + after[2]);
        let continued = |values: &Array3<f32>| {
            Array3::from_shape_fn(nodes, |(y, x, z)| {
                values[[inside(y, 0, ny), inside(x, 1, nx), inside(z, 2, nz)]]
            })
        };
        let moved = |node: Node| [0, 1, 2].map(|axis| node[axis] + before[axis]);
        let wider = Case {
            velocity: continued(&self.velocity),
            density: self.density.as_ref().map(continued),
            samples: self.clear(),
            source: moved(self.source),
            receivers: self.receivers.iter().map(|r| moved(*r)).collect(),
            ..*self
        };
        let mut setup = wider.setup();
        setup.boundary.sides = Absorber::Zero;
        if !self.free {
            setup.boundary.top = Top::Zero;
        }
        setup
    }

    /// Samples before the first echo can come from edges `beyond` the model: the way from the
    /// source's image behind an edge, at the largest velocity.
    pub fn clear(&self) -> usize {
        let fastest = f64::from(self.velocity.iter().fold(0.0f32, |m, v| m.max(*v)));
        let (ny, nx, nz) = self.velocity.dim();
        let mut shortest = f64::INFINITY;
        for (axis, nodes) in [ny, nx, nz].into_iter().enumerate() {
            for end in [-(self.beyond as f64), (nodes + self.beyond) as f64 - 1.0] {
                if nodes == 1 || (axis == 2 && self.free && end < 0.0) {
                    continue;
                }
                for receiver in &self.receivers {
                    let mut image = self.source.map(|n| n as f64);
                    image[axis] = 2.0 * end - image[axis];
                    let along = |a: usize| (image[a] - receiver[a] as f64).powi(2);
                    shortest = shortest.min((0..3).map(along).sum::<f64>().sqrt());
                }
            }
        }
        self.samples.min((shortest * self.spacing / (fastest * self.step)) as usize)
    }
}

/// The cases that can be built from what is published.
pub fn built() -> Vec<Case> {
    vec![iasp91(), self_similar(), gradient(), loh1(), exponential()]
}

/// The held-out models with a density by Gardner's rule, 310 v^0.25, and with waves that have 10 nodes
/// and more in a length at 2.5 times their peak frequency: the derivatives of a staggered grid differ
/// from ours for shorter ones. Its largest step is shorter too.
pub fn dense(marmousi: Case) -> Vec<Case> {
    let longer = [
        Case { peak_hz: 8.0, step: 7e-4, ..marmousi },
        Case { peak_hz: 0.2, ..iasp91() },
        Case { peak_hz: 1.6, ..loh1() },
        Case { peak_hz: 5.5, ..exponential() },
    ];
    let gardner = |case: Case| {
        let density = case.velocity.mapv(|v| (310.0 * f64::from(v).powf(0.25)) as f32);
        Case { density: Some(density), ..case }
    };
    longer.map(gardner).into()
}

fn row(x: impl Iterator<Item = usize>, z: usize) -> Vec<Node> {
    x.map(|x| [0, x, z]).collect()
}

/// Every second node of the file, whose nodes are 4 m apart.
pub fn marmousi(file: &Path) -> Case {
    let read = npz::read::<f64>(file, Some("model")).expect("a whole file");
    let file = read.into_dimensionality::<Ix2>().expect("two axes");
    let (nz, nx) = file.dim();
    let velocity = Array3::from_shape_fn((1, nx / 2, nz / 2), |(_, x, z)| {
        (1000.0 * file[[2 * z, 2 * x]]) as f32
    });
    Case {
        name: "Marmousi, a window",
        origin: "a section drawn after a field, faulted and thinly layered, 1730 to 5500 m/s: x 0.8 to 4 km, z 0.8 to \
                 3 km; the sdist of pylops 2.8.0 has it as testdata/avo/poststack_model.npz",
        velocity,
        density: None,
        spacing: 8.0,
        free: false,
        layer: 40,
        beyond: 250,
        peak_hz: 20.0,
        step: 8e-4,
        samples: 2501,
        source: [0, 200, 2],
        receivers: row((0..400).step_by(10), 2),
    }
}

/// km/s at a depth in km: Kennett and Engdahl (1991), Geophys. J. Int. 105, table 2. An interface
/// is in what is below.
fn iasp91_at(depth: f64) -> f64 {
    let x = 1.0 - depth / 6371.0;
    match depth {
        d if d < 20.0 => 5.8,
        d if d < 35.0 => 6.5,
        d if d < 120.0 => 8.78541 - 0.74953 * x,
        d if d < 210.0 => 25.41389 - 17.69722 * x,
        _ => 30.78765 - 23.25415 * x,
    }
}

pub fn iasp91() -> Case {
    Case {
        name: "iasp91, free surface",
        origin: "the Earth's crust and upper mantle to 240 km, of Kennett and Engdahl (1991), by their formulas, without \
                 its curvature",
        velocity: Array3::from_shape_fn((1, 401, 241), |(_, _, z)| {
            (1e3 * iasp91_at(z as f64)) as f32
        }),
        density: None,
        spacing: 1000.0,
        free: true,
        layer: 40,
        beyond: 250,
        peak_hz: 0.5,
        step: 0.05,
        samples: 2001,
        source: [0, 80, 10],
        receivers: row((90..390).step_by(10), 1),
    }
}

fn self_similar() -> Case {
    let (h, correlation) = (100.0, 5000.0);
    let medium = RandomMedium::self_similar_plane(correlation, PI / (2.0 * h), 1986);
    let velocity = |(_, x, z): Node3| 6000.0 * (1.0 + 0.1 * medium.at([0.0, x * h, z * h]));
    Case {
        name: "random, self-similar",
        origin: "6 km/s, 10 % of it at random, by von Karman's autocorrelation of order 0 over 5 km, after Frankel and \
                 Clayton (1986)",
        velocity: filled((1, 301, 201), velocity),
        density: None,
        spacing: h,
        free: false,
        layer: 40,
        beyond: 250,
        peak_hz: 4.0,
        step: 5e-3,
        samples: 1601,
        source: [0, 150, 100],
        receivers: row((0..301).step_by(10), 2),
    }
}

pub const GRADIENT: (f64, f64) = (1800.0, 0.6);

pub fn gradient() -> Case {
    let (surface, slope) = GRADIENT;
    Case {
        name: "volume, velocity linear in depth",
        origin: "1800 m/s + 0.6 /s z (Slotnick 1936), whose times are known exactly",
        velocity: filled((61, 81, 71), |(_, _, z)| surface + slope * z * 25.0),
        density: None,
        spacing: 25.0,
        free: false,
        layer: 20,
        beyond: 25,
        peak_hz: 8.0,
        step: 2e-3,
        samples: 601,
        source: [30, 10, 5],
        receivers: (20..80).step_by(10).map(|x| [30, x, 3 * x / 4]).collect(),
    }
}

/// Sources and receivers of Day and Bradley (2001), but one row below the surface, where p is not
/// 0.
fn loh1() -> Case {
    Case {
        name: "volume, LOH.1, free surface",
        origin: "the layer of 1 km over a half-space of Day and Bradley (2001), its P waves alone: 4000 over 6000 m/s",
        velocity: filled((61, 51, 41), |(_, _, z)| if z < 10.0 { 4000.0 } else { 6000.0 }),
        density: None,
        spacing: 100.0,
        free: true,
        layer: 20,
        beyond: 45,
        peak_hz: 4.0,
        step: 6e-3,
        samples: 501,
        source: [10, 10, 20],
        receivers: (1..=6).map(|n| [10 + 8 * n, 10 + 6 * n, 1]).collect(),
    }
}

fn exponential() -> Case {
    let h = 20.0;
    let medium = RandomMedium::exponential_volume(10.0 * h, PI / (2.0 * h), 1986);
    let velocity = |(y, x, z): Node3| 3000.0 * (1.0 + 0.05 * medium.at([y * h, x * h, z * h]));
    Case {
        name: "volume, random, exponential",
        origin: "3 km/s, 5 % of it at random, by an exponential autocorrelation over 200 m, after Frankel and Clayton (1986)",
        velocity: filled((61, 61, 61), velocity),
        density: None,
        spacing: h,
        free: false,
        layer: 20,
        beyond: 30,
        peak_hz: 15.0,
        step: 2e-3,
        samples: 401,
        source: [30, 30, 30],
        receivers: (0..61).step_by(6).map(|n| [n, 60 - n / 2, 4]).collect(),
    }
}

/// y, x and z, nodes as numbers.
type Node3 = (f64, f64, f64);

fn filled(nodes: (usize, usize, usize), velocity: impl Fn(Node3) -> f64) -> Array3<f32> {
    Array3::from_shape_fn(nodes, |(y, x, z)| velocity((y as f64, x as f64, z as f64)) as f32)
}
