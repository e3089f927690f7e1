//! Explicit time evolution, as text.

use super::{arguments::Arguments, sizes::Sizes, table::us};
use crate::{
    cli::{
        failure::Failure,
        terminal::table::{Column, hundredths, of, table, tenths},
    },
    engine::gpu::Gpu,
    ladder::{ETE_BINS, EteCase, EteModelTimes, EteRow, EteTimes, VelocityLayout, usual},
    results::numbers::digits,
    stencil::ete::{Errors, Points},
};
use std::fmt::Write;

/// The volumes of `--size`, or the paper's, with one stencil or both.
pub(crate) fn cases(arguments: &Arguments, gpu: Option<&Gpu>) -> Result<Vec<EteCase>, Failure> {
    if arguments.sweep.is_some() || arguments.paper {
        return Err(Failure::input(
            "--sweep and --paper do not belong to `ladder ete`; leave them out",
        ));
    }
    if arguments.wing.is_some() || arguments.order.is_some() {
        return Err(Failure::input("`ladder ete` has stencils of its own; give --points 37 or 73"));
    }
    let sizes = arguments.size.as_ref().map(Sizes::volumes).transpose().map_err(Failure::input)?;
    let Arguments { points, bins, .. } = arguments;
    let points = match *points {
        None => vec![Points::Few, Points::Many],
        Some(count) => vec![Points::counted(count).ok_or_else(|| {
            Failure::input(format!("--points {count} is no stencil of the paper; give 37 or 73"))
        })?],
    };
    let bins = bins.unwrap_or(ETE_BINS);
    if bins < 2 {
        return Err(Failure::input(format!("--bins {bins} is too few; give at least 2")));
    }
    let sizes = sizes.unwrap_or_else(|| vec![usual::ete(gpu)]);
    let with = |[nz, nx, ny]: [usize; 3], points| EteCase { nz, nx, ny, points, bins };
    Ok(sizes.iter().flat_map(|size| points.iter().map(|points| with(*size, *points))).collect())
}

fn layout(model: VelocityLayout) -> &'static str {
    match model {
        VelocityLayout::Random => "a random model: every node a velocity of its own",
        VelocityLayout::Layered => "a layered model: eight nodes along z share a velocity",
    }
}

pub(crate) fn tables(all: &[EteTimes]) -> String {
    let mut text = String::new();
    for times in all {
        let EteTimes { case, errors, few_errors, .. } = times;
        let [slowest, fastest] = times.velocities;
        let Errors { row, between, two_terms } = errors;
        let _ = writeln!(
            text,
            "{case}\n\
             {slowest} to {fastest} m/s, spacing {} m along z and {} m along x and y, steps of {:.4} ms\n\
             symbol less cosine, up to 0.8 of the band: the table's rows {row:.1e}, half way between two {between:.1e}, \
             of {} bins {:.1e}, two terms {}; fitted in {:.1} s\n\
             paper: at best {} Gflop/s = {} Gpts/s at {} a point, on a Titan X",
            times.spacing.z,
            times.spacing.x,
            1e3 * times.dt,
            times.few,
            few_errors.between,
            of(*two_terms, |error| format!("{error:.1e}")),
            times.fit_seconds,
            times.published_gflops,
            digits(times.published_gflops / times.flops),
            times.flops,
        );
        for model in &times.models {
            let _ = writeln!(text, "\n{}\n{}", layout(model.model), rows(model));
            for row in model.rows.iter().filter(|row| row.refused.is_some()) {
                let why = row.refused.as_deref().unwrap_or_default();
                let _ =
                    writeln!(text, "not run: {} {}, {}: {why}", row.rung, row.name, row.weights);
            }
        }
        text.push('\n');
    }
    text + NOTES
}

fn rows(model: &EteModelTimes) -> String {
    let columns: [Column<'_, &EteRow>; 11] = [
        ("rung", &|row| format!("{} {}", row.rung, row.name)),
        ("weights", &|row| row.weights.into()),
        ("threads", &|row| of(row.workgroup, |group| group.to_string())),
        ("us/step", &|row| of(row.time, us)),
        ("Gpts/s", &|row| of(row.gpts, digits)),
        ("Gflop/s", &|row| of(row.gflops, digits)),
        ("p reads", &|row| of(row.reads, tenths)),
        ("bytes", &|row| digits(row.bytes)),
        ("ceiling", &|row| of(row.of_ceiling, hundredths)),
        ("ratio", &|row| of(row.against, hundredths)),
        ("paper", &|row| of(row.published, str::to_owned)),
    ];
    let table = table(model.rows.iter().filter(|row| row.time.is_some()), 3, &columns);
    format!("stream ceiling {} GB/s\n{table}", digits(model.ceiling_gb_per_s))
}

/// The legend of the columns.
const NOTES: &str = "\
Gflop/s: 2 a point of the stencil, a multiplication and an addition, whatever a kernel does; p reads: values
of p that are asked of memory a node, as if nothing were cached, halos of tiles not counted; bytes: what must pass between memory and
the device for a node and a step, the table not counted; ceiling: their share of the stream ceiling, three reads and a write of vec4 over
the same arrays. paper: what the text of Fang and others (2015) says of a scheme; ratio: the same here. The figures of its kernels
one by one are a picture without numbers. Medians of 7, in turns, after a warm-up.";
