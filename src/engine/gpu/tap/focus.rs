//! The largest value of the field at each node, and its time, from a look every few steps; the
//! maps, or their summaries, are copied out at the end of the run.

use super::{
    CopyOut, Demand, GpuTap, Named, Span, arrays,
    pointwise::{self, copy_map, groups, map_len},
    summary::{self, Summaries},
};
use crate::{
    EngineError, FocusMap, Observer,
    gpu::{
        device::Device,
        part::Part,
        pipeline::{Bound, Entry},
        shader,
        slab::Slab,
        staging::Staging,
        wavefield::Wavefield,
    },
    plan::{Condition, Focus, FocusOutput, Look, Mask, QUARTERS},
};
use ndarray::Array3;
use std::sync::Arc;
use wgpu::{BufferUsages as Usage, CommandEncoder, ComputePass};

static FOCUS: shader::Source = shader::source!("focus");

/// The largest values, and their steps.
const MAPS: Named = Named { made: "the focus", staged: "the focus on its way out" };
const WINDOWS: &str = "the windows of the focus";

/// Length of the sums over windows, for maps of `map` values.
fn windows_len(focus: &Focus, map: usize) -> usize {
    if matches!(focus.condition, Condition::Energy { .. }) { QUARTERS * map } else { 0 }
}

/// The mask of summaries on the device, for a field in one slab, which has all neighbours.
fn mask_here(output: &FocusOutput, split: bool) -> Option<&Mask> {
    match output {
        FocusOutput::Summaries(mask) if !split => Some(mask),
        _ => None,
    }
}

pub(crate) fn demand(part: &Part, focus: &Focus, output: &FocusOutput, shots: usize) -> Demand {
    let (plan, map) = (&part.plan, map_len(&part.plan, shots / focus.groups));
    let mut demand = MAPS.demand(2, map);
    demand.bound.push(arrays(WINDOWS, 1, windows_len(focus, map)));
    if mask_here(output, part.is_split()).is_some() {
        let summaries = summary::demand(plan, shots / focus.groups);
        demand.bound.extend(summaries.bound);
        demand.staged = summaries.staged;
    }
    demand
}

pub(crate) fn shaders(part: &Part, focus: &Focus) -> Vec<(&'static str, String)> {
    let look = FOCUS.named(&constants(part, focus));
    vec![look, summary::shader(&part.plan)]
}

fn constants(part: &Part, focus: &Focus) -> shader::Constants {
    pointwise::constants(&part.layout)
        .int("GROUPS", focus.groups)
        .int("MAPS", part.plan.shots.len() / focus.groups)
        .int("QUARTERS", QUARTERS)
        .int("QUARTER", focus.quarter_steps())
        .flag("ENERGY", matches!(focus.condition, Condition::Energy { .. }))
}

pub(crate) struct Focuses {
    focus: Focus,
    sets: usize,
    slabs: Vec<Maps>,
    out: Out,
}

/// The maps of a slab.
struct Maps {
    kernel: Bound,
    largest: wgpu::Buffer,
    steps: wgpu::Buffer,
    windows: wgpu::Buffer,
}

/// The results to copy out.
enum Out {
    /// Both maps of each slab; with a mask, only their summaries are reported.
    Maps(Vec<[Staging; 2]>, Option<Arc<Mask>>),
    Summaries(Box<Summaries>),
}

impl Maps {
    fn new(device: &Device, slab: &Slab, focus: &Focus, shots: usize) -> Result<Self, EngineError> {
        let (part, sets) = (&slab.part, shots / focus.groups);
        let map = map_len(&part.plan, sets);
        let reset = Usage::STORAGE | Usage::COPY_DST;
        let field = || device.zeros(MAPS.made, map, reset | Usage::COPY_SRC);
        let (largest, steps) = (field()?, field()?);
        let windows = device.zeros(WINDOWS, windows_len(focus, map), reset)?;
        let entry = Entry {
            source: &FOCUS,
            name: "focus",
            constants: constants(part, focus),
            workgroups: groups(part.layout.n, sets),
            immediates: 16,
        };
        let kernel = pointwise::bind(device, slab, entry, &[&largest, &steps, &windows])?;
        Ok(Maps { kernel, largest, steps, windows })
    }
}

