//! From a setup to its Plan.

use super::{
    Plan, PlanError, PointShot, PointSource, Setup, dispersion, memory, radius, tap,
    time::TimeAxis, wavelets::Rows,
};
use crate::{
    acquisition::{Shot, SourceKind},
    boundary::{Profile, Top},
    grid::{Axes, Axis, Grid},
    model::VelocityModel,
    stencil::largest_step,
};
use rayon::prelude::*;
use std::sync::Arc;

impl Plan {
    /// Validates a setup.
    pub fn new(setup: Setup) -> Result<Self, PlanError> {
        Plan::scan(setup, &[])
    }

    /// Validates a setup whose shots run through its own model and then, one after the other, through others on
    /// the same grid: shot s through model m is shot m S + s of a Plan with S shots asked for. One time step fits them all.
    pub fn scan(setup: Setup, others: &[VelocityModel]) -> Result<Self, PlanError> {
        let model_grid = *setup.model.grid();
        let operator = setup.operator.on(model_grid.h)?;
        setup.boundary.sides.check()?;
        for (shot, sources) in setup.shots.iter().map(|shot| &shot.sources).enumerate() {
            for (source_index, wavelet) in sources.iter().map(|source| &source.wavelet).enumerate()
            {
                wavelet.check().map_err(|error| PlanError::Wavelet {
                    shot,
                    source_index,
                    error,
                })?;
            }
        }

        for (index, other) in others.iter().enumerate() {
            if *other.grid() != model_grid {
                let (given, expected) = (other.grid().described(), model_grid.described());
                return Err(PlanError::Scan { model: index + 1, given, expected });
            }
        }
        let models = || [&setup.model].into_iter().chain(others);
        let (slowest, fastest) = models()
            .map(VelocityModel::range)
            .fold((f32::INFINITY, 0.0f32), |(lo, hi), (slow, fast)| (lo.min(slow), hi.max(fast)));
        let volume = model_grid.is_volume();
        let across = volume.then_some(&operator.y);
        let axes = [&operator.z, &operator.x].into_iter().chain(across);
        let limit = largest_step(f64::from(fastest), axes);
        let time = TimeAxis::new(&setup.time, limit, setup.allow_unstable)?;

        let cells = setup.boundary.sides.cells();
        let above = if setup.boundary.top == Top::Absorb { cells } else { 0 };
        let beside = if volume { cells } else { 0 };
        let origin = Axes { z: above, x: cells, y: beside };
        let after = Axes { z: cells, x: cells, y: beside };
        let n = Axes {
            z: above + model_grid.n.z + cells,
            x: cells + model_grid.n.x + cells,
            y: beside + model_grid.n.y + beside,
        };
        let grid = Grid { n, h: model_grid.h };
        let radius = radius(&grid, &operator);
        memory::check_nodes(n, radius)?;
        let free_surface = setup.boundary.top == Top::Free;
        if free_surface && model_grid.n.z <= radius {
            return Err(PlanError::Shallow { rows: model_grid.n.z, radius });
        }
        let velocities = models().map(|model| model.extended(origin, after).into()).collect();

        let frequency = dominant_frequency(&setup.shots);
        let sides = &setup.boundary.sides;
        let profile = Axes {
            z: sides.profile(n.z, above > 0, true, grid.h.z),
            x: sides.profile(n.x, true, true, grid.h.x),
            y: match volume {
                true => sides.profile(n.y, true, true, grid.h.y),
                false => Profile { nodes: Vec::new(), memory: [0, 0] },
            },
        };

        let mut plan = Plan {
            grid,
            model_grid,
            origin,
            velocities,
            operator,
            free_surface,
            family: setup.operator,
            profile,
            shots: Vec::new(),
            wavelets: Vec::new(),
            taps: Vec::new(),
            initial: setup.initial,
            frequency,
            highest: 0.0,
            slowest,
            fastest,
            path: dispersion::longest_path(&setup.shots, &model_grid),
            time,
            asked: setup.time,
        };
        plan.check_initial()?;
        plan.quiet_surface();
        let mut rows = Rows::new(time);
        for (index, shot) in setup.shots.iter().enumerate() {
            plan.add_shot(index, shot, &mut rows)?;
        }
        (plan.wavelets, plan.highest) = (rows.samples, rows.highest);
        plan.repeat_shots();
        plan.check_traces()?;
        plan.taps = tap::all(&plan, setup.time.duration, &setup.snapshots)?;
        Ok(plan)
    }

