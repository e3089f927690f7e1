//! Makes a Plan from a setup.

use super::{
    ModelValues, Plan, PlanError, PointShot, PointSource, Rounding, Setup, Window, dispersion,
    memory, radius,
    receiver_lists::ReceiverLists,
    scheme::Scheme,
    strongest::{EXACT_FIELD, RECORDED_FIELD, Strongest},
    tap,
    wavelets::{Rows, Wavelets},
    window::{self, Windows},
};
use crate::{
    acquisition::{Shot, Source, SourceKind},
    boundary::{Boundary, Profile, Scale, Top},
    grid::{Axes, Axis, Grid},
    model::VelocityModel,
    stencil::{Media, Operators},
};
use rayon::prelude::*;
use std::sync::Arc;

impl Plan {
    /// Validates a setup.
    pub fn new(setup: Setup) -> Result<Self, PlanError> {
        Plan::scan(setup, &[])
    }

    /// Validates a setup whose shots run through its own model and then, one after the other,
    /// through others on the same grid: shot s through model m is shot m S + s of a Plan with S
    /// shots per model. One time step is stable for all models.
    pub fn scan(setup: Setup, others: &[VelocityModel]) -> Result<Self, PlanError> {
        let others: Vec<_> = others.iter().map(|model| (model, None)).collect();
        Plan::make(setup, &others)
    }

    /// [`Plan::scan`] for models with shots of their own, which follow the setup's by model.
    pub fn each(setup: Setup, others: &[(VelocityModel, Vec<Shot>)]) -> Result<Self, PlanError> {
        let others: Vec<_> =
            others.iter().map(|(model, shots)| (model, Some(shots.as_slice()))).collect();
        Plan::make(setup, &others)
    }

    /// With a setup's model and others, which have the same shots or their own.
    fn make(setup: Setup, others: &[(&VelocityModel, Option<&[Shot]>)]) -> Result<Self, PlanError> {
        let survey_grid = *setup.model.grid();
        memory::check_receivers(&setup.shots, &survey_grid)?;
        setup.boundary.sides.check()?;
        let own = || others.iter().filter_map(|(_, shots)| *shots).flatten();
        check_wavelets(setup.shots.iter().chain(own()))?;
        let other_models = others.iter().map(|(model, _)| *model);
        let models: Vec<_> = [&setup.model].into_iter().chain(other_models).collect();
        let (slowest, fastest) = range(&models)?;
        let media = Media {
            spacing: survey_grid.h,
            volume: survey_grid.is_volume(),
            slowest: f64::from(slowest),
            fastest: f64::from(fastest),
        };
        let (origin, whole) = with_layers(&setup.boundary, &survey_grid);
        let of_model = |model: &&VelocityModel| ModelValues::velocities(model, origin, whole.n);
        let velocities: Vec<_> = models.iter().map(of_model).collect();
        let scheme = Scheme::new(&setup, &media, &velocities)?;
        let (time, Operators { axes: operator, fourth }) = (scheme.time, scheme.operators);
        let radius = radius(&whole, &operator);
        let layers = whole.n.z - survey_grid.n.z;
        let windows = match &setup.window {
            Some(margin) => window::windows(margin, &setup.shots, &survey_grid, radius, layers)?,
            None => None,
        };
        if windows.is_some() && scheme.medium.vti().is_some() {
            return Err(PlanError::VtiWindow);
        }
        if scheme.medium.vti().is_some() && setup.initial.is_some() {
            return Err(PlanError::VtiInitial);
        }
        if windows.is_some() && setup.boundary.sides.cells() == 0 {
            return Err(PlanError::RigidWindow);
        }
        if windows.is_some() && (!others.is_empty() || setup.initial.is_some()) {
            return Err(PlanError::NoWindow);
        }
        let model_grid = windows.as_ref().map_or(survey_grid, |windows| windows.grid);
        let (_, grid) = with_layers(&setup.boundary, &model_grid);
        memory::check_nodes(whole.n, radius)?;
        memory::check_models(grid.n, models.len())?;
        let free_surface = is_free(&setup, radius)?;
        let wavelets = Wavelets::of(setup.shots.iter().chain(own()));
        let sources = setup.shots.iter().map(|shot| shot.sources.len()).sum();
        let mut plan = Plan {
            grid,
            model_grid,
            windows: windows.is_some().then_some(survey_grid),
            origin,
            velocities,
            medium: scheme.medium,
            operator,
            fourth,
            free_surface,
            family: setup.operator,
            profile: profiles(&setup.boundary, &grid, media.fastest, time.dt),
            shots: Vec::new(),
            wavelets: Vec::new(),
            taps: Vec::new(),
            initial: setup.initial.map(Arc::new),
            frequency: wavelets.dominant_hz(sources),
            highest: 0.0,
            slowest,
            fastest,
            path: dispersion::longest_path(&setup.shots, &survey_grid),
            time,
            requested_time: setup.time,
            by_increments: false,
            adjoint: false,
            scattering: None,
            summed: Arc::default(),
        };
        plan.by_increments = plan.steps_are_short();
        if let Some(rounding) = plan.rounding().filter(Rounding::is_too_much) {
            return Err(rounding.into());
        }
        plan.prepare_initial()?;
        let first = windows.map(|Windows { first, .. }| first).unwrap_or_default();
        plan.add_shots(&setup.shots, &first, others, wavelets)?;
        plan.check_traces()?;
        plan.taps = tap::all(&plan, setup.time.duration, &setup.snapshots)?;
        Ok(plan)
    }

