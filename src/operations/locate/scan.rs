//! Ranking of several models by the focus of a recording.

use super::peaks::crest;
use crate::{engine::FocusSummary, grid::Position, model::VelocityModel, plan::Condition};

/// Models whose focus is at least this fraction of the strongest may be the true one; their
/// [`super::Fits`] decide.
const NEAR: f64 = 0.9;

/// Strength of a focus relative to the recording of a source there, in any unit: the correlation
/// coefficient of the recording with the traces of that source, but for a factor common to all
/// models. For the highest peak of a map weighted by [`super::weights`]; `None` without one.
///
/// Of G^2 = c(r) / |x - r| in a plane and c(r) / (c(x) |x - r|^2) in a volume, the weights contain
/// the distances.
pub fn strength(
    summary: &FocusSummary,
    model: &VelocityModel,
    receivers: &[Position],
    condition: Condition,
) -> Option<f64> {
    let summit = summary.summit?;
    let (grid, velocity) = (model.grid(), model.velocity());
    let node = |at: f64, h: f64, n: usize| ((at / h).round().max(0.0) as usize).min(n - 1);
    let at = |r: &Position| {
        let y = if grid.is_volume() { node(r.y, grid.h.y, grid.n.y) } else { 0 };
        f64::from(velocity[(y, node(r.x, grid.h.x, grid.n.x), node(r.z, grid.h.z, grid.n.z))])
    };
    let mean = receivers.iter().map(at).sum::<f64>() / receivers.len() as f64;
    let square = match grid.is_volume() {
        true => f64::from(velocity[summit.node]) / mean,
        false => 1.0 / mean,
    };
    Some(match condition {
        Condition::Amplitude => crest(&summit) * square.sqrt(),
        Condition::Energy { .. } => (crest(&summit) * square).sqrt(),
    })
}

/// The models that may be the true one, the strongest first and of equal ones the first: those near
/// the strongest of the models whose map is strongest at a peak, or else of all. Near the receivers
/// the field is theirs, however strong.
pub fn contenders(models: &[(bool, Option<f64>)]) -> Vec<usize> {
    let any = models.iter().any(|(peak, _)| *peak);
    let strength = |index: &usize| models[*index].1.unwrap_or(0.0);
    let mut order: Vec<usize> = (0..models.len()).filter(|index| models[*index].0 == any).collect();
    order.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    let least = order.first().map_or(0.0, |first| NEAR * strength(first));
    order.retain(|index| strength(index) >= least);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_peak_and_those_near_it_contend() {
        let models = [
            (true, Some(0.9)),
            (true, Some(0.98)),
            (true, Some(1.0)),
            (false, Some(3.0)),
            (true, None),
        ];
        assert_eq!(contenders(&models), [2, 1, 0]);
        assert_eq!(contenders(&[(false, Some(2.0)), (false, Some(1.0))]), [0]);
        let equal = [(true, Some(1.0)), (true, Some(1.0)), (true, Some(0.89))];
        assert_eq!(contenders(&equal), [0, 1], "of equal ones the first");
        assert!(contenders(&[]).is_empty());
    }
}
