//! A kernel of explicit time evolution as dispatches of a step.

use super::{
    super::{
        super::pipeline,
        BenchError, Workgroup,
        chain::{Chain, Dispatch},
    },
    EteBench, EteKernel, Form, Model, Weighing,
};
use crate::EngineError;

impl EteBench<'_> {
    /// Prepares a kernel, with or without run-time checks.
    pub fn chain(
        &self,
        kernel: &'static EteKernel,
        workgroup: Workgroup,
        checked: bool,
    ) -> Result<Chain<'_>, BenchError> {
        let table = if kernel.few { self.model.few } else { self.model.table };
        let of = Weighing { points: table.points, bins: table.velocities.len() };
        if let Some(why) = kernel.refusal(&self.fields.layout, workgroup, of, &self.device.limits())
        {
            return Err(BenchError::Refused { kernel: kernel.file(), workgroup, why });
        }
        let dispatches = all(self, kernel, workgroup, of, checked)?;
        let results = [0, if kernel.steps == 2 { 3 } else { 1 }];
        Ok(Chain::new(&self.device, &self.fields, dispatches, kernel.steps, results)?)
    }
}

/// One dispatch for each of its sweeps.
fn all(
    bench: &EteBench<'_>,
    kernel: &EteKernel,
    workgroup: Workgroup,
    of: Weighing,
    checked: bool,
) -> Result<Vec<Dispatch>, EngineError> {
    let (device, layout) = (&bench.device, &bench.fields.layout);
    let most = device.limits().max_compute_workgroups_per_dimension as usize;
    let [a, b, c, d] = &bench.fields.p;
    let sweep = |sweep: usize| {
        let constants = kernel.constants(layout, workgroup, of, sweep);
        let checking = device.clone().checking(checked);
        let module = kernel.kernel.source().module(&checking, &constants)?;
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
                // A workgroup writes fewer nodes than it holds, by a wing on all sides.
                let inner = [workgroup.z, workgroup.x].map(|n| n - 2 * layout.radius);
                groups[0] = layout.n.z.div_ceil(inner[0]);
                groups[1] = layout.n.x.div_ceil(inner[1]);
            }
            Dispatch {
                pipeline: pipeline::pipeline(device, &module, "main", &layouts, 0),
                constant: group,
                fields: swapped.map(|both| pipeline::bind(device, &fields, &both)),
                groups,
            }
        })
    };
    (0..kernel.sweeps.len()).map(sweep).collect()
}

/// Bindings that are the same for every step: the terms or the scale of the 16 bits, the model, the
/// table.
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
