//! Checks that a Plan is still as [`Plan::new`] made it: its fields are public, so engines check
//! again before they index without checks.

use super::{
    Condition, Focus, FocusOutput, Imaging, Initial, Offsets, Plan, PointShot, PointSource, Tap,
    memory,
};
use crate::{
    boundary::Profile,
    grid::{Axes, Axis},
    stencil::{AxisOperator, Fourth, MAX_RADIUS, ete},
};

impl Plan {
    /// True if every array has its length and every node lies inside the grid.
    pub fn is_consistent(&self) -> bool {
        let n = self.grid.n;
        let on_grid = |node: &Axes<usize>| node.x < n.x && node.z < n.z && node.y < n.y;
        let operator = |axis: &AxisOperator| {
            let radius = axis.radius();
            (1..=MAX_RADIUS).contains(&radius) && axis.second.len() == radius + 1
        };
        let profile = |axis: &Profile, n: usize| {
            axis.nodes.len() == n && axis.memory[0].saturating_add(axis.memory[1]) <= n
        };
        let source =
            |source: &PointSource| on_grid(&source.at) && source.wavelet < self.wavelets.len();
        let shot = |shot: &PointShot| {
            shot.unit.is_normal()
                && shot.unit > 0.0
                && shot.sources.iter().all(source)
                && self.velocities.get(shot.window.model).is_some_and(|all| {
                    let ends = shot.window.first.zip(n).map(|(first, n)| first + n).zip(all.n());
                    let Axes { z, x, y } = ends.map(|(end, all)| end <= all);
                    z && x && y
                })
                && shot.receivers.iter().all(|receiver| receiver.is_on(n))
        };
        let initial = |initial: &Initial| {
            [&initial.now, &initial.before].iter().all(|field| field.dim() == self.grid.shape())
        };
        let focus = |focus: &Focus| {
            let window = !matches!(focus.condition, Condition::Energy { quarter: 0 });
            focus.every > 0
                && window
                && focus.groups > 0
                && self.shots.len().is_multiple_of(focus.groups)
        };
        let volume = self.grid.is_volume();
        memory::check_nodes(n, self.radius()).is_ok()
            // Images above a free surface are read as far below it as the stencil reaches.
            && (!self.free_surface || n.z > self.radius())
            && (self.windows.is_some() || self.velocities.iter().all(|all| all.n() == n))
            && self.medium.values().all(|all| all.n() == self.whole_nodes())
            && self.focus().is_none_or(focus)
            && self.taps.iter().all(|tap| self.fits_tap(tap))
            && self.summed.fits(self.shots.len())
            && operator(&self.operator.x)
            && operator(&self.operator.z)
            && self.fourth.as_ref().is_none_or(|fourth| self.fits_fourth(fourth))
            && profile(&self.profile.x, n.x)
            && profile(&self.profile.z, n.z)
            && (!volume || operator(&self.operator.y) && profile(&self.profile.y, n.y))
            && self.shots.iter().all(shot)
            && self.wavelets.iter().all(|row| row.len() >= self.time.steps)
            && self.time.record_every > 0
            && self.initial.as_deref().is_none_or(initial)
            && self.scattering.as_deref().is_none_or(|scattering| {
                scattering.perturbation.dim() == self.survey_grid().shape()
                    && scattering.imaging.every > 0
                    && scattering.imaging.slots > 1
            })
    }

    /// Kernels know the radius of B, and the halo is as wide as the operators of the axes.
    fn fits_fourth(&self, Fourth { star, diagonal }: &Fourth) -> bool {
        let reaches = |weights: &Vec<f64>, to: usize| weights.len() == to + 1;
        let diagonals = diagonal.zx.len().saturating_sub(1);
        self.radius() == ete::RADIUS
            && (1..=ete::RADIUS).contains(&diagonals)
            && [&star.z, &star.x, &star.y].into_iter().all(|all| reaches(all, ete::RADIUS))
            && [&diagonal.xy, &diagonal.yz].into_iter().all(|all| reaches(all, diagonals))
    }

    fn fits_tap(&self, tap: &Tap) -> bool {
        let model = &self.model_grid;
        let fits = |imaging: &Imaging| imaging.every > 0 && imaging.slots > 0;
        match tap {
            Tap::OffsetGathers(imaging, Offsets { along, line, most, step }) => {
                fits(imaging)
                    && *line < model.n.y
                    && *along != Axis::Y
                    && *step > 0
                    && most.is_multiple_of(*step)
                    && *most < *along.of(&model.n)
            }
            Tap::Store(imaging) | Tap::Imaging(imaging) => fits(imaging),
            Tap::Focus { output: FocusOutput::Summaries(mask), .. } => {
                mask.shape() == model.shape()
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{rock, setup, shot};

    #[test]
    fn an_offset_is_shorter_than_the_model() {
        let setup = setup(rock([9, 5], [10.0; 2], 2000.0), vec![shot(0.0, 0.0, Vec::new())]);
        let plan = Plan::new(setup).expect("valid");
        for (along, most, is_one) in [(Axis::X, 8, true), (Axis::X, 9, false), (Axis::Z, 5, false)]
        {
            let offsets = Offsets { along, line: 0, most, step: 1 };
            let with = plan.clone().with_offsets(Imaging { every: 1, slots: 2 }, &[offsets]);
            assert_eq!(with.is_consistent(), is_one, "{along:?} {most}");
        }
    }
}
