//! The least-squares migration of a job as a run.

use super::{
    LeastSquares, LeastSquaresSurvey, Solution, Solved, conjugate_gradients::LEAST_FALL,
    files::Output, fitted::Fitted, memory::demand,
};
use crate::{
    engine::{DeviceWork, Engine, EngineError},
    io::{
        folder::{JOURNAL, SUMS},
        journal::Piece,
    },
    job::{JobError, JobFile},
    misfit::Likeness,
    operations::{
        recorded::Recorded,
        rtm::{Begin, Stage, files::memory},
    },
    plan::PlanError,
    render::{CurveFigure, LeastSize},
    results::{Results, ResultsError},
    rounded::rounded,
    run::{
        Activity, Demand, EarlierWork, Made, Operation, Part, PreparedJob, Record, RunError,
        Running, SurveyError, Work, by, counted, on,
    },
};
use serde_json::Value;
use std::time::Instant;

/// The least-squares migration of the shots of a job.
pub struct LeastSquaresRun<'a> {
    job: PreparedJob<'a>,
    /// The least-squares migration.
    pub of: LeastSquares,
    /// Those that are not modelled, and the number of their samples.
    recorded: Option<Recorded>,
    samples: Option<u64>,
    /// Where an earlier run was, and then the result.
    done: Option<Solved>,
    traces: Option<Fitted>,
}

impl<'a> LeastSquaresRun<'a> {
    /// Reads what a job names for its migration.
    pub(crate) fn prepare(file: &'a JobFile) -> Result<Self, JobError> {
        let mut job = PreparedJob::heard(file)?;
        let of = file.least_squares(&job.inputs.setup, job.inputs.plan.time.dt)?;
        let recorded = file.recorded(&of.migrated.plan, &mut job.inputs)?;
        Ok(LeastSquaresRun::of(job, of, recorded))
    }

    /// The least-squares migration of shots that are recorded or, without a recording, modelled.
    pub fn of(mut job: PreparedJob<'a>, of: LeastSquares, recorded: Option<Recorded>) -> Self {
        job.inputs.files.extend(recorded.iter().flat_map(|recorded| recorded.files.clone()));
        let samples = recorded.as_ref().map(Recorded::size);
        LeastSquaresRun { job, of, recorded, samples, done: None, traces: None }
    }

    /// The least-squares migration of a job before it runs: its recording is checked, if it is there.
    pub(crate) fn check(mut job: PreparedJob<'a>) -> Result<Self, JobError> {
        let of = job.file.least_squares(&job.inputs.setup, job.inputs.plan.time.dt)?;
        let samples = job.file.check_migrated(&mut job.inputs, &of.migrated)?;
        Ok(LeastSquaresRun { samples, ..LeastSquaresRun::of(job, of, None) })
    }

    /// Warnings of the migration and its model.
    pub fn of_waves(&self) -> Vec<String> {
        let of_migration = self.of.migrated.warnings(&self.job.inputs.setup).into_iter();
        of_migration.map(|warning| warning.to_string()).chain(self.of.rough()).collect()
    }

    /// The image in memory; `after` takes what has been done after the migration and each iteration.
    pub fn solved<E: From<EngineError> + From<PlanError> + From<JobError> + Send>(
        &mut self,
        engines: &[&dyn Engine],
        begin: &mut Begin<'_, E>,
        after: &mut dyn FnMut(&Solved, &LeastSquares) -> Result<(), E>,
    ) -> Result<Solved, E> {
        let recorded = self.recorded.take();
        // They go to files alone.
        self.of.keys.traces = false;
        let (inputs, of) = (&self.job.inputs, &self.of);
        let survey = LeastSquaresSurvey { engines, inputs, of };
        Ok(survey.solve(recorded, None, begin, &mut |done, _| after(done, of))?.solved)
    }

    /// The state after the last sweep of an earlier run, whose images are all there.
    fn state(
        &self,
        run: &Running<'_>,
        before: &EarlierWork,
    ) -> Result<Option<Solved>, SurveyError> {
        let damaged = |file: &str| SurveyError::Damaged { file: file.to_owned() };
        let Some(part) = before.parts.last() else {
            return match before.is_list_damaged && !before.done.is_empty() {
                true => Err(damaged(&format!("{SUMS}/{JOURNAL}"))),
                false => Ok(None),
            };
        };
        let file = part.pieces.first().map_or("", |piece| &piece.file);
        let bytes = EarlierWork::read(run.results.folder.staged(), part);
        let state = bytes.and_then(|bytes| postcard::from_bytes::<Solved>(&bytes).ok());
        let state = state.filter(|state| self.of.may_have_done(state) && part.shot == sweep(state));
        let state = state.ok_or_else(|| damaged(file))?;
        // An image after the state is made again.
        let mut lost = before.damaged.iter().filter(|image| image.shot <= sweep(&state));
        if let Some(image) = lost.next() {
            return Err(damaged(image.pieces.first().map_or("", |piece| &piece.file)));
        }
        let has = |number: usize| before.done.iter().any(|done| done.shot == number);
        if (1..=sweep(&state)).all(has) { Ok(Some(state)) } else { Err(damaged(JOURNAL)) }
    }
}

/// The number of the last sweep over the shots: the migration is the first.
fn sweep(done: &Solved) -> usize {
    done.iterations() + 1
}

