//! The medium of a Plan as engines and taps read it, at the nodes of a shot's window.
//!
//! With a density that varies engines step q = w p ([`crate::medium`]): sources and residuals are
//! injected into q, and p = q / w is what taps report.

use super::{ModelValues, Plan, PlanError, Setup, Window};
use crate::{
    boundary::Top,
    grid::{Axes, Position},
    medium::{Placed, VariableDensity, Vti, VtiTerm},
    stencil::{Family, Media, Operators, Steps},
};
use ndarray::Array3;
use rayon::prelude::*;

/// The density of a setup that varies, if it does, and lets no wave grow.
pub(super) fn density(
    setup: &Setup,
    media: &Media,
    velocities: &ModelValues,
) -> Result<Option<VariableDensity>, PlanError> {
    let grid = setup.model.grid();
    setup.density.check_grid(grid)?;
    if setup.density.is_constant() {
        return Ok(None);
    }
    if matches!(setup.operator, Family::Ete { .. }) {
        return Err(PlanError::FittedDensity);
    }
    // These operators do not depend on the time step.
    let operators = setup.operator.operators(media, 0.0)?;
    let density = VariableDensity::new(&setup.density, &placed(setup, velocities, &operators));
    match density.as_ref().and_then(VariableDensity::jump) {
        Some(jump) if !setup.allow_unstable => Err(PlanError::DensityJump { jump }),
        _ => Ok(density),
    }
}

fn placed<'a>(setup: &Setup, velocities: &ModelValues, operators: &'a Operators) -> Placed<'a> {
    Placed {
        inside: setup.model.grid().n,
        before: velocities.before(),
        n: velocities.n(),
        operator: &operators.axes,
        free_surface: setup.boundary.top == Top::Free,
    }
}

/// The VTI medium of a setup, if its rock is anisotropic, and lets no wave grow.
pub(super) fn vti(
    setup: &Setup,
    media: &Media,
    velocities: &ModelValues,
) -> Result<Option<Vti>, PlanError> {
    let grid = setup.model.grid();
    setup.density.check_grid(grid)?;
    let Some(anisotropy) = &setup.anisotropy else { return Ok(None) };
    anisotropy.check_grid(grid)?;
    if anisotropy.is_isotropic() {
        return Ok(None);
    }
    if matches!(setup.operator, Family::Ete { .. }) {
        return Err(PlanError::FittedVti);
    }
    let operators = setup.operator.operators(media, 0.0)?;
    let vti = Vti::new(anisotropy, &setup.density, &placed(setup, velocities, &operators));
    match vti.jump() {
        Some(jump) if !setup.allow_unstable => Err(PlanError::VtiJump { jump }),
        _ => Ok(Some(vti)),
    }
}

/// The steps that VTI allows, from those that its velocities along the axis alone allow.
pub(super) fn vti_steps(vti: &Vti, steps: Steps, models: &[ModelValues]) -> Steps {
    let isotropic = (2.0 / steps.stable).powi(2);
    let largest = models.iter().map(|velocities| vti.largest(velocities));
    let largest = largest.fold(0.0, f64::max);
    let ratio = (isotropic / largest).sqrt();
    Steps { stable: ratio * steps.stable, chosen: ratio * steps.chosen }
}

/// The steps that a density allows, from those that its velocities alone allow: `dt = 2 / sqrt(max
/// v^2 (s + V))`.
pub(super) fn steps(
    density: &VariableDensity,
    steps: Steps,
    fastest: f64,
    models: &[ModelValues],
) -> Steps {
    let s = (2.0 / (fastest * steps.stable)).powi(2);
    let largest = models.iter().map(|velocities| density.largest(velocities, s));
    let largest = largest.fold(fastest * fastest * s, f64::max);
    let ratio = (fastest * fastest * s / largest).sqrt();
    Steps { stable: ratio * steps.stable, chosen: ratio * steps.chosen }
}

impl Window {
    /// A node of the window, in the whole model with its layers.
    #[inline]
    pub fn in_whole(&self, node: Axes<usize>) -> Axes<usize> {
        node.zip(self.first).map(|(i, first)| i + first)
    }
}

impl Plan {
    /// The potential V at a node of a shot's grid, 1/m^2: `p_next` gets `-(v dt)^2 V p`. 0 if the
    /// density is constant.
    pub fn potential(&self, window: Window, node: Axes<usize>) -> f64 {
        let density = self.medium.density();
        density.map_or(0.0, |density| density.potential(window.in_whole(node)))
    }

