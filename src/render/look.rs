//! How fields, models and their axes look, if not as usual.

use super::colour::{self, Colour};
use crate::picture::{AxisUnit, Colours};

/// The choices of how pictures look.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// The colours of fields, gathers and models, in place of those of each.
    pub colours: Option<Colours>,
    /// The unit of lengths along axes.
    pub unit: AxisUnit,
    /// True to draw no sources, receivers and results over a picture.
    pub bare: bool,
}

impl Look {
    /// The colour of a model's value at a fraction 0..=1 of its range.
    pub(super) fn model(self) -> impl Fn(f32) -> Colour {
        move |share| match self.colours {
            Some(colours) => colour::mapped(colours, share),
            None => colour::velocity(share),
        }
    }

    /// The colour of a gather's value at a fraction -1..=1 of the largest.
    pub(super) fn gather(self) -> impl Fn(f32) -> Colour {
        move |share| match self.colours {
            Some(colours) => colour::mapped(colours, f32::midpoint(share, 1.0)),
            None => colour::gather(share),
        }
    }
}
