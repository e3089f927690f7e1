//! Explicit time evolution on a device, for its ladder: a field, a model and the weights in every
//! form that a kernel needs.

mod arrays;
mod dispatch;
mod kernels;

pub use arrays::{EteModel, rounded_to_16_bits};
pub use kernels::*;

use super::{
    super::{Gpu, device::Device},
    Fields, Kernel, Workgroup,
};
use crate::{
    EngineError, Layout,
    grid::Axes,
    stencil::ete::{Points, RADIUS, Table},
};
use arrays::{Weights, row_4, unit};
use ndarray::Array3;
use wgpu::BufferUsages as Usage;

/// Form of a kernel's weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One value per word.
    Scalars,
    /// Four values per texel.
    Texture,
    /// Four values per place of a uniform buffer.
    Uniform,
    /// Fours of a reach, without the centre's.
    Fours,
    /// `Fours` in 16 bits each.
    Sixteen,
    /// The two terms, and no table.
    Terms,
}

/// Array that selects the weights of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Model {
    /// One index per word.
    Words,
    /// Two indices per word.
    Pairs,
    /// (v dt)^2.
    Squares,
}

/// The points that a sweep adds, and the weights that it stores in workgroup memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sweep {
    star: bool,
    diagonals: bool,
    stored: Stored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    Nothing,
    Star,
    Diagonals,
    All,
}

/// A ratio that the text of Fang and others (2015) gives, on their GPUs.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// Number of the rung that it is relative to.
    pub against: usize,
    /// The ratio.
    pub says: &'static str,
}

/// A kernel of explicit time evolution, a rung of its ladder.
#[derive(Debug)]
pub struct EteKernel {
    /// The rung, in words.
    pub name: &'static str,
    pub(super) kernel: Kernel,
    /// Place of its weights.
    pub weights: &'static str,
    pub(super) form: Form,
    pub(super) model: Model,
    pub(super) sweeps: &'static [Sweep],
    /// With the table of few bins.
    pub few: bool,
    /// Steps per dispatch.
    pub steps: usize,
    /// Its only stencil, if it has one.
    pub(super) only: Option<Points>,
    /// The paper's statement about it.
    pub paper: Option<Paper>,
}

const ONE: Sweep = Sweep { star: true, diagonals: true, stored: Stored::Nothing };

impl Sweep {
    /// The weights of a row that are stored.
    fn range(self, points: Points) -> [usize; 2] {
        let (star, all) = (1 + 2 * RADIUS, points.distinct());
        match self.stored {
            Stored::Nothing => [0, 0],
            Stored::Star => [0, star],
            Stored::Diagonals => [star, all],
            Stored::All => [0, all],
        }
    }
}

impl EteKernel {
    /// Name of its file in shaders/.
    pub fn file(&self) -> &'static str {
        self.kernel.name
    }

    /// Every grouping worth trying.
    pub fn workgroups(&self) -> impl Iterator<Item = Workgroup> {
        self.kernel.workgroups()
    }

    /// Least bytes to move between memory and the device per node and step, without the table.
    pub fn bytes(&self) -> f64 {
        let model = if self.model == Model::Pairs { 2.0 } else { 4.0 };
        // p and p_prev in, p_next out; two steps at once write both.
        let fields = if self.steps == 2 { 16.0 } else { 12.0 };
        let again = 12.0 * (self.sweeps.len() - 1) as f64;
        (fields + again + model * self.sweeps.len() as f64) / self.steps as f64
    }

    /// Sweeps over the volume per dispatch.
    pub fn sweep_count(&self) -> usize {
        self.sweeps.len()
    }

    /// True if it is for a stencil.
    pub fn is_for(&self, points: Points) -> bool {
        self.only.is_none_or(|only| only == points)
    }

    fn constants(
        &self,
        layout: &Layout,
        workgroup: Workgroup,
        Weighing { points, bins }: Weighing,
        sweep: usize,
    ) -> super::super::shader::Constants {
        let Sweep { star, diagonals, .. } = self.sweeps[sweep];
        let [first, end] = self.sweeps[sweep].range(points);
        let constants = self.kernel.constants(layout, workgroup, true);
        constants
            .int("DIAGONAL", points.diagonal())
            .int("BINS", bins)
            .int("ROW", points.distinct())
            .int("ROW_4", row_4(points))
            .int("FIRST", first)
            .int("END", end)
            .flag("STAR", star)
            .flag("DIAGONALS", diagonals)
            .flag("ADDED", sweep > 0)
    }

    /// Bytes of workgroup memory for a row, and for tiles.
    fn memory(&self, points: Points, workgroup: Workgroup) -> [usize; 2] {
        let row = |sweep: &Sweep| {
            let [first, end] = sweep.range(points);
            match self.form {
                _ if sweep.stored == Stored::Nothing => 0,
                Form::Fours => 16 * row_4(points),
                Form::Sixteen => 8 * row_4(points),
                _ => 4 * (end - first),
            }
        };
        let Workgroup { z, x, .. } = workgroup;
        let wide = |wing: usize| (z + 2 * wing) * (x + 2 * wing);
        let tile = match self.kernel.name {
            "gather" | "scatter" => 4 * wide(RADIUS),
            // Of the slice at t with its wings, and of that at t + dt.
            "twice" => 4 * (wide(RADIUS) + wide(0)),
            _ => 0,
        };
        [self.sweeps.iter().map(row).max().unwrap_or(0), tile]
    }

    /// Reason that a device does not take it with a grouping and that many bins.
    fn refusal(
        &self,
        layout: &Layout,
        workgroup: Workgroup,
        Weighing { points, bins }: Weighing,
        limits: &wgpu::Limits,
    ) -> Option<String> {
        if !self.is_for(points) {
            return Some("37 points".into());
        }
        if let Some(why) = self.kernel.refusal(layout, workgroup, limits) {
            return Some(why);
        }
        if self.kernel.name == "twice" && workgroup.z.min(workgroup.x) <= 2 * RADIUS {
            return Some(format!("more than {} invocations along z and x", 2 * RADIUS));
        }
        let [row, tile] = self.memory(points, workgroup);
        let memory = limits.max_compute_workgroup_storage_size as usize;
        let texels = points.distinct().div_ceil(4);
        let table = match self.form {
            Form::Uniform => {
                let most = limits.max_uniform_buffer_binding_size as usize;
                Some((16 * texels * bins, most, most / (16 * texels), "bytes of uniform buffer"))
            }
            Form::Texture => {
                let most = limits.max_texture_dimension_2d as usize;
                Some((bins, most, most, "rows of a texture"))
            }
            _ => None,
        };
        let fits = memory.saturating_sub(tile).checked_div(row).unwrap_or(bins);
        let kept = (row * bins + tile, memory, fits, "bytes of workgroup memory");
        let [needed, limit] = [kept, table.unwrap_or(kept)].map(|(needed, limit, fits, what)| {
            (needed > limit).then(|| {
                let remedy = if fits > 1 { format!("; {fits} bins would do") } else { "".into() };
                format!("{needed} {what}, where the device takes {limit}{remedy}")
            })
        });
        needed.or(limit)
    }
}

