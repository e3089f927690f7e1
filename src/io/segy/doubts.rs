//! Numbers of trace headers that are used, or not, and are doubtful by themselves.

use super::{Alike, Field, Overrides, Reader, TRACE, Warning, binary, remedy, su, su_trace, trace};

/// The standard's scalars, but for their sign.
const SCALARS: [u64; 6] = [0, 1, 10, 100, 1000, 10_000];

/// Seconds: delays are whole milliseconds.
const DELAYS: f64 = 6e-4;

/// Less is an integer of SEG-Y, read as a float.
const TINY: f64 = 1e-6;

const COORDINATES: [Field<TRACE>; 4] =
    [trace::SOURCE_X, trace::SOURCE_Y, trace::RECEIVER_X, trace::RECEIVER_Y];
const ELEVATIONS: [Field<TRACE>; 3] =
    [trace::RECEIVER_ELEVATION, trace::SURFACE_ELEVATION, trace::SOURCE_DEPTH];

impl<R> Reader<R> {
    pub(super) fn check_doubts(&mut self, trace: u64) {
        self.check_scalars(trace);
        self.check_correlation(trace);
        self.check_first(trace);
    }

    /// Warns of scalars that are none of the standard's, if they scale anything.
    fn check_scalars(&mut self, trace: u64) {
        let Overrides { coordinate_scalar, elevation_scalar, .. } = self.overrides;
        // Revision 0 and Seismic Unix have no scalar of times.
        let timed = self.layout.revision > 0;
        for (field, scaled, used, remedy) in [
            (
                trace::ELEVATION_SCALAR,
                &ELEVATIONS[..],
                elevation_scalar.is_none(),
                remedy::ELEVATION_SCALAR,
            ),
            (
                trace::COORDINATE_SCALAR,
                &COORDINATES[..],
                coordinate_scalar.is_none(),
                remedy::COORDINATE_SCALAR,
            ),
            (trace::TIME_SCALAR, &[trace::DELAY][..], timed, remedy::START),
        ] {
            let value = self.header.get(field);
            let scales = || scaled.iter().any(|field| self.header.get(*field) != 0);
            if used && !SCALARS.contains(&value.unsigned_abs()) && scales() {
                let (field, traces) = (field.place(), Alike::of(trace));
                self.add(Warning::Scalar { field, value, traces, remedy });
            }
        }
    }

    /// Warns of traces of a vibrator that are not correlated with its sweep.
    fn check_correlation(&mut self, trace: u64) {
        let of_file = |field| self.binary.as_ref().map_or(0, |header| header.get(field));
        let sweeps = [trace::SWEEP_START, trace::SWEEP_END, trace::SWEEP_LENGTH];
        let file_sweeps = [binary::SWEEP_START, binary::SWEEP_END, binary::SWEEP_LENGTH];
        let swept = sweeps.into_iter().any(|field| self.header.get(field) != 0)
            || file_sweeps.into_iter().any(|field| of_file(field) != 0);
        let by_file = of_file(binary::CORRELATED) == 1;
        let traces = Alike::of(trace);
        match self.header.get(trace::CORRELATED) {
            1 if swept || by_file => {
                let field = trace::CORRELATED.place();
                self.add(Warning::Uncorrelated { field, traces });
            }
            0 if swept && by_file => {
                let field = binary::CORRELATED.place();
                self.add(Warning::Uncorrelated { field, traces });
            }
            _ => {}
        }
    }

    /// Warns of a first sample of Seismic Unix that is not at the delay.
    fn check_first(&mut self, trace: u64) {
        let is_depth = su::DEPTH.contains(&self.header.get(trace::IDENTIFICATION));
        if self.binary.is_some() || is_depth {
            return;
        }
        let (first, delay) = (self.header.float(su_trace::F1), self.header.get(trace::DELAY));
        let seconds = delay as f64 / 1e3;
        // Some give it in milliseconds.
        let agrees = [seconds, delay as f64].iter().any(|at| (first - at).abs() <= DELAYS);
        if first.is_finite() && first.abs() > TINY && !agrees {
            let (field, own) = (su_trace::F1.place(), trace::DELAY.place());
            let traces = Alike::of(trace);
            self.add(Warning::First { field, first, own, delay, traces });
        }
    }
}