impl Operation for LeastSquaresRun<'_> {
    fn command(&self) -> &'static str {
        "lsrtm"
    }

    fn piece(&self) -> &'static str {
        "sweep"
    }

    fn job(&self) -> &PreparedJob<'_> {
        &self.job
    }

    fn pieces(&self) -> usize {
        self.of.keys.iterations + 1
    }

    fn least_picture(&self) -> LeastSize {
        CurveFigure::LEAST
    }

    fn describe(&self) -> Vec<String> {
        let migrated = &self.of.migrated;
        let (plan, time) = (&migrated.plan, &migrated.plan.time);
        let smoothed = migrated.rtm.smooth;
        let what = format!(
            "{}: {} migrated through {} nodes of {}{}, {} of least squares",
            self.job.file.model_name(),
            counted(plan.shots.len(), "shot"),
            by(plan.survey_grid(), plan.survey_grid().n, ""),
            by(&plan.grid, plan.grid.h.map(rounded), " m"),
            smoothed.map_or_else(String::new, |length| format!(", smoothed over {length} m")),
            counted(self.of.keys.iterations, "iteration"),
        );
        let (every, ms) = (rounded(migrated.every as f64 * time.dt), rounded(1e3 * time.dt));
        vec![what, format!("{} steps of {ms} ms, imaged every {every} s", time.steps)]
    }

    fn warnings(&self) -> Vec<String> {
        self.job.warnings().into_iter().chain(self.of_waves()).collect()
    }

    fn demand(&mut self, engines: &[&dyn Engine]) -> Result<Demand, EngineError> {
        demand(&self.job.inputs, &mut self.of, self.samples, engines)
    }

    fn resume(&mut self, run: &Running<'_>, earlier: EarlierWork) -> Result<usize, RunError> {
        self.done = self.state(run, &earlier)?;
        run.checkpoint.keep_parts(earlier.parts)?;
        let done = self.done.as_ref().map_or(0, sweep);
        run.checkpoint.forget_after(done);
        Ok(done)
    }

    fn work(&mut self, run: &Running<'_>) -> Result<Work, RunError> {
        let (recorded, earlier) = (self.recorded.take(), self.done.take());
        let (inputs, of) = (&self.job.inputs, &self.of);
        let shots = inputs.plan.shots.len();
        let output = Output { results: run.results, of };
        let counted = run.face.show(Activity::Counting("sweep", self.pieces()));
        let before = earlier.as_ref().map_or(0, sweep);
        let _ = counted.hear(before);
        let mut writing = 0.0;
        let mut begin = |stage: Stage<'_>| stage.shown(run, shots);
        let mut after = |done: &Solved, likeness: Option<Likeness>| {
            let wrote = Instant::now();
            if let Some(likeness) = likeness {
                let line = format_args!("recorded traces and the source waves: {likeness}");
                run.face.tell(&line);
            }
            keep(run, done, output.iteration(done, sweep(done))?)?;
            let _ = counted.one_more();
            if let Some(residual) = done.residuals().last().filter(|_| done.iterations() > 0) {
                let (iteration, percent) = (done.iterations(), 100.0 * residual);
                run.face.tell(&format_args!("iteration {iteration}: residual {percent:.2} %"));
            }
            writing += wrote.elapsed().as_secs_f64();
            Ok::<_, RunError>(())
        };
        let survey = LeastSquaresSurvey { engines: run.engines, inputs, of };
        let solved = survey.solve(recorded, earlier, &mut begin, &mut after);
        let Solution { solved: done, traces, devices } = solved?;
        if done.iterations() < of.keys.iterations {
            run.face.tell(&format_args!(
                "ended after {} of {} iterations: the last lowered the misfit by less than {} %",
                done.iterations(),
                of.keys.iterations,
                100.0 * LEAST_FALL
            ));
        }
        let sweeps = (sweep(&done) - before) as f64;
        let (updates, timings) =
            (3.0 * sweeps * of.migrated.plan.updates(), DeviceWork::total(&devices));
        let (pieces, memory) = (self.pieces(), memory(&of.migrated, 1, None));
        (self.done, self.traces) = (Some(done), traces);
        Ok(Work { pieces, devices, timings, writing, updates, memory, ..Work::default() })
    }

    fn write(&mut self, results: &Results<'_>) -> Result<(), RunError> {
        let output = Output { results, of: &self.of };
        if let Some(fitted) = &self.traces {
            output.traces(&self.job.inputs, fitted)?;
        }
        self.done.as_ref().map_or(Ok(()), |done| Ok(output.last(done)?))
    }

    fn record(&mut self, made: Made) -> serde_json::Result<String> {
        let mut record = Record::new(self.command(), &self.job, made);
        record.residuals = self.done.as_ref().map_or_else(Vec::new, Solved::residuals);
        record.json()
    }

    fn summary(&self, _: &Running<'_>, work: &Work, seconds: f64) -> String {
        let residuals = self.done.as_ref().map_or_else(Vec::new, Solved::residuals);
        format!(
            "{} of least squares{} in {seconds:.3} s; {:.2} % of the traces are left",
            counted(residuals.len().saturating_sub(1), "iteration"),
            on(work.devices.len()),
            100.0 * residuals.last().copied().unwrap_or(1.0)
        )
    }
}

/// Keeps what is done after a sweep: its image, if it is wanted, then the state to go on from.
fn keep(run: &Running<'_>, done: &Solved, image: Vec<Piece>) -> Result<(), RunError> {
    let number = sweep(done);
    let state = postcard::to_stdvec(done).map_err(ResultsError::failed)?;
    run.results.folder.sync()?;
    run.checkpoint.add(number - 1, image)?;
    let bytes = Box::new(|| state.clone());
    let part = Part { shots: number - 1..number, ending: "bin", bytes, kept: Value::Null };
    Ok(run.checkpoint.replace_parts(&[part])?)
}
