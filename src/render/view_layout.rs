//! Where the three panels of a view of a volume lie: a map, a section below it that shares its x, and beside
//! that a section which shares its depth; the colour bars in the free corner.

use super::frame::{BAR, HEAD, MARGIN, Place, TICK_GAP, TICK_LENGTH};
use super::size::FigureSize;
use super::text::{LABEL, TICK};
use crate::grid::Axes;

/// The least view, dots.
pub(super) const LEAST: (u32, u32) = (900, 850);
/// Greatest height of the map and the section below it together in a figure of no given height, dots.
const TALLEST: u32 = 1150;
/// An axis is drawn at least this part as long as the longest.
const LEAST_SHARE: f64 = 1.0 / 8.0;
/// Between the columns, dots.
const COLUMN_GAP: u32 = 44;
/// Height of the line above a panel that says which plane it shows, dots.
const CAPTION: u32 = 50;
/// Least width of the left column, so that the captions beside each other keep apart, dots.
const LEAST_COLUMN: u32 = 280;
/// Room that the colour bars take in their corner, dots.
const CORNER: (u32, u32) = (440, 2 * BAR_ROW + 40);
/// Height of a colour bar with its scale and label and the gap below, dots.
const BAR_ROW: u32 = BAR + TICK_LENGTH + TICK_GAP + TICK as u32 + 8 + LABEL as u32 + 40;

/// The places of a view.
pub(super) struct Layout {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Top of the title.
    pub(super) title: u32,
    /// z = const: x across, y upward.
    pub(super) map: Place,
    /// y = const: x across, depth down.
    pub(super) inline: Place,
    /// x = const: y across, depth down.
    pub(super) crossline: Place,
    pub(super) bars: [Place; 2],
}

impl Layout {
    /// For the lengths of the axes, with so many dots for the scales on the left.
    pub(super) fn new(length: Axes<f64>, left: u32, size: FigureSize) -> Self {
        let longest = length.x.max(length.y).max(length.z);
        let drawn = |length: f64| (length / longest).max(LEAST_SHARE);
        let (x, y, z) = (drawn(length.x), drawn(length.y), drawn(length.z));

        let right = MARGIN + 22;
        let below = TICK_LENGTH + TICK_GAP + TICK as u32 + 12 + LABEL as u32 + MARGIN;
        let top = MARGIN + HEAD + CAPTION;
        let given = size.height().map(|height| height.saturating_sub(top + CAPTION + below));
        let tallest = f64::from(given.unwrap_or(TALLEST));
        let room = f64::from(size.width() - left - right - COLUMN_GAP);
        // The right column and the upper row have room for the bars at least, the left one for its captions.
        let across = (room / (x + y)).min((room - f64::from(CORNER.0)) / x);
        let across = across.min((room - f64::from(LEAST_COLUMN)) / y);
        let down = (tallest / (y + z)).min((tallest - f64::from(CORNER.1)) / z);
        let scale = across.min(down);
        let dots = |share: f64| (share * scale).max(1.0) as u32;
        let (x, y, z) = (dots(x), dots(y), dots(z));

        let upper = y.max(CORNER.1);
        let map = Place { left, top: top + upper - y, width: x, height: y };
        let inline = Place { left, top: map.bottom() + CAPTION, width: x, height: z };
        let beside = left + x.max(LEAST_COLUMN) + COLUMN_GAP;
        let crossline = Place { left: beside, width: y, ..inline };
        let column = y.max(CORNER.0);
        let bar = |row: u32| Place {
            left: beside + 20,
            top: top + (upper - CORNER.1) / 2 + row * BAR_ROW + 20,
            width: column - 40,
            height: BAR,
        };
        let (width, height) = (beside + column + right, inline.bottom() + below);
        // In the middle of a given size.
        let spare = |given: u32, natural: u32| given.saturating_sub(natural) / 2;
        let (aside, down) = match size.height() {
            Some(given) => (spare(size.width(), width), spare(given, height)),
            None => (0, 0),
        };
        let moved =
            |place: Place| Place { left: place.left + aside, top: place.top + down, ..place };
        Self {
            width: if size.height().is_some() { size.width() } else { width },
            height: size.height().unwrap_or(height),
            title: MARGIN + down,
            map: moved(map),
            inline: moved(inline),
            crossline: moved(crossline),
            bars: [moved(bar(0)), moved(bar(1))],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::RenderError;
    use super::super::size::FIGURE;
    use super::*;

    #[test]
    fn panels_share_their_axes_and_stay_on_the_figure() -> Result<(), RenderError> {
        let lengths = [1e-3, 1.0, 2.5, 400.0];
        for (x, y, z) in lengths.into_iter().flat_map(|x| {
            lengths.into_iter().flat_map(move |y| lengths.into_iter().map(move |z| (x, y, z)))
        }) {
            let least = FigureSize::new(Some(LEAST), 150.0)?;
            let layout = Layout::new(Axes { z, x, y }, 120, least);
            assert_eq!((layout.width, layout.height), LEAST);
            assert!(layout.crossline.right() < LEAST.0 && layout.bars[0].right() < LEAST.0);
            assert!(layout.inline.bottom() + 60 < LEAST.1, "{x} {y} {z}");
            let layout = Layout::new(Axes { z, x, y }, 120, FigureSize::default());
            let (map, inline, crossline) = (layout.map, layout.inline, layout.crossline);
            assert_eq!((map.left, map.width), (inline.left, inline.width));
            assert_eq!((inline.top, inline.height), (crossline.top, crossline.height));
            assert_eq!(map.height, crossline.width, "one scale");
            assert!(map.bottom() < inline.top && inline.right() < crossline.left);
            assert!(crossline.left >= inline.left + LEAST_COLUMN, "captions keep apart");
            let [first, second] = layout.bars;
            assert!(first.bottom() < second.top && second.bottom() < crossline.top, "{x} {y} {z}");
            assert!(first.left > map.right() && first.right() < layout.width);
            assert!(layout.width <= FIGURE, "{x} {y} {z}: {}", layout.width);
            assert!(layout.height <= 1500, "{x} {y} {z}: {}", layout.height);
        }
        Ok(())
    }
}
