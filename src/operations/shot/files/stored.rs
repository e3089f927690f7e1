//! Gathers and snapshots in files as pictures.

use super::{gather_figure, snapshot_figure};
use crate::{
    job::JobError,
    ndarray::{Axis, Ix2},
    operations::shot::ShotResult,
    render::GatherFigure,
    results::{Easel, ResultPicture, StoredResult, percentile, undrawn},
    run::counted,
};
use std::path::Path;

/// The pictures of a shot's results.
pub(crate) const PICTURES: &[ResultPicture] = &[
    ResultPicture { is_of: |of| of.stem().starts_with("gather"), draw: gather },
    ResultPicture {
        is_of: |of| of.stem().starts_with("snapshots") || is_of_snapshots(of.path),
        draw: snapshot,
    },
];

/// True for a snapshot of a volume, in a folder of them.
fn is_of_snapshots(path: &Path) -> bool {
    path.parent().and_then(Path::file_name).is_some_and(|name| name == "snapshots")
}

fn gather(of: &StoredResult<'_>, easel: &mut dyn Easel) -> Result<(), JobError> {
    let (inputs, shot) = of.inputs()?;
    let receivers = inputs.plan.shots[shot].asked.receivers.len();
    let gather = of.values.view().into_dimensionality::<Ix2>().ok();
    let gather = gather.filter(|of| of.nrows() == receivers).ok_or_else(|| of.unlike())?;
    let result = ShotResult { shot, gather: gather.to_owned(), snapshots: Vec::new(), until: None };
    let figure = gather_figure(of.file, &inputs, &result);
    easel.take(&mut GatherFigure { largest: of.largest, ..figure }, GatherFigure::LEAST);
    Ok(())
}

fn snapshot(of: &StoredResult<'_>, easel: &mut dyn Easel) -> Result<(), JobError> {
    let (inputs, shot) = of.inputs()?;
    let mut values = of.values.view();
    let step = match of.stem().strip_prefix('t').and_then(|step| step.parse().ok()) {
        Some(step) => step,
        None => {
            let count = values.shape().first().copied().unwrap_or(0);
            let number = of.number.unwrap_or(count);
            if number == 0 || number > count {
                let name = of.path.file_name().unwrap_or_default().display();
                let snapshots = counted(count, "snapshot");
                return Err(JobError::other(format!(
                    "{name} has {snapshots}; give --number from 1 to {count}, not {number}"
                )));
            }
            values.index_axis_inplace(Axis(0), number - 1);
            inputs.snapshots.get(number - 1).copied().unwrap_or_default()
        }
    };
    let field = of.field(values)?;
    let mut file = of.file.clone();
    if let Some(percent) = of.percentile {
        file.job.output.figures.largest =
            Some(f64::from(percentile(field.iter(), percent).unwrap_or(1.0)));
    }
    let figure = snapshot_figure(&file, &inputs, shot, step, field);
    easel.take(figure.map_err(undrawn)?.as_mut(), of.least());
    Ok(())
}
