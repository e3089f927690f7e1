//! Fourier transforms, each length planned once a thread: a recording has hundreds of traces of one length.

use rustfft::{Fft, FftPlanner};
use std::{cell::RefCell, sync::Arc};

thread_local! {
    static PLANNER: RefCell<FftPlanner<f64>> = RefCell::new(FftPlanner::new());
}

/// Of so many samples; there and back is not normalised.
pub fn forward(size: usize) -> Arc<dyn Fft<f64>> {
    PLANNER.with_borrow_mut(|planner| planner.plan_fft_forward(size))
}

/// The way back.
pub fn inverse(size: usize) -> Arc<dyn Fft<f64>> {
    PLANNER.with_borrow_mut(|planner| planner.plan_fft_inverse(size))
}
