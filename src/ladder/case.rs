//! The case of a ladder: a random field in a random model, an operator, no boundaries.

use crate::{
    acquisition::{Ricker, Shot, Source, SourceKind, Wavelet},
    boundary::{Absorber, Boundary, Top},
    engine::Layout,
    grid::Axes,
    host::{self, Bounded},
    model::{ModelError, VelocityModel},
    plan::{Initial, Plan, PlanError, Setup, Step, Time},
    stencil::{Family, Window},
};
use ndarray::Array3;
use rayon::prelude::*;
use serde::Serialize;

/// A grid and an operator.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Case {
    /// Nodes along z, the fast axis.
    pub nz: usize,
    /// Nodes along x.
    pub nx: usize,
    /// Nodes along y, the slowest axis; 1 in 2-D.
    pub ny: usize,
    /// The operator.
    pub operator: Operator,
}

/// The operators of a ladder; speed depends on the wing alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// Taylor coefficients of an order.
    Order(usize),
    /// The thesis' windowed sinc with a wing of that many cells.
    Wing(usize),
}

impl Operator {
    /// The wing, cells.
    pub fn wing(self) -> usize {
        match self {
            Operator::Order(order) => order / 2,
            Operator::Wing(wing) => wing,
        }
    }

    fn family(self) -> Family {
        match self {
            Operator::Order(order) => Family::Taylor { order },
            Operator::Wing(wing) => {
                let window = Window { wing, alpha: 0.5, beta: 5.0 };
                Family::WindowedSinc { window: Axes { z: window, x: window, y: window } }
            }
        }
    }
}

impl std::fmt::Display for Operator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Operator::Order(order) => write!(f, "order {order} (wing {})", order / 2),
            Operator::Wing(wing) => write!(f, "windowed sinc of wing {wing}"),
        }
    }
}

/// The parameter that a sweep varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sweep {
    /// Invocations per workgroup, all along z; 2-D.
    Threads,
    /// Shapes of the workgroup; in 2-D also the cuts of the major axis.
    Geometry,
    /// Slices that a workgroup marches through, or that an invocation holds; 3-D.
    Slices,
}

/// An error in a case.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum CaseError {
    #[error(
        "a field of {} nodes takes {:.1} GiB and the zeros around it, and a shader binds at most {:.1} GiB; give {} \
         nodes or fewer", .0.size(), gib(.0.nodes()), gib(MOST_NODES as f64), .0.largest(MOST_NODES)
    )]
    TooLarge(Case),
    #[error(
        "the model and the random fields of {} nodes take {:.1} GiB of the host's memory, and {left}; give {} nodes or \
         fewer", .case.size(), gib(.case.nodes() * HOST_VALUES as f64),
        .case.largest(.left.bytes as usize / 4 / HOST_VALUES)
    )]
    NoMemory { case: Case, left: Bounded },
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// The thesis' grid and operator: 310 x 775 nodes, a wing of 8.
pub const THESIS: Case = Case::plane(310, 775, Operator::Wing(8));

/// 2 GiB of f32.
const MOST_NODES: usize = 1 << 29;

/// Values that the host keeps per node while shares start: the model, and p and p_prev of the Plan,
/// of the whole state and of its parts.
const HOST_VALUES: usize = 7;

/// GiB of a number of f32.
fn gib(values: f64) -> f64 {
    4.0 * values / f64::from(1 << 30)
}

/// Metres; with it, 0.5 ms is stable for the fastest velocity and every operator.
pub(super) const SPACING: f64 = 10.0;
const STEP: f64 = 0.5e-3;
/// Velocities, m/s.
const SLOWEST: f32 = 1500.0;
const FASTEST: f32 = 4500.0;
/// More steps than any ladder takes.
const STEPS: f64 = 100_000.0;

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let axes = if self.is_volume() { "z x x x y" } else { "z x x" };
        write!(f, "{} nodes ({axes}), {}", self.size(), self.operator)
    }
}

impl Case {
    /// A case of the 2-D ladder.
    pub const fn plane(nz: usize, nx: usize, operator: Operator) -> Self {
        Case { nz, nx, ny: 1, operator }
    }

    /// A case of the 3-D ladder; `[nz, nx, ny]`.
    pub const fn volume([nz, nx, ny]: [usize; 3], operator: Operator) -> Self {
        Case { nz, nx, ny, operator }
    }

    /// True for a case of the 3-D ladder.
    pub fn is_volume(&self) -> bool {
        self.ny > 1
    }

    /// Nodes of the grid.
    pub fn nodes(&self) -> f64 {
        self.nz as f64 * self.nx as f64 * self.ny as f64
    }

    /// `310 x 775`, or `512 x 512 x 512`.
    pub fn size(&self) -> String {
        match self.is_volume() {
            true => format!("{} x {} x {}", self.nz, self.nx, self.ny),
            false => format!("{} x {}", self.nz, self.nx),
        }
    }

