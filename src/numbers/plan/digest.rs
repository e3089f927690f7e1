//! A digest that identifies a run of a Plan.

use super::Plan;
use crate::{
    boundary::Coefficients,
    grid::Axes,
    stencil::{AxisOperator, Fourth},
};
use sha2::{Digest, Sha256};

impl Plan {
    /// SHA-256 in hexadecimal of everything that determines the fields of a run up to a step: grid,
    /// model, medium, operator, layers, time step, sources and their samples. Two Plans with the same
    /// digest are the same job up to that step (except for the CPU engine's negligible values,
    /// which are a fraction of the whole injection).
    pub fn digest(&self, step: usize) -> String {
        let mut hasher = Sha256::new();
        let mut numbers = |values: &mut dyn Iterator<Item = f64>| {
            values.for_each(|value| hasher.update(value.to_bits().to_le_bytes()));
        };
        let axes = |n: [usize; 3]| n.map(|n| n as f64);
        let (grid, h) = (&self.grid.n, &self.grid.h);
        numbers(&mut axes([grid.z, grid.x, grid.y]).into_iter());
        numbers(&mut [h.z, h.x, h.y, self.time.dt].into_iter());
        numbers(&mut [self.free_surface, self.by_increments].map(f64::from).into_iter());
        for AxisOperator { first, second } in [&self.operator.z, &self.operator.x, &self.operator.y]
        {
            numbers(&mut first.iter().chain(second).copied());
        }
        if let Some(Fourth { star, diagonal }) = &self.fourth {
            let star = [&star.z, &star.x, &star.y];
            let diagonal = [&diagonal.zx, &diagonal.xy, &diagonal.yz];
            numbers(&mut star.into_iter().chain(diagonal).flatten().copied());
        }
        for profile in [&self.profile.z, &self.profile.x, &self.profile.y] {
            numbers(&mut profile.memory.map(|n| n as f64).into_iter());
            for Coefficients { damping, loss, share, slope } in &profile.nodes {
                numbers(&mut [*damping, *loss, *share, *slope].into_iter());
            }
        }
        numbers(&mut self.adjoint.then_some(1.0).into_iter());
        let name = self.medium.name().unwrap_or_default();
        numbers(&mut name.bytes().map(f64::from));
        numbers(&mut self.medium.numbers());
        for shot in &self.shots {
            numbers(&mut [shot.window.model as f64, shot.sources.len() as f64].into_iter());
            let Axes { z, x, y } = shot.window.first;
            numbers(&mut self.windows.iter().flat_map(|_| axes([z, x, y])));
            numbers(&mut (shot.unit != 1.0).then_some(shot.unit).into_iter());
            for source in shot.sources.iter() {
                let at = axes([source.at.z, source.at.x, source.at.y]);
                numbers(&mut at.into_iter().chain([source.scale]));
                let samples = self.wavelets[source.wavelet].iter().take(step);
                numbers(&mut samples.copied());
            }
        }
        if let Some(initial) = &self.initial {
            let both = [&initial.now, &initial.before].into_iter();
            numbers(&mut both.flatten().map(|p| f64::from(*p)));
        }
        if let Some(scattering) = &self.scattering {
            numbers(&mut scattering.perturbation.iter().copied());
            numbers(&mut std::iter::once(scattering.imaging.every as f64));
        }
        for all in self.velocities.iter().chain(self.medium.values()) {
            let n = all.n();
            for piece in 0..if n.y > 1 { n.y } else { n.x } {
                let values = all.cut(piece..piece + 1).to_array();
                hasher.update(bytemuck::cast_slice(values.as_slice().expect("a new array")));
            }
        }
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
