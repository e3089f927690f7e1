//! Several figures on one page.

use super::Figure;
use crate::{
    RenderError,
    canvas::{Drawing, Place},
    frame::{HEAD, draw_title},
    size::{FigureSize, LeastSize, MARGIN},
    title::Title,
};

/// Several figures side by side and below each other, with letters of one size.
pub struct PageFigure<'a> {
    /// Title above all of them.
    pub title: String,
    /// Row by row.
    pub panels: Vec<Box<dyn Figure + 'a>>,
    /// Panels in a row, 1 or more; fewer on a page too narrow for them.
    pub columns: usize,
    /// The least size of each panel with letters as usual: in smaller ones letters shrink.
    pub least: LeastSize,
    /// Height of a panel over its width, on a page without a given height.
    pub height: f64,
}

impl PageFigure<'_> {
    /// The least size of a page of so many panels with this least size, in up to so many columns.
    pub fn least(panels: usize, columns: usize, least: LeastSize) -> LeastSize {
        let LeastSize { width, height } = FigureSize::shrunk(least);
        let rows = panels.div_ceil(columns.max(1)) as u32;
        LeastSize { width, height: (MARGIN + HEAD) as u32 + height * rows }
    }

    /// As many of so many panels with this least size, in up to so many columns, as a page of a size holds.
    pub fn most(panels: usize, columns: usize, least: LeastSize, size: FigureSize) -> usize {
        let fits = |panels: &usize| Rows { panels: *panels, columns, least }.fit(size);
        (1..=panels.min(MOST)).rev().find(fits).unwrap_or(0)
    }

    /// True if a page of this size holds its panels.
    pub fn fits(&self, size: FigureSize) -> bool {
        self.rows().fit(size)
    }

    fn rows(&self) -> Rows {
        Rows { panels: self.panels.len(), columns: self.columns, least: self.least }
    }

    /// Draws the figures, each in its part of the page.
    ///
    /// # Errors
    ///
    /// [`RenderError`] of a panel, or if the page is too small for its panels.
    pub fn drawing(&self, size: FigureSize) -> Result<Drawing, RenderError> {
        let (columns, panels) = (self.rows().columns(size), self.panels.len());
        RenderError::if_count("panels", panels, 1..=MOST)?;
        let rows = panels.div_ceil(columns);
        let (width, needed) = (size.width(), self.rows().needed(columns, size));
        size.smallest().check(needed)?;
        let needed = f64::from(needed.height) * size.smallest().scale() / size.scale();
        let spare = size.height().map(|height| height - needed);
        let title = Title::within(&self.title, width, spare);
        let head = MARGIN + HEAD + title.further();
        let natural = head + rows as f64 * self.height * width / columns as f64;
        let height = size.height().unwrap_or(natural);
        let mut page = size.blank(width, height);
        let whole = Place { left: 0.0, top: 0.0, width, height };
        draw_title(&mut page, &title, whole, MARGIN, width);
        let (across, down) = page.size();
        let top = (head * size.scale()).ceil() as u32;
        let (across, down) = (across / columns as u32, down.saturating_sub(top) / rows as u32);
        let part = size.part(across, down).fitted(self.least);
        for (k, panel) in self.panels.iter().enumerate() {
            let (column, row) = ((k % columns) as u32, (k / columns) as u32);
            let corner = (f64::from(across * column), f64::from(top + down * row));
            page.add(panel.drawing(part)?, corner);
        }
        Ok(page)
    }
}

/// Maximum number of panels.
const MOST: usize = 60;

/// Rows of panels.
#[derive(Clone, Copy)]
struct Rows {
    panels: usize,
    /// Panels in a row, at most.
    columns: usize,
    /// The least size of each.
    least: LeastSize,
}

impl Rows {
    /// Panels in a row of a page of this size.
    fn columns(self, size: FigureSize) -> usize {
        let is_wide = |columns: &usize| {
            let needed = LeastSize { height: 0, ..self.needed(*columns, size) };
            size.smallest().check(needed).is_ok()
        };
        (1..=self.columns).rev().find(is_wide).unwrap_or(1)
    }

    /// The size that rows of so many panels need, dots of the smallest letters; the title has those of the page.
    fn needed(self, columns: usize, size: FigureSize) -> LeastSize {
        let LeastSize { width, height } = self.least;
        let title = (MARGIN + HEAD) * size.scale() / size.smallest().scale();
        let rows = self.panels.div_ceil(columns) as u32;
        LeastSize { width: width * columns as u32, height: title.ceil() as u32 + height * rows }
    }

    /// True if a page of this size holds them.
    fn fit(self, size: FigureSize) -> bool {
        size.smallest().check(self.needed(self.columns(size), size)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChartFigure, Series, SeriesKind, colour::SERIES, testing::drawn};

    /// The same figure alone, at the size of its part, is what the page shows there.
    #[test]
    fn a_panel_is_what_its_figure_is_alone() -> Result<(), RenderError> {
        let figure = |slope: f64| {
            let points = vec![(0.0, 0.0), (1.0, slope), (2.0, 1.0)];
            let series = Series { name: String::new(), kind: SeriesKind::Line, points };
            Box::new(ChartFigure { series: vec![series], ..ChartFigure::default() })
        };
        let panels: Vec<Box<dyn Figure>> = vec![figure(1.0), figure(-3.0), figure(5.0)];
        let least = ChartFigure::LEAST;
        let page = PageFigure { title: "page".into(), panels, columns: 2, least, height: 0.75 };
        let whole = drawn(&page);
        let (width, height, top) = (800, 600, 80);
        assert_eq!(whole.size(), (1600, top + 2 * height));
        for (k, slope) in [1.0, -3.0, 5.0].into_iter().enumerate() {
            let part = FigureSize::default().part(width, height).fitted(least);
            let alone = figure(slope).drawing(part)?.picture();
            let (left, upper) = (width * (k as u32 % 2), top + height * (k as u32 / 2));
            let line = |p: [u8; 3]| p == SERIES[0];
            let same = alone
                .places()
                .filter(|(x, y, pixel)| line(*pixel) && !line(whole.pixel(left + x, upper + y)));
            assert_eq!(same.count(), 0, "{slope}");
            assert!(alone.places().filter(|(_, _, pixel)| line(*pixel)).count() > 500);
        }
        Ok(())
    }
}
