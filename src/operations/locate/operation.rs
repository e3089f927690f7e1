//! The location of a recording's sources as a run.

use super::{
    Back, Doubt, Focused, PreparedSearch, Search, Sharpness,
    files::{Events, Found, Movie, Output, Report, Shown, Tried, best_of},
    run_one, scan as scan_models, strength,
};
use crate::{
    engine::{Engine, EngineError, SnapshotView, Timings},
    job::{JobError, JobFile},
    operations::shot::steps_of,
    plan::{Mask, Plan},
    program::PROGRAM,
    render::{FocusFigure, LeastSize, ThreePlaneFigure},
    run::{Activity, Demand, Made, Operation, PreparedJob, RunError, Running, Work},
};

/// The command.
pub(crate) const COMMAND: &str = "locate";
/// The name of the report.
pub(crate) const RECORD: &str = "focus.json";

/// The location of the sources of a recording.
pub struct LocationRun<'a> {
    job: PreparedJob<'a>,
    /// What is sent back.
    pub back: Back,
    /// The search.
    pub search: Search,
    /// Weights of the nodes.
    pub mask: Mask,
    about: Recorded,
    located: Option<Located>,
    report: Option<Report<'a>>,
}

/// What a report says of the recording.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recorded {
    /// Its number, if the file has several.
    pub(crate) number: Option<i64>,
    /// RMS of the recording over that of added noise.
    pub(crate) noise: Option<f64>,
    /// The fraction of receivers left out.
    pub(crate) dropped: Option<f64>,
}

/// The sources, through the best of the models.
struct Located {
    plan: Plan,
    /// The index of the model.
    best: usize,
    tried: Vec<Tried>,
    found: Vec<Found>,
    sharpness: Sharpness,
    timings: Timings,
}

impl<'a> LocationRun<'a> {
    /// Plans the search of a job for the sources of a recording.
    pub fn prepare(file: &'a JobFile, back: Back, about: Recorded) -> Result<Self, JobError> {
        let PreparedSearch { search, mask, first } = PreparedSearch::new(file, &back)?;
        let job = PreparedJob { file, inputs: back.inputs(first) };
        Ok(LocationRun { job, back, search, mask, about, located: None, report: None })
    }

    /// The location of a job's first recording before it runs, and what is to be warned of in each.
    pub(crate) fn check(file: &'a JobFile) -> Result<(Self, Vec<String>), JobError> {
        let (mut first, mut warnings) = (None, Vec::new());
        for back in file.back(&[])? {
            let mut operation = LocationRun::prepare(file, back, Recorded::default())?;
            // Of the loudest trace: faint ones hold anything.
            let (plan, search) = (&mut operation.job.inputs.plan, &operation.search);
            plan.frequency = search.frequency;
            plan.highest = operation.back.recording.highest_hz();
            warnings.extend(operation.warnings());
            first.get_or_insert(operation);
        }
        let nothing = || file.mistake("locate.gather", "the gather has no record");
        first.map(|first| (first, warnings)).ok_or_else(nothing)
    }

    fn tries_several(&self) -> bool {
        self.back.models.len() > 1
    }

    /// Sends the recording through all models; the index of the best, and all times.
    fn scan(&self, run: &Running<'_>) -> Result<(usize, Vec<Tried>, Timings), RunError> {
        let LocationRun { back, search, job: PreparedJob { file, .. }, .. } = self;
        let (first, engine, mut tried) = (self.plan(), run.engines[0], Vec::new());
        let phase = run.face.show(Activity::Doing("phase 1 of 3: sending back through all models"));
        let counted = run.face.show(Activity::Counting("model", back.models.len()));
        let steps = steps_of(run.engines, first)?;
        let updates = first.updates() / steps.max(1) as f64;
        let activity = Activity::Steps { devices: 1, shots: 1, lap: steps, steps, updates };
        let shown = run.face.show(activity);
        let mut hear = |step| shown.hear(step);
        let mut timings = scan_models(engine, first, &mut hear, &mut |model, summary| {
            let (name, through) = &back.models[model];
            let (receivers, condition) = (&back.recording.receivers, search.focus.condition);
            let strength = strength(&summary, through, receivers, condition);
            tried.push(Tried::new(name, first, &summary, strength));
            let _ = counted.one_more();
            Ok::<_, RunError>(())
        })?;
        // The fits have a progress of their own.
        drop((counted, shown, phase));
        let _phase =
            run.face.show(Activity::Doing("phase 2 of 3: fitting a source to the recording"));
        let mut planning =
            Some(run.face.show(Activity::Doing("planning a source through each model")));
        let (best, fitting) = best_of::<RunError>(&mut tried, back, engine, &mut |plan, steps| {
            planning = None;
            let updates = plan.updates() / steps.max(1) as f64;
            let shown =
                run.face.show(Activity::Steps { devices: 1, shots: 1, lap: steps, steps, updates });
            Box::new(move |step| shown.hear(step))
        })?;
        let factors = file.job.scan.as_ref().and_then(|scan| scan.factors);
        let factors = factors.map_or(0, |factors| factors.count);
        warn(&Tried::doubts(&tried, best, factors, back.recording.heard().len()));
        timings += fitting;
        Ok((best, tried, timings))
    }