    /// [`Plan::potential`] of the nodes of a column from a node on, for engines that read the whole model.
    pub fn potential_of_column(&self, window: Window, from: Axes<usize>, to: &mut [f32]) {
        match self.medium.density() {
            Some(density) => density.potential_of_column(window.in_whole(from), to),
            None => to.fill(0.0),
        }
    }

    /// A coefficient of VTI at the nodes of a column of a shot's grid, from a node on; zeros without VTI.
    pub fn vti_of_column(&self, term: VtiTerm, window: Window, from: Axes<usize>, to: &mut [f32]) {
        match self.medium.vti() {
            Some(vti) => vti.of_column(term, window.in_whole(from), to),
            None => to.fill(0.0),
        }
    }

    /// `(v dt)^2 / b` of the nodes of a column, b relative to that of [`crate::medium::REFERENCE`] with VTI and a
    /// density that varies, else 1: the factor of the operator in a step.
    pub fn push_of_column(&self, window: Window, from: Axes<usize>, to: &mut [f32]) {
        self.v2dt2_of_column(window, from, to);
        let Some(vti) = self.medium.vti().filter(|vti| vti.has_density()) else { return };
        let from = window.in_whole(from);
        for (row, value) in to.iter_mut().enumerate() {
            let b = vti.buoyancy(Axes { z: from.z + row, ..from });
            *value = (f64::from(*value) / b) as f32;
        }
    }

    /// [`Plan::push_of_column`] at a node of a shot's grid.
    pub fn push(&self, window: Window, node: Axes<usize>) -> f64 {
        let buoyancy = self.medium.vti().map_or(1.0, |vti| vti.buoyancy(window.in_whole(node)));
        self.v2dt2(window, node) / buoyancy
    }

    /// p at a node of a shot's grid per unit of the field that engines step: 1/w, or 1.
    #[inline]
    pub fn pressure_factor(&self, window: Window, node: Axes<usize>) -> f64 {
        self.medium.pressure_factor(window.in_whole(node))
    }

    /// Makes p of the field that engines step, in a column of a shot's grid from a node on.
    pub fn make_pressure_of_column(&self, shot: usize, from: Axes<usize>, values: &mut [f32]) {
        let Some(density) = self.medium.density() else { return };
        let window = self.shots.get(shot).map_or(Window::whole(0), |shot| shot.window);
        let from = window.in_whole(from);
        for (row, value) in values.iter_mut().enumerate() {
            let root = density.root(Axes { z: from.z + row, ..from });
            *value = (f64::from(*value) / root) as f32;
        }
    }

    /// Makes p of the field that engines step, on the nodes `[y][x][z]` of a shot's model or window.
    pub fn make_pressure(&self, shot: usize, field: &mut Array3<f32>) {
        self.make_pressure_from(shot, self.origin, field);
    }

    /// [`Plan::make_pressure`] on all nodes of the computational grid.
    pub fn make_pressure_of_grid(&self, shot: usize, field: &mut Array3<f32>) {
        self.make_pressure_from(shot, Axes::default(), field);
    }

    fn make_pressure_from(&self, shot: usize, first: Axes<usize>, field: &mut Array3<f32>) {
        if self.medium.density().is_none() {
            return;
        }
        let (_, nx, nz) = field.dim();
        let values = field.as_slice_mut().expect("engines make arrays in standard layout");
        values.par_chunks_mut(nz).enumerate().for_each(|(column, values)| {
            let from = Axes { z: first.z, x: first.x + column % nx, y: first.y + column / nx };
            self.make_pressure_of_column(shot, from, values);
        });
    }

    /// The illumination by p of one by the field that engines step, at the nodes `[y][x][z]` of the
    /// whole model.
    #[must_use]
    pub fn illumination_by_pressure(&self, mut of_field: Array3<f64>) -> Array3<f64> {
        if let Some(density) = self.medium.density() {
            for ((y, x, z), value) in of_field.indexed_iter_mut() {
                *value /= density.root(self.on_grid(Axes { z, x, y })).powi(2);
            }
        }
        of_field
    }

    /// The factor on a source at a position, at a node of the window.
    pub(super) fn source_factor(&self, at: Position, window: Window, node: Axes<usize>) -> f64 {
        let (last, nodes) = (self.whole_nodes(), self.in_nodes(at));
        let nearest =
            nodes.map(|at| at.zip(last).map(|(at, n)| (at.round().max(0.0) as usize).min(n - 1)));
        let node = window.in_whole(node);
        self.medium.source_factor(nearest.unwrap_or(node), node)
    }
}
