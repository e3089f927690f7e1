//! The inversion of a job as a run.

use super::{Inversion, Inverted, files::Output, memory::stages};
use crate::{
    engine::{Engine, EngineError, Timings},
    io::folder::{JOURNAL, SUMS},
    job::{Inputs, JobError, JobFile},
    model::VelocityModel,
    operations::{
        gradient::{ComparedTraces, EstimatedWavelets, ModelledTraces, Observations, demand},
        rtm::{Begin, Stage},
    },
    plan::{Plan, PlanError, Setup},
    render::{CurveFigure, LeastSize},
    results::{Results, ResultsError},
    run::{
        Activity, Demand, EarlierWork, Made, Operation, Part, PreparedJob, Record, RunError,
        Running, SurveyError, Work, by, counted, steps,
    },
};
use serde_json::Value;
use std::time::Instant;

/// The inversion of a job's observed traces.
pub struct InversionRun<'a> {
    job: PreparedJob<'a>,
    /// The inversion.
    pub inversion: Inversion,
    /// Where an earlier run was.
    earlier: Option<Inverted>,
    found: Option<Found>,
}

/// The result.
struct Found {
    model: VelocityModel,
    /// J after each iteration of each band.
    misfits: Vec<Vec<f64>>,
    /// Those of the first and the last model, if the job asks for them.
    traces: Vec<ModelledTraces>,
}

impl<'a> InversionRun<'a> {
    /// Reads what a job names for its inversion.
    pub(crate) fn prepare(file: &'a JobFile) -> Result<Self, JobError> {
        let job = PreparedJob::heard(file)?;
        file.observed_name()?;
        InversionRun::of(job, |inputs| file.observations(inputs))
    }

    /// The inversion of what `observe` gives for its inputs, whose step is stable up to the greatest velocity that the model may
    /// get.
    pub fn of<E: From<JobError>>(
        job: PreparedJob<'a>,
        observe: impl FnOnce(&mut Inputs) -> Result<Observations, E>,
    ) -> Result<Self, E> {
        let file = job.file;
        let (mut inputs, bounds) = file.to_invert(job.inputs)?;
        let observations = observe(&mut inputs)?;
        let inversion = file.inversion(observations, &inputs, bounds)?;
        let job = PreparedJob { file, inputs };
        Ok(InversionRun { job, inversion, earlier: None, found: None })
    }

    /// The inversion of a job before it runs: its observed traces are checked, if they are there.
    pub(crate) fn check(job: PreparedJob<'a>) -> Result<Self, JobError> {
        let file = job.file;
        InversionRun::of(job, |inputs| file.check_observations("invert", inputs))
    }

    /// Estimates the wavelets of the shots, if the job asks for that, and gives them to the shots.
    ///
    /// # Errors
    ///
    /// As of [`Observations::estimated_wavelets`].
    pub fn estimate_wavelets<E: From<EngineError> + From<JobError> + From<PlanError> + Send>(
        &mut self,
        engines: &[&dyn Engine],
        begin: &mut Begin<'_, E>,
    ) -> Result<Option<EstimatedWavelets>, E> {
        let InversionRun { job: PreparedJob { inputs, .. }, inversion, .. } = self;
        let (of, all) = (&inversion.observations, 0..inputs.plan.shots.len());
        inversion.wavelets = of.estimated_wavelets(engines, inputs, all, begin)?;
        inversion.wavelets.iter().try_for_each(|wavelets| wavelets.apply_to(inputs))?;
        Ok(inversion.wavelets.clone())
    }

