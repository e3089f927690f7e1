//! The gradient of a job's misfit as a run.

use super::{
    Compared, Observations, Observed, ResidualShots, by_slowness, files::Output, live_shots,
};
use crate::{
    engine::{DeviceWork, Engine, EngineError},
    imaging::Condition,
    io::journal::Done,
    job::{Inputs, JobError, JobFile, Varied},
    misfit::Likeness,
    operations::{
        rtm::{Partial, scale},
        stacking::Stacking,
    },
    plan::Plan,
    render::GatherFigure,
    results::Results,
    run::{
        Activity, Demand, Kept, Made, Operation, Record, RunError, Running, Taken, TaskOutputs,
        Work, by, counted, on, steps,
    },
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

/// The gradient of the misfit of a job's shots.
pub struct GradientRun<'a> {
    file: &'a JobFile,
    inputs: Inputs,
    observations: Observations,
    stacking: Stacking,
    left: Vec<usize>,
}

/// How the traces of a shot compare.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct ShotMisfit {
    misfit: f64,
    likeness: Likeness,
}

impl<'a> GradientRun<'a> {
    /// Reads what a job names for its gradient.
    ///
    /// # Errors
    ///
    /// A mistake in the job or in its files.
    pub fn prepare(file: &'a JobFile) -> Result<Self, JobError> {
        let mut inputs = file.inputs()?;
        file.check_heard(&inputs.plan)?;
        let observations = file.observations(&mut inputs)?;
        let shapes = Partial::shapes(&inputs.plan, &[]);
        let stacking = Stacking::noted(shapes, observations.gradient.per_shot);
        Ok(GradientRun { file, inputs, observations, stacking, left: Vec::new() })
    }

    /// How the traces of the shots so far compare, in their order.
    fn compared(&self) -> Vec<ShotMisfit> {
        let notes = self.stacking.notes().values();
        notes.filter_map(|note| serde_json::from_value(note.clone()).ok()).collect()
    }

    fn misfits(&self) -> Vec<f64> {
        self.compared().iter().map(|shot| shot.misfit).collect()
    }

    fn tell_likeness(&self, run: &Running<'_>) {
        let likeness: Likeness = self.compared().into_iter().map(|shot| shot.likeness).sum();
        run.face.tell(&format_args!("observed and modelled traces: {likeness}"));
        likeness.warn("gradient.observed", self.observations.gradient.misfit);
    }
}

