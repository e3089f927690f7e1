//! Grids that a device is known to hold.

use super::{Case, LadderError};
use crate::{
    engine::{
        Engine,
        gpu::{Gpu, bench::largest_field},
    },
    plan::Plan,
};
use std::fmt::Display;

/// The Plan of a case, which the device is known to hold.
pub(crate) fn plan(gpu: Option<&Gpu>, case: Case) -> Result<Plan, LadderError> {
    case.check()?;
    gpu.map_or(Ok(()), |gpu| fits(gpu, &case, &case))?;
    Ok(case.plan()?)
}

/// Returns an error for a grid with a field that the device cannot bind.
pub(crate) fn fits(gpu: &Gpu, what: &dyn Display, grid: &Case) -> Result<(), LadderError> {
    let (size, limit) = (4 * grid.values() as u64, largest_field(gpu));
    if size <= limit {
        return Ok(());
    }
    let (device, largest) = (gpu.describe().device, grid.largest((limit / 4) as usize));
    Err(LadderError::TooLarge { case: what.to_string(), size, device, limit, largest })
}
