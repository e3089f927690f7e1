//! From the reflectivity to the section.

use super::{ZeroOffsetError, exploding};
use crate::{
    acquisition::{Band, Shot},
    engine::{Engine, EngineError, SnapshotView, Timings},
    model::reflectivity,
    operations::{OnSnapshot, OnStep, shot},
    plan::{Initial, Plan, Setup, Step, Time, Warning},
};
use ndarray::Array2;
use rayon::prelude::*;

/// A simulation of exploding reflectors, and the processing of its traces to a section.
#[derive(Clone, Debug)]
pub struct Forward {
    /// One shot without a source, recorded at every step.
    pub(crate) plan: Plan,
    /// Warnings about waves of the section's band in this grid.
    pub warnings: Vec<Warning>,
    band: Band,
    /// Steps from one sample of the section to the next.
    every: usize,
}

impl Forward {
    /// Seconds of two-way time between samples of the section.
    pub fn interval(&self) -> f64 {
        self.every as f64 * self.plan.time.dt
    }

    /// Samples of a trace of the section.
    pub(crate) fn samples(&self) -> usize {
        self.plan.time.kept().div_ceil(self.every)
    }
}

/// The exploding reflectors of a setup written as for a shot. It uses the setup's model, operator,
/// sides and time, the receivers of its first shot, the band of the first source's wavelet, and its
/// snapshots, at two-way times. Other shots and sources and the top are not used.
///
/// The field at t = 0 is the [`reflectivity`], continued sideways with the model into the absorbing
/// layers, and is at rest. Spikes in depth make frequencies that the grid does not carry; a
/// [`Band`] removes them from the traces, which by linearity equals reflectors that explode with
/// the wavelet of that band. Snapshots have them all.
pub fn forward(setup: Setup) -> Result<Forward, ZeroOffsetError> {
    let setup = exploding(setup)?;
    let source = setup.shots[0].sources.first().cloned().ok_or(ZeroOffsetError::NoWavelet)?;
    // A probe with a source and no receivers gives the time step, the grid with its layers, the
    // samples of the wavelet and the warnings of dispersion, over the longest possible path.
    let probe = Shot::new(source, []);
    let probe = Plan::new(Setup { shots: vec![probe], ..setup.clone() })?;
    let about_the_grid =
        |w: &Warning| matches!(w, Warning::Dispersion { .. } | Warning::Unstable { .. });
    let warnings = probe.warnings().into_iter().filter(about_the_grid).collect();

    let (velocity, density) = (probe.velocities[0].to_array(), probe.medium.densities());
    let now = reflectivity(velocity.view(), density.as_ref().map(|density| density.view()));
    let receivers = setup.shots[0].receivers.clone();
    let time = &probe.time;
    let plan = Plan::new(Setup {
        // Record every step: frequencies that the band removes must not be aliased into it before.
        time: Time {
            duration: time.duration(),
            step: Step::Seconds(time.dt),
            record: None,
            ..setup.time
        },
        shots: vec![Shot { sources: Vec::new(), receivers }],
        // The last step may lie a fraction of a sample before the requested duration.
        snapshots: setup.snapshots.iter().map(|at| at.min(time.duration())).collect(),
        initial: Some(Initial { before: now.clone(), now }),
        ..setup
    })?;
    let wavelet = probe.wavelets.first().map_or(&[][..], |wavelet| &wavelet[..]);
    let band = Band::new(wavelet, plan.time.samples).ok_or(ZeroOffsetError::Silent)?;
    Ok(Forward { plan, warnings, band, every: time.record_every })
}

/// The section: the field at each receiver over two-way time, shape `[receiver][time]`, the first
/// sample at t = 0. Its unit is that of the reflectivity, of which half goes up. `progress`
/// receives the steps done and may stop the run; `heard` receives each snapshot as it comes.
pub fn section(
    engine: &dyn Engine,
    forward: &Forward,
    progress: &mut OnStep<'_>,
    heard: &mut OnSnapshot<'_>,
) -> Result<(Array2<f32>, Timings), EngineError> {
    let mut gather = Array2::zeros((0, 0));
    let mut keep = |_, snapshot: &SnapshotView<'_>| {
        heard(snapshot);
        false
    };
    let timings = shot::model(engine, &forward.plan, progress, &mut keep, &mut |result| {
        gather = result.gather;
        Ok::<_, EngineError>(())
    })?;
    let samples = forward.samples();
    let rows = (0..gather.nrows()).into_par_iter().map(|receiver| {
        let trace = gather.row(receiver);
        // The field is the same at 0 and at -dt, thus symmetric about -dt/2; the mean of a sample
        // and the one before it is that of a field symmetric about 0, which is at rest there.
        let before = trace.first().into_iter().chain(trace);
        let at_rest = trace.iter().zip(before).map(|(p, b)| 0.5 * (f64::from(*p) + f64::from(*b)));
        forward.band.pass(at_rest)
    });
    let rows: Vec<Vec<f64>> = rows.collect();
    let section = Array2::from_shape_fn((rows.len(), samples), |(receiver, sample)| {
        rows[receiver][sample * forward.every] as f32
    });
    Ok((section, timings))
}
