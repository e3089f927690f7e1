//! Steps bands of the field, tile by tile: vector code for each radius and instruction set, chosen
//! at run time.

use super::{
    coefficients::Fields,
    columns::step_columns,
    cpml::{Column, correct},
    layers::BandLayers,
    surface,
    vectors::{self, VECTORS},
};
use crate::{
    grid::Axes,
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
pub fn instructions() -> String {
    format!("{:?}", vectors::arch()).split('(').next().unwrap_or("scalar").to_lowercase()
}

/// Pieces of the slowest axis that one thread alone writes: columns in 2-D, planes in 3-D.
pub struct Band<'a, 'l> {
    /// The first piece.
    pub first: usize,
    /// p_prev from the first piece on; with increments, p - p_prev on entry, p_next - p on return.
    pub p_next: &'a mut [f32],
    pub layers: &'a mut BandLayers<'l>,
}

/// The part of a band that is stepped at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Pieces of the slowest axis.
    pub pieces: Range<usize>,
    /// Columns of each piece; in 2-D a piece is one column.
    pub columns: Range<usize>,
}

/// Steps a part of a band; compiled for each radius.
pub type StepBand = fn(Arch, Fields<'_>, Band<'_, '_>, &Part);

macro_rules! for_radius {
    ($radius:expr, $($r:literal)*) => {
        match $radius {
            $($r => step_band::<$r, false>,)*
            _ => unreachable!("a Plan's radius is 1 to {MAX_RADIUS}"),
        }
    };
}

/// The loops for a radius, or for explicit time evolution.
pub fn for_radius(radius: usize, fourth: bool) -> StepBand {
    if fourth {
        return step_band::<{ ete::RADIUS }, true>;
    }
    for_radius!(radius, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
}

fn step_band<const R: usize, const E: bool>(
    arch: Arch,
    fields: Fields<'_>,
    band: Band<'_, '_>,
    part: &Part,
) {
    arch.dispatch(Step::<R, E> { fields, band, part });
}

/// [`step_band`] for an instruction set.
struct Step<'a, 'l, const R: usize, const E: bool> {
    fields: Fields<'a>,
    band: Band<'a, 'l>,
    part: &'a Part,
}

impl<const R: usize, const E: bool> WithSimd for Step<'_, '_, R, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Step { fields, band: Band { first, p_next, layers }, part } = self;
        let layout = fields.layout;
        let (_, piece) = layout.slowest();
        let pieces = part.pieces.start - first..part.pieces.end - first;
        // Tile by tile, so that the 2 R + 1 planes that a step reads of it stay in the cache.
        for tile in tiles(&part.columns, fields.coefficients.tile(layout)) {
            for from in pieces.clone().step_by(INTERLEAVED) {
                let interleaved = from..(from + INTERLEAVED).min(pieces.end);
                let p_next = &mut p_next[from * piece..];
                for x in tile.clone() {
                    let node = |i| layout.ahead(Axes { x, ..Axes::default() }, first + i);
                    let p_next = &mut p_next[x * layout.column..];
                    if R <= MAX_JOINT_RADIUS
                        && layout.is_volume()
                        && interleaved.len() == INTERLEAVED
                    {
                        step_columns::<S, R, E, INTERLEAVED, 1>(simd, fields, node(from), p_next);
                    } else {
                        for i in interleaved.clone() {
                            let p_next = &mut p_next[(i - from) * piece..];
                            step_columns::<S, R, E, 1, VECTORS>(simd, fields, node(i), p_next);
                        }
                    }
                    for i in interleaved.clone() {
                        let p_next = &mut p_next[(i - from) * piece..][..layout.column];
                        if fields.coefficients.free_surface {
                            surface::add_images::<R>(fields, node(i), p_next);
                        }
                        let column = Column { node: node(i), piece: i, p_next };
                        correct::<S, R, E>(simd, fields, column, layers);
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
