//! The direct wave of each shot, through a uniform model of the velocity at its source: recordings
//! less this wave hold the reflected and refracted waves.

use crate::{
    grid::Position,
    model::Density,
    plan::{Plan, PlanError, Setup, Step, Time},
    rounded::rounded,
};
use ndarray::{Array2, s};
use std::collections::BTreeMap;

/// Largest difference of the velocity at a receiver from that at the source, as a fraction of it.
const ALIKE: f64 = 0.01;
/// Largest distance of an interval from a whole number of steps.
const WHOLE: f64 = 1e-6;

/// The Plans of the direct waves of some shots of a setup, with their shots. Steps are of `dt` s,
/// or slightly less if that does not divide `interval`, the seconds between samples. There is a
/// Plan for each velocity at a source, one at a time.
pub fn direct_waves(
    setup: &Setup,
    dt: f64,
    interval: f64,
    shots: &[usize],
) -> impl Iterator<Item = Result<(Plan, Vec<usize>), PlanError>> {
    let mut by_velocity: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for shot in shots {
        let velocity = source(setup, *shot).map_or(0.0, |at| setup.model.nearest(at));
        by_velocity.entry(velocity.to_bits()).or_default().push(*shot);
    }
    let steps = (interval / dt).round().max(1.0);
    let is_part = (steps * dt - interval).abs() <= WHOLE * interval;
    let step = Step::Seconds(if is_part { dt } else { interval / (interval / dt).ceil() });
    let time = Time { step, record: Some(interval), ..setup.time };
    by_velocity.into_values().map(move |shots| {
        let at = source(setup, shots[0]).unwrap_or_default();
        let uniform = Setup {
            model: setup.model.uniform_as_at(at),
            // A uniform medium of any density has the same wave.
            density: Density::default(),
            time,
            shots: shots.iter().map(|shot| setup.shots[*shot].clone()).collect(),
            snapshots: Vec::new(),
            ..setup.clone()
        };
        Ok((Plan::new(uniform)?, shots))
    })
}

/// Subtracts the direct wave, `[receiver][sample]`, from a gather, as far as both were recorded.
pub fn without_direct(gather: &mut Array2<f32>, direct: &Array2<f32>) {
    let samples = gather.ncols().min(direct.ncols());
    let mut both = gather.slice_mut(s![.., ..samples]);
    both -= &direct.slice(s![.., ..samples]);
}

/// A direct wave through a uniform model that differs from that of the model.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "the direct wave of shot {} is modelled with {at_source} m/s, the velocity at its source, and the model has {there} m/s at its \
     receiver at x = {} m, z = {} m, more than {} % off: what is subtracted is not quite the direct wave; \
     rtm.direct = \"muted\" needs no velocity there",
    shot + 1, rounded(at.x), rounded(at.z), 100.0 * ALIKE
)]
pub struct NotUniform {
    /// Index of the shot.
    pub shot: usize,
    /// Receiver where the velocity differs most from that at the source.
    pub at: Position,
    /// Velocity there, m/s.
    pub there: f32,
    /// Velocity at the source, m/s.
    pub at_source: f32,
}

impl NotUniform {
    /// The worst receiver of all shots, if it exceeds the limit.
    pub fn find(setup: &Setup) -> Option<Self> {
        let of_shot = |shot: usize| {
            let at_source = setup.model.nearest(source(setup, shot)?);
            let receivers = setup.shots[shot].receivers.iter();
            let all = receivers.map(move |at| NotUniform {
                shot,
                at: *at,
                there: setup.model.nearest(*at),
                at_source,
            });
            all.max_by(|a, b| a.off().total_cmp(&b.off()))
        };
        let worst = (0..setup.shots.len()).filter_map(of_shot);
        worst.max_by(|a, b| a.off().total_cmp(&b.off())).filter(|worst| worst.off() > ALIKE)
    }

    fn off(&self) -> f64 {
        (f64::from(self.there) / f64::from(self.at_source) - 1.0).abs()
    }
}

/// Position of a shot's source, the first of several.
fn source(setup: &Setup, shot: usize) -> Option<Position> {
    setup.shots[shot].sources.first().map(|source| source.at)
}
