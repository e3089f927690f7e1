//! The gradient of a job's misfit as a run.

use super::{
    ComparedTraces, EstimatedWavelets, ModelledTraces, Observations, Observed, ResidualShots,
    by_slowness, demand, files::Output, live_shots, memory::with_traces,
};
use crate::{
    engine::{DeviceWork, Engine, EngineError},
    imaging::Condition,
    io::journal::Done,
    job::{JobError, JobFile, Varied},
    misfit::Likeness,
    operations::rtm::{Begin, Partial, Stacking, Stage, scale},
    plan::PlanError,
    render::{CurveFigure, GatherFigure, LeastSize},
    results::Results,
    run::{
        Activity, Demand, EarlierWork, Made, Operation, PreparedJob, Record, RunError, Running,
        SavedWork, TaskOutputs, Work, by, counted, on, steps,
    },
};
use serde_json::{Value, json};

/// The gradient of the misfit of a job's shots.
pub struct GradientRun<'a> {
    job: PreparedJob<'a>,
    /// What was observed.
    pub observations: Observations,
    stacking: Stacking,
    /// Those beside the observed ones, if the job asks for them.
    traces: Vec<ModelledTraces>,
}

impl<'a> GradientRun<'a> {
    /// Reads what a job names for its gradient.
    pub(crate) fn prepare(file: &'a JobFile) -> Result<Self, JobError> {
        let mut job = PreparedJob::heard(file)?;
        let observations = file.observations(&mut job.inputs)?;
        Ok(GradientRun::of(job, observations))
    }

    /// The gradient of the misfit to some observations.
    pub fn of(job: PreparedJob<'a>, observations: Observations) -> Self {
        let shapes = Partial::shapes(&job.inputs.plan, &[]);
        let stacking = Stacking::of_residuals(shapes, observations.gradient.per_shot);
        GradientRun { job, observations, stacking, traces: Vec::new() }
    }

    /// The gradient of a job before it runs: its observed traces are checked, if they are there.
    pub(crate) fn check(mut job: PreparedJob<'a>) -> Result<Self, JobError> {
        let (file, inputs) = (job.file, &mut job.inputs);
        let observations = match file.job.invert.is_some() {
            // An inversion checks them, at its own step.
            true => file.unread_observations(inputs)?,
            false => file.check_observations("gradient", inputs)?,
        };
        Ok(GradientRun::of(job, observations))
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
        let GradientRun { job: PreparedJob { inputs, .. }, observations: of, .. } = self;
        let all = 0..inputs.plan.shots.len();
        let wavelets = of.estimated_wavelets(engines, inputs, all, begin)?;
        wavelets.iter().try_for_each(|wavelets| wavelets.apply_to(inputs))?;
        Ok(wavelets)
    }

    fn misfits(&self) -> Vec<f64> {
        self.stacking.stack.misfits().map(|shot| shot.misfit).collect()
    }

    fn tell_likeness(&self, run: &Running<'_>) {
        let likeness: Likeness = self.stacking.stack.misfits().map(|shot| shot.likeness).sum();
        run.face.tell(&format_args!("observed and modelled traces: {likeness}"));
        likeness.warn("gradient.observed", self.observations.gradient.misfit);
    }
}

