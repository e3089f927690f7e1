//! What a zero-offset run holds of the host's memory.

use super::{Backward, Forward, ZeroOffset};
use crate::{
    acquisition::Recording,
    engine::Engine,
    model::VelocityModel,
    plan::Plan,
    run::{Demand, Stage, of_engine, of_wavelets},
};

/// Bytes of a node of an array in f32, and in f64.
const F32: u64 = 4;
const F64: u64 = 8;

impl Demand {
    /// Of a zero-offset run of a model, whose own velocities are twice those of the run.
    pub(crate) fn of_zero_offset(
        run: &ZeroOffset,
        model: &VelocityModel,
        engine: &dyn Engine,
    ) -> Self {
        match run {
            ZeroOffset::Forward(forward) => Demand::of_section(forward, model, engine),
            ZeroOffset::Backward(back, section) => {
                Demand::of_section_image(back, section, model, engine)
            }
        }
    }

    /// Of making a zero-offset section.
    fn of_section(forward: &Forward, model: &VelocityModel, engine: &dyn Engine) -> Self {
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
        Demand::of("zero-offset", [stepping, filtering])
    }

    /// Of migrating a zero-offset section.
    fn of_section_image(
        back: &Backward,
        section: &Recording,
        model: &VelocityModel,
        engine: &dyn Engine,
    ) -> Self {
        let plan = &back.plan;
        let stepping = of_zero_offset(plan, model)
            .and(&of_engine(engine, plan))
            .with("traces that are sent back", of_wavelets(plan))
            .with("the section", F32 * section.gather.len() as u64)
            .with("the image", 2 * F32 * plan.model_grid.cells() as u64);
        Demand::of("zero-offset", [stepping])
    }
}

/// What a zero-offset run holds at any time: its Plan, and the model at its own velocities.
fn of_zero_offset(plan: &Plan, model: &VelocityModel) -> Stage {
    Stage(plan.own_memory()).with("the model", F32 * model.velocity().len() as u64)
}
