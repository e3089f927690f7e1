//! The canvas, and the shaders that draw a field on it where the field is.

use crate::device;
use huygens::{
    engine::gpu::{OnDevice, wgpu},
    ndarray::ArrayView2,
    render::{model_greys, wave_colours, wave_share},
};
use wgpu::{BufferUsages as Usage, util::DeviceExt};

/// Values of the view of the shaders: four indices, and the fraction and the percentile.
type View = [u32; 6];
/// Bytes of the scale: its peak, the largest pressure, and the counts between.
const SCALE: u64 = 4 * (2 + 256);
/// Invocations of a group, along a column.
const GROUP: u32 = 64;

/// A device of the browser and the canvas that it draws on.
pub struct Screen {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    colours: wgpu::Buffer,
    draw: wgpu::RenderPipeline,
    /// Peak, count and choice.
    scale: [wgpu::ComputePipeline; 3],
    layouts: [wgpu::BindGroupLayout; 2],
}

/// What is drawn beside the field of a run.
pub struct Scene {
    /// Nodes along x and z.
    n: [u32; 2],
    view: wgpu::Buffer,
    greys: wgpu::Buffer,
    scale: wgpu::Buffer,
    /// What makes a pressure of the field; one value where the field is a pressure.
    factors: wgpu::Buffer,
}

impl Scene {
    /// What is drawn ends its colours at a pressure, the value of this buffer after the first.
    pub fn scale(&self) -> &wgpu::Buffer {
        &self.scale
    }
}

impl Screen {
    /// Opens the browser's device.
    pub async fn open(canvas: web_sys::HtmlCanvasElement) -> Result<Self, String> {
        let instance = device::instance();
        let (width, height) = (canvas.width().max(1), canvas.height().max(1));
        let surface = instance.create_surface(wgpu::SurfaceTarget::Canvas(canvas));
        let surface = surface.map_err(|error| error.to_string())?;
        let (adapter, device, queue) =
            device::opened(&instance, Some(&surface), wgpu::Features::empty()).await?;
        let config = surface.get_default_config(&adapter, width, height);
        let config = config.ok_or("the browser's device cannot draw on a canvas")?;
        // The colours are those of a screen already.
        let config =
            wgpu::SurfaceConfiguration { format: config.format.remove_srgb_suffix(), ..config };
        surface.configure(&device, &config);
        let colours: Vec<[f32; 4]> = wave_colours();
        let colours = buffer(&device, &colours, Usage::STORAGE);
        let (layouts, draw, scale) = pipelines(&device, config.format);
        Ok(Screen { device, queue, surface, config, colours, draw, scale, layouts })
    }

    /// Pixels of the canvas.
    pub fn resize(&mut self, width: u32, height: u32) {
        let most = self.device.limits().max_texture_dimension_2d;
        let size = (width.clamp(1, most), height.clamp(1, most));
        if size != (self.config.width, self.config.height) {
            (self.config.width, self.config.height) = size;
            self.surface.configure(&self.device, &self.config);
        }
    }

    /// Makes a field of a model ready to be drawn; `factors` make a pressure of it, one where it is a
    /// pressure.
    pub fn scene(
        &self,
        velocity: ArrayView2<'_, f32>,
        factors: &[f32],
        field: OnDevice<'_>,
    ) -> Scene {
        let n = [velocity.nrows(), velocity.ncols()].map(|n| n as u32);
        let (percentile, reached) = wave_share();
        let part = (percentile / 100.0) as f32;
        let view: View = [
            field.first as u32,
            field.apart.x as u32,
            n[0],
            n[1],
            reached.to_bits(),
            part.to_bits(),
        ];
        let greys: Vec<f32> = model_greys(velocity).into_iter().collect();
        let scale = wgpu::BufferDescriptor {
            label: Some("scale"),
            size: SCALE,
            usage: Usage::STORAGE | Usage::COPY_SRC,
            mapped_at_creation: false,
        };
        Scene {
            n,
            view: buffer(&self.device, &view, Usage::UNIFORM),
            greys: buffer(&self.device, &greys, Usage::STORAGE),
            scale: self.device.create_buffer(&scale),
            factors: buffer(&self.device, factors, Usage::STORAGE),
        }
    }

