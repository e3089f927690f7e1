//! Through a queue that copies, beside the steps, and from memory of the host that both devices know: the processor copies nothing.

use super::{Places, nodes};
use crate::engine::{
    EngineError, Layout,
    gpu::{
        device::Device,
        part::Part,
        pipeline, shader,
        slab::Slab,
        transfer::{HostCopy, Way},
    },
    share::Message,
};

pub struct Beside {
    pub out: HostCopy,
    into: HostCopy,
    pack: Packing,
    unpack: Packing,
    /// Whether ghosts are on their way.
    comes: bool,
}

/// A dispatch between a field and what is copied.
struct Packing {
    pipeline: wgpu::ComputePipeline,
    /// Of p at even steps and at odd ones.
    groups: [wgpu::BindGroup; 2],
    dispatch: [u32; 3],
}

/// Invocations of a workgroup.
const WORKGROUP: usize = 256;

static HALO: shader::Source = shader::Source {
    name: "halo",
    text: include_str!("../../../../shaders/halo.wgsl"),
    library: &[],
};

/// Its shader at the ends of a part.
pub fn shaders(part: &Part) -> Vec<(&'static str, String)> {
    vec![(HALO.name, HALO.specialised(&constants(&part.layout, part.layout.lead)))]
}

fn constants(layout: &Layout, first: usize) -> shader::Constants {
    shader::Constants::default()
        .int("WG", WORKGROUP)
        .int("NODES", nodes(layout))
        .int("NX", layout.columns())
        .int("NZ", layout.n.z)
        .int("FIRST", first)
        .int("PIECE", layout.slowest().1)
        .int("COLUMN", layout.column)
        .int("FIELD", layout.len())
}

impl Packing {
    fn new(
        device: &Device,
        (slab, shots): (&Slab, usize),
        (entry, first, message): (&'static str, usize, &wgpu::Buffer),
        checked: bool,
    ) -> Result<Self, EngineError> {
        let layout = &slab.part.layout;
        let module = HALO.module(device, &constants(layout, first), checked)?;
        let (pipeline, groups) = device.guarded(|| {
            let both = pipeline::bindings(device, &[Some(true), Some(true)]);
            let bind = |step| pipeline::bind(device, &both, &[slab.field(step), message]);
            (pipeline::pipeline(device, &module, entry, &[&both], 0), [bind(0), bind(1)])
        })?;
        let [x, y] = pipeline::rows(nodes(layout).div_ceil(WORKGROUP));
        Ok(Packing { pipeline, groups, dispatch: [x, y, shots as u32] })
    }

    fn encode(&self, step: usize, encoder: &mut wgpu::CommandEncoder) {
        let Packing { pipeline, groups, dispatch: [x, y, z] } = self;
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &groups[step % 2], &[]);
        pass.dispatch_workgroups(*x, *y, *z);
    }
}

impl Beside {
    /// `None` where the device has no queue that copies.
    pub fn new(
        device: &Device,
        slab: &Slab,
        Places { shots, given, ghosts }: Places,
        checked: bool,
    ) -> Result<Option<Self>, EngineError> {
        let values = shots * nodes(&slab.part.layout);
        let copy = |label, way| HostCopy::new(device, (label, way), values);
        let (Some(out), Some(into)) = (copy("halo out", Way::Out)?, copy("halo in", Way::In)?)
        else {
            return Ok(None);
        };
        let packing = |entry, first, copy: &HostCopy| {
            Packing::new(device, (slab, shots), (entry, first, copy.on_device()), checked)
        };
        let (pack, unpack) = (packing("pack", given, &out)?, packing("unpack", ghosts, &into)?);
        Ok(Some(Beside { out, into, pack, unpack, comes: false }))
    }

    /// Packs what the neighbour reads of p at a step.
    pub fn pack(&self, step: usize, encoder: &mut wgpu::CommandEncoder) {
        self.pack.encode(step, encoder);
    }

    /// Lets ghosts come in.
    pub fn take(&mut self, message: Message) -> Result<(), EngineError> {
        self.comes = true;
        self.into.send(message)
    }

    /// Puts them in their places of p at a step, once they are on the device, and gives back the message.
    pub fn unpack(
        &mut self,
        step: usize,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<Option<Message>, EngineError> {
        if !std::mem::take(&mut self.comes) {
            return Ok(None);
        }
        let message = self.into.arrive()?;
        self.unpack.encode(step, encoder);
        Ok(message)
    }
}
