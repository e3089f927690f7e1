//! Kernels one after another, as a step: timing and results.

use super::{
    super::{clock::Clock, device::Device},
    fields::Fields,
};
use crate::EngineError;
use ndarray::Array3;
use web_time::Instant;

/// A dispatch of a step.
pub(super) struct Dispatch {
    pub(crate) pipeline: wgpu::ComputePipeline,
    /// Bindings that are the same for every step.
    pub(crate) constant: wgpu::BindGroup,
    /// The fields in even passes and in odd ones.
    pub(crate) fields: [wgpu::BindGroup; 2],
    pub(crate) groups: [usize; 3],
}

/// Time of a step, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// By the device's clock if it has one, else by the wall clock.
    pub seconds: f64,
    /// By the wall clock.
    pub wall: f64,
}

impl Sample {
    /// By the wall clock alone.
    pub fn by_the_wall(seconds: f64) -> Self {
        Sample { seconds, wall: seconds }
    }
}

/// A step made of one kernel or of several, ready to run.
pub struct Chain<'b> {
    device: &'b Device,
    fields: &'b Fields<'b>,
    dispatches: Vec<Dispatch>,
    /// Steps per pass over the dispatches.
    steps: usize,
    /// Indices of the fields that hold the result of an even number of passes, and of an odd one.
    results: [usize; 2],
    clock: Option<Clock>,
}

impl<'b> Chain<'b> {
    pub(super) fn new(
        device: &'b Device,
        fields: &'b Fields<'_>,
        dispatches: Vec<Dispatch>,
        steps: usize,
        results: [usize; 2],
    ) -> Result<Self, EngineError> {
        Ok(Chain { device, fields, dispatches, steps, results, clock: Clock::new(device)? })
    }

    /// True if samples are by the device's own clock.
    pub fn has_clock(&self) -> bool {
        self.clock.is_some()
    }

    /// [`Chain::timed`], waited for.
    pub fn sample(&mut self, steps: usize) -> Result<Sample, EngineError> {
        pollster::block_on(self.timed(steps))
    }

    /// Runs `steps` steps, rounded up to whole passes of several at once, in one compute pass, and
    /// times them.
    pub async fn timed(&mut self, steps: usize) -> Result<Sample, EngineError> {
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
        self.device.done(index).await?;
        let wall = started.elapsed().as_secs_f64();
        let seconds = match &mut self.clock {
            Some(clock) => clock.collect(self.device, 0)?,
            None => wall,
        };
        let steps = (passes * self.steps).max(1) as f64;
        Ok(Sample { seconds: seconds / steps, wall: wall / steps })
    }

    /// Encodes `passes` passes over the dispatches, from the first on.
    pub(super) fn encode(&self, encoder: &mut wgpu::CommandEncoder, passes: usize) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("ladder"),
            timestamp_writes: self.clock.as_ref().map(|clock| clock.writes(0)),
        });
        for number in 0..passes {
            for dispatch in &self.dispatches {
                pass.set_pipeline(&dispatch.pipeline);
                pass.set_bind_group(0, &dispatch.constant, &[]);
                pass.set_bind_group(1, &dispatch.fields[number % 2], &[]);
                let [wide, deep, far] = dispatch.groups.map(|groups| groups as u32);
                pass.dispatch_workgroups(wide, deep, far);
            }
        }
    }

    /// The result of `steps` steps from the initial field, at least 1, rounded up to whole passes;
    /// shape `[y][x][z]`.
    pub fn field(&self, steps: usize) -> Result<Array3<f32>, EngineError> {
        let mut encoder = self.device.wgpu.create_command_encoder(&Default::default());
        self.fields.start(&mut encoder);
        let passes = steps.div_ceil(self.steps);
        self.encode(&mut encoder, passes);
        self.device.queue.submit([encoder.finish()]);
        self.fields.read(self.results[passes % 2])
    }
}
