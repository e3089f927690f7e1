//! Migrations and gradients, against those that the oracle's waves give.

use crate::{
    common,
    trial::{
        FIELD, Results, Stop, differs, error, flat, largest_difference, peak, results, rounding,
        worse,
    },
};
use huygens::{
    engine::{Engine, EngineError, Gathers, Image, Run, cpu::Reference, share::Share},
    misfit::Misfit,
    operations::gradient::{Effort, Gradient, Observed},
    plan::{Imaging, Plan},
};
use ndarray::{Array2, Array3};
use std::{ops::ControlFlow, sync::Arc};

/// The largest error of an image, in the mean square: it is made of differences of fields in time, which lose
/// digits in short steps.
const IMAGE: f64 = 2e-3;

/// The largest value of a wave during a run of the oracle, and the largest change in a step.
#[derive(Default)]
struct Size {
    field: f64,
    step: f64,
}

impl Size {
    /// Sees a run after each step.
    fn see(
        &mut self,
        plan: &Plan,
    ) -> impl FnMut(&mut dyn Run) -> Result<(), EngineError> + use<'_> {
        let mut before: Vec<_> =
            plan.shots.iter().map(|_| Array3::zeros(plan.grid.shape())).collect();
        move |run| {
            for (shot, before) in before.iter_mut().enumerate() {
                let now = run.field(shot)?;
                self.step = worse(self.step, peak(&(&now - &*before)));
                self.field = worse(self.field, peak(&now));
                *before = now;
            }
            Ok(())
        }
    }
}

/// What a migration gives, and how large the oracle's waves are, forward and back.
struct Imaged {
    images: Vec<Image>,
    illuminations: Vec<Image>,
    forward: Size,
    back: Size,
}

impl Imaged {
    /// Of the oracle: `traces` makes those that are sent back of those that the receivers record.
    fn expected(
        plan: &Plan,
        imaging: Imaging,
        traces: impl FnOnce(Gathers) -> Vec<Array2<f32>>,
    ) -> Result<Self, Stop> {
        let each = vec![1; plan.time.steps];
        let (mut ahead, mut back) = (Size::default(), Size::default());
        let forward = Arc::new(plan.with_traces(plan.stored(imaging)));
        let run = Reference.start(forward.clone())?;
        let Some(wave) = run.source_wavefield() else { return differs("no source wavefield") };
        let recorded = results(run, &forward, &each, ahead.see(&forward))?.gathers;
        let Some(sent) = plan.sent_back(&traces(recorded), imaging) else {
            return differs("traces of its receivers are refused");
        };
        let sent = Arc::new(sent);
        let run = Reference.start_with(sent.clone(), &wave)?;
        let Results { images, illuminations, .. } = results(run, &sent, &each, back.see(&sent))?;
        Ok(Imaged { images, illuminations, forward: ahead, back })
    }

    /// The largest error that rounding both waves leaves in an image of `looks` products.
    fn bar(&self, plan: &Plan, looks: usize) -> f64 {
        let Imaged { forward: p, back: b, .. } = self;
        FIELD * rounding(plan) * looks as f64 * (p.field * b.step + p.step * b.field)
    }
}

