//! The modelling of a job's shots as a run.

use super::{
    ShotResult,
    files::{Output, Reels, Snapshots, position_warning, shared},
    steps_of, stream,
};
use crate::{
    acquisition::TimeDispersion,
    engine::{DeviceWork, Engine, EngineError, tune},
    io::{
        folder::RUN,
        journal::{Done, Piece},
        segy::SurveyFile,
    },
    job::{JobError, JobFile},
    plan::Plan,
    render::{GatherFigure, LeastSize, ThreePlaneFigure},
    results::{Results, ResultsError},
    rounded::rounded,
    run::{
        Activity, Demand, EarlierWork, Operation, PreparedJob, RunError, Running, TaskOutputs,
        Work, by, on, steps,
    },
};
use std::{path::Path, time::Instant};

/// The shots of a job.
pub struct ShotRun<'a> {
    pub(super) job: PreparedJob<'a>,
    /// The files that all shots share, each with its name.
    shared: Vec<(String, SurveyFile)>,
    left: Vec<usize>,
}

impl<'a> ShotRun<'a> {
    /// Reads what a job names.
    pub(crate) fn prepare(file: &'a JobFile) -> Result<Self, JobError> {
        Ok(ShotRun::of(PreparedJob::heard(file)?))
    }

    /// The shots of a job that is read.
    pub fn of(job: PreparedJob<'a>) -> Self {
        ShotRun { job, shared: Vec::new(), left: Vec::new() }
    }

    fn is_survey(&self) -> bool {
        self.plan().shots.len() > 1
    }

    fn output<'r>(&'r self, run: &'r Running<'r>) -> Output<'r> {
        let (results, first) = (run.results, run.share.start);
        Output { results, inputs: &self.job.inputs, shared: &self.shared, first }
    }

    /// Models the shots that are left, and writes each when it is done.
    fn model(&self, run: &Running<'_>, part: &Plan) -> Result<Vec<DeviceWork>, RunError> {
        let (ShotRun { job, left, .. }, Running { engines, face, .. }) = (self, run);
        let PreparedJob { file, inputs } = job;
        let (output, at_once) = (self.output(run), engines[0].batch(part)?);
        let total = steps_of(engines, part)?;
        let (devices, shots, lap) = (engines.len(), left.len(), part.time.steps);
        let both = (devices == 1 && shots > 1)
            .then(|| face.show(Activity::Shots { shots, at_once, lap, steps: total }));
        let updates = part.updates() / total.max(1) as f64;
        let shown = face.show(Activity::Steps { devices, shots, lap, steps: total, updates });
        let mut hear = |step| {
            let _ = both.as_ref().map(|shots| shots.hear(step));
            shown.hear(step)
        };
        let (reels, snapshots) = (Reels::new(file, inputs, run.at), Snapshots::new(inputs, run.at));
        stream(
            engines,
            part,
            &mut hear,
            &mut |shot, snapshot| {
                reels.hear(left[shot], snapshot);
                snapshots.hear(left[shot], snapshot);
                false
            },
            &|result| {
                let result = ShotResult { shot: left[result.shot], ..result };
                let movie = || reels.write(run.results, result.shot, result.until);
                let taken = snapshots.take(result.shot, result.until);
                let (pieces, movie) = match file.job.output.movie {
                    Some(_) => rayon::join(|| output.write(&result, taken), movie),
                    None => (output.write(&result, taken), Ok(())),
                };
                movie?;
                let pieces = pieces?;
                match result.until {
                    None => Ok(run.checkpoint.add(result.shot, pieces)?),
                    Some(_) => Ok(()),
                }
            },
        )
    }
}