    /// Adds the shots of the first model, with the nodes at which their windows begin, and of the
    /// others, with their samples.
    fn add_shots(
        &mut self,
        shots: &[Shot],
        first: &[Axes<usize>],
        others: &[(&VelocityModel, Option<&[Shot]>)],
        wavelets: Wavelets<'_>,
    ) -> Result<(), PlanError> {
        let mut rows = wavelets.sampled(self.time, self.fourth.is_some());
        let mut spreads = ReceiverLists::default();
        for (index, shot) in shots.iter().enumerate() {
            let first = first.get(index).copied().unwrap_or_default();
            self.add_shot(Window { model: 0, first }, shot, &mut rows, &mut spreads)?;
        }
        let first = self.shots.clone();
        for (model, (_, own)) in (1..).zip(others) {
            match own {
                Some(shots) => {
                    for shot in *shots {
                        self.add_shot(Window::whole(model), shot, &mut rows, &mut spreads)?;
                    }
                }
                None => self.repeat_shots(model, &first),
            }
        }
        (self.wavelets, self.highest) = rows.taken();
        Ok(())
    }

    fn add_shot(
        &mut self,
        window: Window,
        wanted: &Shot,
        rows: &mut Rows,
        spreads: &mut ReceiverLists,
    ) -> Result<(), PlanError> {
        let shot = self.shots.len();
        if wanted.sources.is_empty() && self.initial.is_none() {
            return Err(PlanError::NoSource { shot });
        }
        let mut sources = Vec::with_capacity(wanted.sources.len());
        let mut strongest = Strongest::default();
        // The unit of an initial field is 1.
        let held = if self.initial.is_some() { EXACT_FIELD } else { RECORDED_FIELD };
        for (index, source) in wanted.sources.iter().enumerate() {
            let place = |error| PlanError::Source { shot, source_index: index, error };
            if !self.grid.is_volume() && source.kind == SourceKind::Dipole(Axis::Y) {
                return Err(PlanError::Dipole { shot, source_index: index });
            }
            let nodes = self.injection(source.at, source.kind, window.first).map_err(place)?;
            let (wavelet, row) = rows.next().map_err(|error| PlanError::Wavelet {
                shot,
                source_index: index,
                error,
            })?;
            for (at, weight) in nodes {
                let weight = weight * self.source_factor(source.at, window, at);
                let unit = self.v2dt2(window, at) / self.grid.cell_volume();
                let scale = source.amplitude * unit * weight;
                let peak = row.peak * scale.abs();
                if !scale.is_finite() || peak > *held.end() {
                    let (value, limit) = (source.amplitude, *held.end());
                    let source_index = index;
                    return Err(PlanError::Amplitude { shot, source_index, value, peak, limit });
                }
                strongest.include(index, source.amplitude, row.largest * (unit * weight).abs());
                sources.push(PointSource { at, scale, wavelet, source: index });
            }
        }
        strongest.check(shot, *held.start())?;
        let unit = if self.initial.is_some() { 1.0 } else { strongest.unit() };
        sources.iter_mut().for_each(|source| source.scale /= unit);
        let (places, receivers) = spreads
            .of(&wanted.receivers, window.first, |places| self.sampling(places, window.first))
            .map_err(|(receiver, error)| PlanError::Receiver { shot, receiver, error })?;
        let asked = Arc::new(Shot { sources: wanted.sources.clone(), receivers: places });
        self.shots.push(PointShot { sources: sources.into(), receivers, asked, window, unit });
        Ok(())
    }