/// Random traces sent back, correlated with the wave of the sources.
pub fn imaged(
    engine: &dyn Engine,
    plans: [&Plan; 2],
    every: usize,
    seed: u64,
) -> Result<f64, Stop> {
    let steps = plans[0].time.steps;
    let imaging = Imaging { every, slots: steps / every + 1 };
    let mut number = common::random(seed ^ 1);
    let traces: Vec<_> = plans[0]
        .shots
        .iter()
        .map(|shot| (shot.receivers.len(), plans[0].time.samples))
        .map(|shape| Array2::from_shape_simple_fn(shape, || number() as f32 - 0.5))
        .collect();
    let forward = Arc::new(plans[0].stored(imaging));
    let Some(back) = plans[0].sent_back(&traces, imaging) else {
        return differs("traces of its receivers are refused");
    };
    let back = Arc::new(back);
    let alike = engine.alike(&[Share::whole(&forward), Share::whole(&back)])?;
    let engine = alike.as_deref().unwrap_or(engine);
    let mut run = engine.start(forward)?;
    run.advance(steps, &mut ())?;
    run.finish(&mut ())?;
    let Some(wave) = run.source_wavefield() else { return differs("no source wavefield") };
    let run = engine.start_with(back.clone(), &wave)?;
    let ours = results(run, &back, &[steps], |_| Ok(()))?;

    let oracle = Imaged::expected(plans[1], imaging, |_| traces)?;
    let (looks, p) = (imaging.slots, &oracle.forward);
    let lit = FIELD * rounding(plans[0]) * looks as f64 * 2.0 * p.field * p.step;
    let bars = [
        (&ours.images, &oracle.images, oracle.bar(plans[0], looks)),
        (&ours.illuminations, &oracle.illuminations, lit),
    ];
    let mut worst = 0.0;
    for (ours, oracle, bar) in bars {
        if ours.len() != oracle.len() {
            return differs("another number of images");
        }
        for (a, b) in ours.iter().zip(oracle) {
            worst = worse(worst, of_bars(flat(&a.values), flat(&b.values), bar));
        }
    }
    Ok(worst)
}

/// The gradient of a misfit, as a workflow makes it, and as the oracle's waves alone do.
pub fn gradient(
    engine: &dyn Engine,
    plans: [&Plan; 2],
    memory: u64,
    seed: u64,
) -> Result<f64, Stop> {
    let (plan, mut number) = (plans[1], common::random(seed ^ 2));
    let shape = |shot: usize| (plan.shots[shot].receivers.len(), plan.time.kept());
    let gathers: Vec<_> = (0..plan.shots.len())
        .map(|shot| Array2::from_shape_simple_fn(shape(shot), || number() as f32 - 0.5))
        .collect();
    let observed = Observed { gathers: &gathers, weights: None, misfit: Misfit::L2 };
    let mut go_on = |_, _| ControlFlow::Continue(());
    let effort = Effort { every: 1, memory: Some(memory), within: None };
    let ours = Gradient::of(&[engine], plans[0], observed, effort, &mut go_on, None)?;

    let imaging = Imaging { every: 1, slots: plan.time.steps + 1 };
    let mut misfit = 0.0;
    let oracle = Imaged::expected(plan, imaging, |recorded| {
        let each = recorded.shots.into_iter().enumerate().map(|(shot, mut gather)| {
            plan.correct(&mut gather);
            let (of_shot, residual) = observed.residual(shot, gather, plan.time.interval());
            let mut residual = residual.values;
            plan.correct_adjoint(&mut residual);
            misfit += of_shot.misfit;
            residual
        });
        each.collect()
    })?;
    let scale = plan.image_scale();
    let none = Array3::zeros(plan.model_grid.shape());
    let sum = oracle.images.iter().fold(none, |all, of| all + of.values.mapv(f64::from));
    let [a, b] = [ours.by_slowness.clone(), sum * &scale].map(|of| of.mapv(|v| v as f32));
    let largest = scale.iter().fold(0.0, |most, v| worse(most, v.abs()));
    let bar = oracle.bar(plan, imaging.slots) * largest * plan.shots.len() as f64;
    let misfit = (ours.misfit() - misfit).abs() / misfit / IMAGE;
    Ok(worse(misfit, of_bars(flat(&a), flat(&b), bar)))
}

/// The error of an image: relative, of [`IMAGE`], unless it is so weak that rounding is more.
fn of_bars(a: &[f32], b: &[f32], bar: f64) -> f64 {
    let (relative, most) = (error(a, b) / IMAGE, largest_difference(a, b));
    if most <= bar { relative.min(most / bar) } else { relative }
}
