//! Which way a model is wrong: the gradient of a misfit by the velocity, in rock that is faster than the model.

use huygens::{
    misfit::Misfit,
    ndarray::Array2,
    operations::gradient::{Effort, Gradient, Observed, by_velocity},
    plan::{Step, Time},
    prelude::*,
};
use std::{error::Error, ops::ControlFlow};

/// A shot through a model, recorded on its other side.
fn through(model: VelocityModel) -> Result<Plan, Box<dyn Error>> {
    let source = Source::new(Axes::xz(100.0, 400.0), Wavelet::ricker(10.0));
    let receivers = line(Axes::xz(1100.0, 100.0), Axes::xz(1100.0, 700.0), 25);
    let time = Time { step: Step::Seconds(2e-3), ..Time::new(1.0) };
    Ok(Plan::new(Setup { time, ..Setup::new(model, vec![Shot::new(source, receivers)], 1.0) })?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let rock = |velocity| VelocityModel::new(Array2::from_elem((121, 81), velocity), 10.0, 10.0);
    let observed = shot::run(&Parallel, &through(rock(2050.0)?)?)?.shots.remove(0).gather;
    let model = rock(2000.0)?;
    let plan = through(model.clone())?;
    let observed = Observed { gathers: &[observed], weights: None, misfit: Misfit::L2 };
    let effort = Effort { every: 1, memory: None, within: None };
    let go_on = &mut |_, _| ControlFlow::Continue(());
    let mut found = Gradient::of(&[&Parallel], &plan, observed, effort, go_on, None)?;
    by_velocity(&mut found.by_slowness, &model);
    println!("misfit {:e}", found.misfit());
    println!("by the velocity {:e} per m/s", found.by_slowness.sum());
    Ok(())
}
