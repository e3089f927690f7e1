//! The model and the weights in the forms of the kernels.

use crate::{
    EngineError,
    gpu::device::Device,
    grid::Axes,
    stencil::ete::{Evolution, Points, RADIUS, Table, centre},
};
use wgpu::BufferUsages as Usage;

/// Places of the uniform buffer, fours: the second half of those of the kernels by fours begins at
/// [`SECOND`], those of the others at [`SCALARS`].
const PLACES: usize = 33;
const SECOND: usize = 8;
const SCALARS: usize = 16;

/// The model of a ladder of explicit time evolution.
pub struct EteModel<'a> {
    /// Nodes.
    pub n: Axes<usize>,
    /// The weights.
    pub table: &'a Table,
    /// The table in few bins.
    pub few: &'a Table,
    /// The table as two terms.
    pub evolution: &'a Evolution,
    /// m/s at a node.
    pub velocity: &'a (dyn Fn(Axes<usize>) -> f64 + Sync),
    /// p at a node, at the current step and the one before.
    pub initial: [&'a (dyn Fn(Axes<usize>) -> f32 + Sync); 2],
}

/// Fours of a row without the centre's: 3 or 4.
pub(crate) fn row_4(points: Points) -> usize {
    match points {
        Points::Few => 3,
        Points::Many => 4,
    }
}

/// The smallest spacing, m: the unit of m.
pub(crate) fn unit(table: &Table) -> f64 {
    let Axes { z, x, .. } = table.media.spacing;
    z.min(x)
}

/// L and B for `shaders/ladder_ete/polynomial.wgsl`.
pub(crate) fn terms(
    device: &Device,
    table: &Table,
    evolution: &Evolution,
) -> Result<wgpu::Buffer, EngineError> {
    let unit = unit(table);
    let (second, fourth) = (unit.powi(2), unit.powi(4));
    let mut places = [[0.0f32; 4]; PLACES];
    for j in 1..=RADIUS {
        let (axes, b) = (&evolution.axes, &evolution.fourth);
        places[j][0] = (second * axes.z.second[j]) as f32;
        places[j][1] = (second * axes.x.second[j]) as f32;
        let at = |weights: &[f64]| weights.get(j).map_or(0.0, |w| (fourth * w) as f32);
        let of = [&b.star.z, &b.star.x, &b.diagonal.zx, &b.diagonal.xy];
        places[SECOND + j] = of.map(|weights| at(weights));
    }
    // A row is `a m + b m^2`, and the centre's weight 1 more.
    let [one, two] = [1.0, 2.0].map(|m| evolution.row(m * second));
    for (j, (one, two)) in one.iter().zip(&two).enumerate() {
        let still = if j == 0 { 1.0 } else { 0.0 };
        let (one, two) = (one - still, two - still);
        let b = 0.5 * (two - 2.0 * one);
        places[SCALARS + j] = [(one - b) as f32, b as f32, 0.0, 0.0];
    }
    device.upload("terms", &places, Usage::UNIFORM)
}

/// A table in every form.
pub(crate) struct Weights {
    pub(crate) scalars: wgpu::Buffer,
    pub(crate) texture: Option<wgpu::TextureView>,
    pub(crate) uniform: Option<wgpu::Buffer>,
    pub(crate) fours: wgpu::Buffer,
    pub(crate) sixteen: wgpu::Buffer,
    /// Scale of the 16 bits.
    pub(crate) scale: wgpu::Buffer,
}

impl Weights {
    pub(crate) fn new(device: &Device, table: &Table) -> Result<Self, EngineError> {
        let scalars: Vec<f32> = table.weights.iter().map(|c| *c as f32).collect();
        let distinct = table.points.distinct();
        let texels = distinct.div_ceil(4);
        let padded: Vec<f32> = scalars
            .chunks(distinct)
            .flat_map(|row| (0..4 * texels).map(|j| row.get(j).copied().unwrap_or(0.0)))
            .collect();
        let bins = table.velocities.len();
        let limits = device.limits();
        let texture = (bins <= limits.max_texture_dimension_2d as usize)
            .then(|| texture(device, &padded, texels, bins))
            .transpose()?;
        let uniform = (16 * texels * bins <= limits.max_uniform_buffer_binding_size as usize)
            .then(|| device.upload("table", &padded, Usage::UNIFORM))
            .transpose()?;
        let fours: Vec<f32> =
            (0..bins).flat_map(|bin| by_reach(table, bin)).map(|c| c as f32).collect();
        let Sixteen { words, base, scale } = Sixteen::of(table);
        let mut places = [[0.0f32; 4]; PLACES];
        for (place, (base, scale)) in base.iter().zip(&scale).enumerate() {
            places[place / 4][place % 4] = *base as f32;
            places[SECOND + place / 4][place % 4] = *scale as f32;
        }
        Ok(Weights {
            scalars: device.upload("table", &scalars, Usage::STORAGE)?,
            texture,
            uniform,
            fours: device.upload("table", &fours, Usage::STORAGE)?,
            sixteen: device.upload("table of 16 bits", &words, Usage::STORAGE)?,
            scale: device.upload("scale", &places, Usage::UNIFORM)?,
        })
    }
}

