//! The weighed traces of a survey beside those that an image scatters.

use crate::conditioning::{ConditioningError, resample::resampled};
use ndarray::Array2;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The weighed traces of the shots, `[receiver][sample]` at the recorded interval.
pub(crate) struct Fitted {
    /// W F m: what the image scatters.
    pub(crate) modelled: Vec<Array2<f32>>,
    /// W (d - F m): what it leaves.
    pub(crate) residual: Vec<Array2<f32>>,
    /// Seconds between samples.
    pub(crate) interval: f64,
}

impl Fitted {
    /// Of recorded and modelled traces.
    pub(crate) fn new(
        recorded: Vec<Array2<f32>>,
        modelled: Vec<Array2<f32>>,
        interval: f64,
    ) -> Self {
        let pairs = recorded.into_iter().zip(&modelled);
        let residual = pairs.map(|(recorded, modelled)| recorded - modelled).collect();
        Fitted { modelled, residual, interval }
    }
}

/// Takes the weighed traces of a sweep between its begin and its end, from any thread.
pub(crate) struct Taken {
    interval: f64,
    shots: Mutex<Shots>,
}

/// The traces of each shot, or the first error.
type Shots = Result<Vec<Array2<f32>>, ConditioningError>;

impl Taken {
    /// At samples `interval` s apart.
    pub(crate) fn new(interval: f64) -> Self {
        Taken { interval, shots: Mutex::new(Ok(Vec::new())) }
    }

    /// Takes the traces of so many shots from here on.
    pub(crate) fn begin(&self, shots: usize) {
        *self.lock() = Ok(vec![Array2::default((0, 0)); shots]);
    }

    /// The traces of a shot, samples `dt` s apart.
    pub(crate) fn push(&self, shot: usize, traces: &Array2<f64>, dt: f64) {
        if !matches!(&*self.lock(), Ok(shots) if shot < shots.len()) {
            return;
        }
        let traces = resampled(&traces.mapv(|value| value as f32), dt, self.interval);
        let mut taken = self.lock();
        match (&mut *taken, traces) {
            (Ok(shots), Ok(traces)) => shots[shot] = traces,
            (Ok(_), Err(error)) => *taken = Err(error),
            (Err(_), _) => {}
        }
    }

    /// Multiplies what has been taken.
    pub(crate) fn multiply(&self, unit: f64) {
        let mut taken = self.lock();
        let shots = taken.iter_mut().flatten();
        shots.for_each(|of| of.mapv_inplace(|v| (f64::from(v) * unit) as f32));
    }

    /// What has been taken; no more is.
    pub(crate) fn end(&self) -> Shots {
        std::mem::replace(&mut *self.lock(), Ok(Vec::new()))
    }

    fn lock(&self) -> MutexGuard<'_, Shots> {
        self.shots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
