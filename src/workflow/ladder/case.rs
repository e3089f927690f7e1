//! What a ladder is climbed with: a random field in a random model, an operator, no boundaries.

use crate::{
    acquisition::{Ricker, Shot, Source, Wavelet},
    boundary::{Absorber, Boundary, Top},
    engine::Layout,
    grid::Axes,
    model::{ModelError, VelocityModel},
    plan::{Initial, Plan, PlanError, Setup, Step, Time},
    stencil::{Family, Window},
};
use ndarray::{Array2, Axis};
use serde::Serialize;

/// A grid and an operator.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Case {
    /// Nodes along z, the fast axis.
    pub nz: usize,
    /// Nodes along x.
    pub nx: usize,
    /// The operator.
    pub operator: Operator,
}

/// The operators that a ladder is climbed with; speed depends on the wing alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// Taylor coefficients of an order.
    Order(usize),
    /// The thesis' windowed sinc with a wing of so many cells.
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

/// Why there is no case.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// A field that no shader can bind.
    #[error(
        "a ladder of {nz} x {nx} nodes is too large: at most {MOST_NODES} are taken with the zeros around them, 2 GiB a field, which is \
         what a shader can bind; give fewer nodes"
    )]
    TooLarge {
        /// Nodes along z.
        nz: usize,
        /// Nodes along x.
        nx: usize,
    },
    /// The grid cannot be.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The operator cannot be.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// The thesis' grid and operator: 310 x 775 nodes, a wing of 8.
pub const THESIS: Case = Case { nz: 310, nx: 775, operator: Operator::Wing(8) };

/// 2 GiB of f32.
const MOST_NODES: usize = 1 << 29;
/// Metres; with it, 0.5 ms is stable for the fastest velocity and every operator.
const SPACING: f64 = 10.0;
const STEP: f64 = 0.5e-3;
/// Velocities, m/s.
const SLOWEST: f32 = 1500.0;
const FASTEST: f32 = 4500.0;
/// More than any ladder takes.
const STEPS: f64 = 100_000.0;

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} x {} nodes (z x x), {}", self.nz, self.nx, self.operator)
    }
}

impl Case {
    /// Nodes of the grid.
    pub fn nodes(&self) -> f64 {
        self.nz as f64 * self.nx as f64
    }

    /// Refuses a grid that is too large for any ladder.
    pub fn check(&self) -> Result<(), CaseError> {
        let (nz, nx) = (self.nz, self.nx);
        let n = Axes { z: nz, x: nx, y: 1 };
        // As it is laid out, which for short columns is more; the product cannot overflow below the limit.
        let few = |n: usize| n <= MOST_NODES;
        let fits = few(nz) && few(nx) && few(Layout::of(n, self.operator.wing()).len());
        if fits { Ok(()) } else { Err(CaseError::TooLarge { nz, nx }) }
    }

    /// The Plan: one source in the middle, no layers, nothing recorded.
    pub fn plan(&self) -> Result<Plan, CaseError> {
        let (nx, nz) = (self.nx, self.nz);
        self.check()?;
        let array = |seed: u64, low: f32, high: f32| {
            Array2::from_shape_fn((nx, nz), |(ix, iz)| {
                low + (high - low) * unit(seed, (ix * nz + iz) as u64)
            })
        };
        let field = |seed| array(seed, -0.5, 0.5).insert_axis(Axis(0));
        let wavelet = Wavelet::Ricker(Ricker { peak_hz: 20.0, delay: 0.075 });
        let node = |n: usize| (n / 2) as f64 * SPACING;
        let source = Source { at: Axes::xz(node(nx), node(nz)), wavelet, amplitude: 1.0 };
        Ok(Plan::new(Setup {
            model: VelocityModel::new(array(1, SLOWEST, FASTEST), SPACING, SPACING)?,
            operator: self.operator.family(),
            boundary: Boundary { top: Top::Zero, sides: Absorber::Zero },
            time: Time {
                duration: STEPS * STEP,
                step: Step::Seconds(STEP),
                record: Some(STEPS * STEP),
            },
            shots: vec![Shot { sources: vec![source], receivers: Vec::new() }],
            snapshots: Vec::new(),
            initial: Some(Initial { now: field(2), before: field(3) }),
            allow_unstable: false,
        })?)
    }
}

/// The `k`th of a row of random numbers in 0..1.
fn unit(seed: u64, k: u64) -> f32 {
    // Steele, Lea and Flood's SplitMix64, whose state can be jumped to.
    let mut z = (seed << 48 ^ k).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32
}
