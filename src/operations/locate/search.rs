//! The search for sources, and its Plans.

use super::{self as locate, Back, Focused, Peak, Sharpness};
use crate::{
    acquisition::SourceKind,
    job::{ConditionName, Job, JobError, JobFile},
    model::VelocityModel,
    plan::{self, Focus, Mask, Plan, PlanError, Setup},
};

/// Most sources of a search.
const MOST_SOURCES: usize = 10_000;

/// A search for sources.
pub struct Search {
    /// The condition at each node.
    pub(crate) focus: Focus,
    /// Nodes nearer to a receiver than this are excluded, metres.
    pub(crate) mask: f64,
    /// The least distance of two sources, metres.
    pub(crate) apart: f64,
    /// How many sources are looked for.
    pub(crate) sources: usize,
    /// Dominant frequency of the recording, Hz.
    pub frequency: f64,
    /// Its wavelength in the slowest rock, m.
    pub(crate) wavelength: f64,
    /// Times of the recording for the frames of a movie, s.
    pub(crate) frames: Vec<f64>,
}

/// A search that is ready to run.
pub(crate) struct PreparedSearch {
    /// The search.
    pub(crate) search: Search,
    /// Weights of the nodes.
    pub(crate) mask: Mask,
    /// The Plan through all models of a scan, or the only one.
    pub(crate) first: Plan,
}

impl PreparedSearch {
    /// The search of a job and a recording. Unless it is forced, returns an error for one from which
    /// nothing can be learned.
    pub(crate) fn new(file: &JobFile, back: &Back) -> Result<Self, JobError> {
        let search = Search::new(file, back)?;
        let mask = search.weighed_mask(back);
        let first = search.first(file, back, &mask)?;
        let frames = first.time.steps_at(&back.recording.back_at(&search.frames));
        if first.grid.is_volume() && !frames.is_empty() {
            file.slices(&first.model_grid)?;
        }
        file.check_frames(&frames, back.recording.duration())?;
        search.check(&mask)?;
        if !file.forced {
            search.check_hopeless(&first, back)?;
        }
        Ok(PreparedSearch { search, mask, first })
    }
}

impl JobFile {
    /// True if the job has no shots and a gather to send back.
    pub(crate) fn is_to_locate(&self) -> bool {
        let Job { sources, shots, survey, locate, gather, .. } = &self.job;
        let shoots = !(sources.is_empty() && shots.is_empty() && survey.is_none());
        let names_it = locate.as_ref().is_some_and(|locate| locate.gather.is_some());
        // Without shots, what is to be migrated lacks them.
        let may_be = self.recorded_name().is_none() && (locate.is_some() || gather.is_some());
        !shoots && self.supplied.shots.is_none() && (names_it || may_be)
    }
}

impl Search {
    /// The search of a job and the recording that it names.
    pub(crate) fn new(file: &JobFile, back: &Back) -> Result<Self, JobError> {
        let wanted = file.locate();
        let refused = |key: &str, message: String| file.mistake(&format!("locate.{key}"), message);
        let distance = |key: &str, value: Option<f64>, otherwise: f64| match value {
            Some(value) if !(value.is_finite() && value >= 0.0) => {
                Err(refused(key, format!("{value} m is no distance; give 0 or more")))
            }
            value => Ok(value.unwrap_or(otherwise)),
        };
        let frequency = back.recording.dominant_hz();
        let slowest = back.setup.model.range().0;
        let wavelength = f64::from(slowest) / frequency.max(1e-9);
        let sources = wanted.sources.unwrap_or(1);
        if !(1..=MOST_SOURCES).contains(&sources) {
            let message = format!("{sources} sources are not looked for; give 1 to {MOST_SOURCES}");
            return Err(refused("sources", message));
        }
        Ok(Search {
            focus: Focus {
                // Known once the time step is.
                every: 1,
                groups: wanted.groups.unwrap_or(1),
                condition: match wanted.condition {
                    ConditionName::Amplitude => plan::Condition::Amplitude,
                    ConditionName::Energy => plan::Condition::Energy { quarter: 1 },
                },
            },
            mask: distance("mask", wanted.mask, wavelength)?,
            apart: distance("apart", wanted.apart, 2.0 * wavelength)?,
            sources,
            frequency,
            wavelength,
            frames: file.frames(back.recording.duration())?,
        })
    }