impl Focuses {
    pub(crate) fn new(
        device: &Device,
        Wavefield { plan, slabs, .. }: &Wavefield,
        focus: Focus,
        output: &FocusOutput,
    ) -> Result<Self, EngineError> {
        let (shots, sets) = (plan.shots.len(), plan.shots.len() / focus.groups);
        let maps = slabs.iter().map(|slab| Maps::new(device, slab, &focus, shots));
        let maps: Vec<_> = maps.collect::<Result<_, _>>()?;
        let out = match (mask_here(output, slabs.len() > 1), maps.as_slice()) {
            (Some(mask), [Maps { largest, steps, .. }]) => {
                let (maps, focus) = ([largest, steps], &focus);
                Out::Summaries(Box::new(Summaries::new(device, plan, focus, mask, maps, sets)?))
            }
            _ => {
                let staging = |slab: &Slab| {
                    let map = map_len(&slab.part.plan, sets);
                    let staging = || Staging::new(device, MAPS.staged, map);
                    Ok([staging()?, staging()?])
                };
                let staging = slabs.iter().map(staging).collect::<Result<_, EngineError>>()?;
                let mask = match output {
                    FocusOutput::Summaries(mask) => Some(mask.clone()),
                    FocusOutput::Maps => None,
                };
                Out::Maps(staging, mask)
            }
        };
        Ok(Focuses { focus, sets, slabs: maps, out })
    }

    fn looks(&self, step: usize) -> bool {
        step.is_multiple_of(self.focus.every)
    }

    /// True if a submit ends the run at a step.
    fn ends(span: &Span, step: usize) -> bool {
        span.last && step == span.end
    }
}

impl GpuTap for Focuses {
    fn restart(&mut self, encoder: &mut CommandEncoder) {
        for Maps { largest, steps, windows, .. } in &self.slabs {
            for buffer in [largest, steps, windows] {
                encoder.clear_buffer(buffer, 0, None);
            }
        }
    }

    fn reads(&self, span: &Span, step: usize) -> bool {
        self.looks(step) || Self::ends(span, step)
    }

    fn encode(&self, wavefield: &Wavefield, span: &Span, step: usize, pass: &mut ComputePass<'_>) {
        if self.looks(step) {
            let Look { step: at, quarter, begins, ends } = self.focus.look(step);
            let look = [at, quarter as i32, i32::from(begins), i32::from(ends)];
            for Maps { kernel, .. } in &self.slabs {
                kernel.encode_with(
                    &wavefield.common.immediates,
                    pass,
                    step % 2,
                    bytemuck::bytes_of(&look),
                );
            }
        }
        match &self.out {
            Out::Summaries(summaries) if Self::ends(span, step) => summaries.encode(pass),
            _ => (),
        }
    }

    fn copies<'a>(&'a self, _: &'a Wavefield, span: &Span) -> Vec<CopyOut<'a>> {
        match &self.out {
            _ if !span.last => Vec::new(),
            Out::Maps(staging, _) => {
                let pairs =
                    self.slabs.iter().zip(staging).flat_map(|(maps, both)| {
                        [&maps.largest, &maps.steps].into_iter().zip(both)
                    });
                let (slot, values) = (span.slot, Staging::values);
                pairs.map(|(from, to)| CopyOut { from, to, slot, values: values(to) }).collect()
            }
            Out::Summaries(summaries) => vec![summaries.copy(span)],
        }
    }

    fn collect(
        &mut self,
        device: &Device,
        Wavefield { plan, own, slabs, .. }: &Wavefield,
        span: &Span,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        match &self.out {
            _ if !span.last => Ok(()),
            Out::Maps(staging, mask) => {
                let shape = own.plan.model_grid.shape();
                let map = |set| FocusMap {
                    set,
                    largest: Array3::zeros(shape),
                    step: Array3::zeros(shape),
                };
                let mut maps: Vec<_> = (0..self.sets).map(map).collect();
                for (Slab { part, .. }, [largest, steps]) in slabs.iter().zip(staging) {
                    largest.read(device, span.slot, largest.values(), |largest: &[f32]| {
                        for FocusMap { set, largest: to, .. } in &mut maps {
                            copy_map(&part.plan, *set, largest, part.of_model(own, to));
                        }
                    })?;
                    steps.read(device, span.slot, steps.values(), |steps: &[u32]| {
                        for FocusMap { set, step: to, .. } in &mut maps {
                            copy_map(&part.plan, *set, steps, part.of_model(own, to));
                        }
                    })?;
                }
                for mut map in maps {
                    // The field's own largest values are those of p, as the factor is constant.
                    let powers = if self.focus.is_square() { 2 } else { 1 };
                    let shot = map.set * self.focus.groups;
                    (0..powers).for_each(|_| own.plan.make_pressure(shot, &mut map.largest));
                    match mask {
                        None => observer.focus(map),
                        Some(mask) => observer.summary(map.summary(mask)),
                    }
                }
                Ok(())
            }
            Out::Summaries(summaries) => {
                let all = summaries.collect(device, plan, span)?;
                all.into_iter().for_each(|summary| observer.summary(summary));
                Ok(())
            }
        }
    }
}
