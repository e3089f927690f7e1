//! A velocity model from a SEG-Y file.

use super::{JobFile, axes::Dimensions};
use crate::cli::failure::Failure;
use huygens::{
    grid::Axes,
    io::segy::{LengthUnit, Model, Reader, read_model},
    model::VelocityModel,
};
use std::path::Path;

/// How far the spacing of a job may be from that of the file's coordinates, as a part of it, before a word is said.
const SAME: f64 = 0.01;

impl JobFile {
    /// A model of a trace a column. Where the job gives no spacing, the file's coordinates do along x and y, and its
    /// sample interval does along z in the unit that the job says: no field of the file says which it is.
    pub(super) fn segy_model(
        &self,
        path: &Path,
        files: &mut Vec<(String, String)>,
    ) -> Result<(VelocityModel, Dimensions), Failure> {
        let model = &self.job.model;
        for (key, given) in [("axes", model.axes.is_some()), ("nodes", model.nodes.is_some())] {
            if given {
                let message = format!(
                    "a SEG-Y file has its own {key}: z along its traces, and x and y by its headers; leave {key} out"
                );
                return Err(self.mistake(&format!("model.{key}"), message));
            }
        }
        let name = path.display();
        let refused =
            |error| self.mistake("model.velocity", format!("{name} is not read: {error}"));
        let mut reader = Reader::open(path).map_err(refused)?;
        // With a spacing of the job's, coordinates only tell which trace is beside which.
        let unit = model.spacing.is_some().then_some(LengthUnit::Metre);
        let read = read_model(&mut reader, unit).map_err(refused)?;
        for warning in reader.warnings() {
            tracing::warn!("{name}: {warning}");
        }
        let dimensions = match read.values.dim() {
            (1, ..) => Dimensions::Two,
            _ => Dimensions::Three,
        };
        let h = self.segy_spacing(&read, dimensions)?;
        files.push(self.digest("model.velocity", path)?);
        let velocity =
            VelocityModel::volume(read.values, h).map_err(|error| self.model_mistake(error))?;
        Ok((velocity, dimensions))
    }

    /// Metres between samples and between traces.
    fn segy_spacing(&self, read: &Model, dimensions: Dimensions) -> Result<Axes<f64>, Failure> {
        let model = &self.job.model;
        let mistake = |key: &str, message: &str| self.mistake(&format!("model.{key}"), message);
        let plane = |h: Axes<f64>| match dimensions {
            Dimensions::Two => Axes { y: 1.0, ..h },
            Dimensions::Three => h,
        };
        match (model.spacing, model.sample_interval) {
            (Some(_), Some(_)) => Err(mistake(
                "sample_interval",
                "spacing says how far samples are apart; leave sample_interval or spacing out",
            )),
            (Some(spacing), None) => {
                let h = plane(self.each("model.spacing", spacing, dimensions)?);
                let theirs = read.spacing.map(|(x, y)| plane(Axes { z: h.z, x, y }));
                let far = |ours: f64, theirs: f64| (ours - theirs).abs() > SAME * theirs;
                if let Some(theirs) = theirs.filter(|t| far(h.x, t.x) || far(h.y, t.y)) {
                    tracing::warn!(
                        "the spacing of the job is taken, x = {} m and y = {} m, and by the ensemble coordinates \
                         of the SEG-Y file (bytes 181-188 of the trace header) it is {} m and {} m",
                        h.x,
                        h.y,
                        theirs.x,
                        theirs.y
                    );
                }
                Ok(h)
            }
            (None, Some(unit)) => {
                let interval = read.interval.ok_or_else(|| {
                    mistake(
                        "sample_interval",
                        "the file has no sample interval (bytes 3217-3218); give spacing in metres instead",
                    )
                })?;
                let (x, y) = read.spacing.ok_or_else(|| {
                    mistake(
                        "velocity",
                        "the ensemble coordinates of the file (bytes 181-188 of the trace header) give no even \
                         spacing; give spacing = { z = ..., x = ... } in metres, with y in 3-D",
                    )
                })?;
                Ok(plane(Axes { z: interval * unit.metres(), x, y }))
            }
            (None, None) => {
                let said = read.interval.map_or("none".into(), |interval| interval.to_string());
                Err(mistake(
                    "spacing",
                    &format!(
                        "the sample interval of the file is {said}, and no field says of what; give \
                         sample_interval = \"mm\", \"cm\", \"m\" or \"ft\", or spacing = {{ z = ..., x = ... }} in \
                         metres, with y in 3-D"
                    ),
                ))
            }
        }
    }
}
