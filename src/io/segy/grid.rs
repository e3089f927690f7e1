//! Traces on a regular grid: the column of a model for each of them.

use crate::{
    grid::Position,
    model::{Placement, Side},
};

/// The position of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Key {
    /// Inline number.
    pub inline: i64,
    /// Crossline number.
    pub crossline: i64,
    /// x of the ensemble, metres.
    pub x: f64,
    /// y of the ensemble, metres.
    pub y: f64,
}

/// How traces were placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// By inline number along y and crossline number along x; a plane by the one that varies.
    Lines,
    /// By the ensembles' coordinates, which lie along x and y.
    Coordinates,
    /// A plane, or the rows of a turned grid, in the order of the file.
    Sequence,
}

/// A regular grid of traces.
#[derive(Clone, Debug, PartialEq)]
pub struct SurveyGrid {
    /// Traces along x.
    pub nx: usize,
    /// Traces along y, the slowest axis; 1 for a plane.
    pub ny: usize,
    /// Metres between them along x and y, if the coordinates are even and at right angles; in a
    /// plane, the second equals the first.
    pub spacing: Option<(f64, f64)>,
    /// The place of the first column, and the direction of the axes, if there is a spacing; its z is
    /// 0.
    pub placement: Option<Placement>,
    /// The column of each trace: `y * nx + x`.
    pub columns: Vec<usize>,
    /// How they were placed.
    pub by: By,
}

/// Traces that are not a regular grid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the {traces} traces fill no regular grid{fault}: {inlines} inline numbers (bytes {}-{} of the trace header), \
     {crosslines} crossline numbers (bytes {}-{}), {x} ensemble x (bytes {}-{}), {y} ensemble y (bytes {}-{}); \
     a model needs one trace in each place of a grid, or on an even line",
    .at.inline, .at.inline + 3, .at.crossline, .at.crossline + 3, .at.x, .at.x + 3, .at.y, .at.y + 3
)]
pub struct Irregular {
    /// Traces of the file.
    pub traces: usize,
    /// Distinct inline numbers.
    pub inlines: usize,
    /// Distinct crossline numbers.
    pub crosslines: usize,
    /// Distinct x.
    pub x: usize,
    /// Distinct y.
    pub y: usize,
    /// Where these numbers are.
    pub at: KeyBytes,
    /// The first place of the lines without a trace or with two, in words; empty if they are no grid.
    pub fault: String,
}

impl Irregular {
    /// Of a line of so many traces.
    pub(super) fn of(traces: usize, fault: String) -> Self {
        let at = KeyBytes::default();
        Irregular { traces, inlines: 1, crosslines: 1, x: 1, y: 1, at, fault }
    }
}

/// First bytes of the numbers of a [`Key`] in the trace header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct KeyBytes {
    pub inline: u16,
    pub crossline: u16,
    pub x: u16,
    pub y: u16,
}

impl Default for KeyBytes {
    fn default() -> Self {
        KeyBytes { inline: 189, crossline: 193, x: 181, y: 185 }
    }
}

/// Tolerance of coordinates, relative to the spacing: they are rounded in files.
const EVEN: f64 = 0.01;

/// Distinct values of an axis, sorted.
fn different(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    // There may be millions of traces, on a few hundred lines.
    values.shrink_to_fit();
    values
}

/// The index of each value on an even axis.
fn places(values: impl Iterator<Item = f64>, axis: &[f64]) -> Option<Vec<usize>> {
    let last = axis.len() - 1;
    if last == 0 {
        return Some(values.map(|_| 0).collect());
    }
    let step = (axis[last] - axis[0]) / last as f64;
    let even = |(index, value): (usize, &f64)| {
        (value - (axis[0] + index as f64 * step)).abs() <= EVEN * step
    };
    let even = axis.iter().enumerate().all(even);
    even.then(|| values.map(|value| ((value - axis[0]) / step).round() as usize).collect())
}

