//! Shader modules, bind groups and pipelines for all kernels.

use super::{
    device::Device,
    immediates::{Immediates, pipeline_layout},
    shader::{Constants, Source, without_immediates},
};
use crate::EngineError;

/// Splits a long row of workgroups into rows within every device's limit.
pub(crate) fn rows(groups: usize) -> [u32; 2] {
    let groups = groups as u32;
    let x = groups.clamp(1, 65_535);
    [x, groups.div_ceil(x)]
}

/// A bind group layout: a uniform for `None`, otherwise a storage buffer, writable or not.
pub(crate) fn bindings(device: &Device, writable: &[Option<bool>]) -> wgpu::BindGroupLayout {
    let entry = |(binding, writable): (usize, &Option<bool>)| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match writable {
                None => wgpu::BufferBindingType::Uniform,
                Some(writable) => wgpu::BufferBindingType::Storage { read_only: !writable },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    device.compiled.layout(writable, || {
        let entries: Vec<_> = writable.iter().enumerate().map(entry).collect();
        let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
        device.wgpu.create_bind_group_layout(&descriptor)
    })
}

/// A bind group of whole buffers, in the order of their bindings.
pub(crate) fn bind(
    device: &Device,
    layout: &wgpu::BindGroupLayout,
    buffers: &[&wgpu::Buffer],
) -> wgpu::BindGroup {
    let entries: Vec<_> = (0u32..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
    device.wgpu.create_bind_group(&descriptor)
}

/// A compute pipeline over the layouts of its groups, with this many bytes of immediates.
pub(crate) fn pipeline(
    device: &Device,
    module: &wgpu::ShaderModule,
    entry: &str,
    groups: &[&wgpu::BindGroupLayout],
    immediates: u32,
) -> wgpu::ComputePipeline {
    let layouts = groups.iter().map(|group| (*group).clone()).collect();
    device.compiled.pipeline((module.clone(), entry.to_owned(), layouts, immediates), || {
        device.wgpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(&pipeline_layout(device, groups, immediates)),
            module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        })
    })
}

/// An entry point of a shader, and its dispatch.
pub(crate) struct Entry {
    pub(crate) source: &'static Source,
    pub(crate) name: &'static str,
    pub(crate) constants: Constants,
    pub(crate) workgroups: [u32; 3],
    /// Bytes.
    pub(crate) immediates: u32,
}

impl Entry {
    /// Binds it to one or more groups of buffers, of which it writes those marked.
    pub(crate) fn bind<'b, G: AsRef<[&'b wgpu::Buffer]>>(
        self,
        device: &Device,
        written: &[bool],
        groups: &[G],
    ) -> Result<Bound, EngineError> {
        let Entry { source, name, constants, workgroups, immediates } = self;
        let module = source.module(device, &constants)?;
        let written: Vec<_> = written.iter().copied().map(Some).collect();
        device.guarded(|| {
            let layout = bindings(device, &written);
            let groups = groups.iter().map(|group| bind(device, &layout, group.as_ref()));
            let groups = groups.collect();
            let pipeline = pipeline(device, &module, name, &[&layout], immediates);
            Bound { groups, pipeline, workgroups }
        })
    }
}

/// An entry point that is bound to its buffers.
pub(crate) struct Bound {
    pipeline: wgpu::ComputePipeline,
    groups: Vec<wgpu::BindGroup>,
    workgroups: [u32; 3],
}

impl Bound {
    /// Runs it with a group.
    pub(crate) fn encode(&self, pass: &mut wgpu::ComputePass<'_>, group: usize) {
        self.encode_given(pass, group, |_| ());
    }

    /// The same with immediates.
    pub(crate) fn encode_with(
        &self,
        immediates: &Immediates,
        pass: &mut wgpu::ComputePass<'_>,
        group: usize,
        values: &[u8],
    ) {
        self.encode_given(pass, group, |pass| immediates.give(pass, values));
    }

    fn encode_given<'p>(
        &self,
        pass: &mut wgpu::ComputePass<'p>,
        group: usize,
        give: impl FnOnce(&mut wgpu::ComputePass<'p>),
    ) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.groups[group], &[]);
        give(pass);
        let [x, y, z] = self.workgroups;
        pass.dispatch_workgroups(x, y, z);
    }
}

