//! The model beneath the fields of several figures, resampled once for all of them.

use ndarray::ArrayView2;
use std::sync::{Arc, Mutex, PoisonError};

use super::colour::grey_beneath;
use super::colour_range::VelocityRange;
use super::resampling::{Kernel, fill};

/// The greys of models beneath fields. Clones share them, so that the snapshots of a run need not
/// resample their model again.
#[derive(Clone, Debug, Default)]
pub struct Backdrop(Arc<Mutex<Vec<Painted>>>);

/// A model as painted in a panel.
#[derive(Clone, Debug)]
struct Painted {
    of: Panel,
    greys: Arc<Vec<f32>>,
}

/// What the greys depend on. An array is known by its place in memory.
#[derive(Clone, Debug, PartialEq)]
struct Panel {
    address: usize,
    shape: [usize; 2],
    strides: Vec<isize>,
    range: VelocityRange,
    /// Width and height of the panel.
    pixels: [usize; 2],
}

impl Backdrop {
    /// The greys of velocities of shape [across, down] in a panel, pixel by pixel in rows. The
    /// array must live as long as the backdrop is used.
    pub(super) fn greys(
        &self,
        velocity: ArrayView2<'_, f32>,
        range: VelocityRange,
        [width, height]: [usize; 2],
    ) -> Arc<Vec<f32>> {
        let of = Panel {
            address: velocity.as_ptr().addr(),
            shape: velocity.dim().into(),
            strides: velocity.strides().to_vec(),
            range,
            pixels: [width, height],
        };
        // Kept while it is painted: another thread that draws the same model waits for it.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = all.iter().find(|painted| painted.of == of) {
            return found.greys.clone();
        }
        let mut greys = fill(velocity, width, height, Kernel::Linear).into_raw_vec_and_offset().0;
        greys.iter_mut().for_each(|c| *c = grey_beneath(range.share(*c)));
        let greys = Arc::new(greys);
        all.push(Painted { of, greys: greys.clone() });
        greys
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    /// Another range, size, part or direction of the model is painted, not taken from before.
    #[test]
    fn only_the_same_panel_is_painted_once() {
        let velocity = Array2::from_shape_fn((9, 9), |(x, z)| (1500 + 10 * x + z) as f32);
        let (wide, narrow) = (
            VelocityRange { slowest: 1500.0, fastest: 1600.0 },
            VelocityRange { slowest: 1500.0, fastest: 1550.0 },
        );
        let (whole, part) = (velocity.view(), velocity.slice(ndarray::s![..5, ..5]));
        let shared = Backdrop::default();
        for (view, range, pixels) in [
            (whole, wide, [20, 20]),
            (whole, narrow, [20, 20]),
            (whole, wide, [20, 10]),
            (velocity.t(), wide, [20, 20]),
            (part, wide, [20, 20]),
        ] {
            let greys = shared.greys(view, range, pixels);
            assert_eq!(greys, Backdrop::default().greys(view, range, pixels), "{pixels:?}");
            assert!(Arc::ptr_eq(&greys, &shared.clone().greys(view, range, pixels)));
        }
        assert_eq!(shared.0.lock().unwrap_or_else(PoisonError::into_inner).len(), 5);
    }
}
