//! The layout of a view of a volume: a map, a section below it with the same x, and beside that a
//! section with the same depth; the colour bars in the free corner.

use crate::{
    canvas::Place,
    frame::{BAR, HEAD, RIGHT},
    grid::Axes,
    size::{FigureSize, LeastSize, MARGIN},
};

/// Minimum size of a view, dots.
pub(crate) const LEAST: LeastSize = LeastSize { width: 900, height: 850 };
/// Maximum total height of the map and the section below it in a figure without a given height,
/// dots.
const TALLEST: f64 = 1150.0;
/// Minimum length of a drawn axis, as a fraction of the longest.
const LEAST_SHARE: f64 = 1.0 / 8.0;
/// Gap between the columns, with space for the numbers at both ends, dots.
const COLUMN_GAP: f64 = 66.0;
/// Height of the caption above a panel, dots.
const CAPTION: f64 = 60.0;
/// Minimum width of the left column and the gap, so that adjacent captions do not overlap, dots.
const LEAST_COLUMN: f64 = 324.0;
/// Size of the corner for the colour bars, dots.
const CORNER: (f64, f64) = (440.0, 2.0 * BAR_ROW + 40.0);
/// Height of a colour bar with its scale and label and the gap below, dots.
const BAR_ROW: f64 = BAR + SCALE + 30.0;
/// Height of a scale below a panel, dots.
const SCALE: f64 = 88.0;

/// What stands beside and above the panels, dots.
#[derive(Clone, Copy)]
pub(crate) struct Beside {
    /// Width of the scales on the left.
    pub(crate) left: f64,
    /// Height of the further lines of the title and of the legend below it.
    pub(crate) above: f64,
}

/// The positions of the parts of a view.
pub(crate) struct Layout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Top of the title.
    pub(crate) title: f64,
    /// The map z = const, x across and y upward; the section y = const, x across and depth down;
    /// and the section x = const, y across and depth down.
    pub(crate) panels: [Place; 3],
    pub(crate) bars: [Place; 2],
}

impl Layout {
    /// The layout for axes of these lengths.
    pub(crate) fn new(length: Axes<f64>, beside: Beside, size: FigureSize) -> Self {
        let Beside { left, above } = beside;
        let longest = length.x.max(length.y).max(length.z);
        let Axes { x, y, z } = length.map(|length| (length / longest).max(LEAST_SHARE));

        let below = SCALE + MARGIN;
        let top = MARGIN + HEAD + above + CAPTION;
        let tallest = size.height().map_or(TALLEST, |height| height - top - CAPTION - below);
        let room = size.width() - left - RIGHT - COLUMN_GAP;
        // The right column and the upper row have at least the space of the bars, the left column
        // that of its captions.
        let across =
            (room / (x + y)).min((room - CORNER.0) / x).min((room + COLUMN_GAP - LEAST_COLUMN) / y);
        let down = (tallest / (y + z)).min((tallest - CORNER.1) / z);
        let scale = across.min(down);
        let Axes { x, y, z } = Axes { x, y, z }.map(|share| (share * scale).max(1.0).floor());

        let upper = y.max(CORNER.1);
        let map = Place { left, top: top + upper - y, width: x, height: y };
        let inline = Place { left, top: map.bottom() + CAPTION, width: x, height: z };
        let beside = left + (x + COLUMN_GAP).max(LEAST_COLUMN);
        let crossline = Place { left: beside, width: y, ..inline };
        let column = y.max(CORNER.0);
        let bar = |row: f64| Place {
            left: beside + 20.0,
            top: top + (upper - CORNER.1) / 2.0 + row * BAR_ROW + 20.0,
            width: column - 40.0,
            height: BAR,
        };
        let natural = (beside + column + RIGHT, inline.bottom() + below);
        let (width, height) = size.height().map_or(natural, |height| (size.width(), height));
        // Centred in a given size.
        let spare = |given: f64, natural: f64| ((given - natural) / 2.0).max(0.0).floor();
        let (aside, down) = (spare(width, natural.0), spare(height, natural.1));
        let moved =
            |place: Place| Place { left: place.left + aside, top: place.top + down, ..place };
        Self {
            width,
            height,
            title: MARGIN + down,
            panels: [map, inline, crossline].map(moved),
            bars: [bar(0.0), bar(1.0)].map(moved),
        }
    }

    /// The whole figure.
    pub(crate) fn whole(&self) -> Place {
        Place { left: 0.0, top: 0.0, width: self.width, height: self.height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::size::FIGURE;

    #[test]
    fn panels_share_their_axes_and_stay_on_the_figure() {
        let lengths = [1e-3, 1.0, 2.5, 400.0];
        let beside = Beside { left: 120.0, above: 40.0 };
        let least = FigureSize::new(Some((LEAST.width, LEAST.height)), 150.0).expect("a size");
        for [x, y, z] in (0..64).map(|k| [k % 4, k / 4 % 4, k / 16].map(|k| lengths[k])) {
            let layout = Layout::new(Axes { z, x, y }, beside, least);
            let (width, height) = (f64::from(LEAST.width), f64::from(LEAST.height));
            assert_eq!((layout.width, layout.height), (width, height));
            assert!(layout.panels[2].right() < width && layout.bars[0].right() < width);
            assert!(layout.panels[1].bottom() + 60.0 < height, "{x} {y} {z}");
            let layout = Layout::new(Axes { z, x, y }, beside, FigureSize::default());
            let [map, inline, crossline] = layout.panels;
            assert_eq!((map.left, map.width), (inline.left, inline.width));
            assert_eq!((inline.top, inline.height), (crossline.top, crossline.height));
            assert_eq!(map.height, crossline.width, "one scale");
            assert!(map.bottom() < inline.top && inline.right() < crossline.left);
            assert!(crossline.left >= inline.left + LEAST_COLUMN, "captions keep apart");
            let [first, second] = layout.bars;
            assert!(first.bottom() < second.top && second.bottom() < crossline.top, "{x} {y} {z}");
            assert!(first.left > map.right() && first.right() < layout.width);
            assert!(layout.width <= f64::from(FIGURE), "{x} {y} {z}: {}", layout.width);
            assert!(layout.height <= 1540.0, "{x} {y} {z}: {}", layout.height);
        }
    }
}
