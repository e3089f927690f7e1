//! The state of a run on a device: copies of its buffers, and their conversion for the host.

use super::{device::Device, layers, slab::Slab, staging::bring, wavefield::Wavefield};
use crate::{EngineError, ShotState, State, StateError, Values, grid::Axes, state};
use ndarray::Array3;
use std::sync::Arc;
use wgpu::BufferUsages as Usage;

/// A copy on the device.
pub(crate) struct KeptFields {
    of: Arc<()>,
    step: usize,
    /// For each slab.
    slabs: Vec<[wgpu::Buffer; 3]>,
}

impl Wavefield {
    /// Copies its state at a step.
    pub(crate) fn keep(&self, device: &Device, step: usize) -> Result<KeptFields, EngineError> {
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let alike = |buffer: &wgpu::Buffer| device.zeros("kept", buffer.size() as usize / 4, usage);
        let slab = |slab: &Slab| {
            let [now, second, memory] = slab.state(step);
            Ok([alike(now)?, alike(second)?, alike(memory)?])
        };
        let slabs: Vec<_> = self.slabs.iter().map(slab).collect::<Result<_, EngineError>>()?;
        let pairs = self.slabs.iter().zip(&slabs);
        let pairs = pairs.flat_map(|(slab, kept)| slab.state(step).into_iter().zip(kept));
        copy(device, pairs)?;
        Ok(KeptFields { of: self.identity.clone(), step, slabs })
    }

    /// Puts a copy back; returns its step.
    pub(crate) fn put_back(
        &self,
        device: &Device,
        kept: &KeptFields,
    ) -> Result<usize, EngineError> {
        if !Arc::ptr_eq(&kept.of, &self.identity) {
            return Err(StateError::Run.into());
        }
        let pairs = kept.slabs.iter().zip(&self.slabs);
        copy(device, pairs.flat_map(|(from, slab)| from.iter().zip(slab.state(kept.step))))?;
        Ok(kept.step)
    }

    /// The state of its shots at a step, on the host: independent of the slabs.
    pub(crate) fn state(
        &self,
        device: &Device,
        step: usize,
    ) -> Result<Vec<ShotState>, EngineError> {
        let (own, shots) = (&self.own, self.plan.shots.len());
        // With VTI, p of all shots and then m of all.
        let of_shot = self.plan.medium.fields();
        let count = shots * of_shot;
        let fields = || vec![Array3::<f32>::zeros(own.plan.grid.shape()); count];
        let (mut now, mut second) = (fields(), fields());
        let mut memory = vec![[const { Vec::<f32>::new() }; 3]; count];
        for slab in &self.slabs {
            let (part, layout) = (&slab.part, &slab.part.layout);
            let [p, beside, layers] = slab.state(step);
            for (buffer, fields) in [(p, &mut now), (beside, &mut second)] {
                bring(device, buffer, 0, count * layout.len(), |values| {
                    for (field, values) in fields.iter_mut().zip(values.chunks_exact(layout.len()))
                    {
                        layout.copy_window(values, Axes::default(), part.of_grid(own, field));
                    }
                })?;
            }
            let lens = layers::memory_lens(&part.plan);
            let len = count * lens.iter().sum::<usize>();
            bring(device, layers, 0, len, |mut values| {
                for shot in &mut memory {
                    for (axis, len) in shot.iter_mut().zip(lens) {
                        let (here, rest) = values.split_at(len);
                        axis.extend(here);
                        values = rest;
                    }
                }
            })?;
        }
        let flat = |of: &mut Vec<Array3<f32>>, shot: usize| {
            let own = (0..of_shot).map(|field| shot + field * shots);
            let values = own.map(|at| std::mem::take(&mut of[at]).into_raw_vec_and_offset().0);
            Values::F32(values.collect::<Vec<_>>().concat())
        };
        let states = (0..shots).map(|shot| ShotState {
            now: flat(&mut now, shot),
            second: flat(&mut second, shot),
            memory: Values::F32(
                (0..of_shot).flat_map(|field| memory[shot + field * shots].concat()).collect(),
            ),
        });
        Ok(states.collect())
    }

    /// Layer memory values per shot along each axis, slab by slab.
    pub(crate) fn memory_lens(&self) -> impl Iterator<Item = [usize; 3]> {
        self.slabs.iter().map(|slab| layers::memory_lens(&slab.part.plan))
    }

    /// Writes a state to the device; returns its step.
    pub(crate) fn restore(&self, device: &Device, state: &State) -> Result<usize, EngineError> {
        let plan = &self.own.plan;
        let step = state.step();
        let lens: Vec<_> = self.memory_lens().collect();
        let of_axis = |axis: usize| lens.iter().map(|lens| lens[axis]).sum::<usize>();
        let (shots, of_shot) = (plan.shots.len(), plan.medium.fields());
        let len = (0..3).map(of_axis).sum::<usize>();
        state.check(plan, state::GPU, of_shot * len)?;
        self.slabs.iter().try_for_each(|slab| slab.wake(device, &self.common))?;
        for (shot, field) in (0..shots).flat_map(|shot| (0..of_shot).map(move |f| (shot, f))) {
            let [now, second, memory] = state.arrays(shot, Values::f32);
            let memory = memory.map(|memory| &memory[field * len..][..len]);
            let nodes = plan.grid.cells();
            // Start of each axis' values in a slab.
            let mut before = [0, of_axis(0), of_axis(0) + of_axis(1)];
            let place = shot + field * shots;
            for (slab, lens) in self.slabs.iter().zip(&lens) {
                let part = &slab.part;
                let [p, beside, layers] = slab.state(step);
                for (buffer, values) in [(p, now), (beside, second)] {
                    let values = values.map(|values| &values[field * nodes..][..nodes]);
                    let at = |node| values.map_or(0.0, |values| values[plan.grid.index(node)]);
                    write(device, buffer, place * part.layout.len(), &part.padded(&self.own, at))?;
                }
                let mut here = vec![0.0; lens.iter().sum()];
                if let Some(memory) = memory {
                    let axes =
                        before.iter().zip(lens).map(|(first, len)| &memory[*first..][..*len]);
                    here = axes.collect::<Vec<_>>().concat();
                }
                write(device, layers, place * here.len(), &here)?;
                before.iter_mut().zip(lens).for_each(|(before, len)| *before += len);
                // Until the submit, written values occupy staging memory.
                device.wait_where_possible(device.queue.submit([]))?;
            }
        }
        Ok(step)
    }
}

fn copy<'b>(
    device: &Device,
    pairs: impl Iterator<Item = (&'b wgpu::Buffer, &'b wgpu::Buffer)>,
) -> Result<(), EngineError> {
    let mut encoder = device.wgpu.create_command_encoder(&Default::default());
    for (from, to) in pairs {
        encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
    }
    let index = device.guarded(|| device.queue.submit([encoder.finish()]))?;
    device.wait_where_possible(index)
}

/// Writes values to a buffer at an offset.
fn write(
    device: &Device,
    buffer: &wgpu::Buffer,
    first: usize,
    values: &[f32],
) -> Result<(), EngineError> {
    let bytes = bytemuck::cast_slice(values);
    device.guarded(|| device.queue.write_buffer(buffer, 4 * first as u64, bytes))
}
