//! Where a layer reflects: recorded traces are migrated in a model without it, and the image is largest there.

use huygens::{
    conditioning::{
        Mute,
        mute::{self, Muted},
    },
    imaging::Condition,
    ndarray::{Array2, s},
    operations::rtm::{Migration, Stack, scale},
    plan::{Step, Time},
    prelude::*,
};
use std::{error::Error, ops::ControlFlow};

/// Shots into 1500 m/s with other rock from a depth of 400 m on.
fn survey(deep: f32) -> Result<Plan, Box<dyn Error>> {
    let velocity = Array2::from_shape_fn((121, 61), |(_, z)| if z < 40 { 1500.0 } else { deep });
    let model = VelocityModel::new(velocity, 10.0, 10.0)?;
    let at = |x| Axes::xz(x, 20.0);
    let shot = |x| {
        let source = Source::new(at(x), Wavelet::ricker(15.0));
        Shot::new(source, line(at(0.0), at(1200.0), 61))
    };
    let time = Time { step: Step::Seconds(2e-3), ..Time::new(1.0) };
    Ok(Plan::new(Setup { time, ..Setup::new(model, [300.0, 600.0, 900.0].map(shot).into(), 1.0) })?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let (rock, known) = (survey(2000.0)?, survey(1500.0)?);
    let mut shots = shot::run(&Parallel, &rock)?.shots;
    let direct = Mute { velocity: 1500.0, delay: 0.2, taper: 0.05 };
    for (shot, plan) in shots.iter_mut().zip(&rock.shots) {
        let offsets = direct.offsets(plan.asked.sources[0].at, &plan.asked.receivers)?;
        mute::apply(&mut shot.gather, rock.time.interval(), &offsets, direct, Muted::Before)?;
    }
    let (every, mut stack) = (4, Stack::default());
    let migration = Migration::new(&Parallel, &known, every, &[], u64::MAX)?;
    let gather = |shot: usize| Ok::<_, EngineError>(shots[shot].gather.clone().into());
    migration.run(&gather, &mut |_| ControlFlow::Continue(()), &mut |image| {
        stack.add(image);
        Ok(())
    })?;
    let images = stack.sum(&scale(&known, every), &[]).expect("three shots");
    let image = images.image(Condition::CrossCorrelation);
    let column = image.slice(s![0, 60, 20..]);
    let largest = (0..column.len()).max_by(|a, b| column[*a].total_cmp(&column[*b]));
    println!("the image is largest at {} m", 200 + 10 * largest.unwrap_or(0));
    Ok(())
}