impl<'a> Operation<'a> for GradientRun<'a> {
    const COMMAND: &'static str = "gradient";

    fn file(&self) -> &'a JobFile {
        self.file
    }

    fn plan(&self) -> &Plan {
        &self.inputs.plan
    }

    fn files(&self) -> &[(String, String)] {
        &self.inputs.files
    }

    fn least_picture(&self) -> (u32, u32) {
        GatherFigure::LEAST
    }

    fn describe(&self) -> Vec<String> {
        let plan = &self.inputs.plan;
        let what = format!(
            "{}: the gradient of a misfit, {}, {} nodes",
            self.file.model_name(),
            counted(plan.shots.len(), "shot"),
            by(&plan.model_grid, plan.model_grid.n, ""),
        );
        vec![what, steps(&plan.time)]
    }

    fn warnings(&self) -> Vec<String> {
        let warnings = self.file.warnings(&self.inputs).into_iter();
        warnings.map(|warning| warning.to_string()).collect()
    }

    fn demand(&mut self, engines: &[&dyn Engine]) -> Result<Demand, EngineError> {
        let compared = Compared::with(&self.observations);
        let (demand, within) =
            Demand::of_gradient(self.file, &self.inputs, compared, engines[0], engines.len())?;
        self.observations.within = within;
        Ok(demand)
    }

    fn resume(&mut self, run: &Running<'_>, taken: Taken) -> Result<usize, RunError> {
        let done = self.stacking.resume(run, taken)?;
        self.left = self.stacking.left(&run.share);
        Ok(done)
    }

    fn work(&mut self, run: &Running<'_>) -> Result<Work, RunError> {
        let GradientRun { inputs, observations, stacking, left, .. } = &mut *self;
        if left.is_empty() {
            return Ok(Work::default());
        }
        let Observations { gradient: keys, gathers, weights, .. } = &*observations;
        let observed = Observed { gathers, weights: weights.as_deref(), misfit: keys.misfit };
        let live = live_shots(observed.weights, inputs.plan.shots.len());
        let live: Vec<bool> = left.iter().map(|shot| live[*shot]).collect();
        let plan = inputs.plan.part(left).with_sources_of(&live);
        let (interval, misfits) = (plan.time.interval(), Mutex::new(BTreeMap::new()));
        let by_sample = |index: usize, modelled: Array2<f32>| {
            let shot = left[index];
            let likeness = observed.likeness(shot, &modelled);
            let (misfit, residual) = observed.residual(shot, modelled, interval);
            let mut misfits = misfits.lock().unwrap_or_else(PoisonError::into_inner);
            misfits.insert(shot, ShotMisfit { misfit, likeness });
            (misfit, residual)
        };
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
        let done = shots.images(run.engines, &mut hear, &mut |partial: Partial| {
            let misfits = misfits.lock().unwrap_or_else(PoisonError::into_inner);
            for (shot, misfit) in misfits.range(partial.shots.clone()) {
                stacking.note(*shot, json!(misfit));
            }
            drop(misfits);
            stacking.add(run, partial)
        });
        let devices = done.map_err(|error: RunError| error.with_shots(left))?;
        drop(shown);
        let (pieces, updates) = (left.len(), 2.0 * plan.updates());
        let (timings, memory) = (DeviceWork::total(&devices), inputs.plan.memory());
        self.tell_likeness(run);
        Ok(Work { pieces, devices, timings, updates, memory, ..Work::default() })
    }

    fn save(&mut self, run: &Running<'_>) -> Kept {
        self.stacking.save(run)
    }

    fn write(&mut self, results: &Results<'_>) -> Result<(), RunError> {
        let scale = scale(&self.inputs.plan, self.observations.every);
        let stacked = self.stacking.sum(&scale, &[]).ok_or(EngineError::Unsound)?;
        let (lit, output) =
            (stacked.illumination(), Output { results, model: &self.inputs.setup.model });
        let finished = |values| self.observations.finished(values, &lit, &self.inputs);
        output.array("illumination", &lit)?;
        if self.observations.gradient.per_shot {
            for image in self.stacking.stack.partials() {
                let name = format!("shot-{:04}/gradient", image.shots.end);
                output.array(&name, &finished(by_slowness(image, &scale)))?;
            }
        }
        let what = match self.observations.gradient.of {
            Varied::Velocity => "velocity, per m/s",
            Varied::Slowness => "relative squared slowness",
        };
        let values = finished(stacked.image(Condition::CrossCorrelation));
        Ok(output.gradient("gradient", what, &values)?)
    }

    fn merge(&mut self, tasks: &TaskOutputs, results: &Results<'_>) -> Result<Vec<Done>, RunError> {
        self.stacking.take(tasks)?;
        self.write(results)?;
        Ok(Vec::new())
    }

    fn record(&self, made: Made) -> serde_json::Result<String> {
        let mut record = Record::new(Self::COMMAND, &self.file.job, &self.inputs, made);
        record.misfits = self.misfits();
        record.json()
    }

    fn add_to_merged(&self, record: &mut Value) {
        record["misfits"] = json!(self.misfits());
    }

    fn summary(&self, _: &Running<'_>, work: &Work, seconds: f64) -> String {
        let misfits = self.misfits();
        format!(
            "the misfit of {} is {:.4e}; its gradient took {seconds:.3} s{}, {:.3} s of them stepping",
            counted(misfits.len(), "shot"),
            misfits.iter().sum::<f64>(),
            on(work.devices.len()),
            work.timings.stepping
        )
    }
}
