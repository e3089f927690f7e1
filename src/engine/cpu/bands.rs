//! Steps bands of the field, tile by tile: vector code for each radius and instruction set, chosen
//! at run time.

use super::{
    coefficients::Fields,
    columns::step_columns,
    cpml::correct,
    denormal,
    layers::Layers,
    potential,
    shared::Writer,
    surface,
    vectors::{self, VECTORS},
};
use crate::{
    grid::Axes,
    simd::dispatch,
    stencil::{MAX_RADIUS, ete},
};
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Neighbouring pieces whose columns are stepped in turn: the planes that one reads are then in the
/// first-level cache for the next.
const INTERLEAVED: usize = 2;
/// The largest radius at which a volume's vectors are stepped jointly and read shared values once.
/// At radius 8 in 2-D two vectors along z are faster.
const MAX_JOINT_RADIUS: usize = 4;

/// The instruction set of the loops.
pub(crate) fn instructions() -> String {
    format!("{:?}", vectors::arch()).split('(').next().unwrap_or("scalar").to_lowercase()
}

/// The part of the field that a task steps at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Pieces of the slowest axis.
    pub(crate) pieces: Range<usize>,
    /// Columns of each piece; in 2-D a piece is one column.
    pub(crate) columns: Range<usize>,
}

/// What a task writes.
pub(crate) struct Output<'a> {
    /// p_prev on entry; with increments, p - p_prev on entry, p_next - p on return.
    pub(crate) p_next: Writer<'a>,
    pub(crate) layers: Layers<'a>,
}

/// Steps a part of the field; compiled for each radius.
pub(crate) type StepPart = fn(Arch, Fields<'_>, &mut Output<'_>, &Part);

macro_rules! for_radius {
    ($radius:expr, $($r:literal)*) => {
        match $radius {
            $($r => step_part::<$r, 0>,)*
            _ => unreachable!("a Plan's radius is 1 to {MAX_RADIUS}"),
        }
    };
}

/// The loops for a radius or, with diagonals, for explicit time evolution.
pub(crate) fn for_radius(radius: usize, diagonals: usize) -> StepPart {
    match diagonals {
        0 => for_radius!(radius, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16),
        1 => step_part::<{ ete::RADIUS }, 1>,
        _ => step_part::<{ ete::RADIUS }, { ete::RADIUS }>,
    }
}

fn step_part<const R: usize, const D: usize>(
    arch: Arch,
    fields: Fields<'_>,
    output: &mut Output<'_>,
    part: &Part,
) {
    denormal::as_zeros(|| dispatch(arch, Step::<R, D> { fields, output, part }));
}

/// [`step_part`] for an instruction set.
struct Step<'a, 'o, const R: usize, const D: usize> {
    fields: Fields<'a>,
    output: &'a mut Output<'o>,
    part: &'a Part,
}

impl<const R: usize, const D: usize> WithSimd for Step<'_, '_, R, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Step { fields, output: Output { p_next, layers }, part } = self;
        let layout = fields.layout;
        // Tile by tile, so that the 2 R + 1 planes that a step reads of it stay in the cache.
        for tile in tiles(&part.columns, fields.coefficients.tile(layout)) {
            for from in part.pieces.clone().step_by(INTERLEAVED) {
                let interleaved = from..(from + INTERLEAVED).min(part.pieces.end);
                for x in tile.clone() {
                    let node = |i| layout.ahead(Axes { x, ..Axes::default() }, i);
                    if R <= MAX_JOINT_RADIUS
                        && layout.is_volume()
                        && interleaved.len() == INTERLEAVED
                    {
                        step_columns::<S, R, D, INTERLEAVED, 1>(simd, fields, node(from), p_next);
                    } else {
                        for i in interleaved.clone() {
                            step_columns::<S, R, D, 1, VECTORS>(simd, fields, node(i), p_next);
                        }
                    }
                    for node in interleaved.clone().map(node) {
                        let p_next = p_next.part(layout.index(node), layout.column);
                        if !fields.potential.is_empty() {
                            potential::subtract(fields, node, p_next);
                        }
                        if fields.coefficients.free_surface {
                            surface::add_images::<R>(fields, node, p_next);
                        }
                        correct::<S, R, D>(simd, fields, node, p_next, layers);
                    }
                }
            }
        }
    }
}

/// Splits the columns of a piece into tiles of about the same width, at most `most`.
fn tiles(columns: &Range<usize>, most: usize) -> impl Iterator<Item = Range<usize>> {
    let Range { start, end } = *columns;
    let count = (end - start).div_ceil(most).max(1);
    let width = (end - start).div_ceil(count).max(1);
    (start..end).step_by(width).map(move |first| first..(first + width).min(end))
}
