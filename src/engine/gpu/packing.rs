//! Copies between the arrays of a slab and compact ones, by shaders/halo.wgsl: messages to
//! neighbours, and the model's nodes.

use super::{
    device::Device,
    layers,
    part::Part,
    pipeline::{self, Bound, Entry},
    shader,
    slab::Slab,
};
use crate::{EngineError, grid::Axes};
use std::ops::Range;

/// The pieces that are exchanged.
pub(crate) struct Exchanged {
    pub(crate) shots: usize,
    pub(crate) pieces: Range<usize>,
    /// The whole state, and not p alone.
    pub(crate) state: bool,
}

/// One dispatch per array.
pub(crate) struct Packing(Vec<Bound>);

const WORKGROUP: usize = 256;

static HALO: shader::Source = shader::source!("halo");

/// The positions of the copied values in each shot's array.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    /// Pieces, columns of each, nodes of each of them.
    n: [usize; 3],
    first: usize,
    piece: usize,
    column: usize,
    shot: usize,
}

impl Places {
    /// Some pieces of a field, which may include ghosts.
    pub(crate) fn of_field(part: &Part, pieces: Range<usize>) -> Self {
        let layout = &part.layout;
        let first = match layout.is_volume() {
            true => Axes { z: 0, x: 0, y: pieces.start },
            false => Axes { z: 0, x: pieces.start, y: 0 },
        };
        Places {
            n: [pieces.len(), layout.columns(), layout.n.z],
            first: part.index(first),
            piece: layout.slowest().1,
            column: layout.column,
            shot: layout.len(),
        }
    }

    /// The model's nodes.
    pub(crate) fn of_model(part: &Part) -> Self {
        let (layout, n) = (&part.layout, part.plan.model_grid.n);
        Places {
            n: [n.y, n.x, n.z],
            first: layout.index(part.plan.origin),
            piece: layout.plane,
            column: layout.column,
            shot: layout.len(),
        }
    }

    /// All values of an array.
    fn of_all(values: usize) -> Self {
        Places { n: [1, 1, values], first: 0, piece: 0, column: 0, shot: values }
    }

    pub(crate) fn values(&self) -> usize {
        self.n.iter().product()
    }

    /// Its shader; none without values.
    pub(crate) fn shader(&self) -> Option<(&'static str, String)> {
        (self.values() > 0).then(|| HALO.named(&self.constants(0)))
    }

    /// An entry point that copies these places of an array of each shot, at even and at odd steps, to
    /// or from a compact one, in which other arrays have `before` values.
    fn bind(
        &self,
        device: &Device,
        entry: &'static str,
        arrays: [&wgpu::Buffer; 2],
        compact: &wgpu::Buffer,
        before: usize,
        shots: usize,
    ) -> Result<Bound, EngineError> {
        let [x, y] = pipeline::rows(self.values().div_ceil(WORKGROUP));
        let entry = Entry {
            source: &HALO,
            name: entry,
            constants: self.constants(before),
            workgroups: [x, y, shots as u32],
            immediates: 0,
        };
        entry.bind(device, &[true, true], &arrays.map(|array| [array, compact]))
    }

    fn constants(&self, before: usize) -> shader::Constants {
        let [_, columns, nodes] = self.n;
        shader::Constants::default()
            .int("WG", WORKGROUP)
            .int("NODES", self.values())
            .int("NX", columns)
            .int("NZ", nodes)
            .int("FIRST", self.first)
            .int("PIECE", self.piece)
            .int("COLUMN", self.column)
            .int("SHOT", self.shot)
            .int("BEFORE", before)
    }
}

/// The copied values of a slab: p of some pieces or, for all of them, the state.
fn places(part: &Part, of: &Exchanged) -> Vec<Places> {
    let field = Places::of_field(part, of.pieces.clone());
    match of.state {
        false => vec![field],
        true => {
            let memory = Places::of_all(layers::memory_len(&part.plan));
            [field, field, memory].into_iter().filter(|places| places.values() > 0).collect()
        }
    }
}

/// Length of a message in values.
pub(crate) fn values(part: &Part, of: &Exchanged) -> usize {
    of.shots * places(part, of).iter().map(Places::values).sum::<usize>()
}

impl Packing {
    pub(crate) fn new(
        device: &Device,
        slab: &Slab,
        of: &Exchanged,
        entry: &'static str,
        message: &wgpu::Buffer,
    ) -> Result<Self, EngineError> {
        let mut before = 0;
        let dispatch = |(array, places): (usize, Places)| {
            let arrays = [0, 1].map(|step| slab.state(step)[array]);
            let bound = places.bind(device, entry, arrays, message, before, of.shots);
            before += of.shots * places.values();
            bound
        };
        let all = places(&slab.part, of).into_iter().enumerate();
        Ok(Packing(all.map(dispatch).collect::<Result<_, EngineError>>()?))
    }

    /// Copies p at the model's nodes.
    pub(crate) fn of_model(
        device: &Device,
        slab: &Slab,
        shots: usize,
        to: &wgpu::Buffer,
    ) -> Result<Self, EngineError> {
        let arrays = [0, 1].map(|step| slab.field(step));
        let bound = Places::of_model(&slab.part).bind(device, "pack", arrays, to, 0, shots)?;
        Ok(Packing(vec![bound]))
    }

    /// Copies the arrays of a step.
    pub(crate) fn encode(&self, step: usize, pass: &mut wgpu::ComputePass<'_>) {
        self.0.iter().for_each(|array| array.encode(pass, step % 2));
    }
}