impl Source {
    /// Compiles it, with run-time checks of indices if the device is to have them.
    pub(super) fn module(
        &self,
        device: &Device,
        constants: &Constants,
    ) -> Result<wgpu::ShaderModule, EngineError> {
        let mut text = self.specialised(constants);
        if !device.has(wgpu::Features::IMMEDIATES) {
            text = without_immediates(&text);
        }
        device.guarded(|| {
            device.compiled.module(&text, device.checked, || {
                let descriptor = wgpu::ShaderModuleDescriptor {
                    label: Some(self.name),
                    source: wgpu::ShaderSource::Wgsl(text.as_str().into()),
                };
                if device.checked {
                    device.wgpu.create_shader_module(descriptor)
                } else {
                    trusted(&device.wgpu, descriptor)
                }
            })
        })
    }
}

/// The only unsafe call for shaders: a module without run-time checks.
#[allow(unsafe_code, reason = "checks cost speed, and what they check is proven; see SAFETY")]
fn trusted(
    device: &wgpu::Device,
    descriptor: wgpu::ShaderModuleDescriptor<'_>,
) -> wgpu::ShaderModule {
    // SAFETY: the text is ours, embedded at compile time, and validated by naga in tests/agreement.
    // Its loops end: they are bounded by constants, the grid, a tile's sources or the slots of
    // stored waves. It divides by nothing but extents of the layout and counts of tiles, which are
    // above 0. Its indices lie inside their buffers:
    // - fields and model: nodes are guarded by a region's spans, which lie in the grid (`Regions`),
    //   a march ends with its region, and neighbours, read in quads and groups of columns, lie in
    //   the halo that `Layout` provides, or in the tile of workgroup memory that a barrier has
    //   filled. Images above a free surface are read from the same column, which has a halo below
    //   it. Operators have at most 16 neighbours (`Plan::is_consistent`);
    // - layers: there is a coefficient for each node along x and y and each quad along z, and a
    //   loss for each end and place across them (`layers::coefficients`); memory is read between
    //   the bounds LOW and HIGH, or in a region that is exactly those ends (`Span::is_ends`);
    // - acquisition, wavelets, traces: tables are as long as their counts; offsets, and the windows
    //   of receivers between nodes, are on the grid, as `GpuRun::new` checks (`Plan::is_consistent`),
    //   and in a slab among its pieces and ghosts (`Part::reads`); quads of a window reach at most
    //   one past its column's last, into the halo; rows are fewer than `tap::rows`, because a
    //   submit ends at the taps' horizon, and a step without a row has no workgroup that records;
    // - flags of sleeping blocks: each node of the grid has a block, and the flags of all blocks lie behind
    //   the fields (`sleep::len`);
    // - ghosts: quads are guarded by their number, and both layouts have as many at either end
    //   (`Part::all`);
    // - layers of an adjoint: nodes are guarded by their regions, which lie in the grid, and their
    //   places and those of their neighbours lie in the strips, which have zeros as far as a
    //   stencil reaches (`transposed::Strip`); tables have a pair per place and a loss per end and
    //   line;
    // - increments: quads are guarded by their number;
    // - maps of a focus: nodes are guarded by the grid, and shots are whole sets
    //   (`Plan::is_consistent`);
    // - halos and snapshots: nodes are guarded by those of the ghosts, which lie in the slab's field
    //   (`Part::all`), and by the model, which lies in the grid;
    // - differences: nodes are guarded by the model, which lies in the grid; each slot has a value
    //   per node and shot;
    // - offset gathers: nodes are guarded by the line; h is that of an existing offset, and waves
    //   have zeros on either side as far as it reaches; slots are within their number; the values
    //   that a tile copies are guarded by the line and its zeros; sums by their values, their shots
    //   by `Summed::fits`;
    // - summaries of maps: nodes are guarded by the model, which lies in the grid, neighbours by its ends; a mask is of
    //   the model (`Plan::is_consistent`), and there is a part for each workgroup;
    // - several steps a pass: every node read or written is guarded by the grid, whichever way its place wraps around, and rows
    //   and fours of a tile are held within it;
    // - alarms of the watchdog: looks are fewer than a submit has room for, by its horizon, and the sign of p is masked.
    // Runs that are checked, and the tests, compile the same text with the checks.
    unsafe {
        device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
    }
}
