//! `huygens ladder`.

mod sizes;

use super::{Device, failure::Failure};
use huygens::{
    engine::gpu::{self, Gpu},
    workflow::ladder::{self, Case, Operator, Sweep},
};
use sizes::{Size, Sizes, Wings};
use std::ops::ControlFlow;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens ladder 2d\n  \
                        huygens ladder 2d --size 4096 --order 8\n  \
                        huygens ladder 2d --sweep geometry\n  \
                        huygens ladder copy")]
pub struct Arguments {
    /// What to climb.
    #[arg(value_enum)]
    kind: Kind,
    #[arg(long, value_name = "SIZE", value_parser = Sizes::parse)]
    size: Option<Sizes>,
    #[arg(long, value_name = "CELLS", value_parser = Wings::parse, conflicts_with = "order")]
    wing: Option<Wings>,
    #[arg(long)]
    order: Option<usize>,
    #[arg(long, value_enum)]
    sweep: Option<SweepArg>,
    #[command(flatten)]
    device: Device,
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Kind {
    #[value(name = "2d")]
    Plane,
    Copy,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SweepArg {
    Threads,
    Geometry,
}

pub fn run(arguments: &Arguments, _quiet: bool) -> Result<(), Failure> {
    let adapters = gpu::list(false);
    let adapter = adapters.iter().min_by_key(|a| a.rank());
    let gpu = adapter.map(|a| Gpu::open(a, false)).transpose()?;
    let sizes = arguments.size.clone().map_or(vec![Size { nz: 310, nx: 775 }], |s| s.0);
    let ops = match (&arguments.wing, arguments.order) {
        (Some(w), _) => w.0.iter().map(|w| Operator::Wing(*w)).collect(),
        (_, Some(o)) => vec![Operator::Order(o)],
        _ => vec![Operator::Wing(8)],
    };
    for Size { nz, nx } in sizes {
        for operator in &ops {
            let case = Case { nz, nx, operator: *operator };
            let mut progress = |_, _| ControlFlow::Continue(());
            if let Some(s) = arguments.sweep {
                let s = match s { SweepArg::Threads => Sweep::Threads, SweepArg::Geometry => Sweep::Geometry };
                let swept = ladder::sweep(gpu.as_ref().unwrap(), case, s, arguments.device.checked, &mut progress).map_err(Failure::run)?;
                println!("SWEEP {case:?}");
                for chart in &swept.charts {
                    for series in &chart.series {
                        for p in &series.points {
                            match p.time {
                                Some(t) => println!("{:<20} {:<28} {:<14} {:8.2} us  {:6.1} Gpts/s", chart.name, series.name, p.workgroup.to_string(), 1e6 * t.seconds, 1e-9 * case.nodes() / t.seconds),
                                None => println!("{:<20} {:<28} {:<14} {}", chart.name, series.name, p.workgroup.to_string(), p.refused.as_deref().unwrap_or("")),
                            }
                        }
                    }
                }
                continue;
            }
            let l = ladder::climb(gpu.as_ref(), case, arguments.device.checked, &mut progress).map_err(Failure::run)?;
            println!("CASE {case:?} ceiling {:?} floor {:?}", l.ceiling.map(|c| c.gb_per_s), l.floor.map(|f| (1e6 * f.seconds, 1e6 * f.wall)));
            for row in &l.rows {
                match row.time {
                    Some(t) => println!(
                        "{:?} {} {:<34} {:9.2} us [{:.2} {:.2}] wall {:9.2} {:7.2} Gpts/s {:7.0} GB/s {:5.2} prev {:6.2} cpu {:6.1}",
                        row.update, row.rung, row.name, 1e6 * t.seconds, 1e6 * t.fastest, 1e6 * t.slowest, 1e6 * t.wall,
                        row.gpts.unwrap_or(0.), row.gb_per_s.unwrap_or(0.), row.of_ceiling.unwrap_or(0.), row.against_previous.unwrap_or(0.), row.against_one_thread.unwrap_or(0.)),
                    None => println!("{:?} {} {} {:?}", row.update, row.rung, row.name, row.refused),
                }
            }
        }
    }
    Ok(())
}
