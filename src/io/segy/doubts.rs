//! Doubts about a trace: what its header says otherwise than the file or than its positions, and
//! numbers that are doubtful by themselves or not applied.

use super::{
    Alike, BinaryHeader, Coded, Field, Layout, Mark, Overrides, Reader, SegyError, TRACE,
    TraceHeader, Warning, binary, geometry::scaled, remedy, su, su_trace, trace,
};

/// The header of a trace, and what it is compared with.
struct Doubtful<'a> {
    index: u64,
    header: &'a TraceHeader,
    /// `None` in files of Seismic Unix.
    binary: Option<&'a BinaryHeader>,
    layout: &'a Layout,
    overrides: &'a Overrides,
}

/// A field of the trace header, and what is doubtful about it in a trace.
type Rule = (Field<TRACE>, fn(&Doubtful<'_>, Field<TRACE>) -> Option<Warning>);

/// All rules, in the order in which a trace's warnings are told; the words are those of [`Warning`].
const RULES: [Rule; 21] = [
    (trace::COORDINATE_SCALAR, |of, field| of.overruled(field, of.overrides.coordinate_scalar)),
    (trace::ELEVATION_SCALAR, |of, field| of.overruled(field, of.overrides.elevation_scalar)),
    (trace::COORDINATE_UNITS, |of, field| of.coordinate_units(field)),
    (trace::IDENTIFICATION, |of, field| of.identification(field)),
    (trace::OFFSET, |of, field| of.offset(field)),
    (trace::LAG_A, |of, field| of.unapplied(field, remedy::START)),
    (trace::LAG_B, |of, field| of.unapplied(field, remedy::START)),
    (trace::TIME_SCALAR, |of, field| of.unused_time_scalar(field)),
    (trace::SOURCE_STATIC, |of, field| of.static_correction(field)),
    (trace::RECEIVER_STATIC, |of, field| of.static_correction(field)),
    (trace::WEIGHT, |of, field| of.unapplied(field, APPLY)),
    (trace::DATUM_ELEVATION, |of, field| of.unapplied(field, remedy::POSITIONS)),
    (trace::SOURCE_DATUM, |of, field| of.unapplied(field, "correct the headers")),
    (trace::TOTAL_STATIC, |of, field| of.shift(field)),
    (trace::TOTAL_STATIC, |of, field| of.sum_of_statics(field)),
    (trace::INTERVAL, |of, field| of.interval(field)),
    (trace::ELEVATION_SCALAR, |of, field| of.elevation_scalar(field)),
    (trace::COORDINATE_SCALAR, |of, field| of.coordinate_scalar(field)),
    (trace::TIME_SCALAR, |of, field| of.time_scalar(field)),
    (trace::CORRELATED, |of, field| of.uncorrelated(field)),
    (su_trace::F1, |of, field| of.first_sample(field)),
];

const APPLY: &str = "apply it to the samples first";
const COORDINATES: [Field<TRACE>; 4] =
    [trace::SOURCE_X, trace::SOURCE_Y, trace::RECEIVER_X, trace::RECEIVER_Y];
const ELEVATIONS: [Field<TRACE>; 3] =
    [trace::RECEIVER_ELEVATION, trace::SURFACE_ELEVATION, trace::SOURCE_DEPTH];
const PARTS: [Field<TRACE>; 2] = [trace::SOURCE_STATIC, trace::RECEIVER_STATIC];

/// The standard's scalars, but for their sign.
const SCALARS: [u64; 6] = [0, 1, 10, 100, 1000, 10_000];

/// Seconds: delays are whole milliseconds.
const DELAYS: f64 = 6e-4;

/// Less is an integer of SEG-Y, read as a float.
const TINY: f64 = 1e-6;

impl<R> Reader<R> {
    /// Warns if a trace's header is doubtful; in Seismic Unix it alone counts samples.
    pub(super) fn cross_check(&mut self, trace: u64) -> Result<(), SegyError> {
        let own = self.header.get(trace::SAMPLES) as u64;
        let taken = self.layout.samples as u64;
        if self.binary.is_none() && own != taken {
            let field = trace::SAMPLES.place();
            return Err(SegyError::OtherLength { trace, field, own, first: taken });
        }
        if own != 0 && own != taken {
            let (field, own_field) = (binary::SAMPLES.place(), trace::SAMPLES.place());
            let binary = taken;
            self.add(Warning::Samples { field, binary, own_field, own, trace, taken });
        }
        // One that is read again is counted once.
        if trace < self.checked {
            return Ok(());
        }
        self.checked = trace + 1;
        let mark = Mark::of(trace, &self.header);
        if self.kill.keeps(&mark) {
            for (field, doubt) in RULES {
                let doubtful = Doubtful {
                    index: trace,
                    header: &self.header,
                    binary: self.binary.as_ref(),
                    layout: &self.layout,
                    overrides: &self.overrides,
                };
                doubt(&doubtful, field).into_iter().for_each(|warning| self.add(warning));
            }
            if mark.is_live() {
                self.see_places(trace);
            }
        }
        if self.checked == self.layout.traces {
            let unit = self.layout.unit;
            let told = self.elevations.warnings(unit);
            let ensembles = self.overrides.fields.ensembles();
            let ensembles = ensembles.and_then(|field| self.ensembles.warning(field, unit));
            self.warnings.extend(told.into_iter().chain(ensembles));
        }
        Ok(())
    }

    /// Adds a warning, or counts its trace among those of which the same was said.
    fn add(&mut self, warning: Warning) {
        if !self.warnings.iter_mut().any(|known| known.takes(&warning)) {
            self.warnings.push(warning);
        }
    }

    fn see_places(&mut self, trace: u64) {
        let (header, overrides) = (&self.header, &self.overrides);
        self.elevations.see(trace, header, overrides.elevation_scalar(header));
        // Seismic Unix has other fields in the place of an ensemble's.
        if self.binary.is_some() && overrides.has_lengths(header) {
            self.ensembles.see(trace, header, overrides.coordinate_scalar(header));
        }
    }
}

impl Doubtful<'_> {
    fn traces(&self) -> Alike {
        Alike::of(self.index)
    }

    /// True if a trace has a number other than 0 in one of these.
    fn has(&self, fields: &[Field<TRACE>]) -> bool {
        fields.iter().any(|field| self.header.get(*field) != 0)
    }

    /// A scalar that is not the one given in its place.
    fn overruled(&self, field: Field<TRACE>, given: Option<i16>) -> Option<Warning> {
        let (said, given) = (self.header.get(field), i64::from(given?));
        (said != 0 && said != given).then(|| Warning::Overruled {
            field: field.place(),
            said: said.to_string(),
            given: given.to_string(),
        })
    }

    fn coordinate_units(&self, field: Field<TRACE>) -> Option<Warning> {
        let (value, trace) = (self.header.get(field), self.index);
        let field = field.place();
        (!(0..=4).contains(&value)).then_some(Warning::CoordinateUnits { field, value, trace })
    }

    fn identification(&self, field: Field<TRACE>) -> Option<Warning> {
        let (code, field) = (self.header.get(field), field.place());
        let what = Coded::of(code)?;
        Some(Warning::Code { field, what, codes: vec![code], traces: self.traces() })
    }

    /// An offset that is not the distance from source to receiver, which tells of a wrong scalar.
    fn offset(&self, field: Field<TRACE>) -> Option<Warning> {
        let said = self.header.float(field).abs();
        if said == 0.0 || !self.overrides.has_lengths(self.header) {
            return None;
        }
        let scalar = self.overrides.coordinate_scalar(self.header);
        let at = |field| scaled(self.header.get(field), scalar);
        let [sx, sy, rx, ry] = COORDINATES.map(at);
        let apart = (sx - rx).hypot(sy - ry);
        let placed = [sx, sy, rx, ry].iter().any(|at| *at != 0.0);
        // An offset is a whole number, and often one of a survey's design.
        let is_off = placed && (said - apart).abs() > 1.0 + 0.05 * said.max(apart);
        let (field, unit) = (field.place(), self.layout.unit);
        is_off.then(|| Warning::Offset { field, said, apart, unit, traces: self.traces() })
    }

    /// A number other than 0, which is not applied.
    fn unapplied(&self, field: Field<TRACE>, remedy: &'static str) -> Option<Warning> {
        let (value, field) = (self.header.get(field), field.place());
        (value != 0).then(|| Warning::Unapplied { field, value, traces: self.traces(), remedy })
    }

    /// A scalar of times where a file of revision 0 has a delay: that has none.
    fn unused_time_scalar(&self, field: Field<TRACE>) -> Option<Warning> {
        let is_old = self.binary.is_some() && self.layout.revision == 0;
        let drops = is_old && self.has(&[trace::DELAY]) && self.header.get(field) != 1;
        drops.then(|| self.unapplied(field, remedy::START)).flatten()
    }

    /// A static correction that is to be applied: without the total of those that were.
    fn static_correction(&self, field: Field<TRACE>) -> Option<Warning> {
        if self.has(&[trace::TOTAL_STATIC]) { None } else { self.unapplied(field, APPLY) }
    }

    fn shift(&self, field: Field<TRACE>) -> Option<Warning> {
        let (value, field) = (self.header.get(field), field.place());
        (value != 0).then(|| Warning::Shifted { field, value, traces: self.traces() })
    }

    fn sum_of_statics(&self, field: Field<TRACE>) -> Option<Warning> {
        let (total, field) = (self.header.get(field), field.place());
        let sum = PARTS.map(|part| self.header.get(part)).iter().sum();
        let is_other = total != 0 && self.has(&PARTS) && sum != total;
        let parts = PARTS.map(Field::place);
        is_other.then(|| Warning::Statics { field, total, parts, sum, traces: self.traces() })
    }

    fn interval(&self, own_field: Field<TRACE>) -> Option<Warning> {
        let own = self.header.float(own_field);
        let taken = self.layout.interval.filter(|_| self.overrides.interval.is_none())?;
        let own_field = own_field.place();
        let field = self.binary.map_or(own_field, |_| binary::INTERVAL.place());
        let is_other = own != 0.0 && (own - taken).abs() > 0.5;
        is_other.then(|| {
            let (binary, traces) = (taken, self.traces());
            Warning::Interval { field, binary, own_field, own, traces, taken }
        })
    }

    fn elevation_scalar(&self, field: Field<TRACE>) -> Option<Warning> {
        let scales = self.overrides.elevation_scalar.is_none() && self.has(&ELEVATIONS);
        scales.then(|| self.scalar(field, remedy::ELEVATION_SCALAR)).flatten()
    }

    fn coordinate_scalar(&self, field: Field<TRACE>) -> Option<Warning> {
        let scales = self.overrides.coordinate_scalar.is_none() && self.has(&COORDINATES);
        scales.then(|| self.scalar(field, remedy::COORDINATE_SCALAR)).flatten()
    }

    /// Revision 0 and Seismic Unix have no scalar of times.
    fn time_scalar(&self, field: Field<TRACE>) -> Option<Warning> {
        let scales = self.layout.revision > 0 && self.has(&[trace::DELAY]);
        scales.then(|| self.scalar(field, remedy::START)).flatten()
    }

    /// A scalar that is none of the standard's.
    fn scalar(&self, field: Field<TRACE>, remedy: &'static str) -> Option<Warning> {
        let (value, field) = (self.header.get(field), field.place());
        let is_usual = SCALARS.contains(&value.unsigned_abs());
        (!is_usual).then(|| Warning::Scalar { field, value, traces: self.traces(), remedy })
    }

    /// A trace of a vibrator that is not correlated with its sweep.
    fn uncorrelated(&self, field: Field<TRACE>) -> Option<Warning> {
        let of_file = |field| self.binary.map_or(0, |header| header.get(field));
        let sweeps = [binary::SWEEP_START, binary::SWEEP_END, binary::SWEEP_LENGTH];
        let swept = self.has(&[trace::SWEEP_START, trace::SWEEP_END, trace::SWEEP_LENGTH])
            || sweeps.into_iter().any(|field| of_file(field) != 0);
        let by_file = of_file(binary::CORRELATED) == 1;
        let field = match self.header.get(field) {
            1 if swept || by_file => field.place(),
            0 if swept && by_file => binary::CORRELATED.place(),
            _ => return None,
        };
        Some(Warning::Uncorrelated { field, traces: self.traces() })
    }

    /// A first sample of Seismic Unix that is not at the delay.
    fn first_sample(&self, field: Field<TRACE>) -> Option<Warning> {
        let is_depth = su::DEPTH.contains(&self.header.get(trace::IDENTIFICATION));
        if self.binary.is_some() || is_depth {
            return None;
        }
        let (first, delay) = (self.header.float(field), self.header.get(trace::DELAY));
        let seconds = delay as f64 / 1e3;
        // Some give it in milliseconds.
        let agrees = [seconds, delay as f64].iter().any(|at| (first - at).abs() <= DELAYS);
        let (field, own) = (field.place(), trace::DELAY.place());
        let is_other = first.is_finite() && first.abs() > TINY && !agrees;
        is_other.then(|| Warning::First { field, first, own, delay, traces: self.traces() })
    }
}
