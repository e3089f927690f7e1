//! The cases of a ladder, from the flags.

use super::{Arguments, Failure, Kind, Orders, Sizes, What, Wings};
use huygens::{
    engine::gpu::Gpu,
    workflow::ladder::{self, Case, Operator, Reach, usual},
};
use std::path::PathBuf;

/// A case, and its rungs to measure.
pub type Climbed = (Reach, Case);

/// The cases of the given kind, sizes and operators, or the paper's.
pub fn cases(arguments: &Arguments, gpu: Option<&Gpu>) -> Result<Vec<Climbed>, Failure> {
    match (arguments.kind, arguments.sweep) {
        (Kind::Copy | Kind::All | Kind::Imaging | Kind::Ete | Kind::Snapshots, Some(_)) => {
            return Err(Failure::input(
                "--sweep belongs to `ladder 2d` and `ladder 3d`; leave it out",
            ));
        }
        (Kind::Plane, Some(What::Slices)) => {
            return Err(Failure::input(
                "--sweep slices belongs to `ladder 3d`; choose threads or geometry",
            ));
        }
        (Kind::Volume, Some(What::Threads)) => {
            return Err(Failure::input(
                "--sweep threads belongs to `ladder 2d`; choose geometry or slices",
            ));
        }
        _ => {}
    }
    if arguments.paper {
        if arguments.kind != Kind::Volume {
            return Err(Failure::input("--paper belongs to `ladder 3d`; leave it out"));
        }
        let kernels = |(update, case)| (Reach::Kernels(update), case);
        return Ok(ladder::paper().into_iter().map(kernels).collect());
    }
    if arguments.kind == Kind::All {
        if arguments.size.is_some() || arguments.wing.is_some() || arguments.order.is_some() {
            return Err(Failure::input(
                "`ladder all` has sizes and operators of its own; give yours to `ladder 2d` or `ladder 3d`",
            ));
        }
        return Ok([climbed(arguments, false, gpu)?, climbed(arguments, true, gpu)?].concat());
    }
    let cases = climbed(arguments, matches!(arguments.kind, Kind::Volume | Kind::Snapshots), gpu)?;
    let narrow = |(_, case): &&Climbed| case.nz.min(case.nx) < ladder::IMAGING_LEAST;
    match cases.iter().find(narrow).filter(|_| arguments.kind == Kind::Imaging) {
        Some((_, case)) => Err(Failure::input(format!(
            "{} nodes are fewer than the offsets reach; give {} or more along each axis",
            case.size(),
            ladder::IMAGING_LEAST
        ))),
        None => Ok(cases),
    }
}

/// Every size with every operator, of planes or of volumes; one of the two may vary.
fn climbed(
    arguments: &Arguments,
    volume: bool,
    gpu: Option<&Gpu>,
) -> Result<Vec<Climbed>, Failure> {
    let imaging = arguments.kind == Kind::Imaging;
    let operator = if volume || imaging { Operator::Order(8) } else { ladder::THESIS.operator };
    let operators: Vec<_> = match (&arguments.wing, &arguments.order) {
        (Some(Wings(wings)), _) => wings.iter().map(|wing| Operator::Wing(*wing)).collect(),
        (None, Some(Orders(orders))) => orders.iter().map(|n| Operator::Order(*n)).collect(),
        (None, None) => vec![operator],
    };
    let cases: Vec<_> = match volume {
        true => {
            let sizes = arguments.size.as_ref().map(Sizes::volumes).transpose();
            let sizes = sizes.map_err(Failure::input)?;
            let sizes = sizes.unwrap_or_else(|| match arguments.kind {
                _ if matches!(arguments.sweep, Some(What::Devices)) => vec![usual::devices(gpu)],
                Kind::Snapshots => vec![usual::ete(gpu)],
                _ => vec![usual::volume(gpu, operators[0])],
            });
            sizes.iter().map(|size| Case::volume(*size, operator)).collect()
        }
        false => {
            let sizes = arguments.size.as_ref().map(Sizes::planes).transpose();
            let sizes = sizes.map_err(Failure::input)?.unwrap_or_else(|| match imaging {
                true => vec![usual::imaging(gpu)],
                false => usual::planes(gpu, operators.len()),
            });
            sizes.iter().map(|(nz, nx)| Case::plane(*nz, *nx, operator)).collect()
        }
    };
    if cases.len() > 1 && operators.len() > 1 {
        return Err(Failure::input(
            "--size and --wing or --order are both several; give one of them a single value",
        ));
    }
    let with = |case: &Case, operator: &Operator| Case { operator: *operator, ..*case };
    let cases = cases.iter().flat_map(|case| operators.iter().map(move |op| with(case, op)));
    Ok(cases.map(|case| (Reach::All, case)).collect())
}

/// The default output folder of a ladder.
pub fn default_folder(arguments: &Arguments) -> PathBuf {
    let sweep = arguments.sweep.map(|what| match what {
        What::Threads => "-threads",
        What::Geometry => "-geometry",
        What::Slices => "-slices",
        What::Devices => "-devices",
    });
    let what = match (arguments.kind, sweep, arguments.paper) {
        (Kind::Copy, ..) => "-copy",
        (Kind::Imaging, ..) => "-imaging",
        (Kind::Ete, ..) => "-ete",
        (Kind::Snapshots, ..) => "-snapshots",
        (_, Some(sweep), _) => sweep,
        (_, None, true) => "-paper",
        (_, None, false) => "",
    };
    let kind = match arguments.kind {
        Kind::Volume => "-3d",
        Kind::All => "-all",
        Kind::Plane | Kind::Copy | Kind::Imaging | Kind::Ete | Kind::Snapshots => "",
    };
    format!("ladder{kind}{what}").into()
}
