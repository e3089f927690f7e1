//! All shots of a Plan in memory, with the warnings of the Plan.

use super::{ShotResult, model};
use crate::{
    engine::{Engine, EngineError, Timings},
    plan::{Plan, Warning},
};
use std::ops::ControlFlow;

/// Results of the shots of a Plan, and its warnings.
#[derive(Clone, Debug, PartialEq)]
pub struct Modelled {
    /// In the Plan's order.
    pub shots: Vec<ShotResult>,
    /// Reasons to doubt the results: [`Plan::warnings`].
    pub warnings: Vec<Warning>,
    /// Times, s.
    pub timings: Timings,
}

/// Runs every shot of a Plan and returns all results in memory; [`super::stream`] is for
/// surveys that do not fit there.
pub fn run(engine: &dyn Engine, plan: &Plan) -> Result<Modelled, EngineError> {
    let mut shots = Vec::with_capacity(plan.shots.len());
    let go_on = &mut |_| ControlFlow::Continue(());
    let timings = model(engine, plan, go_on, &mut |_, _| true, &mut |result| {
        shots.push(result);
        Ok::<_, EngineError>(())
    })?;
    Ok(Modelled { shots, warnings: plan.warnings(), timings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Shot, Source, TimeDispersion, Wavelet},
        engine::{Gathers, cpu::Parallel},
        grid::Axes,
        model::VelocityModel,
        plan::Setup,
    };
    use ndarray::{Array2, s};

    #[test]
    fn gathers_are_corrected_and_warnings_come_with_them() {
        let velocity = Array2::from_elem((40, 20), 1500.0);
        let model = VelocityModel::new(velocity, 10.0, 10.0).expect("a model");
        let source = Source::new(Axes::xz(50.0, 50.0), Wavelet::ricker(60.0));
        let shots = vec![Shot::new(source, [Axes::xz(300.0, 50.0)])];
        let mut setup = Setup::new(model, shots, 0.5);
        setup.time.dispersion = TimeDispersion::Corrected;
        let plan = Plan::new(setup).expect("a valid setup");
        let mut recorded = Gathers::new(&plan);
        Parallel.run(&plan, &mut recorded).expect("a stable run");
        let as_recorded = recorded.shots.remove(0);
        let mut corrected = as_recorded.clone();
        plan.correct(&mut corrected);
        let modelled = run(&Parallel, &plan).expect("a stable run");
        assert_eq!(modelled.shots[0].gather, corrected);
        assert_ne!(corrected, as_recorded.slice(s![.., ..plan.time.kept()]));
        let sparse = |warning: &Warning| matches!(warning, Warning::Dispersion { .. });
        assert!(modelled.warnings.iter().any(sparse), "{:?}", modelled.warnings);
    }
}
