//! Gradients in files as pictures.

use crate::{render::Quantity, results::ResultPicture};

/// The pictures of gradients.
pub(crate) const PICTURES: &[ResultPicture] = &[ResultPicture {
    is_of: |of| of.stem().starts_with("gradient"),
    draw: |of, easel| of.draw_map(Quantity::GRADIENT, easel),
}];