    /// The state after the last iteration of an earlier run, whose models are all there.
    fn state(
        &self,
        run: &Running<'_>,
        before: &EarlierWork,
    ) -> Result<Option<Inverted>, SurveyError> {
        let damaged = |file: &str| SurveyError::Damaged { file: file.to_owned() };
        let Some(part) = before.parts.last() else {
            return match before.is_list_damaged && !before.done.is_empty() {
                true => Err(damaged(&format!("{SUMS}/{JOURNAL}"))),
                false => Ok(None),
            };
        };
        let folder = run.results.folder.staged();
        let file = part.pieces.first().map_or("", |piece| &piece.file);
        let bytes = EarlierWork::read(folder, part);
        let state = bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        let state: Inverted = state.ok_or_else(|| damaged(file))?;
        if !self.inversion.may_have_done(&state, &self.job.inputs) {
            return Err(damaged(file));
        }
        // A model after the state is made again.
        let done = self.inversion.numbers(&state);
        if let Some(model) = before.damaged.iter().find(|model| done.contains(&model.shot)) {
            return Err(damaged(model.pieces.first().map_or("", |piece| &piece.file)));
        }
        match done.iter().all(|number| before.done.iter().any(|model| model.shot == *number)) {
            true => Ok(Some(state)),
            false => Err(damaged(JOURNAL)),
        }
    }
}