    /// Nodes along each axis.
    pub(super) fn n(&self) -> Axes<usize> {
        Axes { z: self.nz, x: self.nx, y: self.ny }
    }

    /// Values of a field with the zeros around the model; without them if it is far too large for
    /// any device.
    pub(crate) fn values(&self) -> usize {
        let n = self.n();
        let nodes = n.z.saturating_mul(n.x).saturating_mul(n.y);
        // No product of the layout overflows below that.
        let few = nodes <= 2 * MOST_NODES;
        if few { Layout::of(n, self.operator.wing()).len() } else { nodes.min(usize::MAX >> 4) }
    }

    /// The square or the cube with the most nodes whose field has at most `values` values, written
    /// as by [`Case::size`].
    pub(crate) fn largest(&self, values: usize) -> String {
        let of = |n| Case { nz: n, nx: n, ny: if self.is_volume() { n } else { 1 }, ..*self };
        let root = (values as f64).powf(if self.is_volume() { 1.0 / 3.0 } else { 0.5 });
        let fits = |case: &Case| case.values() <= values;
        (1..=root as usize).rev().map(of).find(fits).unwrap_or(of(1)).size()
    }

    /// Returns an error for a grid that is too large for any ladder.
    pub(crate) fn check(&self) -> Result<(), CaseError> {
        if self.values() <= MOST_NODES { Ok(()) } else { Err(CaseError::TooLarge(*self)) }
    }

    /// The Plan: one source in the middle, no layers, nothing recorded.
    pub fn plan(&self) -> Result<Plan, CaseError> {
        Ok(Plan::new(self.setup(STEPS)?)?)
    }

    /// [`Case::plan`] of a grid that no shader need bind whole, because devices share it or cut it
    /// into slabs.
    pub(super) fn whole(&self) -> Result<Plan, CaseError> {
        self.within_memory(true)
    }

    /// [`Case::whole`] with a field that stays zero: in a share that receives its own planes back,
    /// any other field would grow.
    pub(super) fn at_rest(&self) -> Result<Plan, CaseError> {
        self.within_memory(false)
    }

    fn within_memory(&self, moves: bool) -> Result<Plan, CaseError> {
        let _planning = tracing::info_span!(target: "timeline", "reading and planning").entered();
        let left = host::left().unwrap_or(Bounded::NONE);
        match 4.0 * HOST_VALUES as f64 * self.nodes() > left.bytes as f64 {
            true => Err(CaseError::NoMemory { case: *self, left }),
            false => Ok(Plan::new(self.any_size(STEPS, moves)?)?),
        }
    }

    /// The setup for a number of steps.
    pub(super) fn setup(&self, steps: f64) -> Result<Setup, CaseError> {
        self.check()?;
        self.any_size(steps, true)
    }

    fn any_size(&self, steps: f64, moves: bool) -> Result<Setup, CaseError> {
        let shape = (self.ny, self.nx, self.nz);
        let array = |seed: u64, low: f32, high: f32| {
            let nodes = 0..(shape.0 * shape.1 * shape.2) as u64;
            let values = nodes.into_par_iter().map(|k| low + (high - low) * unit(seed, k));
            Array3::from_shape_vec(shape, values.collect()).expect("a value a node")
        };
        let field = |seed| array(seed, -0.5, 0.5);
        let wavelet = Wavelet::Ricker(Ricker { peak_hz: 20.0, delay: 0.075 });
        let node = |n: usize| (n / 2) as f64 * SPACING;
        let at = Axes { z: node(self.nz), x: node(self.nx), y: node(self.ny) };
        let source = Source {
            kind: SourceKind::Monopole,
            at,
            wavelet,
            amplitude: if moves { 1.0 } else { 0.0 },
        };
        let h = Axes { z: SPACING, x: SPACING, y: SPACING };
        let model = VelocityModel::volume(array(1, SLOWEST, FASTEST), h)?;
        let shots = vec![Shot { sources: vec![source], receivers: Default::default() }];
        Ok(Setup {
            operator: self.operator.family(),
            boundary: Boundary { top: Top::Zero, sides: Absorber::Zero },
            time: Time {
                step: Step::Seconds(STEP),
                record: Some(steps * STEP),
                ..Time::new(steps * STEP)
            },
            initial: moves.then(|| Initial { now: field(2), before: field(3) }),
            ..Setup::new(model, shots, steps * STEP)
        })
    }
}

/// The `k`th of a sequence of random numbers in 0..1.
pub(super) fn unit(seed: u64, k: u64) -> f32 {
    // Steele, Lea and Flood's SplitMix64, which allows random access to its states.
    let mut z = (seed << 48 ^ k).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32
}