    /// Repeats the shots of the first model for another: only (v dt)^2 at their sources differs.
    fn repeat_shots(&mut self, model: usize, first: &[PointShot]) {
        for shot in first {
            let through = |source: &PointSource| {
                let through = |model| self.v2dt2(Window::whole(model), source.at);
                let before = through(0);
                let ratio = if before > 0.0 { through(model) / before } else { 1.0 };
                PointSource { scale: source.scale * ratio, ..*source }
            };
            let sources = shot.sources.iter().map(through).collect();
            let window = Window::whole(model);
            self.shots.push(PointShot { sources, window, ..shot.clone() });
        }
    }

    /// Checks the shape of an initial field, sets it to 0 on a free surface, and makes it the field
    /// that engines step.
    fn prepare_initial(&mut self) -> Result<(), PlanError> {
        let (expected, is_free, medium) = (self.grid.shape(), self.free_surface, &self.medium);
        let Some(initial) = &mut self.initial else { return Ok(()) };
        let initial = Arc::make_mut(initial);
        for field in [&mut initial.now, &mut initial.before] {
            if field.dim() != expected {
                return Err(PlanError::Initial { shape: field.dim(), expected });
            }
            if is_free {
                field.index_axis_mut(ndarray::Axis(2), 0).fill(0.0);
            }
            if let Some(density) = medium.density() {
                for ((y, x, z), p) in field.indexed_iter_mut() {
                    *p = (f64::from(*p) * density.root(Axes { z, x, y })) as f32;
                }
            }
        }
        Ok(())
    }
}

/// The slowest and the fastest velocity of models, which must lie on one grid, m/s.
fn range(models: &[&VelocityModel]) -> Result<(f32, f32), PlanError> {
    let first = models[0].grid();
    if let Some(model) = models.iter().position(|other| other.grid() != first) {
        let (given, expected) = (models[model].grid().described(), first.described());
        return Err(PlanError::Scan { model, given, expected });
    }
    let both = |(lo, hi): (f32, f32), (slow, fast): (f32, f32)| (lo.min(slow), hi.max(fast));
    Ok(models.iter().map(|model| model.range()).fold((f32::INFINITY, 0.0), both))
}

/// Whether a setup has a free surface, whose images need more rows than the operators reach.
fn is_free(setup: &Setup, radius: usize) -> Result<bool, PlanError> {
    let (rows, is_free) = (setup.model.grid().n.z, setup.boundary.top == Top::Free);
    match is_free && rows <= radius {
        true => Err(PlanError::Shallow { rows, radius }),
        false => Ok(is_free),
    }
}

/// The first node of a model in its computational grid, and that grid.
fn with_layers(boundary: &Boundary, model: &Grid) -> (Axes<usize>, Grid) {
    let cells = boundary.sides.cells();
    let above = if boundary.top == Top::Absorb { cells } else { 0 };
    let beside = if model.is_volume() { cells } else { 0 };
    let first = Axes { z: above, x: cells, y: beside };
    let last = Axes { z: cells, ..first };
    let n = model.n.zip(first).zip(last).map(|((n, first), last)| first + n + last);
    (first, Grid { n, h: model.h })
}

/// The layers along each axis of a computational grid.
fn profiles(boundary: &Boundary, grid: &Grid, fastest: f64, dt: f64) -> Axes<Profile> {
    let of = |n, low, h| boundary.sides.profile(n, [low, true], &Scale { h, fastest, dt });
    Axes {
        z: of(grid.n.z, boundary.top == Top::Absorb, grid.h.z),
        x: of(grid.n.x, true, grid.h.x),
        y: match grid.is_volume() {
            true => of(grid.n.y, true, grid.h.y),
            false => Profile { nodes: Vec::new(), memory: [0, 0] },
        },
    }
}

