//! Fourier transforms, each length planned once a thread: a recording has hundreds of traces of one length.

use realfft::{RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftPlanner};
use std::{cell::RefCell, sync::Arc};

thread_local! {
    static REAL: RefCell<RealFftPlanner<f64>> = RefCell::new(RealFftPlanner::new());
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

/// Of so many real samples: the half of the spectrum from 0 up.
pub fn real(size: usize) -> Arc<dyn RealToComplex<f64>> {
    REAL.with_borrow_mut(|planner| planner.plan_fft_forward(size))
}
