//! Remedies of dispersion in a Plan: computed, one change at a time. Each is rounded as printed,
//! then validated by the rules of [`Plan::new`] and checked once more.

use super::{Case, NewStep, Remedy};
use crate::{
    acquisition::{TimeDispersion, Wavelet},
    grid::Axes,
    plan::{Plan, Step, Time, TimeAxis, check_width, error::round_down, radius},
    stencil::{AxisOperator, Family, MAX_RADIUS, Media, Window, dispersion::Scheme},
};

/// Smallest factor on a grid spacing, a step or a frequency.
const LEAST: f64 = 1.0 / 64.0;
/// Halvings of the search for a factor: to four digits and better.
const HALVINGS: usize = 20;
/// Largest ratio of a changed wavelet's highest frequency to the predicted one: a spectrum is
/// sampled.
const MEASURED: f64 = 1.01;

impl Plan {
    /// The changes that would each keep its waves in step; empty if they are in step, or if no
    /// change would do.
    pub(crate) fn dispersion_remedies(&self) -> Vec<Remedy> {
        let Some(case) = self.case().filter(|case| !does(case)) else { return Vec::new() };
        let all = [
            self.wider(&case),
            self.finer(&case),
            self.corrected(&case),
            self.shorter(&case),
            self.lower(&case),
        ];
        all.into_iter().flatten().collect()
    }

    /// The narrowest sufficient wider operator: of the same family or, without one, of Taylor's.
    fn wider(&self, case: &Case<'_>) -> Option<Remedy> {
        let step = |family: &Family| {
            let operators = family.operators(&self.media(case.scheme.h), self.time.dt).ok()?;
            self.has_room_for(&operators.axes).then(|| self.step_with(family, case))?
        };
        let order = |from: usize| {
            (from..=MAX_RADIUS).step_by(2).find_map(|order| {
                let step = step(&Family::Taylor { order })?;
                Some(Remedy::Order { order, step })
            })
        };
        match self.family {
            Family::Taylor { order: present } => order(present + 2),
            Family::WindowedSinc { window } => {
                let longest = window.z.wing.max(window.x.wing);
                let wing = (longest + 1..=MAX_RADIUS).find_map(|wing| {
                    let window = window.map(|window| Window { wing, ..window });
                    let step = step(&Family::WindowedSinc { window })?;
                    Some(Remedy::Wing { wing, step })
                });
                wing.or_else(|| order(2))
            }
            Family::Ete { .. } => None,
        }
    }

    /// The same operator on a finer grid, with a shorter step if it needs one.
    fn finer(&self, case: &Case<'_>) -> Option<Remedy> {
        let Scheme { h, dt, .. } = case.scheme;
        let s = smaller(|s| {
            let h = h.map(|h| s * h);
            self.family.operators(&self.media(h), s * self.time.dt).is_ok_and(|operators| {
                let (operator, fourth) = (&operators.axes, operators.fourth.as_ref());
                let scheme = Scheme { operator, fourth, h, dt: s * dt, ..case.scheme };
                does(&Case { scheme, ..*case })
            })
        })?;
        let spacing = h.map(|h| round_down(s * h));
        let case = Case { scheme: Scheme { h: spacing, ..case.scheme }, ..*case };
        let step = self.step_with(&self.family, &case)?;
        let last = self.model_grid.last();
        let covering = |last: f64, h: f64| (last / h).ceil() as usize + 1;
        let nodes = Axes {
            z: covering(last.z, spacing.z),
            x: covering(last.x, spacing.x),
            y: if case.volume { covering(last.y, spacing.y) } else { 1 },
        };
        Some(Remedy::Spacing { spacing, nodes, volume: case.volume, step })
    }

    /// True if the grid is wide enough for an operator, and deep enough for its images above a free
    /// surface.
    fn has_room_for(&self, operator: &Axes<AxisOperator>) -> bool {
        let radius = radius(&self.grid, operator);
        let deep = !self.free_surface || self.model_grid.n.z > radius;
        deep && check_width(&self.grid, operator).is_ok()
    }

    /// `None` without recorded traces: snapshots are not corrected. Explicit time evolution has
    /// nothing to correct.
    fn corrected(&self, case: &Case<'_>) -> Option<Remedy> {
        if self.fourth.is_some() {
            return None;
        }
        let scheme = Scheme { dt: 0.0, ..case.scheme };
        let kept = self.requested_time.dispersion == TimeDispersion::Kept;
        let does = kept && self.most_receivers() > 0 && does(&Case { scheme, ..*case });
        does.then_some(Remedy::Corrected)
    }

