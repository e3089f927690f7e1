//! The wave that a perturbation of the model scatters from a source wavefield, injected by
//! shaders/scatter.wgsl after each step.

use super::{
    device::Device,
    shader,
    slab::Slab,
    tap::{Differences, Slots, differences_constants, differences_entry},
    wavefield::Wavefield,
};
use crate::{
    EngineError, SourceWavefield,
    grid::Axes,
    plan::{Imaging, Plan},
};
use ndarray::{Array3, ArrayView3};
use std::{ops::Range, sync::Arc};
use wgpu::BufferUsages as Usage;

static SCATTER: shader::Source = shader::source!("scatter");

/// Both entry points, for each slab.
pub(crate) struct Scatter {
    imaging: Imaging,
    slabs: Vec<[Differences; 2]>,
    /// Keeps the buffers that they read.
    _source: Arc<Slots>,
}

impl Scatter {
    /// `None` unless the Plan has a perturbation.
    pub(crate) fn new(
        device: &Device,
        wavefield: &Wavefield,
        source: Option<&SourceWavefield>,
    ) -> Result<Option<Self>, EngineError> {
        let plan = &wavefield.plan;
        let Some(scattering) = plan.scattering.clone() else { return Ok(None) };
        let source = Slots::of(source, wavefield, scattering.imaging)?;
        let fields = plan.shots.len() * plan.medium.fields();
        let slab = |(slab, slots): (&Slab, &Vec<wgpu::Buffer>)| -> Result<_, EngineError> {
            let Placed { perturbation, first } =
                Placed::of(plan, &slab.part.pieces, &scattering.perturbation);
            let survey = perturbation.dim();
            let perturbation: Vec<f32> = perturbation.iter().map(|e| *e as f32).collect();
            let perturbation = device.upload("perturbation", &perturbation, Usage::STORAGE)?;
            let first = device.upload("first nodes", &first, Usage::STORAGE)?;
            let written = [true, true, false, false, false];
            let entry = |name| {
                let mut entry = differences_entry(slab, fields, &SCATTER, name);
                entry.constants = with_survey(entry.constants, survey);
                Differences::new(device, slab, slots, entry, &[&perturbation, &first], &written)
            };
            Ok([entry("scatter")?, entry("release")?])
        };
        let slabs =
            wavefield.slabs.iter().zip(&source.slabs).map(slab).collect::<Result<_, _>>()?;
        Ok(Some(Scatter { imaging: scattering.imaging, slabs, _source: source }))
    }

    /// Injects into some slabs' field at the step just reached; returns whether it did in any.
    pub(crate) fn encode(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        step: usize,
        of: impl Fn(usize) -> bool,
    ) -> bool {
        let slots = [self.imaging.slot(step), self.imaging.slot(step - 1)];
        for (_, entries) in self.slabs.iter().enumerate().filter(|(slab, _)| of(*slab)) {
            for (entry, slot) in entries.iter().zip(slots) {
                if let Some(slot) = slot {
                    entry.encode(pass, step, slot);
                }
            }
        }
        slots.iter().any(Option::is_some)
    }
}

/// A perturbation for the pieces of a slab, `[y][x][z]`, and the x and y in it at which each field of each
/// shot begins. Windows share that of the whole model.
struct Placed<'a> {
    perturbation: ArrayView3<'a, f64>,
    first: Vec<[u32; 2]>,
}

impl<'a> Placed<'a> {
    fn of(plan: &Plan, pieces: &Range<usize>, perturbation: &'a Array3<f64>) -> Self {
        let count = plan.shots.len() * plan.medium.fields();
        if plan.windows.is_none() {
            let perturbation = plan.of_model(pieces, perturbation);
            return Placed { perturbation, first: vec![[0; 2]; count] };
        }
        let (start, volume) = (plan.in_model(pieces).start, plan.grid.is_volume());
        let first = plan.shots.iter().flat_map(|shot| {
            let Axes { x, y, .. } = shot.window.first;
            let at = if volume { [x, y + start] } else { [x + start, y] };
            std::iter::repeat_n(at.map(|at| at as u32), plan.medium.fields())
        });
        Placed { perturbation: perturbation.view(), first: first.collect() }
    }
}

fn with_survey(
    constants: shader::Constants,
    (_, x, z): (usize, usize, usize),
) -> shader::Constants {
    constants.int("SURVEY_X", x).int("SURVEY_Z", z)
}

pub(crate) fn shaders(part: &super::part::Part) -> Vec<(&'static str, String)> {
    let constants = with_survey(differences_constants(part), part.plan.survey_grid().shape());
    vec![SCATTER.named(&constants)]
}
