//! Derives the reason why a split run ended from the results of its shares.

use crate::{EngineError, blow_up::bin, share::ShareError};

/// The results of all shares, or the error of the whole.
pub(crate) fn combined<T>(results: Vec<Result<T, EngineError>>) -> Result<Vec<T>, EngineError> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(one) => values.push(one),
            Err(error) => errors.push(error),
        }
    }
    // The end of a neighbour is never the reason.
    match errors.into_iter().reduce(|a, b| if rank(&b) < rank(&a) { b } else { both(a, b) }) {
        Some(error) => Err(error),
        None => Ok(values),
    }
}

/// The lowest rank is the reason; among blow-ups, the first one found.
fn rank(error: &EngineError) -> (usize, usize, usize) {
    match error {
        EngineError::BlowUp { step, shot, .. } => (1, *step, *shot),
        EngineError::Stopped { step, .. } => (2, *step, 0),
        EngineError::Share(ShareError::Neighbour) => (3, 0, 0),
        _ => (0, 0, 0),
    }
}

/// Merges two errors, the first of no higher rank, in the order of the shares. A blow-up that
/// several shares found at a look is where the first node of the highest bin is, as the watchdog of
/// a whole field finds it.
fn both(mut a: EngineError, b: EngineError) -> EngineError {
    if rank(&a) != rank(&b) {
        return a;
    }
    let values = (&mut a, &b);
    if let (EngineError::BlowUp { value: one, .. }, EngineError::BlowUp { value: other, .. }) =
        values
    {
        let bits = [one.to_bits(), other.to_bits()];
        if bin(bits[0]) == bin(bits[1]) && one.is_finite() == other.is_finite() {
            *one = f32::from_bits(bits[0].max(bits[1]));
        } else if bits[1] > bits[0] {
            return b;
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cause, grid::PerAxis};

    fn blow_up(step: usize, shot: usize, value: f32, x: f64) -> EngineError {
        let at = value.is_finite().then_some(PerAxis { z: 0.0, x, y: None });
        let (healthy, cause) = (None, Cause::Unknown);
        EngineError::BlowUp { step, time: 0.0, healthy, shot, at, value, cause }
    }

    fn of(errors: Vec<EngineError>) -> EngineError {
        combined(errors.into_iter().map(Err::<(), _>).collect()).expect_err("they failed")
    }

    #[test]
    fn the_reason_is_reported() {
        let device = EngineError::Device { device: "one".into(), message: "lost".into() };
        let stopped = |step| EngineError::Stopped { step, steps: 9 };
        let neighbour = EngineError::from(ShareError::Neighbour);
        assert_eq!(of(vec![neighbour.clone(), stopped(4), stopped(3)]), stopped(3));
        assert_eq!(
            of(vec![stopped(3), neighbour, blow_up(7, 0, 1.0, 0.0), device.clone()]),
            device
        );
        assert_eq!(combined(vec![Ok(1), Ok(2)]), Ok(vec![1, 2]));
    }

    /// As the watchdog of a whole field: the first look and shot, the largest value, the first node
    /// that is within a factor of 16 of it.
    #[test]
    fn a_blow_up_is_reported_as_for_the_whole() {
        let first = blow_up(100, 1, 5.0, 20.0);
        assert_eq!(
            of(vec![blow_up(200, 0, 9.0, 10.0), first.clone(), blow_up(100, 2, 6.0, 30.0)]),
            first
        );
        let two = |a, b| of(vec![blow_up(100, 0, a, 10.0), blow_up(100, 0, b, 20.0)]);
        assert_eq!(two(1.0, 1.5), blow_up(100, 0, 1.5, 10.0), "of one bin");
        assert_eq!(two(1.0, 1e3), blow_up(100, 0, 1e3, 20.0));
        assert_eq!(two(1e3, 1.0), blow_up(100, 0, 1e3, 10.0));
        // An overflow has no position.
        assert_eq!(two(f32::MAX, f32::INFINITY), blow_up(100, 0, f32::INFINITY, 0.0));
        assert_eq!(two(f32::INFINITY, f32::MAX), blow_up(100, 0, f32::INFINITY, 0.0));
    }
}