impl Operation for ShotRun<'_> {
    fn command(&self) -> &'static str {
        "shot"
    }

    fn sends_back(&self) -> bool {
        false
    }

    fn job(&self) -> &PreparedJob<'_> {
        &self.job
    }

    fn can_resume(&self) -> bool {
        self.is_survey()
    }

    fn least_picture(&self) -> LeastSize {
        match self.plan().grid.is_volume() {
            true => ThreePlaneFigure::LEAST,
            false => GatherFigure::LEAST,
        }
    }

    fn headers(&mut self) -> Result<Vec<Piece>, RunError> {
        if self.is_survey() {
            self.shared = shared(self.job.file, &self.job.inputs)?;
        }
        let heads = self.shared.iter().map(|(name, survey)| {
            let bytes = survey.headers().map_err(ResultsError::failed)?;
            Ok(Piece::new(0, name, 0, &bytes))
        });
        heads.collect()
    }

    fn describe(&self) -> Vec<String> {
        let (file, plan) = (self.job.file, self.plan());
        let wavelength = plan.points_per_wavelength().map_or_else(String::new, |points| {
            format!(", {points:.1} points per wavelength at {} Hz", rounded(plan.frequency))
        });
        let what = format!(
            "{}: {} nodes of {}, {} with layers",
            file.job.model.velocity.as_deref().unwrap_or(&file.name),
            by(plan.survey_grid(), plan.survey_grid().n, ""),
            by(&plan.grid, plan.grid.h.map(rounded), " m"),
            by(&plan.grid, plan.grid.n, ""),
        );
        vec![what, steps(&plan.time) + &wavelength]
    }

    fn warnings(&self) -> Vec<String> {
        let of_positions = position_warning(self.job.file, &self.job.inputs);
        self.job.warnings().into_iter().chain(of_positions).collect()
    }

    fn demand(&mut self, engines: &[&dyn Engine]) -> Result<Demand, EngineError> {
        let at_once = engines.iter().map(|engine| engine.batch(self.plan()));
        let at_once = at_once.sum::<Result<usize, _>>()?;
        Ok(self.demand_of(engines[0], at_once))
    }

    fn resume(&mut self, run: &Running<'_>, earlier: EarlierWork) -> Result<usize, RunError> {
        for damaged in &earlier.damaged {
            tracing::warn!("the files of shot {} are damaged; it is modelled again", damaged.shot);
        }
        let is_done = |shot: &usize| earlier.done.iter().any(|done| done.shot == shot + 1);
        self.left = run.share.clone().filter(|shot| !is_done(shot)).collect();
        self.output(run).begin()?;
        Ok(run.share.len() - self.left.len())
    }

    fn work(&mut self, run: &Running<'_>) -> Result<Work, RunError> {
        let (began, part) = (Instant::now(), self.plan().part(&self.left));
        let modelled = self.model(run, &part).map_err(|error| error.with_shots(&self.left));
        let (devices, blown_up) = match modelled {
            Ok(devices) => (devices, None),
            // Recordings before the blow-up are kept, and labelled as such.
            Err(RunError::Engine(error @ EngineError::BlowUp { .. })) => (Vec::new(), Some(error)),
            Err(error) => return Err(error),
        };
        let timings = DeviceWork::total(&devices);
        let writing = began.elapsed().as_secs_f64() - timings.setup - timings.stepping;
        if blown_up.is_none() {
            self.output(run).end(run.share.clone())?;
        }
        if let ([engine], true, None) = (run.engines, run.face.is_usual(), &blown_up)
            && !self.left.is_empty()
        {
            tune::remember_run(*engine, &part, timings.stepping)?;
        }
        let plan = self.plan();
        let at_once = run.engines[0].batch(plan)?.min(plan.shots.len());
        let (pieces, memory) = (self.left.len(), plan.batch(0..at_once).memory());
        let (updates, writing) = (part.updates(), writing.max(0.0));
        Ok(Work { pieces, devices, timings, writing, updates, memory, blown_up })
    }

    fn merge(&mut self, tasks: &TaskOutputs, results: &Results<'_>) -> Result<Vec<Done>, RunError> {
        Ok(tasks.copy_to(results.folder, results.show)?)
    }

    fn kept_of_blow_up(&self, error: &EngineError, files: &[String], out: &Path) -> String {
        let (plan, out) = (self.plan(), out.display());
        match error {
            _ if files.is_empty() => {
                format!("Nothing was recorded before that; {out}/{RUN} says so")
            }
            EngineError::BlowUp { healthy: Some(step), .. } if *step > 0 => {
                let (time, files) = (plan.time.at(*step), files.join(", "));
                let uncorrected = match plan.time.dispersion {
                    TimeDispersion::Kept => "",
                    TimeDispersion::Corrected => {
                        "; its traces are not corrected, as that takes whole ones, and are of a wavelet warped for the \
                         correction"
                    }
                };
                format!(
                    "What was recorded up to step {step} (t = {time:.3} s), when no |p| was above the limit yet, is kept in \
                     {out}: {files}{uncorrected}. Its last samples may already grow"
                )
            }
            _ => format!("The shots before it are kept in {out}"),
        }
    }

    fn summary(&self, run: &Running<'_>, work: &Work, _seconds: f64) -> String {
        summary(run, work)
    }
}

/// What was done by a run that steps a Plan.
pub(crate) fn summary(run: &Running<'_>, work: &Work) -> String {
    let seconds = work.timings.stepping;
    let rate = work.updates / seconds.max(1e-9) * 1e-9;
    let devices = work.devices.len().max(run.engines[0].shares().len());
    format!("stepped in {seconds:.3} s, {rate:.2} Gpts/s{}", on(devices))
}
