//! The cases of a ladder, from the flags.

use super::{
    arguments::{Arguments, Kind, What},
    sizes::Sizes,
};
use crate::{
    cli::failure::Failure,
    engine::gpu::Gpu,
    ladder::{self, Case, Operator, Reach, usual},
};
use serde::Serialize;
use std::fmt::{self, Display};

/// A case, and its rungs to measure.
#[derive(Clone, Copy, Serialize)]
#[serde(transparent)]
pub(crate) struct Climbed {
    pub(crate) case: Case,
    #[serde(skip)]
    pub(crate) reach: Reach,
}

impl Climbed {
    fn whole(case: Case) -> Self {
        Climbed { case, reach: Reach::All }
    }
}

impl Display for Climbed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.case.fmt(f)
    }
}

/// The cases of the given kind, sizes and operators, or the paper's.
pub(crate) fn cases(arguments: &Arguments, gpu: Option<&Gpu>) -> Result<Vec<Climbed>, Failure> {
    check_sweep(arguments)?;
    if arguments.paper {
        if arguments.kind != Kind::Volume {
            return Err(Failure::input("--paper belongs to `ladder 3d`; leave it out"));
        }
        let kernels = |(update, case)| Climbed { case, reach: Reach::Kernels(update) };
        return match arguments.sweep {
            None => Ok(ladder::paper().into_iter().map(kernels).collect()),
            Some(What::Devices) => Ok(ladder::paper_of_devices().map(Climbed::whole).collect()),
            Some(_) => Err(Failure::input(
                "--paper has tables of rungs and of devices; leave --sweep out, or give --sweep \
                 devices",
            )),
        };
    }
    if arguments.kind == Kind::All {
        if arguments.size.is_some() || arguments.wing.is_some() || arguments.order.is_some() {
            return Err(Failure::input(
                "`ladder all` has sizes and operators of its own; give yours to `ladder 2d` or \
                 `ladder 3d`",
            ));
        }
        return Ok([climbed(arguments, false, gpu)?, climbed(arguments, true, gpu)?].concat());
    }
    let cases = climbed(arguments, matches!(arguments.kind, Kind::Volume | Kind::Snapshots), gpu)?;
    let narrow = |Climbed { case, .. }: &&Climbed| case.nz.min(case.nx) < ladder::IMAGING_LEAST;
    match cases.iter().find(narrow).filter(|_| arguments.kind == Kind::Imaging) {
        Some(Climbed { case, .. }) => Err(Failure::input(format!(
            "{} nodes are fewer than the offsets reach; give {} or more along each axis",
            case.size(),
            ladder::IMAGING_LEAST
        ))),
        None => Ok(cases),
    }
}

/// Returns an error for a sweep that the kind does not have.
fn check_sweep(arguments: &Arguments) -> Result<(), Failure> {
    Err(Failure::input(match (arguments.kind, arguments.sweep) {
        (Kind::Plane, Some(What::Slices)) => {
            "--sweep slices belongs to `ladder 3d`; choose threads or geometry"
        }
        (Kind::Volume, Some(What::Threads)) => {
            "--sweep threads belongs to `ladder 2d`; choose geometry or slices"
        }
        (Kind::Plane | Kind::Volume, _) | (_, None) => return Ok(()),
        _ => "--sweep belongs to `ladder 2d` and `ladder 3d`; leave it out",
    }))
}

/// Every size with every operator, of planes or of volumes; one of the two may vary.
fn climbed(
    arguments: &Arguments,
    volume: bool,
    gpu: Option<&Gpu>,
) -> Result<Vec<Climbed>, Failure> {
    let imaging = arguments.kind == Kind::Imaging;
    let operators: Vec<_> = match (&arguments.wing, &arguments.order) {
        (Some(wings), _) => wings.0.iter().map(|wing| Operator::Wing(*wing)).collect(),
        (None, Some(orders)) => orders.0.iter().map(|order| Operator::Order(*order)).collect(),
        (None, None) if volume || imaging => vec![Operator::Order(8)],
        (None, None) => vec![ladder::THESIS.operator],
    };
    let sizes = arguments.size.as_ref();
    let cases: Vec<_> = match volume {
        true => {
            let sizes = sizes.map(Sizes::volumes).transpose().map_err(Failure::input)?;
            let sizes = sizes.unwrap_or_else(|| match arguments.kind {
                _ if matches!(arguments.sweep, Some(What::Devices)) => vec![usual::devices(gpu)],
                Kind::Snapshots => vec![usual::ete(gpu)],
                _ => vec![usual::volume(gpu, operators[0])],
            });
            sizes.iter().map(|size| Case::volume(*size, operators[0])).collect()
        }
        false => {
            let sizes = sizes.map(Sizes::planes).transpose().map_err(Failure::input)?;
            let usual = || match imaging {
                true => vec![usual::imaging(gpu)],
                false => usual::planes(gpu, operators.len()),
            };
            let sizes = sizes.unwrap_or_else(|| usual().into_iter().map(Into::into).collect());
            sizes.iter().map(|[nz, nx]| Case::plane(*nz, *nx, operators[0])).collect()
        }
    };
    if cases.len() > 1 && operators.len() > 1 {
        return Err(Failure::input(
            "--size and --wing or --order are both several; give one of them a single value",
        ));
    }
    let with = |case: Case| {
        let cases = operators.iter().map(move |operator| Case { operator: *operator, ..case });
        cases.map(Climbed::whole)
    };
    Ok(cases.into_iter().flat_map(with).collect())
}