/// A grid of two even axes with one trace in each place.
fn filled(
    keys: &[Key],
    by: By,
    (along_x, x): (impl Fn(&Key) -> f64, &[f64]),
    (along_y, y): (impl Fn(&Key) -> f64, &[f64]),
) -> Option<SurveyGrid> {
    // If nothing varies, nothing is placed.
    if x.len().checked_mul(y.len()) != Some(keys.len()) || keys.len() < 2 {
        return None;
    }
    let columns = places(keys.iter().map(along_x), x)?;
    let rows = places(keys.iter().map(along_y), y)?;
    let columns: Vec<usize> =
        rows.iter().zip(columns).map(|(row, x_at)| row * x.len() + x_at).collect();
    let mut seen = vec![false; keys.len()];
    for column in &columns {
        seen[*column] = true;
    }
    // A plane lies along x.
    let (nx, ny) = if x.len() == 1 { (y.len(), 1) } else { (x.len(), y.len()) };
    let (spacing, placement) = spacing(keys, &columns, nx, ny).unzip();
    seen.iter().all(|seen| *seen).then_some(SurveyGrid { nx, ny, spacing, placement, columns, by })
}

/// Metres between columns along x and y, and their place; `None` if uneven, or the axes not at right
/// angles.
fn spacing(
    keys: &[Key],
    columns: &[usize],
    nx: usize,
    ny: usize,
) -> Option<((f64, f64), Placement)> {
    let mut at = vec![(0.0, 0.0); keys.len()];
    for (key, column) in keys.iter().zip(columns) {
        at[*column] = (key.x, key.y);
    }
    let from = *at.first()?;
    let step = |to: (f64, f64), count: usize| match count {
        0 => (0.0, 0.0),
        _ => ((to.0 - from.0) / count as f64, (to.1 - from.1) / count as f64),
    };
    let (dx, dy) = (step(at[nx - 1], nx - 1), step(at[(ny - 1) * nx], ny - 1));
    let (hx, hy) = (dx.0.hypot(dx.1), dy.0.hypot(dy.1));
    let (hx, hy) = match (nx, ny) {
        (1, _) => return None,
        (_, 1) => (hx, hx),
        _ => (hx, hy),
    };
    let slack = EVEN * hx.min(hy);
    let even = at.iter().enumerate().all(|(column, at)| {
        let (x, y) = ((column % nx) as f64, (column / nx) as f64);
        let off = (at.0 - from.0 - x * dx.0 - y * dy.0, at.1 - from.1 - x * dx.1 - y * dy.1);
        off.0.hypot(off.1) <= slack
    });
    let square = (dx.0 * dy.0 + dx.1 * dy.1).abs() <= EVEN * hx * hy;
    let y_axis = match dx.0 * dy.1 - dx.1 * dy.0 {
        ..0.0 => Side::Right,
        _ => Side::Left,
    };
    let origin = Position { x: from.0, y: from.1, z: 0.0 };
    let azimuth = dx.0.atan2(dx.1).to_degrees();
    let placement = Placement { origin, azimuth, y_axis };
    (slack > 0.0 && even && square).then_some(((hx, hy), placement))
}

