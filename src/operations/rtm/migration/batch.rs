//! Shots that are migrated together: their waves, and the runs of these.

use super::{Migration, Pairs, ShotMisfit, SourceWave, stack, traces, units};
use crate::{
    engine::{EngineError, Gathers, OnHost, Run},
    plan::{Plan, Summed},
    single::Single,
};
use ndarray::Ix2;
use rayon::prelude::*;
use std::{ops::Range, sync::Arc};

/// Shots that are migrated together.
pub(super) struct Batch {
    pub(crate) shots: Range<usize>,
    pub(crate) forward: Arc<Plan>,
    /// The wave that scatters from it, if there is a perturbation.
    pub(crate) scattered: Option<Arc<Plan>>,
    /// `None` until the source wave has the residuals that are sent back.
    pub(crate) back: Option<Back>,
}

impl Batch {
    /// The wave whose traces are recorded, if any are.
    pub(super) fn recording(&self) -> &Plan {
        self.scattered.as_ref().unwrap_or(&self.forward)
    }
}

/// The wave that is sent back for a batch.
pub(super) struct Back {
    pub(crate) plan: Arc<Plan>,
    /// Divisors of the sources and of the traces of each shot.
    pub(crate) units: Vec<[f64; 2]>,
    /// Of each shot, if residuals are sent back.
    pub(crate) misfits: Vec<ShotMisfit>,
    /// Its results: places in the batch, and the shots that each stands for.
    pub(crate) sums: Vec<(usize, Range<usize>)>,
}

/// The wave of the sources, and the wave sent back.
pub(super) struct Runs {
    pub(crate) source: SourceWave,
    pub(crate) backward: Box<dyn Run>,
    /// The traces that it takes back.
    traces: usize,
    /// Imaging steps in the host's memory, beside a device.
    pub(crate) host: Vec<OnHost>,
}

impl Migration<'_> {
    /// The wave that takes the traces of some shots back.
    pub(super) fn back(
        &self,
        shots: &Range<usize>,
        gathers: Vec<Single<Ix2>>,
    ) -> Result<Back, EngineError> {
        let to_unit = |Single { mut values, unit }| {
            let own = traces::to_unit(&mut values);
            (unit * own, values)
        };
        let (traces, gathers): (Vec<f64>, Vec<_>) = gathers.into_par_iter().map(to_unit).unzip();
        let sources = shots.clone().map(|shot| self.sources[shot] * self.plan.shots[shot].unit);
        let units: Vec<_> = sources.zip(traces).map(|(source, traces)| [source, traces]).collect();
        let part = self.plan.batch(shots.clone());
        let back = part.sent_back(&gathers, self.imaging).ok_or(EngineError::Unsound)?;
        let (pairs, sums) = self.pairs(shots.clone());
        let (units_of, scales) = units.iter().map(|unit| units::applied(*unit)).unzip();
        let summed = Summed { units: units_of, scales, pairs };
        let offsets = self.offsets_of(shots.start);
        let plan = back.with_offsets(self.imaging, &offsets).with_sums(summed);
        Ok(Back { plan: Arc::new(plan), units, misfits: Vec::new(), sums })
    }

    /// Pairs of a batch that are summed, and the remaining sums: places in it, and the shots that
    /// each stands for.
    fn pairs(&self, shots: Range<usize>) -> Pairs {
        let numbers = &self.numbers[shots];
        match self.is_summing {
            true => stack::pairs(numbers),
            false => {
                let each = numbers.iter().map(|number| *number..number + 1);
                (Vec::new(), each.enumerate().collect())
            }
        }
    }

    /// The runs of a batch: those of the batch before, if they fit.
    pub(super) fn runs(&self, runs: Option<Runs>, batch: &Batch) -> Result<Runs, EngineError> {
        let shots = &self.plan.shots[batch.shots.clone()];
        let traces = shots.iter().map(|shot| shot.receivers.len()).sum();
        if let Some(mut runs) = runs
            && runs.traces == traces
            && runs.source.restart(batch)?
            && batch.back.as_ref().map_or(Ok(true), |back| runs.backward.restart(&back.plan))?
        {
            return Ok(runs);
        }
        let silence = || {
            let gathers = Gathers::new(&self.plan.batch(batch.shots.clone())).shots;
            let gathers = gathers.into_iter().map(Single::from).collect();
            Ok::<_, EngineError>(self.back(&batch.shots, gathers)?.plan)
        };
        let back = batch.back.as_ref().map_or_else(silence, |back| Ok(back.plan.clone()))?;
        let forward = self.engine().start(batch.forward.clone())?;
        let wave = forward.source_wavefield().ok_or(EngineError::NoSourceWavefield)?;
        let backward = self.engine().start_with(back, &wave)?;
        let start = |plan: &Arc<Plan>| self.engine().start_with(plan.clone(), &wave);
        let scattered = batch.scattered.as_ref().map(start).transpose()?;
        Ok(Runs { source: SourceWave { forward, scattered }, backward, traces, host: Vec::new() })
    }
}
