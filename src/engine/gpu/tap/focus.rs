//! The largest value of the field at each node, and its time, from a look every few steps; the
//! maps, or their summaries, are copied out at the end of the run.

use super::{
    Demand, GpuTap, Span, arrays,
    pointwise::{self, copy_map, map_len},
    summary::{self, Summaries},
};
use crate::{
    EngineError, FocusMap, Observer,
    gpu::{
        device::Device,
        part::Part,
        pipeline::Bound,
        shader,
        slab::Slab,
        staging::{IN_FLIGHT, Staging},
        wavefield::Wavefield,
    },
    plan::{Condition, Focus, FocusOutput, Look, Mask, QUARTERS},
};
use ndarray::Array3;
use std::sync::Arc;
use wgpu::{BufferUsages as Usage, CommandEncoder, ComputePass};

static FOCUS: shader::Source = shader::source!("focus");

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

pub fn demand(part: &Part, (focus, output): (&Focus, &FocusOutput), shots: usize) -> Demand {
    let (plan, map) = (&part.plan, map_len(&part.plan, shots / focus.groups));
    let mut bound = vec![
        arrays("the focus", 2, map),
        arrays("the windows of the focus", 1, windows_len(focus, map)),
    ];
    let staged = match mask_here(output, part.is_split()) {
        None => arrays("the focus on its way out", 2 * IN_FLIGHT, map),
        Some(_) => {
            let summaries = summary::len(plan, shots / focus.groups);
            bound.push(arrays("the mask of the focus", 1, plan.model_grid.cells()));
            bound.push(arrays("the summaries of the focus", 1, summaries));
            arrays("the summaries on their way out", IN_FLIGHT, summaries)
        }
    };
    Demand { bound, staged: vec![staged], workgroups: 0 }
}

pub fn shaders(part: &Part, focus: &Focus) -> Vec<(&'static str, String)> {
    let look = (FOCUS.name, FOCUS.specialised(&constants(part, focus)));
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

pub struct Focuses {
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
    fn new(
        device: &Device,
        slab: &Slab,
        focus: &Focus,
        shots: usize,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let (part, sets) = (&slab.part, shots / focus.groups);
        let map = map_len(&part.plan, sets);
        let reset = Usage::STORAGE | Usage::COPY_DST;
        let usage = reset | Usage::COPY_SRC;
        let largest = device.zeros("focus", map, usage)?;
        let steps = device.zeros("focus", map, usage)?;
        let windows = windows_len(focus, map);
        let windows = device.zeros("focus windows", windows, reset)?;
        let source = (&FOCUS, "focus", constants(part, focus));
        let buffers = [&largest, &steps, &windows];
        let kernel = pointwise::bound(device, slab, source, &buffers, (sets, 16), checked)?;
        Ok(Maps { kernel, largest, steps, windows })
    }
}

impl Focuses {
    pub fn new(
        device: &Device,
        Wavefield { plan, slabs, .. }: &Wavefield,
        (focus, output): (Focus, &FocusOutput),
        checked: bool,
    ) -> Result<Self, EngineError> {
        let (shots, sets) = (plan.shots.len(), plan.shots.len() / focus.groups);
        let maps = slabs.iter().map(|slab| Maps::new(device, slab, &focus, shots, checked));
        let maps: Vec<_> = maps.collect::<Result<_, _>>()?;
        let out = match (mask_here(output, slabs.len() > 1), maps.as_slice()) {
            (Some(mask), [Maps { largest, steps, .. }]) => {
                let maps = [largest, steps];
                Out::Summaries(Box::new(Summaries::new(device, plan, mask, maps, sets, checked)?))
            }
            _ => {
                let staging = |slab: &Slab| {
                    let map = map_len(&slab.part.plan, sets);
                    let staging = || Staging::new(device, "focus out", map);
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

    fn encode_after(
        &mut self,
        _: &Wavefield,
        span: &Span,
        encoder: &mut CommandEncoder,
    ) -> Result<(), EngineError> {
        match &self.out {
            _ if !span.last => (),
            Out::Maps(staging, _) => {
                for (Maps { largest, steps, .. }, both) in self.slabs.iter().zip(staging) {
                    for (from, staging) in [largest, steps].into_iter().zip(both) {
                        staging.copy(span.slot, encoder, from, 0, staging.values());
                    }
                }
            }
            Out::Summaries(summaries) => summaries.copy(span.slot, encoder),
        }
        Ok(())
    }

    fn map(&self, span: &Span) {
        match &self.out {
            _ if !span.last => (),
            Out::Maps(staging, _) => {
                let all = staging.iter().flatten();
                all.for_each(|staging| staging.map(span.slot, staging.values()));
            }
            Out::Summaries(summaries) => summaries.map(span.slot),
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
                for map in maps {
                    match mask {
                        None => observer.focus(map),
                        Some(mask) => observer.summary(map.summary(mask)),
                    }
                }
                Ok(())
            }
            Out::Summaries(summaries) => {
                let all = summaries.collect(device, plan, span.slot)?;
                all.into_iter().for_each(|summary| observer.summary(summary));
                Ok(())
            }
        }
    }
}
