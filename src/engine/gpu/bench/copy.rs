//! The thesis' way: at every step the field goes to the device and the Laplacian comes back.

use super::{
    super::device::Device, Bench, BenchError, Chain, Kernel, Sample, Update, Workgroup,
    fields::Fields,
};
use crate::{EngineError, grid::Axes};
use serde::Serialize;
use web_time::Instant;
use wgpu::BufferUsages as Usage;

/// Ways to copy an array between a host that stores it compactly and a device that stores it
/// padded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Copies {
    /// The host pads it, or removes the zeros again, and it is copied in one piece.
    Whole,
    /// One copy per column, into its place between the zeros: the thesis' 2-D memcpy.
    Columns,
}

/// A part of a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The field to the device.
    Upload,
    /// The Laplacian to the host.
    Download,
    /// The field to the device, the kernels, the Laplacian to the host.
    RoundTrip,
    /// A submit of nothing, and the wait for it.
    Nothing,
}

/// A step whose field makes the round trip, or a part of it.
pub struct RoundTrip<'b> {
    device: &'b Device,
    fields: &'b Fields<'b>,
    kernels: Option<Chain<'b>>,
    copies: Copies,
    part: Part,
    /// Mapped unless a step is under way.
    up: wgpu::Buffer,
    down: wgpu::Buffer,
    /// The field and the Laplacian on the host, `[x][z]`.
    field: Vec<f32>,
    laplacian: Vec<f32>,
}

impl<'b> RoundTrip<'b> {
    /// Prepares a round trip of a plane through kernels that follow one another, or a part of it.
    pub fn new(
        bench: &'b Bench<'_>,
        kernels: &[(&'static Kernel, Workgroup)],
        copies: Copies,
        part: Part,
        checked: bool,
    ) -> Result<Self, BenchError> {
        let kernels = match part {
            Part::RoundTrip => Some(bench.chain(kernels, Update::Laplacian, checked)?),
            _ => None,
        };
        let (device, fields) = (&bench.device, &bench.padded.fields);
        let n = bench.plan.grid.n;
        if n.y > 1 {
            return Err(BenchError::PlaneOnly { planes: n.y });
        }
        let values = match copies {
            Copies::Whole => fields.layout.len(),
            Copies::Columns => n.x * n.z,
        };
        let node = |i: usize| fields.initial[0](bench.plan.grid.node_of(i));
        let field: Vec<f32> = (0..n.x * n.z).map(node).collect();
        let up = wgpu::BufferDescriptor {
            label: Some("upload"),
            size: 4 * values as u64,
            usage: Usage::MAP_WRITE | Usage::COPY_SRC,
            mapped_at_creation: true,
        };
        let up = device.guarded(|| device.wgpu.create_buffer(&up))?;
        let down = device.zeros("download", values, Usage::MAP_READ | Usage::COPY_DST)?;
        let laplacian = vec![0.0; field.len()];
        Ok(RoundTrip { device, fields, kernels, copies, part, up, down, field, laplacian })
    }

    /// Makes `steps` steps, one after another, and times them by the wall clock.
    pub fn sample(&mut self, steps: usize) -> Result<Sample, EngineError> {
        let started = Instant::now();
        for _ in 0..steps {
            self.step()?;
        }
        let wall = started.elapsed().as_secs_f64() / steps.max(1) as f64;
        Ok(Sample::by_the_wall(wall))
    }

    fn step(&mut self) -> Result<(), EngineError> {
        let up = matches!(self.part, Part::Upload | Part::RoundTrip);
        let down = matches!(self.part, Part::Download | Part::RoundTrip);
        let mut encoder = self.device.wgpu.create_command_encoder(&Default::default());
        if up {
            let mut view =
                self.up.get_mapped_range_mut(..).map_err(|error| self.device.error(error))?;
            for (place, column) in
                self.places().zip(self.field.chunks_exact(self.fields.layout.n.z))
            {
                let column = bytemuck::cast_slice(column);
                view.slice(4 * place..4 * place + column.len()).copy_from_slice(column);
            }
            drop(view);
            self.up.unmap();
            self.copy(&mut encoder, &self.up, &self.fields.p[0], |host, device| (host, device));
        }
        if let Some(kernels) = &self.kernels {
            kernels.encode(&mut encoder, 1);
        }
        if down {
            let laplacian = &self.fields.p[2];
            self.copy(&mut encoder, laplacian, &self.down, |host, device| (device, host));
        }
        let index = self.device.queue.submit([encoder.finish()]);
        // A failure shows when the range is taken.
        if up {
            self.up.map_async(wgpu::MapMode::Write, .., |_| ());
        }
        if down {
            self.down.map_async(wgpu::MapMode::Read, ..self.bytes(), |_| ());
        }
        self.device.wait(index)?;
        if down {
            let view = self
                .down
                .get_mapped_range(..self.bytes())
                .map_err(|error| self.device.error(error))?;
            let values: &[f32] = bytemuck::cast_slice(&view);
            let nz = self.fields.layout.n.z;
            for (place, column) in self.places().zip(self.laplacian.chunks_exact_mut(nz)) {
                column.copy_from_slice(&values[place..place + nz]);
            }
            drop(view);
            self.down.unmap();
        }
        Ok(())
    }

    /// Bytes copied; a buffer may be larger.
    fn bytes(&self) -> u64 {
        self.up.size()
    }

    /// Places of the columns in the buffers that the host maps.
    fn places(&self) -> impl Iterator<Item = usize> + use<> {
        let (layout, copies) = (self.fields.layout, self.copies);
        (0..layout.n.x).map(move |x| match copies {
            Copies::Whole => layout.index(Axes { z: 0, x, y: 0 }),
            Copies::Columns => x * layout.n.z,
        })
    }

    /// Encodes the copies; `places` orders a place in the host's array and one in the device's.
    fn copy(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        from: &wgpu::Buffer,
        to: &wgpu::Buffer,
        places: fn(u64, u64) -> (u64, u64),
    ) {
        let layout = &self.fields.layout;
        let (pieces, values) = match self.copies {
            Copies::Whole => (1, layout.len()),
            Copies::Columns => (layout.n.x, layout.n.z),
        };
        for piece in 0..pieces {
            let device = match self.copies {
                Copies::Whole => 0,
                Copies::Columns => layout.index(Axes { z: 0, x: piece, y: 0 }),
            };
            let (source, target) = places(4 * (piece * values) as u64, 4 * device as u64);
            encoder.copy_buffer_to_buffer(from, source, to, target, 4 * values as u64);
        }
    }

    /// The Laplacian that the last step copied back, `[x][z]`.
    pub fn laplacian(&self) -> &[f32] {
        &self.laplacian
    }
}
