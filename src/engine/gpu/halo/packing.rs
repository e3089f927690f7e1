//! Copies between the arrays of a slab and a message, by shaders/halo.wgsl.

use crate::{
    EngineError,
    gpu::{
        device::Device,
        layers,
        part::Part,
        pipeline::{self, Bound},
        shader,
        slab::Slab,
    },
    grid::Axes,
};
use std::ops::Range;

/// The pieces that are exchanged.
pub struct Exchanged {
    pub shots: usize,
    pub pieces: Range<usize>,
    /// The whole state, and not p alone.
    pub state: bool,
}

/// One dispatch per array.
pub struct Packing(Vec<Bound>);

const WORKGROUP: usize = 256;

static HALO: shader::Source = shader::source!("halo");

/// Its shader for some pieces of a part.
pub fn shaders(part: &Part, pieces: Range<usize>) -> Vec<(&'static str, String)> {
    let constants = Places::of_field(part, pieces).constants(0);
    vec![(HALO.name, HALO.specialised(&constants))]
}

/// The positions of the copied values in each shot's array.
#[derive(Clone, Copy)]
struct Places {
    /// Pieces, columns of each, nodes of each of them.
    n: [usize; 3],
    first: usize,
    piece: usize,
    column: usize,
    shot: usize,
}

impl Places {
    /// Some pieces of a field, which may include ghosts.
    fn of_field(part: &Part, pieces: Range<usize>) -> Self {
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

    /// All values of an array.
    fn of_all(values: usize) -> Self {
        Places { n: [1, 1, values], first: 0, piece: 0, column: 0, shot: values }
    }

    fn values(&self) -> usize {
        self.n.iter().product()
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
pub fn values(part: &Part, of: &Exchanged) -> usize {
    of.shots * places(part, of).iter().map(Places::values).sum::<usize>()
}

impl Packing {
    pub fn new(
        device: &Device,
        (slab, of): (&Slab, &Exchanged),
        (entry, message): (&'static str, &wgpu::Buffer),
        checked: bool,
    ) -> Result<Self, EngineError> {
        let mut before = 0;
        let dispatch = |(array, places): (usize, Places)| {
            let source = (&HALO, entry, places.constants(before));
            before += of.shots * places.values();
            let both = |step| [slab.state(step)[array], message];
            let [x, y] = pipeline::rows(places.values().div_ceil(WORKGROUP));
            let dispatch = ([x, y, of.shots as u32], 0);
            Bound::new(device, source, (&[true, true], &[both(0), both(1)]), dispatch, checked)
        };
        let all = places(&slab.part, of).into_iter().enumerate();
        Ok(Packing(all.map(dispatch).collect::<Result<_, EngineError>>()?))
    }

    /// Copies the arrays of a step.
    pub fn encode(&self, step: usize, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.0.iter().for_each(|array| array.encode(&mut pass, step % 2));
    }
}
