//! What commands hold that run one simulation: locating sources, and zero-offset sections.

use super::{
    Demand, JobCommand,
    stages::{Stage, of_engine},
};
use crate::{
    acquisition::{Recording, Wavelet},
    engine::Engine,
    job::JobFile,
    model::VelocityModel,
    operations::{
        locate::Back,
        rtm::is_on_host,
        zero_offset::{Backward, Forward, ZeroOffset},
    },
    plan::{Condition, Plan, QUARTERS},
};
use std::collections::HashSet;

/// Bytes of a node of an array in f32.
const F32: u64 = 4;
const F64: u64 = 8;

impl Demand {
    /// Of locating the sources of a recording with the Plan that sends it back, through all models or
    /// one.
    pub fn of_locate(file: &JobFile, back: &Back, plan: &Plan, engine: &dyn Engine) -> Self {
        let cells = plan.model_grid.cells() as u64;
        let at_once = engine.batch(plan).unwrap_or(1).min(plan.shots.len());
        let batch = plan.batch(0..at_once);
        let sets = (at_once / plan.set_size().max(1)).max(1) as u64;
        let snapshots = (file.job.output.snapshots.len() * plan.set_size()) as u64;
        let base = Stage(plan.own_memory())
            .with("the recording", F32 * back.recording.gather.len() as u64)
            .with("traces that are sent back", of_wavelets(plan))
            .with("weights of the nodes", F32 * cells);
        // The largest value at each node, and its step.
        let maps = (F32 + F32) * cells * sets;
        let stepping = base
            .clone()
            .and(&of_engine(engine, &batch))
            .with("maps of the focus", maps + F32 * cells * sets * of_a_map(plan, engine))
            .with("snapshots", F32 * cells * snapshots);
        let kept = if file.job.output.pictures.unwrap_or(true) { 2 } else { 1 };
        let writing = base
            .with("maps of the focus", maps + F32 * cells)
            .with("snapshots", F32 * cells * snapshots * kept);
        Demand::of(JobCommand::Locate, [stepping, writing])
    }

    /// Of a zero-offset run of a model, whose own velocities are twice those of the run.
    pub fn of_zero_offset(run: &ZeroOffset, model: &VelocityModel, engine: &dyn Engine) -> Self {
        match run {
            ZeroOffset::Forward(forward) => Demand::of_section(forward, model, engine),
            ZeroOffset::Backward(back, section) => {
                Demand::of_section_image(back, section, (model, engine))
            }
        }
    }

    /// Of making a zero-offset section.
    pub fn of_section(forward: &Forward, model: &VelocityModel, engine: &dyn Engine) -> Self {
        let plan = &forward.plan;
        let (traces, cells) = (plan.most_receivers() as u64, plan.model_grid.cells() as u64);
        let (steps, samples) = (plan.time.kept() as u64, forward.samples() as u64);
        let base = of_zero_offset(plan, model);
        let stepping = base
            .clone()
            .and(&of_engine(engine, plan))
            .with("traces of every step", F32 * traces * steps);
        let filtering = base
            .with("traces of every step", (F32 + F64) * traces * steps)
            .with("the section", F32 * traces * samples)
            .with("the reflectivity", F32 * cells);
        Demand::of(JobCommand::ZeroOffset, [stepping, filtering])
    }

    /// Of migrating a zero-offset section.
    pub fn of_section_image(
        back: &Backward,
        section: &Recording,
        (model, engine): (&VelocityModel, &dyn Engine),
    ) -> Self {
        let plan = &back.plan;
        let stepping = of_zero_offset(plan, model)
            .and(&of_engine(engine, plan))
            .with("traces that are sent back", of_wavelets(plan))
            .with("the section", F32 * section.gather.len() as u64)
            .with("the image", 2 * F32 * plan.model_grid.cells() as u64);
        Demand::of(JobCommand::ZeroOffset, [stepping])
    }
}

/// What a zero-offset run holds at any time: its Plan, and the model at its own velocities.
fn of_zero_offset(plan: &Plan, model: &VelocityModel) -> Stage {
    Stage(plan.own_memory()).with("the model", F32 * model.velocity().len() as u64)
}

/// Values beside the largest and its step that an engine in the host's memory keeps at a node of a
/// map: the product of the groups, and the sums of a window.
fn of_a_map(plan: &Plan, engine: &dyn Engine) -> u64 {
    let Some(focus) = plan.focus().filter(|_| is_on_host(engine)) else { return 0 };
    let window = match focus.condition {
        Condition::Amplitude => 0,
        Condition::Energy { .. } => QUARTERS as u64,
    };
    u64::from(focus.groups > 1) + window
}

/// Bytes of the samples that sources were given, shared ones once.
fn of_wavelets(plan: &Plan) -> u64 {
    let mut seen = HashSet::new();
    let sources = plan.shots.iter().flat_map(|shot| &shot.asked.sources);
    let samples = sources.map(|source| match &source.wavelet {
        Wavelet::Sampled(of) if seen.insert(of.values.as_ptr()) => of.values.len() as u64,
        _ => 0,
    });
    F64 * samples.sum::<u64>()
}
