//! (v dt)^2 as shaders/lib/model.wgsl reads it, and the potential of a density that varies as
//! shaders/lib/density.wgsl does.

use super::{device::Device, shader::Constants};
use crate::{
    EngineError, Layout,
    grid::Axes,
    plan::{Plan, Window},
};
use wgpu::BufferUsages as Usage;

/// Values in transfer to the device at once: few where they are copied within the host's memory.
fn at_once(device: &Device) -> usize {
    match device.info.device_type {
        wgpu::DeviceType::Cpu => 1 << 20,
        _ => 8 << 20,
    }
}

/// The models of a part's buffer: that of all shots, or one for each.
fn models(plan: &Plan, shots: usize) -> usize {
    if plan.velocities.len() == 1 { 1 } else { shots }
}

/// The layout of a model: that of the fields or, with windows, of the whole model.
fn model_layout(plan: &Plan, field: &Layout) -> Layout {
    match plan.windows {
        Some(_) => Layout::of(plan.whole_nodes(), field.radius),
        None => *field,
    }
}

/// Length of the buffer for `shots` shots, in values: the models; with windows, where they begin; the
/// potential of a density that varies.
pub(crate) fn len(plan: &Plan, field: &Layout, shots: usize) -> usize {
    let potential = if has_potential(plan) { model_layout(plan, field).len() } else { 0 };
    before_potential(plan, field, shots) + potential
}

fn has_potential(plan: &Plan) -> bool {
    plan.medium.density().is_some()
}

/// Values of the buffer before the potential.
fn before_potential(plan: &Plan, field: &Layout, shots: usize) -> usize {
    let windows = if plan.windows.is_some() { 4 * shots } else { 0 };
    models(plan, shots) * model_layout(plan, field).len() + windows
}

/// Adds the constants of shaders/lib/model.wgsl.
pub(crate) fn constants(to: Constants, plan: &Plan, field: &Layout) -> Constants {
    let model = model_layout(plan, field);
    to.flag("DENSITY", has_potential(plan))
        .int("POTENTIAL", before_potential(plan, field, plan.shots.len()) / 4)
        .int("MODEL", if plan.velocities.len() == 1 { 0 } else { model.len() / 4 })
        .flag("WINDOWED", plan.windows.is_some())
        .int("WINDOWS", model.len() / 4)
        .int("MODEL_LEAD", model.lead / 4)
        .int("MODEL_COLUMN", model.column / 4)
        .int("MODEL_PLANE", model.plane / 4)
}

/// The buffer that the shaders read: the models, one after the other, then the windows.
pub(crate) fn upload(
    device: &Device,
    plan: &Plan,
    field: &Layout,
) -> Result<wgpu::Buffer, EngineError> {
    let layout = model_layout(plan, field);
    let shots = plan.shots.len();
    let usage = Usage::STORAGE | Usage::COPY_DST;
    let buffer = device.zeros("(v dt)^2", len(plan, field, shots), usage)?;
    let mut upload = Upload { device, buffer: &buffer, last: None };
    for copy in 0..models(plan, shots) {
        let model = if plan.velocities.len() == 1 { 0 } else { plan.shots[copy].window.model };
        let window = Window::whole(model);
        upload.model(&layout, copy * layout.len(), |first, column| {
            plan.v2dt2_of_column(window, first, column);
        })?;
    }
    if has_potential(plan) {
        upload.model(&layout, before_potential(plan, field, shots), |first, column| {
            plan.potential_of_column(Window::whole(0), first, column);
        })?;
    }
    place_windows(device, &buffer, plan, field)?;
    Ok(buffer)
}

/// Writes values of a model's nodes to a buffer.
struct Upload<'a> {
    device: &'a Device,
    buffer: &'a wgpu::Buffer,
    last: Option<wgpu::SubmissionIndex>,
}

impl Upload<'_> {
    /// A part at a time, so that the host never holds the whole model.
    fn model(
        &mut self,
        layout: &Layout,
        start: usize,
        column: impl Fn(Axes<usize>, &mut [f32]) + Sync,
    ) -> Result<(), EngineError> {
        for places in layout.parts(at_once(self.device)) {
            let first = start + places.start;
            let part = layout.part_by_columns(places, &column);
            let sent = self.device.write(self.buffer, first, &part)?;
            // A part is computed while the previous one is in transfer.
            if let Some(before) = self.last.replace(sent) {
                self.device.wait_where_possible(before)?;
            }
        }
        Ok(())
    }
}

/// Writes where the windows of the shots begin.
pub(crate) fn place_windows(
    device: &Device,
    buffer: &wgpu::Buffer,
    plan: &Plan,
    field: &Layout,
) -> Result<(), EngineError> {
    if plan.windows.is_none() {
        return Ok(());
    }
    // f32 has all digits of such numbers.
    let begin = |first: usize| first as f32;
    let first = plan.shots.iter().map(|shot| shot.window.first);
    let windows: Vec<[f32; 4]> = first.map(|at| [begin(at.x), begin(at.y), 0.0, 0.0]).collect();
    device.write(buffer, model_layout(plan, field).len() / 4, &windows)?;
    Ok(())
}
