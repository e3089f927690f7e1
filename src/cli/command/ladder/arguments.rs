//! The flags of `huygens ladder`.

use super::sizes::{Lengths, Sizes, orders, wings};
use crate::cli::flags::{device::Devices, picture::FigureArguments};
use clap::ValueEnum;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens ladder 2d\n  \
                        huygens ladder 2d --size 4096 --order 8\n  \
                        huygens ladder 2d --sweep geometry\n  \
                        huygens ladder 2d --wing 2..16\n  \
                        huygens ladder 3d\n  \
                        huygens ladder 3d --size 512x512x400 --order 6,8,10,12\n  \
                        huygens ladder 3d --sweep slices\n  \
                        huygens ladder 3d --paper\n  \
                        huygens ladder 3d --sweep devices --devices all\n  \
                        huygens ladder 3d --sweep devices --devices all --paper --kept\n  \
                        huygens ladder all --json\n  \
                        huygens ladder copy\n  \
                        huygens ladder imaging --size 1024\n  \
                        huygens ladder ete --points 37\n  \
                        huygens ladder snapshots\n\
                        --backend auto takes software Vulkan too where there is no real GPU.\n\
                        What each rung is: docs/ladder.md")]
pub(crate) struct Arguments {
    /// Ladder to climb.
    // The name is what clap prints if it is missing.
    #[arg(value_enum, value_name = "2d|3d|all|copy|imaging|ete|snapshots")]
    pub(crate) kind: Kind,
    /// Nodes: ZxX or ZxXxY, N for the same along each axis, A..B for sizes that double, or several of these
    /// with commas [default: 2d: 310x775, the grid of Sadahiro (2014), and 4096 on a real GPU; 3d: 512 on a real GPU,
    /// 64 on another, with --sweep devices 480x480x800 on GPUs; imaging: 1024 on a real GPU, 96 on another; ete and snapshots: 320x320x912, the paper's, or
    /// 48x40x32]
    #[arg(long, value_name = "NODES", value_parser = Sizes::parse)]
    pub(crate) size: Option<Sizes>,
    /// Wing of the windowed sinc, cells: L, A..B, or several with commas [default: 2d: 8, as in Sadahiro (2014);
    /// 3d: order 8 instead]
    #[arg(long, value_name = "CELLS", value_parser = wings)]
    pub(crate) wing: Option<Lengths>,
    /// A Taylor operator of this order instead, or several with commas.
    #[arg(long, value_name = "ORDER", value_parser = orders, conflicts_with = "wing")]
    pub(crate) order: Option<Lengths>,
    /// The volumes and orders of the 3-D paper's tables 1 and 2, beside its figures; with --sweep devices those of
    /// its table 3.
    #[arg(long, conflicts_with_all = ["size", "wing", "order"])]
    pub(crate) paper: bool,
    /// Points of the stencil of explicit time evolution, 37 or 73 [default: each; ete]
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["wing", "order", "paper", "sweep"])]
    pub(crate) points: Option<usize>,
    /// Velocities of its table, evenly spaced [default: 902, as in the paper; ete]
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["wing", "order", "paper", "sweep"])]
    pub(crate) bins: Option<usize>,
    /// Time the kernels with other workgroups, or a volume on 1, 2, 4, ... devices, instead of climbing.
    #[arg(long, value_enum)]
    pub(crate) sweep: Option<What>,
    /// In a sweep over devices, time only the volume of fixed size: no volumes that grow with the devices, no cost of
    /// neighbours.
    #[arg(long, requires = "devices")]
    pub(crate) kept: bool,
    /// Write where the time of a sweep over devices went: trace.json for chrome://tracing and Perfetto, and timeline.png.
    #[arg(long, requires = "devices")]
    pub(crate) trace: bool,
    #[command(flatten)]
    pub(crate) device: Devices,
    /// The folder to write to; made if it is missing [default: ladder, or ladder-3d and so on]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite the folder's files.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) figure: FigureArguments,
    /// Print ladder.json on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// The rungs of the 2-D stencil, from one CPU thread to the step of `shot`.
    #[value(name = "2d")]
    Plane,
    /// The rungs of the 3-D stencil, from one CPU thread to several steps in one pass.
    #[value(name = "3d")]
    Volume,
    /// Both, at their usual sizes: a report on a device.
    All,
    /// The cost of copies between host and device at every step.
    Copy,
    /// The kernels that make offset gathers, beside the propagation of both waves.
    Imaging,
    /// Explicit time evolution: where points are kept, by where weights are.
    Ete,
    /// The cost of snapshots of a volume, every step to every hundredth.
    Snapshots,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum What {
    /// 1024 to 32 invocations a workgroup; 2d.
    Threads,
    /// Shapes of the workgroup; in 2d ways to cut the major axis.
    Geometry,
    /// Slices a workgroup marches through, or an invocation holds; 3d.
    Slices,
    /// How many of the devices that --devices names share a volume; 3d.
    Devices,
}

impl Arguments {
    /// The folder to write to.
    pub(crate) fn folder(&self) -> PathBuf {
        let kind = Some(self.kind).filter(|kind| *kind != Kind::Plane);
        let kind = kind.map_or_else(String::new, suffix);
        let what = match self.sweep {
            Some(sweep) => suffix(sweep),
            None if self.paper => "-paper".into(),
            None => String::new(),
        };
        self.out.clone().unwrap_or_else(|| format!("ladder{kind}{what}").into())
    }
}

fn suffix(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| format!("-{}", value.get_name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Args;

    #[test]
    fn every_kind_is_in_the_name_of_the_argument() {
        let command = Arguments::augment_args(clap::Command::new("ladder"));
        let error =
            command.try_get_matches_from(["ladder"]).expect_err("it needs a kind").to_string();
        for kind in Kind::value_variants() {
            let value = kind.to_possible_value().expect("none is hidden");
            assert!(error.contains(value.get_name()), "{error}");
        }
    }
}
