//! A kernel of explicit time evolution as a step: prepared, timed, and asked for its result.

use super::{
    super::{
        super::{clock::Clock, pipeline},
        Sample, Workgroup,
    },
    EteBench, EteKernel, Form, Model,
};
use crate::{engine::EngineError, stencil::ete::Points};
use ndarray::Array3;
use web_time::Instant;

/// A sweep of a step.
struct Dispatch {
    pipeline: wgpu::ComputePipeline,
    constant: wgpu::BindGroup,
    /// The fields at even dispatches and at odd ones.
    fields: [wgpu::BindGroup; 2],
    groups: [u32; 3],
}

/// A step, or two at once, ready to run.
pub struct EteChain<'b> {
    bench: &'b EteBench<'b>,
    sweeps: Vec<Dispatch>,
    /// Steps that they make.
    steps: usize,
    clock: Option<Clock>,
}

impl<'b> EteChain<'b> {
    pub(super) fn new(
        bench: &'b EteBench<'_>,
        kernel: &EteKernel,
        workgroup: Workgroup,
        of: (Points, usize),
        checked: bool,
    ) -> Result<Self, EngineError> {
        let (device, layout) = (&bench.device, &bench.layout);
        let most = device.limits().max_compute_workgroups_per_dimension as usize;
        let [a, b, c, d] = &bench.p;
        let sweep = |sweep: usize| {
            let constants = kernel.constants(layout, workgroup, of, sweep);
            let module = kernel.kernel.source().module(device, &constants, checked)?;
            device.guarded(|| {
                let (constant, group) = weights(bench, kernel);
                let (fields, swapped): (&[_], _) = match kernel.steps {
                    // p, p before, and both of two steps later.
                    2 => (
                        &[Some(false), Some(false), Some(true), Some(true)],
                        [vec![a, b, d, c], vec![d, c, a, b]],
                    ),
                    _ => (&[Some(false), Some(true)], [vec![a, b], vec![b, a]]),
                };
                let fields = pipeline::bindings(device, fields);
                let layouts = [&constant, &fields];
                let mut groups = kernel.kernel.groups(layout, workgroup, most);
                if kernel.kernel.name == "twice" {
                    // What a workgroup writes is narrower than what it holds by a wing on all sides.
                    let inner = [workgroup.z, workgroup.x].map(|n| n - 2 * layout.radius);
                    groups[0] = layout.n.z.div_ceil(inner[0]);
                    groups[1] = layout.n.x.div_ceil(inner[1]);
                }
                Dispatch {
                    pipeline: pipeline::pipeline(device, &module, "main", &layouts, 0),
                    constant: group,
                    fields: swapped.map(|both| pipeline::bind(device, &fields, &both)),
                    groups: groups.map(|groups| groups as u32),
                }
            })
        };
        let sweeps = (0..kernel.sweeps.len()).map(sweep).collect::<Result<_, _>>()?;
        Ok(EteChain { bench, sweeps, steps: kernel.steps, clock: Clock::new(device)? })
    }

    /// Whether samples are by the device's own clock.
    pub fn has_clock(&self) -> bool {
        self.clock.is_some()
    }

    /// Runs so many steps, or one more, in one pass and times them.
    pub fn sample(&mut self, steps: usize) -> Result<Sample, EngineError> {
        let (device, started) = (&self.bench.device, Instant::now());
        let dispatches = steps.div_ceil(self.steps).max(1);
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        self.encode(&mut encoder, dispatches);
        if let Some(clock) = &self.clock {
            clock.encode(0, &mut encoder);
        }
        let index = device.queue.submit([encoder.finish()]);
        if let Some(clock) = &self.clock {
            clock.map(0);
        }
        device.wait(index)?;
        let wall = started.elapsed().as_secs_f64();
        let seconds = match &mut self.clock {
            Some(clock) => clock.collect(device, 0)?,
            None => wall,
        };
        let steps = (self.steps * dispatches) as f64;
        Ok(Sample { seconds: seconds / steps, wall: wall / steps })
    }

