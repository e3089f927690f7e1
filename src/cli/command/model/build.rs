//! `huygens model build`.

use super::{
    built::built,
    output::{FormatArguments, Target},
};
use crate::{
    cli::failure::Failure,
    grid::PerAxis,
    job::OneOrEach,
    model::{Builtin, ModelQuantity},
};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens model build builtin:salt --spacing 10 --out salt.rsf\n  \
                        huygens model build builtin:salt --extrude y=210 --out volume.rsf\n  \
                        huygens model build builtin:salt --density gardner --out density.rsf"
)]
pub(crate) struct Arguments {
    /// builtin:salt, builtin:layers, builtin:homogeneous, builtin:lens or builtin:salt3d.
    model: String,
    /// Nodes, such as z=210,x=675, in 3-D with y=... [default: the whole model]
    #[arg(long, value_name = "NODES")]
    nodes: Option<PerAxis<usize>>,
    /// Metres between nodes: one number or z=10,x=20.
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    spacing: Option<OneOrEach<f64>>,
    /// Repeat the section along y, and write a volume with this many nodes there, such as y=210.
    #[arg(long, value_name = "NODES", value_parser = along_y)]
    extrude: Option<usize>,
    /// The file: .npy, .rsf, .sgy, .su or .bin.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    output: FormatArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let quantity = ModelQuantity::Velocity;
    let target = Target { out: &arguments.out, arguments: &arguments.output, quantity };
    target.check()?;
    let name = arguments.model.strip_prefix("builtin:").unwrap_or(&arguments.model);
    let model = built(name, arguments.nodes, arguments.spacing)?;
    let Some(ny) = arguments.extrude else { return target.write(&model) };
    if Builtin::named(name).is_ok_and(|model| model.volume) {
        let message = "--extrude takes a section, and this is a volume; leave it out";
        return Err(Failure::input(message));
    }
    let n = model.grid().n;
    let nodes = PerAxis { z: n.z, x: n.x, y: Some(ny) };
    target.write(&built(name, Some(nodes), arguments.spacing)?)
}

/// Nodes along y, from `y=210`.
fn along_y(text: &str) -> Result<usize, String> {
    let nodes = text.strip_prefix("y=").and_then(|nodes| nodes.trim().parse().ok());
    nodes.filter(|nodes| *nodes > 1).ok_or_else(|| "give 2 nodes or more along y, as y=210".into())
}
