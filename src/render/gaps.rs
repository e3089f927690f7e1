//! Distances and widths that all figures share.

/// White margin at the edges, dots.
pub(super) const MARGIN: f64 = 24.0;
/// Gap between a text and its object, dots.
pub(super) const GAP: f64 = 10.0;
/// Width of frame lines and ticks, dots.
pub(super) const LINE: f64 = 2.0;