    /// Draws the field of the moment; false if the canvas takes no picture now.
    pub fn draw(&self, scene: &Scene, field: OnDevice<'_>) -> bool {
        use wgpu::CurrentSurfaceTexture::{Lost, Outdated, Suboptimal, Success};
        let frame = match self.surface.get_current_texture() {
            Success(frame) | Suboptimal(frame) => frame,
            Lost | Outdated => {
                self.surface.configure(&self.device, &self.config);
                return false;
            }
            _ => return false,
        };
        let target = frame.texture.create_view(&Default::default());
        let mut encoder = self.device.create_command_encoder(&Default::default());
        self.encode_scale(scene, field, &mut encoder);
        let Scene { view, greys, scale, factors, .. } = scene;
        let all = [view, field.buffer, greys, &self.colours, scale, factors];
        let group = bind(&self.device, &self.layouts[0], &all);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("wave"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::WHITE),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        pass.set_pipeline(&self.draw);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
        drop(pass);
        self.queue.submit([encoder.finish()]);
        self.queue.present(frame);
        true
    }

    /// Finds the pressure at the ends of the colours.
    fn encode_scale(&self, scene: &Scene, field: OnDevice<'_>, encoder: &mut wgpu::CommandEncoder) {
        let all = [&scene.view, field.buffer, &scene.scale, &scene.factors];
        let group = bind(&self.device, &self.layouts[1], &all);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        let groups = [scene.n[1].div_ceil(GROUP), scene.n[0]];
        for (pipeline, [x, y]) in self.scale.iter().zip([groups, groups, [1, 1]]) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(x, y, 1);
        }
    }

    /// A copy of a part of a buffer of f32 values, mapped for reading; `done` is told once it is, or why
    /// not.
    pub fn copied(
        &self,
        from: &wgpu::Buffer,
        (first, values): (usize, usize),
        done: impl FnOnce(Result<(), String>) + Send + 'static,
    ) -> wgpu::Buffer {
        let size = 4 * values as u64;
        let to = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("copy"),
            size,
            usage: Usage::COPY_DST | Usage::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(from, 4 * first as u64, &to, 0, size);
        self.queue.submit([encoder.finish()]);
        to.map_async(wgpu::MapMode::Read, .., |mapped| done(mapped.map_err(|e| e.to_string())));
        to
    }
}

fn buffer<T: bytemuck::Pod>(device: &wgpu::Device, values: &[T], usage: Usage) -> wgpu::Buffer {
    let contents = bytemuck::cast_slice(values);
    device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
}

fn bind(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    buffers: &[&wgpu::Buffer],
) -> wgpu::BindGroup {
    let resources = buffers.iter().map(|buffer| buffer.as_entire_binding());
    let entries: Vec<_> = (0..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

/// A layout of a uniform and storage buffers, each written or not.
fn layout(
    device: &wgpu::Device,
    visibility: wgpu::ShaderStages,
    written: &[bool],
) -> wgpu::BindGroupLayout {
    let entry = |(binding, written): (u32, Option<bool>)| wgpu::BindGroupLayoutEntry {
        binding,
        visibility,
        ty: wgpu::BindingType::Buffer {
            ty: match written {
                None => wgpu::BufferBindingType::Uniform,
                Some(written) => wgpu::BufferBindingType::Storage { read_only: !written },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let all = std::iter::once(None).chain(written.iter().map(|written| Some(*written)));
    let entries: Vec<_> = (0..).zip(all).map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    })
}

type Pipelines = ([wgpu::BindGroupLayout; 2], wgpu::RenderPipeline, [wgpu::ComputePipeline; 3]);

fn pipelines(device: &wgpu::Device, format: wgpu::TextureFormat) -> Pipelines {
    let layouts = [
        layout(device, wgpu::ShaderStages::FRAGMENT, &[false; 5]),
        layout(device, wgpu::ShaderStages::COMPUTE, &[false, true, false]),
    ];
    let [drawn, scaled] = layouts.each_ref().map(|layout| {
        device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(layout)],
            ..Default::default()
        })
    });
    let module = device.create_shader_module(wgpu::include_wgsl!("draw.wgsl"));
    let draw = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("wave"),
        layout: Some(&drawn),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("corner"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: Default::default(),
        depth_stencil: None,
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("colour"),
            compilation_options: Default::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    });
    let module = device.create_shader_module(wgpu::include_wgsl!("scale.wgsl"));
    let scale = ["peak", "count", "choose"].map(|entry| {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(&scaled),
            module: &module,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            cache: None,
        })
    });
    (layouts, draw, scale)
}
