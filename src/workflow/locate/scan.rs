//! Which of several models a recording meets best through.

use super::peaks::crest;
use crate::{engine::FocusSummary, grid::Position, model::VelocityModel, plan::Condition};

/// Models whose focus is at least this part of the strongest cannot be told from it.
pub const AS_GOOD: f64 = 0.97;

/// How strong a focus is for what the receivers can hear of a source there, in any unit: the coefficient of the correlation of
/// the recording with what that source would send, but for a factor that all models have. Of the highest peak of a map weighed by
/// [`super::weights`]; None without one.
///
/// Of G^2 = c(r) / |x - r| in a plane and c(r) / (c(x) |x - r|^2) in a volume, the weights have the distances.
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

/// The model that focuses best, by its index: the strongest of those whose map is strongest at a peak, else of all, and of equal ones
/// the first. Near the receivers the field is theirs, however strong.
pub fn best(models: &[(bool, Option<f64>)]) -> Option<usize> {
    let better = |a: &usize, b: &usize| {
        let ((peak, a), (other, b)) = (models[*a], models[*b]);
        peak.cmp(&other).then(a.unwrap_or(0.0).total_cmp(&b.unwrap_or(0.0)))
    };
    (0..models.len()).rev().max_by(better)
}

/// The models that cannot be told from one of them.
pub fn as_good(models: &[(bool, Option<f64>)], best: usize) -> Vec<usize> {
    let strength = |index: usize| models[index].1.unwrap_or(0.0);
    let good = |index: &usize| models[*index].0 && strength(*index) >= AS_GOOD * strength(best);
    (0..models.len()).filter(|index| good(index) || *index == best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_peak_is_the_best_and_those_near_it_as_good() {
        let models = [
            (true, Some(0.9)),
            (true, Some(0.98)),
            (true, Some(1.0)),
            (false, Some(3.0)),
            (true, None),
        ];
        assert_eq!(best(&models), Some(2));
        assert_eq!(as_good(&models, 2), [1, 2]);
        assert_eq!(best(&[(false, Some(2.0)), (false, Some(1.0))]), Some(0));
        assert_eq!(
            best(&[(true, Some(1.0)), (true, Some(1.0))]),
            Some(0),
            "of equal ones the first"
        );
        assert_eq!(best(&[]), None);
    }
}