    fn add_shot<'w>(
        &mut self,
        shot: usize,
        wanted: &'w Shot,
        rows: &mut Rows<'w>,
    ) -> Result<(), PlanError> {
        if wanted.sources.is_empty() && self.initial.is_none() {
            return Err(PlanError::NoSource { shot });
        }
        let mut sources = Vec::with_capacity(wanted.sources.len());
        for (index, source) in wanted.sources.iter().enumerate() {
            let place = |error| PlanError::Source { shot, source_index: index, error };
            if !self.grid.is_volume() && source.kind == SourceKind::Dipole(Axis::Y) {
                return Err(PlanError::Dipole { shot, source_index: index });
            }
            let nodes = self.injection(source.at, source.kind).map_err(place)?;
            let wavelet = rows.row(&source.wavelet).map_err(|error| PlanError::Wavelet {
                shot,
                source_index: index,
                error,
            })?;
            let loudest = rows.samples[wavelet].iter().fold(0.0f64, |m, s| m.max(s.abs()));
            for (at, weight) in nodes {
                let unit = self.v2dt2(0, self.grid.index(at)) / self.grid.cell_volume();
                let scale = source.amplitude * unit * weight;
                let peak = loudest * scale.abs();
                if !scale.is_finite() || peak > LARGEST_FIELD {
                    let value = source.amplitude;
                    return Err(PlanError::Amplitude { shot, source_index: index, value, peak });
                }
                sources.push(PointSource { at, scale, wavelet, asked: index });
            }
        }
        let receivers = wanted.receivers.iter().enumerate().map(|(receiver, at)| {
            self.sampling(*at).map_err(|error| PlanError::Receiver { shot, receiver, error })
        });
        let receivers = receivers.collect::<Result<_, _>>()?;
        let asked = Arc::new(wanted.clone());
        self.shots.push(PointShot { sources, receivers, asked, model: 0 });
        Ok(())
    }

    /// The shots through the other models of a scan: the same but for (v dt)^2 at their sources.
    fn repeat_shots(&mut self) {
        let first = self.shots.clone();
        for model in 1..self.velocities.len() {
            for shot in &first {
                let mut shot = PointShot { model, ..shot.clone() };
                for source in &mut shot.sources {
                    let index = self.grid.index(source.at);
                    let before = self.v2dt2(0, index);
                    if before > 0.0 {
                        source.scale *= self.v2dt2(model, index) / before;
                    }
                }
                self.shots.push(shot);
            }
        }
    }

    /// p = 0 on a free surface from the start.
    fn quiet_surface(&mut self) {
        if let (true, Some(initial)) = (self.free_surface, &mut self.initial) {
            for field in [&mut initial.now, &mut initial.before] {
                field.index_axis_mut(ndarray::Axis(2), 0).fill(0.0);
            }
        }
    }

    fn check_initial(&self) -> Result<(), PlanError> {
        let Some(initial) = &self.initial else { return Ok(()) };
        let expected = self.grid.shape();
        for field in [&initial.now, &initial.before] {
            if field.dim() != expected {
                return Err(PlanError::Initial { shape: field.dim(), expected });
            }
        }
        Ok(())
    }
}

/// What a source may add to the field in a step, so that f32 holds the field and its derivatives.
const LARGEST_FIELD: f64 = 1e25;

/// The highest dominant frequency among the sources, Hz; 0 without a source.
fn dominant_frequency(shots: &[Shot]) -> f64 {
    let mut seen: Vec<&crate::acquisition::Wavelet> = Vec::new();
    for source in shots.iter().flat_map(|shot| &shot.sources) {
        if !seen.contains(&&source.wavelet) {
            seen.push(&source.wavelet);
        }
    }
    seen.par_iter().map(|wavelet| wavelet.peak_hz()).reduce(|| 0.0, f64::max)
}