    fn encode(&self, encoder: &mut wgpu::CommandEncoder, dispatches: usize) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("ladder of explicit time evolution"),
            timestamp_writes: self.clock.as_ref().map(|clock| clock.writes(0)),
        });
        for dispatch in 0..dispatches {
            for sweep in &self.sweeps {
                pass.set_pipeline(&sweep.pipeline);
                pass.set_bind_group(0, &sweep.constant, &[]);
                pass.set_bind_group(1, &sweep.fields[dispatch % 2], &[]);
                let [wide, deep, far] = sweep.groups;
                pass.dispatch_workgroups(wide, deep, far);
            }
        }
    }

    /// p after so many steps from the model's initial field, at least 1 and as many as dispatches make; shape `[y][x][z]`.
    pub fn field(&self, steps: usize) -> Result<Array3<f32>, EngineError> {
        let bench = self.bench;
        bench.reset();
        let mut encoder = bench.device.wgpu.create_command_encoder(&Default::default());
        // What another kernel has left must not pass for this one's.
        encoder.clear_buffer(&bench.p[2], 0, None);
        encoder.clear_buffer(&bench.p[3], 0, None);
        let dispatches = steps / self.steps;
        self.encode(&mut encoder, dispatches);
        bench.device.queue.submit([encoder.finish()]);
        let now = match (self.steps, dispatches % 2) {
            (_, 0) => 0,
            (1, _) => 1,
            _ => 3,
        };
        bench.read(&bench.p[now])
    }

    /// p as the last samples left it.
    pub fn peak(&self) -> Result<f32, EngineError> {
        let peak =
            |p: Array3<f32>| p.iter().fold(0.0f32, |m, p| if p.abs() <= m { m } else { p.abs() });
        Ok(peak(self.bench.read(&self.bench.p[0])?))
    }
}

/// What does not change from step to step: the terms or what 16 bits stand for, the model, the table.
fn weights(bench: &EteBench<'_>, kernel: &EteKernel) -> (wgpu::BindGroupLayout, wgpu::BindGroup) {
    let device = &bench.device;
    let few = usize::from(kernel.few);
    let table = &bench.weights[few];
    let uniform = if kernel.form == Form::Sixteen { &table.scale } else { &bench.terms };
    let model = match kernel.model {
        Model::Words => &bench.words,
        Model::Pairs => &bench.pairs[few],
        Model::Squares => &bench.squares,
    };
    let buffer =
        |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    let stored = buffer(wgpu::BufferBindingType::Storage { read_only: true });
    let (kind, resource) = match (kernel.form, &table.texture, &table.uniform) {
        (Form::Texture, Some(view), _) => (
            wgpu::BindingType::Texture {
                sample_type: wgpu::TextureSampleType::Float { filterable: false },
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: false,
            },
            wgpu::BindingResource::TextureView(view),
        ),
        (Form::Uniform, _, Some(uniform)) => {
            (buffer(wgpu::BufferBindingType::Uniform), uniform.as_entire_binding())
        }
        (Form::Fours, ..) => (stored, table.fours.as_entire_binding()),
        (Form::Sixteen, ..) => (stored, table.sixteen.as_entire_binding()),
        _ => (stored, table.scalars.as_entire_binding()),
    };
    let kinds = [buffer(wgpu::BufferBindingType::Uniform), stored, kind];
    let entry = |(binding, ty)| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty,
        count: None,
    };
    let entries: Vec<_> = (0..).zip(kinds).map(entry).collect();
    let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
    let layout = device.wgpu.create_bind_group_layout(&descriptor);
    let resources = [uniform.as_entire_binding(), model.as_entire_binding(), resource];
    let entries: Vec<_> = (0..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
        .collect();
    let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
    let group = device.wgpu.create_bind_group(&descriptor);
    (layout, group)
}
