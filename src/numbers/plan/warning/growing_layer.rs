//! Absorbing layers in which an error grows.
//!
//! A CPML takes energy, except for the errors of its derivatives (`boundary/cpml.rs`). They let a field grow slowly where a
//! layer is thin for its stencil, or where the curvature of a windowed sinc is far from the exact one. What grows is real
//! and has one sign. With d axes that are all like one with the layer at one end and a mirror within the model, it is
//! a product of functions of each, times z^n at step n, z > 1 being a root of
//!
//! ```text
//! det( d (v dt)^2 M(z) - (z - 1)^2 / z ) = 0,    M(z) = W (D2 + C D1)
//! C = -g z / (z - 1 + e),    W = 1 - f e z / (z - 1 + e)
//! ```
//!
//! with D2 and D1 the derivatives and e, f and g those of the layer. The determinant changes its sign there.

use super::Plan;
use crate::{
    boundary::{Coefficients, Profile},
    stencil::AxisOperator,
};
use serde::Serialize;
use std::fmt;

/// An absorbing layer in which an error grows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GrowingLayer {
    /// Axis across the layer where it grows fastest.
    pub(crate) axis: char,
    /// Width of the layer, cells.
    pub(crate) cells: usize,
    /// Steps of the run.
    pub(crate) steps: usize,
    /// Growth by the end of the run, a factor.
    pub factor: f64,
}

impl GrowingLayer {
    /// The most growth without a warning: an error that doubles stays an error.
    pub(crate) const MOST: f64 = 2.0;
}

impl fmt::Display for GrowingLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GrowingLayer { axis, cells, steps, factor } = self;
        let most = GrowingLayer::MOST;
        write!(
            f,
            "in an absorbing layer of {cells} cells along {axis}, errors of this operator grow \
             by a factor of {factor:.1e} in {steps} steps; {most} is the limit; use more cells, \
             a Taylor operator of order 14 or less, or a sponge"
        )
    }
}

/// Nodes of the model before the layer.
const INSIDE: usize = 24;

/// Wider layers, cells, do not grow: the widest that was seen to has 20.
const WIDEST: usize = 100;

/// The largest growth that is looked for, per step, and the ratio from one value to the next.
const FASTEST: f64 = 0.1;
const NEXT: f64 = 1.5;

/// An axis with a layer at its high end, and its steps.
struct Layered<'a> {
    operator: &'a AxisOperator,
    nodes: &'a [Coefficients],
    /// (v dt)^2, times the number of axes.
    v2dt2: f64,
}