    /// The report on the sources that were found; `None` before the end of the run.
    pub(crate) fn report(&self) -> Option<&Report<'a>> {
        self.report.as_ref()
    }

    fn make_report(&mut self, made: Made) -> Option<Report<'a>> {
        let Located { plan, best, tried, found, sharpness, timings } = self.located.take()?;
        let LocationRun { job: PreparedJob { file, .. }, back, search, about, .. } = self;
        let recorded = back.recording.duration();
        let models = back.models.len();
        Some(Report {
            program: PROGRAM,
            job: &file.job,
            engine: made.engine,
            record: about.number,
            model: back.models[best].0.clone(),
            best: (models > 1).then_some(best),
            placement: *back.models[best].1.placement(),
            receivers: back.recording.receivers.len(),
            recording: back.scale,
            differentiated: back.differentiated,
            noise: about.noise,
            dropped: about.dropped,
            found,
            sharpness,
            frequency: search.frequency,
            focus: *plan.focus()?,
            mask: search.mask,
            recorded,
            recorded_per_second: recorded * models as f64 / timings.stepping.max(1e-9),
            timings,
            shares: made.shares,
            retried: made.retried,
            tried,
            files: made.files,
            inputs: back.files.iter().cloned().collect(),
        })
    }
}

impl Operation for LocationRun<'_> {
    fn command(&self) -> &'static str {
        COMMAND
    }

    fn record_name(&self) -> &'static str {
        RECORD
    }

    fn sends_back(&self) -> bool {
        false
    }

    fn job(&self) -> &PreparedJob<'_> {
        &self.job
    }

    /// All models at once.
    fn pieces(&self) -> usize {
        1
    }

    fn can_resume(&self) -> bool {
        false
    }

    fn least_picture(&self) -> LeastSize {
        match self.plan().grid.is_volume() {
            true => ThreePlaneFigure::LEAST,
            false => FocusFigure::LEAST,
        }
    }

    fn describe(&self) -> Vec<String> {
        Vec::new()
    }

    fn warnings(&self) -> Vec<String> {
        let doubts = self.search.doubts_before(self.plan(), &self.back);
        doubts.iter().map(ToString::to_string).collect()
    }

    fn demand(&mut self, engines: &[&dyn Engine]) -> Result<Demand, EngineError> {
        Ok(self.demand_of(engines[0]))
    }

    fn work(&mut self, run: &Running<'_>) -> Result<Work, RunError> {
        let (results, engine) = (run.results, run.engines[0]);
        let LocationRun { job, back, search, mask, .. } = &*self;
        let (file, first) = (job.file, &job.inputs.plan);
        let mut movie = Movie::new(file, back, first, &search.frames, results.size, run.at)?;
        let (best, tried, scanned) = match self.tries_several() {
            true => self.scan(run).map(|(best, tried, timings)| (best, tried, Some(timings)))?,
            false => (0, Vec::new(), None),
        };
        // Only the best, with pictures.
        let plan = match scanned {
            Some(_) => search.plan(back.setup_of(best, file), back)?,
            None => first.clone(),
        };
        movie.is_of(&plan);
        let last = scanned
            .map(|_| run.face.show(Activity::Doing("phase 3 of 3: drawing the best model's map")));
        let shown = run.face.show(Activity::of_run(&plan, steps_of(run.engines, &plan)?));
        let mut hear = |step| shown.hear(step);
        let mut keep = |snapshot: &SnapshotView<'_>| movie.hear(snapshot);
        let (focused, alone) = run_one(engine, &plan, &mut hear, &mut keep)?;
        drop((shown, last));
        let timings = scanned.unwrap_or(alone);
        let (peaks, sharpness) = search.found(&plan, mask, &focused);
        let mut doubts = search.doubts(&plan, back, &peaks, &sharpness);
        if let Some(nothing) = doubts.pop_if(|doubt| doubt.is_of_nothing()) {
            return Err(RunError::failed(nothing));
        }
        warn(&doubts);

        let model = &back.models[best].1;
        let own = file.model_name();
        let name = if tried.is_empty() { &own } else { &back.models[best].0 };
        let focused = Focused { map: focused.map.weighed(mask), ..focused };
        let shown = Shown { name, plan: &plan, model, back, peaks: &peaks };
        let output = Output { results, shown };
        let writing = tracing::info_span!(target: "timeline", "writing files").entered();
        output.write(&focused, search.focus.condition, &tried, best)?;
        output.movie(movie)?;
        let placed = |peak| Found::new(&plan, peak, model.placement(), back.began);
        let mut found: Vec<_> = peaks.iter().map(placed).collect();
        if let Some(projection) = file.projection()? {
            found.iter_mut().for_each(|source| source.map.take_degrees(&projection));
        }
        let volume = plan.model_grid.is_volume();
        Events { record: back.record, model: name, found: &found, volume }.write(results)?;
        drop(writing);
        self.located = Some(Located { plan, best, tried, found, sharpness, timings });
        Ok(Work { pieces: 1, timings, ..Work::default() })
    }

    fn record(&mut self, made: Made) -> serde_json::Result<String> {
        self.report = self.make_report(made);
        serde_json::to_string_pretty(&self.report)
    }

    fn summary(&self, _: &Running<'_>, _: &Work, _: f64) -> String {
        String::new()
    }
}

fn warn(doubts: &[Doubt]) {
    doubts.iter().for_each(|doubt| tracing::warn!("{doubt}"));
}
