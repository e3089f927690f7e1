//! Traces on a regular grid: the column of a model for each of them.

use crate::{
    grid::Position,
    model::{Placement, Side},
};

/// The position of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Key {
    /// Inline number.
    pub(crate) inline: i64,
    /// Crossline number.
    pub(crate) crossline: i64,
    /// x of the ensemble, metres.
    pub(crate) x: f64,
    /// y of the ensemble, metres.
    pub(crate) y: f64,
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
    pub(crate) placement: Option<Placement>,
    /// The column of each trace: `y * nx + x`.
    pub(crate) columns: Vec<usize>,
    /// How they were placed.
    pub by: By,
}

/// First bytes of the numbers of a [`Key`] in the trace header, in the standard.
pub(super) const KEY_BYTES: [u16; 4] = [189, 193, 181, 185];

/// Traces that are not a regular grid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the {traces} traces fill no regular grid{fault}: {} inline numbers (bytes {}-{} of the trace header), \
     {} crossline numbers (bytes {}-{}), {} ensemble x (bytes {}-{}), {} ensemble y (bytes {}-{}); \
     a model needs one trace in each place of a grid, or on an even line",
    .distinct[0], .at[0], .at[0] + 3, .distinct[1], .at[1], .at[1] + 3,
    .distinct[2], .at[2], .at[2] + 3, .distinct[3], .at[3], .at[3] + 3
)]
pub struct Irregular {
    /// Traces of the file.
    pub(crate) traces: usize,
    /// Distinct inline numbers, crossline numbers, x and y.
    pub(crate) distinct: [usize; 4],
    /// The first bytes of these numbers.
    pub(crate) at: [u16; 4],
    /// The first place of the lines without a trace or with two, in words; empty if they are no grid.
    pub(crate) fault: String,
}

/// Tolerance of coordinates, relative to the spacing: they are rounded in files.
const EVEN: f64 = 0.01;

/// A number of the keys, along which a grid may lie.
struct KeyAxis {
    of: fn(&Key) -> f64,
    /// Its distinct values, sorted.
    values: Vec<f64>,
}

impl KeyAxis {
    fn new(keys: &[Key], of: fn(&Key) -> f64) -> Self {
        let mut values: Vec<f64> = keys.iter().map(of).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        // There may be millions of traces, on a few hundred lines.
        values.shrink_to_fit();
        KeyAxis { of, values }
    }

    fn len(&self) -> usize {
        self.values.len()
    }

    /// The index of each key; `None` if the axis is uneven.
    fn places(&self, keys: &[Key]) -> Option<Vec<usize>> {
        let last = self.len() - 1;
        if last == 0 {
            return Some(vec![0; keys.len()]);
        }
        let first = self.values[0];
        let step = (self.values[last] - first) / last as f64;
        let even = |(index, value): (usize, &f64)| {
            (value - (first + index as f64 * step)).abs() <= EVEN * step
        };
        let place = |key| (((self.of)(key) - first) / step).round() as usize;
        self.values.iter().enumerate().all(even).then(|| keys.iter().map(place).collect())
    }
}

/// A grid of two even axes with one trace in each place.
fn filled(keys: &[Key], by: By, x: &KeyAxis, y: &KeyAxis) -> Option<SurveyGrid> {
    // If nothing varies, nothing is placed.
    if x.len().checked_mul(y.len()) != Some(keys.len()) || keys.len() < 2 {
        return None;
    }
    let rows = y.places(keys)?.into_iter().zip(x.places(keys)?);
    let columns: Vec<usize> = rows.map(|(row, column)| row * x.len() + column).collect();
    let mut seen = vec![false; keys.len()];
    columns.iter().for_each(|column| seen[*column] = true);
    // A plane lies along x.
    let (nx, ny) = if x.len() == 1 { (y.len(), 1) } else { (x.len(), y.len()) };
    seen.iter().all(|seen| *seen).then(|| SurveyGrid::of(keys, columns, nx, ny, by))
}