impl Layered<'_> {
    /// Whether the determinant is negative for a growth by 1 + `rate` in each step.
    fn is_negative(&self, rate: f64) -> bool {
        let (z, count) = (1.0 + rate, INSIDE + self.nodes.len());
        let mut rows = vec![vec![0.0; count]; count];
        for (i, row) in rows.iter_mut().enumerate() {
            let layer = i.checked_sub(INSIDE).map(|i| self.nodes[i]);
            let layer = layer.unwrap_or(Coefficients::INTERIOR);
            let memory = if layer.loss > 0.0 { z / (rate + layer.loss) } else { 0.0 };
            let whole = self.v2dt2 * (1.0 - layer.share * layer.loss * memory);
            let slope = -layer.slope * memory;
            row[i] += whole * self.operator.second[0] - rate * rate / z;
            let weights = self.operator.second[1..].iter().zip(&self.operator.first);
            for (j, (second, first)) in (1..).zip(weights) {
                row[i.abs_diff(j)] += whole * (second - slope * first);
                if let Some(after) = row.get_mut(i + j) {
                    *after += whole * (second + slope * first);
                }
            }
        }
        is_negative(rows, self.operator.radius())
    }

    /// The growth per step, from a least one on.
    fn growth(&self, least: f64) -> Option<f64> {
        let rates = std::iter::successors(Some(FASTEST), |rate| Some(rate / NEXT));
        let rates: Vec<f64> = rates.take_while(|rate| *rate > least).chain([least]).collect();
        let above = self.is_negative(rates[0]);
        let below = (1..rates.len()).find(|at| self.is_negative(rates[*at]) != above)?;
        let (mut low, mut high) = (rates[below], rates[below - 1]);
        for _ in 0..8 {
            let middle = 0.5 * (low + high);
            if self.is_negative(middle) == above {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(low)
    }
}

/// Whether the determinant of a matrix of so many diagonals on either side is negative.
fn is_negative(mut rows: Vec<Vec<f64>>, width: usize) -> bool {
    let (count, mut negative) = (rows.len(), false);
    for k in 0..count {
        let below = k + 1..(k + width + 1).min(count);
        let size = |row: &usize| rows[*row][k].abs();
        let pivot =
            below.clone().fold(k, |most, row| if size(&row) > size(&most) { row } else { most });
        if pivot != k {
            rows.swap(k, pivot);
            negative = !negative;
        }
        negative ^= rows[k][k] < 0.0;
        let (done, left) = rows.split_at_mut(k + 1);
        let (row, end) = (&done[k], (k + 2 * width + 1).min(count));
        for other in &mut left[..below.len()] {
            let factor = other[k] / row[k];
            (k..end).for_each(|column| other[column] -= factor * row[column]);
        }
    }
    negative
}

impl Plan {
    /// The absorbing layer in which errors grow most by the end of the run, if they do.
    pub fn growing_layer(&self) -> Option<GrowingLayer> {
        let steps = self.time.steps;
        let dimensions = if self.grid.is_volume() { 3.0 } else { 2.0 };
        let v2dt2 = dimensions * (f64::from(self.fastest) * self.time.dt).powi(2);
        let of_axis = |(axis, operator, profile): (char, &AxisOperator, &Profile)| {
            let cells = Some(profile.memory[1]).filter(|cells| *cells <= WIDEST)?;
            let nodes = &profile.nodes[profile.nodes.len() - cells..];
            let layered = Layered { operator, nodes, v2dt2 };
            let rate = (cells > 0).then(|| layered.growth(GrowingLayer::MOST.ln() / steps as f64));
            let factor = (rate.flatten()?.ln_1p() * steps as f64).exp();
            Some(GrowingLayer { axis, cells, steps, factor })
        };
        let (operator, profile) = (&self.operator, &self.profile);
        let axes = [('z', &operator.z, &profile.z), ('x', &operator.x, &profile.x)];
        let y = self.grid.is_volume().then_some(('y', &operator.y, &profile.y));
        // Explicit time evolution has another operator.
        let axes = axes.into_iter().chain(y).filter(|_| self.fourth.is_none());
        axes.filter_map(of_axis).max_by(|a, b| a.factor.total_cmp(&b.factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        boundary::{Absorber, Boundary, Cpml, Top},
        grid::Axes,
        plan::{Setup, Warning},
        stencil::{Family, Window},
        testing::{rock, setup, shot, steps},
    };

    fn growing(operator: Family, layer: Cpml, count: usize) -> Option<GrowingLayer> {
        let model = rock([40; 2], [10.0; 2], 2048.0);
        let plan = Plan::new(Setup {
            operator,
            boundary: Boundary { top: Top::Absorb, sides: Absorber::Cpml(layer) },
            time: steps(1.5e-3 * count as f64, 1.5e-3),
            ..setup(model, vec![shot(200.0, 200.0, Vec::new())])
        });
        let plan = plan.expect("a valid setup");
        let growing = plan.growing_layer();
        let is_told = plan.warnings().iter().any(|told| matches!(told, Warning::GrowingLayer(_)));
        assert_eq!(is_told, growing.is_some());
        growing
    }

    #[test]
    fn a_determinant_has_its_sign() {
        let rows = |last: f64| vec![vec![0.0, 2.0, 0.0], vec![3.0, 1.0, 1.0], vec![0.0, 1.0, last]];
        // -2 (3 last), by hand.
        assert!(is_negative(rows(1.0), 1) && !is_negative(rows(-1.0), 1));
    }

    /// The rates are those of another program, by eigenvalues and by the determinant.
    #[test]
    fn layers_too_thin_for_their_operator_grow() {
        let taylor = |order| Family::Taylor { order };
        let sinc = |wing, alpha, beta| {
            let window = Window { wing, alpha, beta };
            Family::WindowedSinc { window: Axes { z: window, x: window, y: window } }
        };
        let stays = [2, 4, 8, 12, 14].map(|order| (taylor(order), Cpml::new(5), 1_000_000));
        let wide = [6, 7, 10, 20].map(|cells| (taylor(16), Cpml::new(cells), 1_000_000));
        let others = [
            // A short run ends before.
            (taylor(16), Cpml::new(5), 5_000),
            (taylor(16), Cpml { power: 2, ..Cpml::new(5) }, 1_000_000),
            (sinc(8, 0.5, 5.0), Cpml::new(10), 100_000),
            (sinc(8, 0.5, 5.0), Cpml::new(20), 100_000),
        ];
        for (operator, layer, steps) in stays.into_iter().chain(wide).chain(others) {
            assert_eq!(growing(operator, layer, steps), None, "{operator:?} {layer:?}");
        }
        for (operator, cells, steps, known) in
            [(taylor(16), 5, 100_000, 2.846e-5), (sinc(8, 0.54, 2.0), 10, 5_000, 1.345e-3)]
        {
            let found = growing(operator, Cpml::new(cells), steps).expect("it grows");
            let rate = found.factor.ln() / steps as f64;
            assert!((rate / known - 1.0).abs() < 0.01, "{found:?}");
            let said = found.to_string();
            let parts = [format!("of {cells} cells"), format!("{steps} steps; 2 is")];
            assert!(parts.iter().all(|part| said.contains(part)), "{said}");
        }
    }
}
