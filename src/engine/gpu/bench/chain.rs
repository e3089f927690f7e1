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
    /// Steps a pass over the dispatches.
    steps: usize,
    clock: Option<Clock>,
}

/// `true`: written by the shader.
const FIELDS: [Option<bool>; 3] = [Some(false), Some(true), Some(true)];
/// The same of several steps a pass: p and p_prev of the first, and of the last.
const LEVELS: [Option<bool>; 4] = [Some(false), Some(false), Some(true), Some(true)];

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
            let several = kernel.steps > 1;
            device.guarded(|| {
                let constant = pipeline::bindings(device, &[coefficients, Some(false)]);
                let swapped = pipeline::bindings(device, if several { &LEVELS } else { &FIELDS });
                let pipeline =
                    pipeline::pipeline(device, &module, "main", &[&constant, &swapped], 0);
                let groups = kernel.groups(layout, *workgroup, most);
                let (partial, laplacian) = (&fields.partial, &fields.laplacian);
                let both = match several {
                    true => [&[p, other, laplacian, partial][..], &[laplacian, partial, p, other]],
                    false => [&[p, result, partial][..], &[other, p, partial]],
                };
                Dispatch {
                    constant: pipeline::bind(device, &constant, &[operators, &fields.v2dt2]),
                    fields: both.map(|fields| pipeline::bind(device, &swapped, fields)),
                    groups: groups.map(|groups| groups as u32),
                    pipeline,
                }
            })
        };
        let dispatches = kernels.iter().map(dispatch).collect::<Result<_, _>>()?;
        let steps = kernels.iter().map(|(kernel, _)| kernel.steps).max().unwrap_or(1);
        Ok(Chain { device, fields, dispatches, update, steps, clock: Clock::new(device)? })
    }

    /// Whether samples are by the device's own clock.
    pub fn has_clock(&self) -> bool {
        self.clock.is_some()
    }

    /// Runs so many steps in one pass, or as many more as the last of several at once brings, and times them.
    pub fn sample(&mut self, steps: usize) -> Result<Sample, EngineError> {
        let started = Instant::now();
        let mut encoder = self.device.wgpu.create_command_encoder(&Default::default());
        let passes = steps.div_ceil(self.steps);
        self.encode(&mut encoder, passes);
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
        let steps = (passes * self.steps).max(1) as f64;
        Ok(Sample { seconds: seconds / steps, wall: wall / steps })
    }

    /// Encodes so many passes over the dispatches, from the first on.
    pub(super) fn encode(&self, encoder: &mut wgpu::CommandEncoder, passes: usize) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("ladder"),
            timestamp_writes: self.clock.as_ref().map(|clock| clock.writes(0)),
        });
        for number in 0..passes {
            for dispatch in &self.dispatches {
                pass.set_pipeline(&dispatch.pipeline);
                pass.set_bind_group(0, &dispatch.constant, &[]);
                pass.set_bind_group(1, &dispatch.fields[self.side(number)], &[]);
                let [wide, deep, far] = dispatch.groups;
                pass.dispatch_workgroups(wide, deep, far);
            }
        }
    }

    /// Which of the fields is p: the Laplacian is of the same field in every pass.
    fn side(&self, passes: usize) -> usize {
        match self.update {
            Update::Laplacian => 0,
            Update::Wave => passes % 2,
        }
    }

    /// The result of so many steps from the Plan's initial field, at least 1, rounded up to whole passes; shape
    /// `[y][x][z]`.
    pub fn field(&self, bench: &Bench<'_>, steps: usize) -> Result<Array3<f32>, EngineError> {
        bench.reset(self.fields);
        let mut encoder = self.device.wgpu.create_command_encoder(&Default::default());
        // What another kernel has left must not pass for this one's.
        encoder.clear_buffer(&self.fields.laplacian, 0, None);
        encoder.clear_buffer(&self.fields.partial, 0, None);
        let passes = steps.div_ceil(self.steps);
        self.encode(&mut encoder, passes);
        self.device.queue.submit([encoder.finish()]);
        let result = match self.update {
            Update::Laplacian => &self.fields.laplacian,
            Update::Wave if self.steps > 1 && passes % 2 == 1 => &self.fields.laplacian,
            Update::Wave if self.steps > 1 => &self.fields.p[0],
            Update::Wave => &self.fields.p[passes % 2],
        };
        self.fields.read(self.device, result)
    }
}
