//! Planes of revision 0 whose traces are out of order: they are sorted along their line, by positions
//! or by the numbers of their ensembles.

use super::{
    Warning,
    field::Place,
    grid::{By, Irregular, KEY_BYTES, SurveyGrid},
    places::Older,
    trace,
};
use std::cmp::Ordering;

/// What tells where traces lie along a line.
struct Along {
    /// Of each trace.
    at: Vec<f64>,
    field: Place,
    by: By,
}

/// The plane of traces in the order of their line; `None` if they are in order, or nothing tells.
/// Fails if two traces out of order lie in one place.
pub(super) fn sorted(older: &[Older]) -> Result<Option<(SurveyGrid, Warning)>, Irregular> {
    let sources = [trace::SOURCE_X.place(), trace::SOURCE_Y.place()];
    let receivers = [trace::RECEIVER_X.place(), trace::RECEIVER_Y.place()];
    let found = line(older.iter().map(|of| of.source).collect(), sources)
        .or_else(|| line(older.iter().map(|of| of.receiver).collect(), receivers))
        .or_else(|| numbered(older));
    match found {
        Some(along) if !is_in_order(&along.at) => arranged(along).map(Some),
        _ => Ok(None),
    }
}

/// Distances along the line on which all points lie; `None` if they lie in one place or off it.
fn line(points: Vec<(f64, f64)>, [x, y]: [Place; 2]) -> Option<Along> {
    let apart = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).hypot(a.1 - b.1);
    let farthest = |from: (f64, f64)| {
        let far = |a: &&(f64, f64), b: &&(f64, f64)| apart(from, **a).total_cmp(&apart(from, **b));
        points.iter().max_by(far).copied()
    };
    let one = farthest(*points.first()?)?;
    let other = farthest(one)?;
    let length = apart(one, other);
    // The line runs along x, or along y if it is across.
    let (from, to) = if one <= other { (one, other) } else { (other, one) };
    let (dx, dy) = ((to.0 - from.0) / length, (to.1 - from.1) / length);
    let off = |at: &(f64, f64)| ((at.0 - from.0) * dy - (at.1 - from.1) * dx).abs();
    let step = length / points.len().saturating_sub(1).max(1) as f64;
    if !(length > 0.0 && points.iter().all(|at| off(at) <= step)) {
        return None;
    }
    let at = points.iter().map(|at| (at.0 - from.0) * dx + (at.1 - from.1) * dy).collect();
    let field = if dx.abs() >= dy.abs() { x } else { y };
    Some(Along { at, field, by: By::Coordinates })
}

/// The numbers of ensembles; `None` if all are the same.
fn numbered(older: &[Older]) -> Option<Along> {
    let at: Vec<f64> = older.iter().map(|of| of.ensemble as f64).collect();
    let varies = at.iter().any(|number| *number != at[0]);
    varies.then(|| Along { at, field: trace::ENSEMBLE.place(), by: By::Lines })
}

/// True if they nowhere turn back.
fn is_in_order(at: &[f64]) -> bool {
    let never = |back: Ordering| at.windows(2).all(|pair| pair[0].total_cmp(&pair[1]) != back);
    never(Ordering::Greater) || never(Ordering::Less)
}

fn arranged(Along { at, field, by }: Along) -> Result<(SurveyGrid, Warning), Irregular> {
    let mut order: Vec<usize> = (0..at.len()).collect();
    order.sort_by(|a, b| at[*a].total_cmp(&at[*b]));
    if let Some(pair) = order.windows(2).find(|pair| at[pair[0]] == at[pair[1]]) {
        let fault = format!(
            " (they are out of order along their line, and traces {} and {} are in one place by {field})",
            pair[0] + 1,
            pair[1] + 1
        );
        return Err(Irregular { traces: at.len(), distinct: [1; 4], at: KEY_BYTES, fault });
    }
    let mut columns = vec![0; at.len()];
    order.into_iter().enumerate().for_each(|(column, trace)| columns[trace] = column);
    let (nx, spacing, placement) = (at.len(), None, None);
    let grid = SurveyGrid { nx, ny: 1, spacing, placement, columns, by };
    Ok((grid, Warning::Sorted { field }))
}
