//! (v dt)^2 as shaders/lib/model.wgsl reads it, and the potential of a density that varies as
//! shaders/lib/density.wgsl does, or (v dt)^2/b and the coefficients of VTI as shaders/vti.wgsl does.

use super::{device::Device, part::Part, shader::Constants};
use crate::{
    EngineError, Layout,
    grid::Axes,
    medium::VtiTerm,
    plan::{Plan, Window},
};
use std::ops::Range;
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
/// potential of a density that varies, or the coefficients of VTI.
pub(crate) fn len(plan: &Plan, field: &Layout, shots: usize) -> usize {
    let terms = usize::from(has_potential(plan)) + terms(plan).len();
    before_potential(plan, field, shots) + terms * model_layout(plan, field).len()
}

/// The coefficients of VTI, in the order of shaders/vti.wgsl.
fn terms(plan: &Plan) -> Vec<VtiTerm> {
    let Some(vti) = plan.medium.vti() else { return Vec::new() };
    let all = [VtiTerm::Across, VtiTerm::Along, VtiTerm::Cross];
    let own = [VtiTerm::OwnOfP, VtiTerm::OwnCross, VtiTerm::OwnOfM];
    all.into_iter().chain(own).chain(vti.has_density().then_some(VtiTerm::Buoyancy)).collect()
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
    let to = match plan.medium.vti() {
        None => to,
        Some(vti) => to
            .float("F", vti.f())
            .flag("BUOYANCY", vti.has_density())
            .int("TERMS", before_potential(plan, field, plan.shots.len()) / 4)
            .int("TERM", model.len() / 4),
    };
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
    whole: &Plan,
    part: &Part,
) -> Result<wgpu::Buffer, EngineError> {
    let (plan, field) = (&*part.plan, &part.layout);
    let layout = model_layout(plan, field);
    let shots = plan.shots.len();
    let usage = Usage::STORAGE | Usage::COPY_DST;
    let buffer = device.zeros("(v dt)^2", len(plan, field, shots), usage)?;
    let mut upload = Upload { device, buffer: &buffer, last: None };
    for copy in 0..models(plan, shots) {
        let model = if plan.velocities.len() == 1 { 0 } else { plan.shots[copy].window.model };
        let window = Window::whole(model);
        upload.model(&layout, copy * layout.len(), |first, column| {
            plan.push_of_column(window, first, column);
        })?;
    }
    if has_potential(plan) {
        upload.model(&layout, before_potential(plan, field, shots), |first, column| {
            plan.potential_of_column(Window::whole(0), first, column);
        })?;
    }
    for (index, term) in terms(plan).into_iter().enumerate() {
        let start = before_potential(plan, field, shots) + index * layout.len();
        upload.model(&layout, start, |first, column| {
            plan.vti_of_column(term, Window::whole(0), first, column);
        })?;
    }
    upload_ghosts(device, &buffer, whole, part)?;
    place_windows(device, &buffer, plan, field)?;
    Ok(buffer)
}

/// Writes the coefficients of VTI that a step reads beside its node, in the ghosts of a part.
fn upload_ghosts(
    device: &Device,
    buffer: &wgpu::Buffer,
    whole: &Plan,
    part: &Part,
) -> Result<(), EngineError> {
    let (layout, plan, Range { start, end }) = (&part.layout, &part.plan, part.pieces.clone());
    let ghosts = layout.radius;
    let known =
        (start.saturating_sub(ghosts)..start).chain(end..(end + ghosts).min(whole.pieces()));
    let node = |piece: usize, x: usize| match layout.is_volume() {
        true => Axes { z: 0, x, y: piece },
        false => Axes { z: 0, x: piece, y: 0 },
    };
    let terms = terms(plan).into_iter().enumerate();
    for (index, term) in
        terms.filter(|(_, term)| [VtiTerm::Across, VtiTerm::Buoyancy].contains(term))
    {
        let start = before_potential(plan, layout, plan.shots.len()) + index * layout.len();
        for piece in known.clone() {
            let first = part.index(node(piece, 0));
            let mut values = vec![0.0; layout.slowest().1];
            for x in 0..layout.columns() {
                let at = part.index(node(piece, x)) - first;
                let column = &mut values[at..at + layout.n.z];
                whole.vti_of_column(term, Window::whole(0), node(piece, x), column);
            }
            device.write(buffer, start + first, &values)?;
        }
    }
    Ok(())
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
