//! The zero-offset run of a job: a section of its model, or the migration of one.

use super::{self as zero_offset, Backward, Forward, Section, ZeroOffsetError};
use crate::{
    acquisition::Recording,
    job::{Inputs, JobError, JobFile},
    plan::{Hopeless, Plan, PlanError, Setup, Warning},
};
use ndarray::ArrayView1;

/// A zero-offset run, by its direction in time.
pub(crate) enum ZeroOffset {
    /// Exploding reflectors.
    Forward(Box<Forward>),
    /// A recorded section that is sent back.
    Backward(Box<Backward>, Box<Recording>),
}

impl ZeroOffset {
    /// The section that is sent back.
    pub(crate) fn section(&self) -> Option<&Recording> {
        match self {
            ZeroOffset::Forward(_) => None,
            ZeroOffset::Backward(_, section) => Some(section),
        }
    }
}

impl JobFile {
    /// The run of a job or, with a section, its migration; with its warnings. Its Plan takes the
    /// place of that of the shot.
    pub(crate) fn zero_offset(
        &self,
        section: Option<Section>,
        inputs: &mut Inputs,
    ) -> Result<(ZeroOffset, Vec<Warning>), JobError> {
        self.refuse_window("an exploding reflector")?;
        if let (Some(section), Some(shot)) = (&section, inputs.setup.shots.first_mut()) {
            shot.receivers = section.receivers.clone().into();
        }
        let at_fault = |error| match &section {
            Some(section) => self.unfit(section, &error),
            None => self.of_zero_offset(&error),
        };
        let forward = zero_offset::forward(inputs.setup.clone()).map_err(at_fault)?;
        let warnings = forward.warnings.clone();
        self.check_carried(&warnings, &inputs.plan)?;
        let Some(section) = &section else {
            inputs.plan = forward.plan.clone();
            return Ok((ZeroOffset::Forward(Box::new(forward)), warnings));
        };
        let recording = Recording {
            gather: section.gather.clone(),
            interval: section.interval.unwrap_or(forward.interval()),
            receivers: section.receivers.clone(),
        };
        let frames = self.frames(recording.duration())?;
        let snapshots = [self.job.output.snapshots.as_slice(), &frames].concat();
        let setup = Setup { snapshots, ..inputs.setup.clone() };
        let backward = zero_offset::backward(setup, &recording).map_err(at_fault)?;
        inputs.plan = backward.plan.clone();
        Ok((ZeroOffset::Backward(Box::new(backward), Box::new(recording)), warnings))
    }

    /// Unless it is forced, returns an error for waves that the grid does not carry at half the
    /// velocities of a Plan. The dominant frequency counts: a section has its band, whose upper end
    /// is often lost at these velocities.
    fn check_carried(&self, warnings: &[Warning], plan: &Plan) -> Result<(), JobError> {
        let h = plan.model_grid.h;
        let cell = if plan.grid.is_volume() { h.z.max(h.x).max(h.y) } else { h.z.max(h.x) };
        let hopeless = warnings.iter().find_map(|warning| match warning {
            Warning::Dispersion { dispersion, .. } => Hopeless::of_waves(dispersion, cell, true),
            _ => None,
        });
        match hopeless.filter(|_| !self.forced) {
            Some(hopeless) => Err(self.refused(&PlanError::Hopeless(hopeless))),
            None => Ok(()),
        }
    }

    /// The error of a section that does not match the job, with its name if it is the cause.
    fn unfit(&self, section: &Section, error: &ZeroOffsetError) -> JobError {
        let path = &section.name;
        match error {
            ZeroOffsetError::Recording(error) => JobError::other(format!("{path}: {error}")),
            ZeroOffsetError::Plan(PlanError::Receiver { receiver, error, .. })
                if section.interval.is_some() =>
            {
                JobError::other(format!(
                    "{path}: trace {}: {error}; give a model that reaches there, or positions in \
                     metres from its first node",
                    receiver + 1
                ))
            }
            ZeroOffsetError::Plan(PlanError::Wavelet { source_index, error, .. }) => {
                // Silent traces are not sent back.
                let heard =
                    |(_, trace): &(usize, ArrayView1<'_, f32>)| trace.iter().any(|of| *of != 0.0);
                let mut heard = section.gather.outer_iter().enumerate().filter(heard);
                let trace = heard.nth(*source_index).map_or(*source_index, |(trace, _)| trace);
                let error = error.clone().of_trace();
                JobError::other(format!("{path}: trace {}: {error}", trace + 1))
            }
            ZeroOffsetError::Plan(error @ PlanError::Record { .. })
                if section.interval.is_some() =>
            {
                self.mistake("time.step", format!("{path}: {error}"))
            }
            other => self.of_zero_offset(other),
        }
    }

    /// The error, at its key.
    fn of_zero_offset(&self, error: &ZeroOffsetError) -> JobError {
        match error {
            ZeroOffsetError::Plan(error) => self.refused(error),
            ZeroOffsetError::NoWavelet => self.mistake("source", error),
            ZeroOffsetError::Silent => self.mistake("source[0].wavelet", error),
            ZeroOffsetError::NoReceivers => self.mistake("receivers", error),
            ZeroOffsetError::Reflecting => self.mistake("boundary.sides", error),
            ZeroOffsetError::Recording(error) => JobError::other(error.to_string()),
        }
    }
}