fn check_wavelets<'s>(shots: impl Iterator<Item = &'s Shot>) -> Result<(), PlanError> {
    let of = |(shot, of): (usize, &'s Shot)| {
        of.sources.iter().enumerate().map(move |(index, source)| (shot, index, source))
    };
    let all: Vec<_> = shots.enumerate().flat_map(of).collect();
    let wrong = |(shot, source_index, source): (usize, usize, &Source)| {
        let wrong = |error| PlanError::Wavelet { shot, source_index, error };
        source.wavelet.check().map_err(wrong).err()
    };
    all.into_par_iter().find_map_first(wrong).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Ricker, Sampled, Wavelet},
        boundary::Absorber,
        stencil::Family,
        testing::{rock, setup, shot, steps},
    };

    fn plan(sources: Vec<(Wavelet, f64)>) -> Result<Plan, PlanError> {
        let at = Axes::xz(100.0, 150.0);
        let source = |(wavelet, amplitude)| Source { amplitude, ..Source::new(at, wavelet) };
        let shot = Shot { sources: sources.into_iter().map(source).collect(), ..Shot::default() };
        let setup = setup(rock([30; 2], [10.0; 2], 2000.0), vec![shot]);
        Plan::new(Setup { time: steps(0.5, 1e-3), ..setup })
    }

    /// A spike of one sample.
    fn spike(value: f64) -> Wavelet {
        Wavelet::Sampled(Sampled { values: vec![0.0, value, 0.0].into(), interval: 1e-3 })
    }

    const RICKER: Wavelet = Wavelet::Ricker(Ricker { peak_hz: 10.0, delay: 0.15 });

    #[test]
    fn amplitudes_that_f32_loses_are_refused() {
        // (v dt)^2 over a cell is 0.04.
        for amplitude in [1e-45, -1e-38, 2e-34, f64::MIN_POSITIVE, 5e-324] {
            let Err(error @ PlanError::Faint { .. }) = plan(vec![(RICKER, amplitude)]) else {
                panic!("{amplitude:e} is taken");
            };
            let said = error.to_string();
            for part in ["source 1 of shot 1", &format!("{amplitude:e}"), "1e-35", "such as 1"] {
                assert!(said.contains(part), "{part} in {said}");
            }
        }
        for amplitude in [3e-34, -1.0, 1e20, 1e36, 0.0] {
            assert!(plan(vec![(RICKER, amplitude)]).is_ok(), "{amplitude:e}");
        }
        let high = plan(vec![(RICKER, 1e37)]);
        assert!(matches!(high, Err(PlanError::Amplitude { limit: 1e35, .. })));
    }

    /// Sources outside of the range of f32 are those of an amplitude near 1, whose field has a unit.
    #[test]
    fn a_unit_is_taken_out_of_sources_that_f32_does_not_hold() {
        let shot = |amplitude: f64, samples: f64| {
            let wavelet = spike(samples);
            let plan = plan(vec![(wavelet.clone(), amplitude), (wavelet, -0.25 * amplitude)]);
            plan.expect("it is held").shots.remove(0)
        };
        let one = shot(1.5, 1.0);
        for power in [-109, -100, 100, 117] {
            let unit = 2f64.powi(power);
            let of = shot(1.5 * unit, 1.0);
            assert_eq!((of.unit, of.sources[..] == one.sources[..]), (unit, true), "2^{power}");
            // Of samples, the field is near 1.
            let of = shot(1.5, unit);
            let field = of.sources[0].scale * unit;
            assert!((1.0..2.0).contains(&field), "2^{power}: {field}");
            assert_eq!(of.unit * of.sources[0].scale, one.sources[0].scale);
        }
        for power in [-75, 0, 80] {
            assert_eq!(shot(2f64.powi(power), 1.0).unit, 1.0, "2^{power}");
        }
    }

    /// Beside a strong source another one may be arbitrarily weak.
    #[test]
    fn the_strongest_of_a_shot_counts() {
        assert!(plan(vec![(RICKER, 1e-45), (RICKER, 1.0)]).is_ok());
        let late = Wavelet::Ricker(Ricker { peak_hz: 10.0, delay: 50.0 });
        assert!(plan(vec![(late, 1.0)]).is_ok(), "it is told by another warning");
        let faint = plan(vec![(spike(1e-40), 1.0)]).expect_err("it is lost");
        assert!(faint.to_string().contains("such as 1e42"), "{faint}");
        assert!(plan(vec![(spike(0.0), 1.0)]).is_ok());
    }

    /// The images above a free surface are those of as many rows below it as the stencil reaches.
    #[test]
    fn a_model_as_deep_as_the_stencil_is_too_shallow_for_a_free_surface() {
        let deep = |rows| {
            let model = rock([30, rows], [10.0; 2], 2000.0);
            Plan::new(Setup {
                operator: Family::Taylor { order: 8 },
                boundary: Boundary { top: Top::Free, sides: Absorber::Zero },
                ..setup(model, vec![shot(100.0, 10.0, Vec::new())])
            })
        };
        assert!(matches!(deep(4), Err(PlanError::Shallow { rows: 4, radius: 4 })));
        assert!(deep(5).is_ok());
    }
}
