//! `huygens model build`.

use super::{
    built::built,
    output::{FormatArguments, Target},
};
use crate::cli::failure::Failure;
use huygens::{grid::PerAxis, job::OneOrEach};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Example: huygens model build builtin:salt --spacing 10 --out salt.rsf")]
pub struct Arguments {
    /// builtin:salt, builtin:layers, builtin:homogeneous or builtin:salt3d.
    model: String,
    /// Nodes, such as z=210,x=675 and y=... in 3-D; without them the model is covered whole.
    #[arg(long, value_name = "NODES")]
    nodes: Option<PerAxis<usize>>,
    /// Metres between nodes: one number or z=10,x=20.
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    spacing: Option<OneOrEach<f64>>,
    /// The file: .npy, .rsf, .sgy, .su or .bin.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    output: FormatArguments,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let target = Target { out: &arguments.out, arguments: &arguments.output };
    target.check()?;
    let name = arguments.model.strip_prefix("builtin:").unwrap_or(&arguments.model);
    target.write(&built(name, arguments.nodes, arguments.spacing)?)
}
