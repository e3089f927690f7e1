//! Kernels one after another, as a step: prepared, timed, and asked for their result.

use super::{
    super::{clock::Clock, device::Device, pipeline},
    Bench, Fields, Kernel, Update, Workgroup,
};
use crate::engine::EngineError;
use ndarray::Array3;
use web_time::Instant;

/// A dispatch of a step.
struct Dispatch {
    pipeline: wgpu::ComputePipeline,
    constant: wgpu::BindGroup,
    /// The fields at even steps and at odd ones.
    fields: [wgpu::BindGroup; 2],
    groups: [u32; 3],
}

/// Seconds a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// By the device's clock where it has one, else by the wall.
    pub seconds: f64,
    /// By the wall.
    pub wall: f64,
}

/// A step made of one kernel or of several, ready to run.
pub struct Chain<'b> {
    device: &'b Device,
    fields: &'b Fields,
    dispatches: Vec<Dispatch>,
    update: Update,
    clock: Option<Clock>,
}

/// `true`: written by the shader.
const FIELDS: [Option<bool>; 3] = [Some(false), Some(true), Some(true)];

impl<'b> Chain<'b> {
    pub(super) fn new(
        bench: &'b Bench<'_>,
        fields: &'b Fields,
        kernels: &[(&Kernel, Workgroup)],
        update: Update,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let device = &bench.device;
        let most = device.limits().max_compute_workgroups_per_dimension as usize;
        let dispatch = |(kernel, workgroup): &(&Kernel, Workgroup)| {
            let layout = &fields.layout;
            let constants = kernel.constants(layout, *workgroup, update == Update::Wave);
            let module = kernel.source().module(device, &constants, checked)?;
            let coefficients = kernel.coefficients_in_storage.then_some(false);
            let operators = match coefficients {
                None => &bench.uniform,
                Some(_) => &bench.storage,
            };
            let [p, other] = &fields.p;
            let result = if update == Update::Wave { other } else { &fields.laplacian };
            device.guarded(|| {
                let constant = pipeline::bindings(device, &[coefficients, Some(false)]);
                let swapped = pipeline::bindings(device, &FIELDS);
                let pipeline =
                    pipeline::pipeline(device, &module, "main", &[&constant, &swapped], 0);
                let groups = kernel.groups(layout, *workgroup, most);
                let partial = &fields.partial;
                Dispatch {
                    constant: pipeline::bind(device, &constant, &[operators, &fields.v2dt2]),
                    fields: [
                        pipeline::bind(device, &swapped, &[p, result, partial]),
                        pipeline::bind(device, &swapped, &[other, p, partial]),
                    ],
                    groups: groups.map(|groups| groups as u32),
                    pipeline,
                }
            })
        };
        let dispatches = kernels.iter().map(dispatch).collect::<Result<_, _>>()?;
        Ok(Chain { device, fields, dispatches, update, clock: Clock::new(device)? })
    }

    /// Whether samples are by the device's own clock.
    pub fn has_clock(&self) -> bool {
        self.clock.is_some()
    }

    /// Runs so many steps in one pass and times them.
    pub fn sample(&mut self, steps: usize) -> Result<Sample, EngineError> {
        let started = Instant::now();
        let mut encoder = self.device.wgpu.create_command_encoder(&Default::default());
        self.encode(&mut encoder, 0..steps);
        if let Some(clock) = &self.clock {
            clock.encode(0, &mut encoder);
        }
        let index = self.device.queue.submit([encoder.finish()]);
        if let Some(clock) = &self.clock {
            clock.map(0);
        }
        self.device.wait(index)?;
        let wall = started.elapsed().as_secs_f64();
        let seconds = match &mut self.clock {
            Some(clock) => clock.collect(self.device, 0)?,
            None => wall,
        };
        let steps = steps.max(1) as f64;
        Ok(Sample { seconds: seconds / steps, wall: wall / steps })
    }

    /// Encodes the steps `range` as one pass.
    pub(super) fn encode(&self, encoder: &mut wgpu::CommandEncoder, range: std::ops::Range<usize>) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("ladder"),
            timestamp_writes: self.clock.as_ref().map(|clock| clock.writes(0)),
        });
        for step in range {
            for dispatch in &self.dispatches {
                pass.set_pipeline(&dispatch.pipeline);
                pass.set_bind_group(0, &dispatch.constant, &[]);
                pass.set_bind_group(1, &dispatch.fields[self.side(step)], &[]);
                let [wide, deep, far] = dispatch.groups;
                pass.dispatch_workgroups(wide, deep, far);
            }
        }
    }

    /// Which of the two fields is p: the Laplacian is of the same field at every step.
    fn side(&self, step: usize) -> usize {
        match self.update {
            Update::Laplacian => 0,
            Update::Wave => step % 2,
        }
    }

    /// The result of so many steps from the Plan's initial field, at least 1; shape
    /// `[y][x][z]`.
    pub fn field(&self, bench: &Bench<'_>, steps: usize) -> Result<Array3<f32>, EngineError> {
        bench.reset(self.fields);
        let mut encoder = self.device.wgpu.create_command_encoder(&Default::default());
        // What another kernel has left must not pass for this one's.
        encoder.clear_buffer(&self.fields.laplacian, 0, None);
        encoder.clear_buffer(&self.fields.partial, 0, None);
        self.encode(&mut encoder, 0..steps);
        self.device.queue.submit([encoder.finish()]);
        let result = match self.update {
            Update::Laplacian => &self.fields.laplacian,
            Update::Wave => &self.fields.p[steps % 2],
        };
        self.fields.read(self.device, result)
    }
}