    /// `None` for explicit time evolution, whose operators are fitted to its step.
    fn shorter(&self, case: &Case<'_>) -> Option<Remedy> {
        if self.fourth.is_some() {
            return None;
        }
        let with = |dt| Case { scheme: Scheme { dt, ..case.scheme }, ..*case };
        let s = smaller(|s| does(&with(s * case.scheme.dt)))?;
        let step = self.requested_time.short_step(s * self.time.dt);
        let does = self.does_with(Step::Seconds(step), &self.family, case);
        does.then_some(Remedy::Step { step })
    }

    fn lower(&self, case: &Case<'_>) -> Option<Remedy> {
        let with = |s: f64| Case {
            dominant: s * case.dominant,
            highest: MEASURED * s * case.highest,
            ..*case
        };
        let s = smaller(|s| does(&with(s)))?;
        let (peak_hz, factor) = (round_down(s * case.dominant), round_down(s));
        match self.has_one_peak() {
            true => does(&with(peak_hz / case.dominant)).then_some(Remedy::Frequency { peak_hz }),
            false => does(&with(factor)).then_some(Remedy::Frequencies { factor }),
        }
    }

    /// True if all sources have one wavelet, given by its peak frequency.
    fn has_one_peak(&self) -> bool {
        let sources = self.shots.iter().flat_map(|shot| &shot.asked.sources);
        let mut wavelets = sources.map(|source| &source.wavelet);
        let Some(first) = wavelets.next() else { return false };
        matches!(first, Wavelet::Ricker(_) | Wavelet::Gaussian(_))
            && wavelets.all(|wavelet| wavelet == first)
    }

    /// The time step that makes a family's operators sufficient on a grid: the requested one
    /// (`Some(None)`) or the present one scaled with the grid, at most the automatic one; `None` if
    /// neither does.
    fn step_with(&self, family: &Family, case: &Case<'_>) -> Option<Option<NewStep>> {
        if self.does_with(self.requested_time.step, family, case) {
            return Some(None);
        }
        let finer = case.scheme.h.z / self.grid.h.z;
        let chosen = family.steps(&self.media(case.scheme.h)).ok()?.chosen;
        let seconds = self.requested_time.short_step((finer * self.time.dt).min(chosen));
        let auto = self.does_with(Step::Auto, family, case);
        let does = self.does_with(Step::Seconds(seconds), family, case);
        does.then_some(Some(NewStep { seconds, auto }))
    }

    /// True if a family's operators are sufficient on a case's grid with a time step, which must be
    /// stable and divide the recording interval.
    fn does_with(&self, step: Step, family: &Family, case: &Case<'_>) -> bool {
        let media = self.media(case.scheme.h);
        let requested = Time { step, ..self.requested_time };
        let time = family.steps(&media).map(|steps| TimeAxis::new(&requested, steps, false));
        let Ok(Ok(time)) = time else { return false };
        family.operators(&media, time.dt).is_ok_and(|operators| {
            let (operator, fourth) = (&operators.axes, operators.fourth.as_ref());
            let dt = self.effective_dt(time.dt);
            let scheme = Scheme { operator, fourth, dt, ..case.scheme };
            does(&Case { scheme, ..*case })
        })
    }

    /// The model's velocities on a grid of other spacings.
    fn media(&self, spacing: Axes<f64>) -> Media {
        let [slowest, fastest] = [self.slowest, self.fastest].map(f64::from);
        Media { spacing, volume: self.grid.is_volume(), slowest, fastest }
    }
}

/// True if there is nothing to warn of.
fn does(case: &Case<'_>) -> bool {
    case.dispersion().is_fine()
}

/// A factor from [`LEAST`] to 1 that is sufficient while the next larger one is not; the largest one
/// if all smaller factors are sufficient. `None` if [`LEAST`] is not.
fn smaller(does: impl Fn(f64) -> bool) -> Option<f64> {
    if !does(LEAST) {
        return None;
    }
    let (mut good, mut bad) = (LEAST, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(good, bad);
        if does(middle) { good = middle } else { bad = middle }
    }
    Some(good)
}
