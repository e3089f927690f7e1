//! Fourier transforms, each length planned once per thread: recordings have one trace length.
//!
//! A package of its own: the transforms are generic, so the crate that calls them compiles them, with
//! its unit tests once more.

#![warn(unreachable_pub)]

pub(crate) use realfft::RealToComplex;
pub use rustfft::{Fft, num_complex::Complex};

use realfft::RealFftPlanner;
use rustfft::FftPlanner;
use std::{cell::RefCell, sync::Arc};

thread_local! {
    static REAL: RefCell<RealFftPlanner<f64>> = RefCell::new(RealFftPlanner::new());
    static PLANNER: RefCell<FftPlanner<f64>> = RefCell::new(FftPlanner::new());
}

/// For `size` samples; forward and inverse are not normalised.
pub fn forward(size: usize) -> Arc<dyn Fft<f64>> {
    PLANNER.with_borrow_mut(|planner| planner.plan_fft_forward(size))
}

/// The inverse.
pub fn inverse(size: usize) -> Arc<dyn Fft<f64>> {
    PLANNER.with_borrow_mut(|planner| planner.plan_fft_inverse(size))
}

/// For `size` real samples: the half of the spectrum from 0 up.
pub fn real(size: usize) -> Arc<dyn RealToComplex<f64>> {
    REAL.with_borrow_mut(|planner| planner.plan_fft_forward(size))
}