impl Operation for InversionRun<'_> {
    fn command(&self) -> &'static str {
        "invert"
    }

    fn piece(&self) -> &'static str {
        "iteration"
    }

    fn job(&self) -> &PreparedJob<'_> {
        &self.job
    }

    fn pieces(&self) -> usize {
        self.inversion.iterations()
    }

    fn least_picture(&self) -> LeastSize {
        CurveFigure::LEAST
    }

    fn describe(&self) -> Vec<String> {
        let plan = self.plan();
        let what = format!(
            "{}: {}, {} nodes, {} of {}",
            self.job.file.model_name(),
            counted(plan.shots.len(), "shot"),
            by(plan.survey_grid(), plan.survey_grid().n, ""),
            match self.inversion.bands() {
                1 => "a band".to_owned(),
                bands => format!("{bands} bands"),
            },
            counted(self.inversion.keys.iterations, "iteration"),
        );
        vec![what, steps(&plan.time)]
    }

    fn demand(&mut self, engines: &[&dyn Engine]) -> Result<Demand, EngineError> {
        let (command, job) = (self.command(), &self.job);
        let observations = &mut self.inversion.observations;
        demand(command, job, observations, engines, |of, waves| stages(job, of, waves))
    }

    fn resume(&mut self, run: &Running<'_>, earlier: EarlierWork) -> Result<usize, RunError> {
        self.earlier = self.state(run, &earlier)?;
        run.checkpoint.keep_parts(earlier.parts)?;
        let done = self.earlier.as_ref().map_or(0, |state| self.inversion.done(state));
        run.checkpoint.forget_after(done);
        Ok(done)
    }

    fn work(&mut self, run: &Running<'_>) -> Result<Work, RunError> {
        let InversionRun { job, inversion, earlier, .. } = &mut *self;
        let all = 0..job.inputs.plan.shots.len();
        inversion.wavelets = match earlier.as_mut() {
            Some(state) => state.wavelets.clone(),
            None => {
                let mut begin = |stage: Stage<'_>| stage.shown(run, all.len());
                let of = &inversion.observations;
                of.estimated_wavelets(run.engines, &job.inputs, all.clone(), &mut begin)?
            }
        };
        if let Some(wavelets) = &inversion.wavelets {
            wavelets.take_effect(run, &mut job.inputs)?;
        }
        let inputs = &job.inputs;
        let output = Output { results: run.results, start: &inputs.model };
        let counted = run.face.show(Activity::Counting("iteration", inversion.iterations()));
        if let Some(earlier) = earlier {
            let _ = counted.hear(inversion.done(earlier));
        }
        let (mut shown, mut evaluations) = (None, 0);
        let mut hear = |step: usize, steps: usize| {
            let (devices, shots) = (run.engines.len(), inputs.plan.shots.len());
            let updates = inputs.plan.grid.cells() as f64;
            let activity = Activity::Steps { devices, shots, lap: steps, steps, updates };
            let heard = shown.get_or_insert_with(|| run.face.show(activity)).hear(step);
            if step >= steps {
                evaluations += 1;
                shown = None;
            }
            heard
        };
        let (began, mut writing, mut compared) = (Instant::now(), 0.0, None);
        let mut each = |done: &Inverted, model: &VelocityModel| {
            let wrote = Instant::now();
            let band = done.band + 1;
            if let Some(likeness) =
                inversion.likeness(done.band).filter(|_| compared != Some(done.band))
            {
                compared = Some(done.band);
                let line = format_args!("band {band}, observed and modelled traces: {likeness}");
                run.face.tell(&line);
            }
            let number = inversion.done(done);
            keep(run, number, done, output.iteration(done, number, model)?)?;
            let _ = counted.one_more();
            let misfit = done.misfits.last().and_then(|of| of.last()).copied();
            run.face.tell(&format_args!(
                "band {band}, iteration {}: misfit {:.4e}",
                done.iterations(),
                misfit.unwrap_or(f64::NAN)
            ));
            writing += wrote.elapsed().as_secs_f64();
            Ok::<_, RunError>(())
        };
        let (model, misfits) =
            inversion.run(run.engines, inputs, earlier.take(), &mut hear, &mut each)?;
        let stepping = began.elapsed().as_secs_f64() - writing;
        let timings = Timings { stepping, ..Timings::default() };
        let updates = 2.0 * inputs.plan.updates() * f64::from(evaluations);
        let (pieces, memory) = (inversion.iterations(), inputs.plan.memory());
        let mut traces = Vec::new();
        if inversion.keys.traces {
            let mut begin = |stage: Stage<'_>| stage.shown(run, all.len());
            for (prefix, model) in [("start-", &inputs.model), ("", &model)] {
                let plan = Plan::new(Setup { model: model.clone(), ..inputs.setup.clone() })?;
                traces.push(ModelledTraces::of(prefix, run.engines, &plan, &mut begin)?);
            }
        }
        self.found = Some(Found { model, misfits, traces });
        Ok(Work { pieces, timings, writing, updates, memory, ..Work::default() })
    }

    fn write(&mut self, results: &Results<'_>) -> Result<(), RunError> {
        let Some(Found { model, misfits, traces }) = &self.found else { return Ok(()) };
        if !traces.is_empty() {
            let (observations, band) = (&self.inversion.observations, self.inversion.last_band());
            let compared = ComparedTraces { observations, band, modelled: traces };
            compared.write(results, &self.job.inputs)?;
        }
        let output = Output { results, start: &self.job.inputs.model };
        Ok(output.last(model, misfits, self.inversion.keys.formats())?)
    }

    fn record(&mut self, made: Made) -> serde_json::Result<String> {
        let mut record = Record::new(self.command(), &self.job, made);
        let misfits = self.found.iter().flat_map(|found| &found.misfits);
        record.misfits = misfits.filter_map(|of| of.last().copied()).collect();
        record.json()
    }

    fn summary(&self, _: &Running<'_>, _: &Work, seconds: f64) -> String {
        let misfits = self.found.iter().flat_map(|found| &found.misfits);
        let fell = misfits.map(|of| match (of.first(), of.last()) {
            (Some(first), Some(last)) if *first > 0.0 => format!("{:.1} %", 100.0 * last / first),
            _ => "nothing".into(),
        });
        format!(
            "in {seconds:.3} s the misfit of each band fell to {} of its first value",
            fell.collect::<Vec<_>>().join(", ")
        )
    }
}

/// Keeps an iteration, counted from 1 over all bands: its model, then the state to go on from.
fn keep(
    run: &Running<'_>,
    number: usize,
    done: &Inverted,
    model: crate::io::journal::Piece,
) -> Result<(), RunError> {
    let state = postcard::to_stdvec(done).map_err(ResultsError::failed)?;
    run.results.folder.sync()?;
    run.checkpoint.add(number - 1, vec![model])?;
    let bytes = Box::new(|| state.clone());
    let part = Part { shots: number - 1..number, ending: "bin", bytes, kept: Value::Null };
    Ok(run.checkpoint.replace_parts(&[part])?)
}
