//! A flat stack of layers, from which folded and faulted rocks take their velocity.

use super::smooth::{mix, step};

/// A flat stack of layers; the last one has no bottom.
pub(super) struct Column {
    /// Depth of each layer's bottom, metres, and the layer's value.
    layers: Vec<(f64, f64)>,
    /// Width of the transition between layers, metres.
    blur: f64,
}

impl Column {
    /// Stacks two layers or more, given as thickness in metres and value, downwards from `top`.
    pub(super) fn new(top: f64, blur: f64, layers: impl Iterator<Item = (f64, f64)>) -> Self {
        let stack = layers.scan(top, |bottom, (thickness, value)| {
            *bottom += thickness;
            Some((*bottom, value))
        });
        Self { layers: stack.collect(), blur }
    }

    /// Value at a depth, blended across the nearest interface.
    pub(super) fn at(&self, depth: f64) -> f64 {
        let above = |layer: &(f64, f64)| layer.0 + 0.5 * self.blur < depth;
        let upper = self.layers.partition_point(above).min(self.layers.len() - 2);
        let ((bottom, value), (_, next)) = (self.layers[upper], self.layers[upper + 1]);
        mix(value, next, step(depth - bottom, self.blur))
    }
}