fn texture(
    device: &Device,
    values: &[f32],
    wide: usize,
    rows: usize,
) -> Result<wgpu::TextureView, EngineError> {
    let size = wgpu::Extent3d { width: wide as u32, height: rows as u32, depth_or_array_layers: 1 };
    let descriptor = wgpu::TextureDescriptor {
        label: Some("table"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba32Float,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    };
    device.guarded(|| {
        let texture = device.wgpu.create_texture(&descriptor);
        let rows = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(16 * wide as u32),
            rows_per_image: None,
        };
        let bytes = bytemuck::cast_slice(values);
        device.queue.write_texture(texture.as_image_copy(), bytes, rows, size);
        texture.create_view(&Default::default())
    })
}

/// A row as fours of a reach, without the centre's: `shaders/ladder_ete/rows.wgsl`.
fn by_reach(table: &Table, bin: usize) -> Vec<f64> {
    let (row, far) = (table.row(bin), table.points.diagonal());
    let star = |j: usize| [row[j], row[RADIUS + j]];
    let diagonals = |j: usize| [row[2 * RADIUS + j], row[2 * RADIUS + far + j]];
    let mut fours = Vec::with_capacity(4 * row_4(table.points));
    for j in 1..=RADIUS {
        fours.extend(star(j));
        if j <= far {
            fours.extend(diagonals(j));
        }
    }
    fours.resize(4 * row_4(table.points), 0.0);
    fours
}

/// 16-bit unorm of each weight between its extremes over the table.
struct Sixteen {
    words: Vec<u16>,
    base: Vec<f64>,
    scale: Vec<f64>,
}

impl Sixteen {
    fn of(table: &Table) -> Self {
        let rows: Vec<_> = (0..table.velocities.len()).map(|bin| by_reach(table, bin)).collect();
        let count = 4 * row_4(table.points);
        let extreme = |of: fn(f64, f64) -> f64, from: f64| -> Vec<f64> {
            (0..count).map(|j| rows.iter().map(|row| row[j]).fold(from, of)).collect()
        };
        let base = extreme(f64::min, f64::INFINITY);
        let scale: Vec<f64> = extreme(f64::max, f64::NEG_INFINITY)
            .iter()
            .zip(&base)
            .map(|(most, least)| most - least)
            .collect();
        let word = |(j, c): (usize, &f64)| match scale[j] {
            scale if scale > 0.0 => ((c - base[j]) / scale * 65_535.0).round() as u16,
            _ => 0,
        };
        let words = rows.iter().flat_map(|row| row.iter().enumerate().map(word)).collect();
        Sixteen { words, base, scale }
    }
}

/// A table rounded to 16 bits, as the kernels of such tables use it.
pub fn rounded_to_16_bits(table: &Table) -> Table {
    let Sixteen { words, base, scale } = Sixteen::of(table);
    let (count, far) = (4 * row_4(table.points), table.points.diagonal());
    let mut weights = Vec::with_capacity(table.weights.len());
    for row in words.chunks(count) {
        let value = |at: usize| base[at] + scale[at] * f64::from(row[at]) / 65_535.0;
        // Places of by_reach().
        let place = |j: usize| match table.points {
            Points::Many => 4 * (j - 1),
            Points::Few if j == 1 => 0,
            Points::Few => 2 * j,
        };
        let first = weights.len();
        weights.push(0.0);
        for offset in 0..2 {
            weights.extend((1..=RADIUS).map(|j| value(place(j) + offset)));
        }
        for offset in 2..4 {
            weights.extend((1..=far).map(|j| value(place(j) + offset)));
        }
        weights[first] = centre(&weights[first..]);
    }
    Table { weights, ..table.clone() }
}
