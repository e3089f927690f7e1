//! The imaging kernels, as text.

use crate::{
    cli::terminal::table::{Column, hundredths, of, table, tenths},
    ladder::{GatherTimes, ImagingTimes},
    results::{ladder::imaging::letter, numbers::digits},
};
use std::fmt::Write;

pub(crate) fn tables(all: &[ImagingTimes]) -> String {
    let mut text = String::new();
    for times in all {
        let _ = writeln!(
            text,
            "{}: {} steps, {} of them imaged, {} offsets\n\
             propagation {} ms a wave, {} Gpts/s = Nx Nz Nt / time of a wave\n\
             stream ceiling {} GB/s: three reads and a write of vec4 over arrays that no cache holds\n\
             a line of 16 nodes with 16 offsets: {} accesses by the naive kernel, {} by the staged one, as SEP-138 counts",
            times.case,
            times.steps,
            times.imaging_steps,
            times.offsets,
            digits(1e3 * times.propagation_seconds),
            digits(times.propagation_gpts),
            digits(times.ceiling_gb_per_s),
            digits(times.tile_accesses[0]),
            digits(times.tile_accesses[1]),
        );
        let columns: [Column<'_, &GatherTimes>; 11] = [
            ("kernel", &|row| row.kernel.into()),
            ("offsets", &|row| format!("along {}", letter(row))),
            ("total ms", &|row| digits(1e3 * row.seconds)),
            ("imaging ms", &|row| digits(1e3 * row.imaging_seconds)),
            ("Gpts/s", &|row| digits(row.gpts)),
            ("counted", &|row| digits(row.counted)),
            ("least", &|row| digits(row.least)),
            ("afforded", &|row| digits(row.afforded)),
            ("bound", &|row| hundredths(row.least / row.afforded)),
            ("x naive", &|row| hundredths(row.against_naive)),
            ("S1060 x naive", &|row| of(row.published, tenths)),
        ];
        let rows = table(&times.rows, 2, &columns);
        let _ = writeln!(text, "{rows}\n");
    }
    text + NOTES
}

/// The legend of the columns.
const NOTES: &str = "\
total: both waves and the imaging; imaging: that less two waves; Gpts/s: Ni Nx Nz Nh over it, of imaging steps, nodes and offsets.
counted: accesses of memory a point, as Al Theyab and Clapp (SEP-138) count them, as if nothing were cached;
least: those that are left where caches hold both waves; afforded: those that the stream ceiling has time for; bound: least over afforded.
S1060: their Tesla S1060. Medians of 3, in turns, after a warm-up.";