impl Operation for GradientRun<'_> {
    fn command(&self) -> &'static str {
        "gradient"
    }

    fn job(&self) -> &PreparedJob<'_> {
        &self.job
    }

    fn least_picture(&self) -> LeastSize {
        match self.observations.gradient.estimates_wavelet() {
            true => CurveFigure::LEAST,
            false => GatherFigure::LEAST,
        }
    }

    fn describe(&self) -> Vec<String> {
        let plan = self.plan();
        let what = format!(
            "{}: the gradient of a misfit, {}, {} nodes",
            self.job.file.model_name(),
            counted(plan.shots.len(), "shot"),
            by(plan.survey_grid(), plan.survey_grid().n, ""),
        );
        vec![what, steps(&plan.time)]
    }

    fn demand(&mut self, engines: &[&dyn Engine]) -> Result<Demand, EngineError> {
        let (command, job) = (self.command(), &self.job);
        demand(command, job, &mut self.observations, engines, |of, waves| {
            with_traces(job, of, waves)
        })
    }

    fn resume(&mut self, run: &Running<'_>, earlier: EarlierWork) -> Result<usize, RunError> {
        self.stacking.resume(run, earlier)
    }

    fn work(&mut self, run: &Running<'_>) -> Result<Work, RunError> {
        let GradientRun { job, observations, stacking, traces } = &mut *self;
        let (share, shots) = (run.share.clone(), job.inputs.plan.shots.len());
        if observations.gradient.traces && share != (0..shots) {
            let message = "the traces of a task or a rank are not joined; leave gradient.traces out, or run all shots together";
            return Err(job.file.mistake("gradient.traces", message).into());
        }
        let mut begin = |stage: Stage<'_>| stage.shown(run, shots);
        let estimated =
            observations.estimated_wavelets(run.engines, &job.inputs, share, &mut begin);
        if let Some(wavelets) = estimated? {
            wavelets.take_effect(run, &mut job.inputs)?;
        }
        let (inputs, left) = (&job.inputs, &stacking.left.clone());
        if observations.gradient.traces {
            traces.push(ModelledTraces::of("", run.engines, &inputs.plan, &mut begin)?);
        }
        if left.is_empty() {
            return Ok(Work::default());
        }
        let Observations { gradient: keys, gathers, weights, .. } = &*observations;
        let observed = Observed { gathers, weights: weights.as_deref(), misfit: keys.misfit };
        let live = live_shots(observed.weights, inputs.plan.shots.len());
        let live: Vec<bool> = left.iter().map(|shot| live[*shot]).collect();
        let plan = inputs.plan.part(left).with_sources_of(&live);
        let interval = plan.time.interval();
        let by_sample = |index: usize, modelled| observed.residual(left[index], modelled, interval);
        let (effort, is_apart) = (observations.effort(), keys.per_shot);
        let shots =
            ResidualShots { plan: &plan, numbers: left, by_sample: &by_sample, effort, is_apart };
        let mut shown = None;
        let mut hear = |step: usize, steps: usize| {
            let (devices, shots) = (run.engines.len(), left.len());
            let updates = plan.grid.cells() as f64;
            let activity = Activity::Steps { devices, shots, lap: steps, steps, updates };
            shown.get_or_insert_with(|| run.face.show(activity)).hear(step)
        };
        let done = shots.images(run.engines, &mut hear, &mut |sum| stacking.add(run, sum));
        let devices = done.map_err(|error: RunError| error.with_shots(left))?;
        drop(shown);
        let (pieces, updates) = (left.len(), 2.0 * plan.updates());
        let (timings, memory) = (DeviceWork::total(&devices), inputs.plan.memory());
        self.tell_likeness(run);
        Ok(Work { pieces, devices, timings, updates, memory, ..Work::default() })
    }

    fn save(&mut self, run: &Running<'_>) -> SavedWork {
        self.stacking.save(run)
    }

    fn write(&mut self, results: &Results<'_>) -> Result<(), RunError> {
        let inputs = &self.job.inputs;
        let scale = scale(&inputs.plan, self.observations.every);
        let stacked = self.stacking.sum(&scale, &[]).ok_or(EngineError::Unsound)?;
        let (lit, formats) = (stacked.illumination(), self.observations.gradient.formats());
        let output = Output { results, model: &inputs.setup.model, formats };
        let finished = |values| self.observations.finished(values, &lit, inputs);
        let by_pressure = inputs.plan.illumination_by_pressure(lit.clone());
        output.array("illumination", "Illumination", "illumination", &by_pressure)?;
        let what = match self.observations.gradient.of {
            Varied::Velocity => "velocity, per m/s",
            Varied::Slowness => "relative squared slowness",
        };
        if self.observations.gradient.per_shot {
            for image in self.stacking.stack.partials() {
                let name = format!("shot-{:04}/gradient", image.shots.end);
                let values = finished(by_slowness(image, &scale));
                output.array(&name, "Gradient", &format!("by {what}"), &values)?;
            }
        }
        if !self.traces.is_empty() {
            let (observations, modelled) = (&self.observations, &self.traces[..]);
            ComparedTraces { observations, band: None, modelled }.write(results, inputs)?;
        }
        let values = finished(stacked.image(Condition::CrossCorrelation));
        Ok(output.gradient("gradient", what, &values)?)
    }

    fn merge(&mut self, tasks: &TaskOutputs, results: &Results<'_>) -> Result<Vec<Done>, RunError> {
        self.stacking.take(tasks)?;
        let plan = &self.job.inputs.plan;
        if let Some(wavelets) = self.observations.wavelets_of_tasks(tasks, plan) {
            wavelets.write(plan, results)?;
        }
        self.write(results)?;
        Ok(Vec::new())
    }

    fn record(&mut self, made: Made) -> serde_json::Result<String> {
        let mut record = Record::new(self.command(), &self.job, made);
        record.misfits = self.misfits();
        record.json()
    }

    fn add_to_merged(&self, record: &mut Value) {
        record["misfits"] = json!(self.misfits());
    }

    fn summary(&self, _: &Running<'_>, work: &Work, seconds: f64) -> String {
        let misfits = self.misfits();
        format!(
            "the misfit of {} is {:.4e}; its gradient took {seconds:.3} s{}, {:.3} s of it stepping",
            counted(misfits.len(), "shot"),
            misfits.iter().sum::<f64>(),
            on(work.devices.len()),
            work.timings.stepping
        )
    }
}