    /// A mask that leaves out nodes near receivers, and weights the others by their illumination.
    pub(crate) fn weighed_mask(&self, back: &Back) -> Mask {
        let (grid, receivers) = (back.setup.model.grid(), &back.recording.receivers);
        let mut weights = locate::weights(grid, receivers, self.focus.groups, self.wavelength);
        if let plan::Condition::Energy { .. } = self.focus.condition {
            weights.mapv_inplace(|weight| weight * weight);
        }
        Mask::new(grid, receivers, self.mask).weighed(&weights)
    }

    /// The Plan that a search begins with: through all models or, of one, that of its map.
    fn first(&self, file: &JobFile, back: &Back, mask: &Mask) -> Result<Plan, JobError> {
        match back.models.len() > 1 {
            true => self.scan(back, mask),
            false => self.plan(back.setup_of(0, file), back),
        }
    }

    /// The Plan that sends the recording back through all models at once, and returns only
    /// summaries of the maps.
    pub(crate) fn scan(&self, back: &Back, mask: &Mask) -> Result<Plan, JobError> {
        let plan = self.backward(back.through(0), back, &back.others())?;
        let focus = self.focus_of(&plan);
        Ok(plan.summarised(focus, mask.clone()))
    }

    /// The Plan that sends it back through a setup's model.
    pub(crate) fn plan(&self, setup: Setup, back: &Back) -> Result<Plan, JobError> {
        let plan = self.backward(setup, back, &[])?;
        let focus = self.focus_of(&plan);
        Ok(plan.focused(focus))
    }

    fn backward(
        &self,
        setup: Setup,
        back: &Back,
        others: &[VelocityModel],
    ) -> Result<Plan, JobError> {
        let (recording, groups) = (&back.recording, self.focus.groups);
        let mut wanted = setup.snapshots.clone();
        if others.is_empty() {
            wanted.extend(&self.frames);
        }
        let mut setup = setup
            .time_reversed(recording, groups, SourceKind::Monopole, 1.0)
            .map_err(JobError::other)?;
        // The time of a snapshot is that of the recording.
        setup.snapshots = recording.back_at(&wanted);
        let plan = Plan::scan(setup, others).map_err(|error| match error {
            PlanError::Source { shot, source_index, error } => {
                self.of_trace(back, shot, source_index, &error)
            }
            PlanError::Wavelet { shot, source_index, error } => {
                self.of_trace(back, shot, source_index, &error.of_trace())
            }
            PlanError::Amplitude { shot, source_index, peak, limit, .. } => {
                let error = format!(
                    "it makes a field of {peak:.1e}; 32-bit numbers hold fields up to {limit:e}"
                );
                self.of_trace(back, shot, source_index, &error)
            }
            PlanError::Scan { model, given, expected } => JobError::other(format!(
                "{} has the nodes and spacing {given}, but {} has {expected}, and all models of \
                 a scan lie on one grid; put the model on other nodes first with `huygens model \
                 convert --spacing`, or leave it out",
                back.models[model].0, back.models[0].0
            )),
            error => JobError::other(error),
        })?;
        // Groups are compared.
        Ok(plan.in_one_unit())
    }

    /// The error of a source that sends a trace back, at that trace.
    fn of_trace(
        &self,
        back: &Back,
        shot: usize,
        source: usize,
        error: &dyn std::fmt::Display,
    ) -> JobError {
        let recording = &back.recording;
        let trace = recording.trace_of(shot, source, self.focus.groups).unwrap_or(source);
        let Some(at) = recording.receivers.get(trace) else {
            return JobError::other(error.to_string());
        };
        let y = if back.setup.model.grid().is_volume() {
            format!(", y {}", at.y)
        } else {
            String::new()
        };
        JobError::other(format!(
            "trace {} of the gather, whose receiver is at x {}{y}, z {} m: {error}",
            trace + 1,
            at.x,
            at.z
        ))
    }

    /// The focus of the search, by the steps of a Plan.
    fn focus_of(&self, plan: &Plan) -> Focus {
        let every = Focus::every(plan.time.dt, self.frequency);
        let condition = match self.focus.condition {
            plan::Condition::Amplitude => plan::Condition::Amplitude,
            plan::Condition::Energy { .. } => Focus::energy(plan.time.dt, self.frequency, every),
        };
        Focus { every, condition, ..self.focus }
    }

    /// The peaks of a map, and its sharpness.
    pub fn found(&self, plan: &Plan, mask: &Mask, focused: &Focused) -> (Vec<Peak>, Sharpness) {
        let grid = &plan.model_grid;
        let peaks = locate::peaks(&focused.map, grid, mask, self.sources, self.apart);
        (peaks, Sharpness::of(&focused.map.summary(mask)))
    }
}
