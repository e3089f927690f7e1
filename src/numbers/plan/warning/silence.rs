//! Runs with nothing but zeros in their results.

use super::{OnSurface, Plan, Point, Truncated};
use std::fmt;

/// The reason that a run records only zeros: the mistake in the first shot, if no other shot is
/// valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Silence {
    /// All of its sources, or all of its receivers, lie on a free surface.
    Surface(OnSurface),
    /// Its sources have no amplitude, or no wavelet within the run.
    NoWave(Truncated),
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Silence::Surface(on_surface) => on_surface.fmt(f),
            Silence::NoWave(source) => source.fmt(f),
        }
    }
}

impl Plan {
    /// The first shot's silence, if every shot is silent: none of its sources makes a wave, or none
    /// of its receivers records one and no snapshot shows it.
    pub(in crate::plan) fn silence(&self) -> Option<Silence> {
        if self.initial.is_some() {
            return None;
        }
        let sounds: Vec<bool> =
            self.wavelets.iter().map(|row| row.iter().any(|s| *s != 0.0)).collect();
        let mut shots = (0..self.shots.len()).map(|shot| self.silence_of(shot, &sounds));
        let first = shots.next().flatten();
        first.filter(|_| shots.all(|silence| silence.is_some()))
    }

    /// The reason that a shot is silent; `sounds` is true for rows of the wavelets that are not
    /// zero.
    fn silence_of(&self, shot: usize, sounds: &[bool]) -> Option<Silence> {
        let points = &self.shots[shot];
        let mut sources = points.sources.iter();
        let makes_a_wave = sources.any(|point| point.scale != 0.0 && sounds[point.wavelet]);
        if !(makes_a_wave || points.asked.sources.is_empty()) {
            let no_wave = || {
                let duration = self.time.duration();
                Silence::NoWave(Truncated { shot, source_index: 0, end: None, duration })
            };
            let on_surface = self.on_surface_of(Point::Source, shot).map(Silence::Surface);
            return Some(on_surface.unwrap_or_else(no_wave));
        }
        let deaf = self.on_surface_of(Point::Receiver, shot);
        let deaf = deaf.filter(|deaf| deaf.count == points.receivers.len());
        deaf.filter(|_| self.snapshots().is_empty()).map(Silence::Surface)
    }
}
