//! The adapters that wgpu finds.

use super::kernels::KERNELS;
use serde::Serialize;

/// A graphics API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// Vulkan.
    Vulkan,
    /// Metal.
    Metal,
    /// Direct3D 12.
    Dx12,
    /// OpenGL, OpenGL ES.
    Gl,
    /// WebGPU, in a browser.
    WebGpu,
}

impl Backend {
    /// Its name, by which it can be asked for.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Vulkan => "vulkan",
            Backend::Metal => "metal",
            Backend::Dx12 => "dx12",
            Backend::Gl => "gl",
            Backend::WebGpu => "webgpu",
        }
    }
}

/// Its API.
#[derive(Clone, Debug)]
pub struct Adapter {
    pub(super) adapter: wgpu::Adapter,
    /// Its API.
    pub backend: Backend,
    /// Its name, as the driver gives it.
    pub name: String,
    /// Driver and version.
    pub driver: String,
    /// discrete, integrated, virtual, software or other.
    pub kind: &'static str,
    /// Largest buffer that a shader can see, bytes.
    pub max_binding: u64,
    /// Largest buffer, bytes.
    pub max_buffer: u64,
    /// Invocations per workgroup.
    pub max_invocations: u32,
    /// Workgroup memory, bytes.
    pub workgroup_storage: u32,
    /// Whether kernels can be timed on the device.
    pub timestamps: bool,
    /// Whether a dispatch can be given values without a buffer.
    pub immediates: bool,
    /// The kernels of a step whose workgroups fit.
    pub kernels: Vec<&'static str>,
    /// Requirements of the engine that the device lacks; empty if it can run.
    pub lacks: Vec<String>,
    /// The limits to request of the device.
    pub(super) limits: wgpu::Limits,
    pub(super) features: wgpu::Features,
}

impl Adapter {
    /// True for a GPU, false for a software adapter.
    pub(crate) fn is_hardware(&self) -> bool {
        matches!(self.kind, "discrete" | "integrated" | "virtual")
    }

    /// Order of preference, best first.
    pub(crate) fn rank(&self) -> usize {
        let kinds = ["discrete", "integrated", "virtual", "other", "software"];
        kinds.iter().position(|kind| *kind == self.kind).unwrap_or(kinds.len())
    }

    /// Restricts the adapter to what WebGPU guarantees: the default limits and no optional feature.
    #[must_use]
    pub fn within_webgpu(self) -> Self {
        let limits = wgpu::Limits::default().or_worse_values_from(&self.limits);
        let features = wgpu::Features::empty();
        described(self.adapter, self.backend, limits, features)
    }
}

/// Storage buffers and invocations per workgroup of the step kernels, as WebGPU guarantees.
const STORAGE_BUFFERS: u32 = 8;
const INVOCATIONS: u32 = 256;
/// Bytes of the longest immediates. Every device aligns uniform offsets to more.
pub(crate) const LONGEST_IMMEDIATES: u64 = 16;
/// Features used if a device has them.
const OPTIONAL: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::IMMEDIATES);

/// All adapters, in the drivers' order. OpenGL lists the same devices again, so it is included only
/// on request, or if there is no other.
pub fn list(gl: bool) -> Vec<Adapter> {
    pollster::block_on(list_async(gl))
}

/// [`list`] for programs that may not block.
pub async fn list_async(gl: bool) -> Vec<Adapter> {
    let of = async |backends| {
        let wanted = wgpu::InstanceDescriptor::new_without_display_handle();
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor { backends, ..wanted });
        let adapters = instance.enumerate_adapters(backends).await;
        adapters.into_iter().filter_map(describe).collect::<Vec<_>>()
    };
    let primary = of(wgpu::Backends::PRIMARY).await;
    if primary.is_empty() || gl {
        [primary, of(wgpu::Backends::GL).await].concat()
    } else {
        primary
    }
}

/// An adapter of a supported API, with its limits and the features that the engine uses.
fn describe(adapter: wgpu::Adapter) -> Option<Adapter> {
    let backend = match adapter.get_info().backend {
        wgpu::Backend::Vulkan => Backend::Vulkan,
        wgpu::Backend::Metal => Backend::Metal,
        wgpu::Backend::Dx12 => Backend::Dx12,
        wgpu::Backend::Gl => Backend::Gl,
        wgpu::Backend::BrowserWebGpu => Backend::WebGpu,
        wgpu::Backend::Noop => return None,
    };
    let (limits, features) = (adapter.limits(), adapter.features() & OPTIONAL);
    Some(described(adapter, backend, limits, features))
}

/// Requirements of the engine that a device with these limits and features lacks.
pub(super) fn lacking(
    limits: &wgpu::Limits,
    features: wgpu::Features,
) -> impl Iterator<Item = String> + use<> {
    let immediates = features.contains(wgpu::Features::IMMEDIATES);
    let longest = if immediates { LONGEST_IMMEDIATES as u32 } else { 0 };
    let needs = [
        ("storage buffers a shader", limits.max_storage_buffers_per_shader_stage, STORAGE_BUFFERS),
        ("invocations a workgroup", limits.max_compute_invocations_per_workgroup, INVOCATIONS),
        ("bytes of immediates", limits.max_immediate_size, longest),
    ];
    let short = needs.into_iter().filter(|(_, there, needed)| there < needed);
    short.map(|(what, there, needed)| format!("{needed} {what} (it has {there})"))
}

/// An adapter with these limits and features.
fn described(
    adapter: wgpu::Adapter,
    backend: Backend,
    limits: wgpu::Limits,
    features: wgpu::Features,
) -> Adapter {
    let info = adapter.get_info();
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => "discrete",
        wgpu::DeviceType::IntegratedGpu => "integrated",
        wgpu::DeviceType::VirtualGpu => "virtual",
        wgpu::DeviceType::Cpu => "software",
        wgpu::DeviceType::Other => "other",
    };
    let compute = adapter.get_downlevel_capabilities().flags;
    let mut lacks = Vec::new();
    if !compute.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
        lacks.push("compute shaders".to_owned());
    }
    lacks.extend(lacking(&limits, features));
    let kernels = KERNELS.iter().filter(|kernel| kernel.fits(&limits));
    Adapter {
        backend,
        name: info.name,
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        kind,
        max_binding: limits.max_storage_buffer_binding_size,
        max_buffer: limits.max_buffer_size,
        max_invocations: limits.max_compute_invocations_per_workgroup,
        workgroup_storage: limits.max_compute_workgroup_storage_size,
        timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
        immediates: features.contains(wgpu::Features::IMMEDIATES),
        kernels: kernels.map(|kernel| kernel.name).collect(),
        lacks,
        limits,
        features,
        adapter,
    }
}