/// The distinct values of the keys.
struct Distinct {
    inlines: Vec<f64>,
    crosslines: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Distinct {
    fn of(keys: &[Key]) -> Self {
        let of = |value: fn(&Key) -> f64| different(keys.iter().map(value));
        Distinct {
            inlines: of(|key| key.inline as f64),
            crosslines: of(|key| key.crossline as f64),
            x: of(|key| key.x),
            y: of(|key| key.y),
        }
    }

    fn lines(&self, keys: &[Key]) -> Option<SurveyGrid> {
        let along_x = (|key: &Key| key.crossline as f64, self.crosslines.as_slice());
        let along_y = (|key: &Key| key.inline as f64, self.inlines.as_slice());
        filled(keys, By::Lines, along_x, along_y)
    }

    fn coordinates(&self, keys: &[Key]) -> Option<SurveyGrid> {
        filled(keys, By::Coordinates, (|key| key.x, &self.x), (|key| key.y, &self.y))
    }

    /// A plane in the order of the file.
    fn sequence(&self, keys: &[Key]) -> Option<SurveyGrid> {
        let columns: Vec<usize> = (0..keys.len()).collect();
        let (spacing, placement) = spacing(keys, &columns, keys.len(), 1).unzip();
        let placed_by_nothing = self.x.len() == 1 && self.y.len() == 1;
        let unnumbered = self.inlines.len() == 1 && self.crosslines.len() == 1;
        let plane = unnumbered && (placed_by_nothing || spacing.is_some());
        let (nx, ny, by) = (keys.len(), 1, By::Sequence);
        plane.then_some(SurveyGrid { nx, ny, spacing, placement, columns, by })
    }
}

/// Columns of a turned grid one after the other, along x first.
fn rows(keys: &[Key]) -> Option<SurveyGrid> {
    let first = keys.first()?;
    let apart = |a: &Key, b: &Key| (a.x - b.x).hypot(a.y - b.y);
    let step = apart(first, keys.get(1)?);
    let straight =
        |(n, key): (usize, &Key)| (apart(first, key) - n as f64 * step).abs() <= EVEN * step;
    let nx = keys.iter().enumerate().position(|of| !straight(of))?;
    if nx < 2 || !keys.len().is_multiple_of(nx) {
        return None;
    }
    let (ny, columns) = (keys.len() / nx, (0..keys.len()).collect::<Vec<_>>());
    let (spacing, placement) = spacing(keys, &columns, nx, ny)?;
    let (spacing, placement, by) = (Some(spacing), Some(placement), By::Sequence);
    Some(SurveyGrid { nx, ny, spacing, placement, columns, by })
}

/// Places traces by their inline and crossline numbers alone.
pub(super) fn by_lines(keys: &[Key]) -> Option<SurveyGrid> {
    Distinct::of(keys).lines(keys)
}

/// Places traces by their coordinates alone.
pub(super) fn by_positions(keys: &[Key]) -> Option<SurveyGrid> {
    Distinct::of(keys).coordinates(keys).or_else(|| rows(keys))
}

/// Places traces by their inline and crossline numbers, or by their coordinates if those do not
/// fill a grid, or in the order of the file: as a plane if they lie on an even line or have no
/// positions, or as the rows of a turned grid.
pub fn arrange(keys: &[Key]) -> Result<SurveyGrid, Irregular> {
    let distinct = Distinct::of(keys);
    let found = distinct.lines(keys).or_else(|| distinct.coordinates(keys));
    let found = found.or_else(|| distinct.sequence(keys)).or_else(|| rows(keys));
    found.ok_or_else(|| Irregular {
        traces: keys.len(),
        inlines: distinct.inlines.len(),
        crosslines: distinct.crosslines.len(),
        x: distinct.x.len(),
        y: distinct.y.len(),
        at: KeyBytes::default(),
        fault: fault(keys, &distinct).unwrap_or_default(),
    })
}

/// The first place of a grid of lines that has two traces or none.
fn fault(keys: &[Key], Distinct { inlines, crosslines, .. }: &Distinct) -> Option<String> {
    let places = inlines.len().checked_mul(crosslines.len())?;
    // Few of many places are filled on a crooked line, which is no grid.
    if inlines.len() < 2 || crosslines.len() < 2 || places > 2 * keys.len() {
        return None;
    }
    let mut at: Vec<_> = keys.iter().zip(1..).map(|(k, n)| (k.inline, k.crossline, n)).collect();
    at.sort_unstable();
    let twice = at.iter().zip(&at[1..]).find(|(a, b)| (a.0, a.1) == (b.0, b.1));
    if let Some(((inline, crossline, first), (.., second))) = twice {
        return Some(format!(
            " (traces {first} and {second} both have inline {inline} and crossline {crossline})"
        ));
    }
    let mut all = inlines.iter().flat_map(|inline| crosslines.iter().map(move |at| (inline, at)));
    let mut there = at.iter().map(|of| (of.0 as f64, of.1 as f64));
    let (inline, crossline) = all.find(|of| there.next() != Some((*of.0, *of.1)))?;
    let missing = places - keys.len();
    Some(format!(
        " ({missing} of {places} places have no trace, the first of them inline {inline} and crossline {crossline})"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid turned by 30 degrees, crosslines fastest.
    fn turned() -> Vec<Key> {
        let (sin, cos) = 30f64.to_radians().sin_cos();
        let mut keys = Vec::new();
        for inline in 0..3 {
            for crossline in 0..4 {
                let (u, v) = (25.0 * crossline as f64, 40.0 * inline as f64);
                let (x, y) = (u * cos - v * sin, u * sin + v * cos);
                keys.push(Key { inline: 100 + 2 * inline, crossline: 7 + crossline, x, y });
            }
        }
        keys
    }

    #[test]
    fn numbered_lines_are_a_grid_in_any_order_and_azimuth() {
        let mut keys = turned();
        let grid = arrange(&keys).expect("a grid");
        assert_eq!((grid.nx, grid.ny, grid.by), (4, 3, By::Lines));
        assert_eq!(grid.columns, (0..12).collect::<Vec<_>>());
        let (hx, hy) = grid.spacing.expect("even");
        assert!((hx - 25.0).abs() < 1e-9 && (hy - 40.0).abs() < 1e-9);
        let placement = grid.placement.expect("even");
        assert!((placement.azimuth - 60.0).abs() < 1e-9, "30 degrees to the north of east");
        assert_eq!((placement.origin, placement.y_axis), (Position::default(), Side::Left));
        keys.reverse();
        assert_eq!(arrange(&keys).expect("a grid").columns, (0..12).rev().collect::<Vec<_>>());
        keys[3].x += 1.0;
        assert_eq!(arrange(&keys).expect("a grid").spacing, None, "uneven coordinates");
    }

    #[test]
    fn a_turned_grid_without_numbers_is_read_row_by_row() {
        let unnumbered = |keys: Vec<Key>| -> Vec<Key> {
            keys.iter().map(|key| Key { inline: 0, crossline: 0, ..*key }).collect()
        };
        let grid = arrange(&unnumbered(turned())).expect("a grid");
        assert_eq!((grid.nx, grid.ny, grid.by), (4, 3, By::Sequence));
        let placement = grid.placement.expect("even");
        assert!((placement.azimuth - 60.0).abs() < 1e-9);
        let mut gap = unnumbered(turned());
        gap.remove(6);
        assert!(arrange(&gap).is_err());
        let mut uneven = unnumbered(turned());
        uneven[6].x += 5.0;
        assert!(arrange(&uneven).is_err());
    }

    #[test]
    fn a_gap_or_a_double_is_refused() {
        let mut keys = turned();
        keys.pop();
        let refused = arrange(&keys).expect_err("a gap").to_string();
        assert!(
            refused.contains("the 11 traces") && refused.contains("bytes 189-192"),
            "{refused}"
        );
        keys.push(keys[0]);
        assert!(arrange(&keys).is_err());
    }

    #[test]
    fn coordinates_place_traces_without_numbers() {
        let key = |x: usize, y: usize| Key {
            x: 10.0 * x as f64,
            y: 500.0 - 20.0 * y as f64,
            ..Key::default()
        };
        let keys: Vec<Key> = (0..6).map(|n| key(n / 2, n % 2)).collect();
        let grid = arrange(&keys).expect("a grid");
        assert_eq!((grid.nx, grid.ny, grid.by), (3, 2, By::Coordinates));
        assert_eq!((grid.spacing, grid.columns), (Some((10.0, 20.0)), vec![3, 0, 4, 1, 5, 2]));
        let origin = Position { x: 0.0, y: 480.0, z: 0.0 };
        assert_eq!(grid.placement, Some(Placement { origin, ..Placement::default() }));
    }

    #[test]
    fn planes_lie_along_x() {
        let line = |numbered: bool, step: (f64, f64)| -> Vec<Key> {
            let key = |n: i64| {
                let inline = if numbered { n } else { 0 };
                Key { inline, crossline: 1, x: n as f64 * step.0, y: n as f64 * step.1 }
            };
            (0..5).map(key).collect()
        };
        let grid = arrange(&line(true, (0.0, 0.0))).expect("a plane");
        assert_eq!((grid.nx, grid.ny, grid.spacing, grid.by), (5, 1, None, By::Lines));
        let grid = arrange(&line(false, (3.0, 4.0))).expect("a plane");
        assert_eq!((grid.nx, grid.ny, grid.by), (5, 1, By::Sequence));
        assert_eq!(grid.spacing, Some((5.0, 5.0)));
        let grid = arrange(&line(false, (0.0, 4.0))).expect("a plane");
        assert_eq!((grid.nx, grid.by, grid.spacing), (5, By::Coordinates, Some((4.0, 4.0))));
        let grid = arrange(&line(false, (0.0, 0.0))).expect("a plane");
        assert_eq!((grid.nx, grid.spacing, grid.by), (5, None, By::Sequence));
        let crooked: Vec<Key> = (0..5)
            .map(|n| Key { x: f64::from(n), y: f64::from(n * n), ..Key::default() })
            .collect();
        assert!(arrange(&crooked).is_err());
        assert_eq!(arrange(&[Key::default()]).expect("one").nx, 1);
        assert!(arrange(&[]).is_err());
    }
}