impl SurveyGrid {
    fn of(keys: &[Key], columns: Vec<usize>, nx: usize, ny: usize, by: By) -> Self {
        let (spacing, placement) = spacing(keys, &columns, nx, ny).unzip();
        SurveyGrid { nx, ny, spacing, placement, columns, by }
    }

    /// In the order of the file.
    fn in_sequence(keys: &[Key], nx: usize, ny: usize) -> Self {
        SurveyGrid::of(keys, (0..keys.len()).collect(), nx, ny, By::Sequence)
    }
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

struct Distinct {
    inlines: KeyAxis,
    crosslines: KeyAxis,
    x: KeyAxis,
    y: KeyAxis,
}

impl Distinct {
    fn of(keys: &[Key]) -> Self {
        Distinct {
            inlines: KeyAxis::new(keys, |key| key.inline as f64),
            crosslines: KeyAxis::new(keys, |key| key.crossline as f64),
            x: KeyAxis::new(keys, |key| key.x),
            y: KeyAxis::new(keys, |key| key.y),
        }
    }

    fn lines(&self, keys: &[Key]) -> Option<SurveyGrid> {
        filled(keys, By::Lines, &self.crosslines, &self.inlines)
    }

    fn coordinates(&self, keys: &[Key]) -> Option<SurveyGrid> {
        filled(keys, By::Coordinates, &self.x, &self.y)
    }

    /// A plane in the order of the file.
    fn sequence(&self, keys: &[Key]) -> Option<SurveyGrid> {
        let grid = SurveyGrid::in_sequence(keys, keys.len(), 1);
        let placed_by_nothing = self.x.len() == 1 && self.y.len() == 1;
        let unnumbered = self.inlines.len() == 1 && self.crosslines.len() == 1;
        (unnumbered && (placed_by_nothing || grid.spacing.is_some())).then_some(grid)
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
    let grid = SurveyGrid::in_sequence(keys, nx, keys.len() / nx);
    grid.spacing.is_some().then_some(grid)
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
        distinct: [&distinct.inlines, &distinct.crosslines, &distinct.x, &distinct.y]
            .map(KeyAxis::len),
        at: KEY_BYTES,
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
    let (inlines, crosslines) = (&inlines.values, &crosslines.values);
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
        let keys = turned().into_iter().map(|key| Key { inline: 0, crossline: 0, ..key });
        let keys: Vec<Key> = keys.collect();
        let grid = arrange(&keys).expect("a grid");
        assert_eq!((grid.nx, grid.ny, grid.by), (4, 3, By::Sequence));
        assert!((grid.placement.expect("even").azimuth - 60.0).abs() < 1e-9);
        let (mut gap, mut uneven) = (keys.clone(), keys);
        gap.remove(6);
        uneven[6].x += 5.0;
        assert!(arrange(&gap).is_err() && arrange(&uneven).is_err());
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
        for (numbered, (dx, dy), by, spacing) in [
            (true, (0.0, 0.0), By::Lines, None),
            (false, (3.0, 4.0), By::Sequence, Some(5.0)),
            (false, (0.0, 4.0), By::Coordinates, Some(4.0)),
            (false, (0.0, 0.0), By::Sequence, None),
        ] {
            let key = |n: i64| {
                let inline = if numbered { n } else { 0 };
                Key { inline, crossline: 1, x: n as f64 * dx, y: n as f64 * dy }
            };
            let grid = arrange(&(0..5).map(key).collect::<Vec<_>>()).expect("a plane");
            assert_eq!((grid.nx, grid.ny, grid.by), (5, 1, by));
            assert_eq!(grid.spacing, spacing.map(|h| (h, h)));
        }
        let crooked = |n: i64| Key { x: n as f64, y: (n * n) as f64, ..Key::default() };
        assert!(arrange(&(0..5).map(crooked).collect::<Vec<_>>()).is_err());
        assert_eq!(arrange(&[Key::default()]).expect("one").nx, 1);
        assert!(arrange(&[]).is_err());
    }
}