/// The arrays of a model on a device.
pub struct EteBench<'m> {
    device: Device,
    model: EteModel<'m>,
    fields: Fields<'m>,
    words: wgpu::Buffer,
    pairs: [wgpu::Buffer; 2],
    squares: wgpu::Buffer,
    terms: wgpu::Buffer,
    /// Of all bins, and of few.
    weights: [Weights; 2],
}

impl<'m> EteBench<'m> {
    /// Uploads a model.
    pub fn new(gpu: &Gpu, model: EteModel<'m>) -> Result<Self, EngineError> {
        let device = gpu.device.clone();
        let layout = Layout::of(model.n, RADIUS);
        let ([now, before], velocity, unit) = (model.initial, model.velocity, unit(model.table));
        let word = |node| model.table.nearest(velocity(node)) as u32;
        let square = |node| (velocity(node) * model.table.dt / unit).powi(2) as f32;
        let pairs = |table: &Table| {
            let bin = |node| table.nearest(velocity(node)) as u16;
            device.upload("bins, two a word", &layout.padded(bin), Usage::STORAGE)
        };
        Ok(EteBench {
            fields: Fields::new(&device, layout, [Box::new(now), Box::new(before)])?,
            words: device.upload("bins", &layout.padded(word), Usage::STORAGE)?,
            pairs: [pairs(model.table)?, pairs(model.few)?],
            squares: device.upload("(v dt)^2", &layout.padded(square), Usage::STORAGE)?,
            terms: arrays::terms(&device, model.table, model.evolution)?,
            weights: [Weights::new(&device, model.table)?, Weights::new(&device, model.few)?],
            device,
            model,
        })
    }

    /// p after the last steps, shape `[y][x][z]`.
    pub fn field(&self) -> Result<Array3<f32>, EngineError> {
        self.fields.read(0)
    }

    /// Values of a padded array.
    pub fn values(&self) -> usize {
        self.fields.layout.len()
    }
}

/// A table of weights: one row for each bin of velocities.
#[derive(Clone, Copy, Debug)]
pub struct Weighing {
    /// The points of the stencil.
    pub points: Points,
    /// The number of rows.
    pub bins: usize,
}

/// The complete sources of a kernel, for a validator.
pub fn ete_shaders(
    n: Axes<usize>,
    of: Weighing,
    kernel: &EteKernel,
    workgroup: Workgroup,
) -> Vec<(&'static str, String)> {
    let layout = Layout::of(n, RADIUS);
    let text = |sweep: usize| {
        let constants = kernel.constants(&layout, workgroup, of, sweep);
        (kernel.file(), kernel.kernel.source().specialised(&constants))
    };
    (0..kernel.sweeps.len()).map(text).collect()
}
