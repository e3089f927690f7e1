//! What the header of a trace says otherwise than the file, or than the samples.

use super::{
    Alike, Coded, Field, Mark, Overrides, Reader, SegyError, TRACE, Warning, binary,
    geometry::scaled, remedy, trace,
};

impl<R> Reader<R> {
    /// Warns if a trace's header contradicts the file's; in Seismic Unix it alone counts samples.
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
            self.tell(Warning::Samples { field, binary, own_field, own, trace, taken });
        }
        if self.kill.keeps(&Mark::of(trace, &self.header)) {
            self.check_overruled();
            // One that is read again is counted once.
            if trace >= self.checked {
                self.check_codes(trace);
                self.check_offset(trace);
                self.check_times(trace);
                self.check_interval(trace);
                self.check_doubts(trace);
                self.see_places(trace);
            }
        }
        if trace >= self.checked && trace + 1 == self.layout.traces {
            let unit = self.layout.unit;
            let told = self.elevations.warnings(unit);
            let ensembles = self.overrides.fields.ensembles();
            let ensembles = ensembles.and_then(|field| self.ensembles.warning(field, unit));
            self.warnings.extend(told.into_iter().chain(ensembles));
        }
        self.checked = self.checked.max(trace + 1);
        Ok(())
    }

    /// Adds a warning, the first of its kind.
    fn tell(&mut self, warning: Warning) {
        let kind = std::mem::discriminant(&warning);
        if !self.warnings.iter().any(|known| std::mem::discriminant(known) == kind) {
            self.warnings.push(warning);
        }
    }

    /// Adds a warning of a trace, or counts the trace among those alike.
    pub(super) fn add(&mut self, warning: Warning) {
        match self.warnings.iter_mut().find_map(|known| known.alike(&warning)) {
            // The layout has told of the first trace.
            Some((known, trace)) if known.first != trace => known.add(trace),
            Some(_) => {}
            None => self.warnings.push(warning),
        }
    }

    fn check_codes(&mut self, trace: u64) {
        let (code, field) = (self.header.get(trace::COORDINATE_UNITS), trace::COORDINATE_UNITS);
        if !(0..=4).contains(&code) {
            self.tell(Warning::CoordinateUnits { field: field.place(), value: code, trace });
        }
        let (code, field) = (self.header.get(trace::IDENTIFICATION), trace::IDENTIFICATION);
        if let Some(what) = Coded::of(code) {
            let (field, traces) = (field.place(), Alike::of(trace));
            self.add(Warning::Code { field, what, codes: vec![code], traces });
        }
    }

    fn see_places(&mut self, trace: u64) {
        let Overrides { elevation_scalar, coordinate_scalar, .. } = self.overrides;
        let scalar = |field, given: Option<i16>| given.map_or(self.header.get(field), i64::from);
        let up = scalar(trace::ELEVATION_SCALAR, elevation_scalar);
        let across = scalar(trace::COORDINATE_SCALAR, coordinate_scalar);
        if Mark::of(trace, &self.header).is_live() {
            self.elevations.see(trace, &self.header, up);
            // Seismic Unix has other fields in the place of an ensemble's.
            if self.binary.is_some() && self.has_lengths() {
                self.ensembles.see(trace, &self.header, across);
            }
        }
    }

    /// True if the coordinates of a trace are lengths.
    fn has_lengths(&self) -> bool {
        self.overrides.lengths || matches!(self.header.get(trace::COORDINATE_UNITS), 0 | 1)
    }

    /// Warns of offsets that are not the distance from their source to their receiver, which tells of
    /// a wrong scalar.
    fn check_offset(&mut self, trace: u64) {
        let said = self.header.float(trace::OFFSET).abs();
        if said == 0.0 {
            return;
        }
        let given = self.overrides.coordinate_scalar;
        let own = self.header.get(trace::COORDINATE_SCALAR);
        let scalar = given.map_or(own, i64::from);
        let at = |field| scaled(self.header.get(field), scalar);
        let [sx, sy] = [trace::SOURCE_X, trace::SOURCE_Y].map(at);
        let [rx, ry] = [trace::RECEIVER_X, trace::RECEIVER_Y].map(at);
        let apart = (sx - rx).hypot(sy - ry);
        let placed = [sx, sy, rx, ry].iter().any(|at| *at != 0.0);
        // An offset is a whole number, and often one of a survey's design.
        if placed && self.has_lengths() && (said - apart).abs() > 1.0 + 0.05 * said.max(apart) {
            let (field, unit) = (trace::OFFSET.place(), self.layout.unit);
            self.add(Warning::Offset { field, said, apart, unit, traces: Alike::of(trace) });
        }
    }

    /// Warns of scalars that are not those given in their place.
    fn check_overruled(&mut self) {
        let Overrides { coordinate_scalar, elevation_scalar, .. } = self.overrides;
        for (field, given) in [
            (trace::COORDINATE_SCALAR, coordinate_scalar),
            (trace::ELEVATION_SCALAR, elevation_scalar),
        ] {
            let (said, field) = (self.header.get(field), field.place());
            let told = |known: &Warning| matches!(known, Warning::Overruled { field: known, .. } if *known == field);
            let Some(given) = given.map(i64::from) else { continue };
            if said != 0 && said != given && !self.warnings.iter().any(told) {
                let (said, given) = (said.to_string(), given.to_string());
                self.warnings.push(Warning::Overruled { field, said, given });
            }
        }
    }

    /// Warns of times and factors that are not applied, and of statics that were.
    fn check_times(&mut self, trace: u64) {
        let header = &self.header;
        let of = |field: Field<TRACE>| (field, header.get(field));
        let is_old = self.binary.is_some() && self.layout.revision == 0;
        let drops = is_old && header.get(trace::DELAY) != 0;
        let scalar = of(trace::TIME_SCALAR);
        let scalar = (scalar.0, if drops && scalar.1 != 1 { scalar.1 } else { 0 });
        let total = of(trace::TOTAL_STATIC);
        // The total is what was applied, of these two.
        let part = |field| if total.1 == 0 { of(field) } else { (field, 0) };
        let parts = [trace::SOURCE_STATIC, trace::RECEIVER_STATIC].map(|field| header.get(field));
        let sum: i64 = parts.iter().sum();
        let statics =
            (total.1 != 0 && parts != [0; 2] && sum != total.1).then(|| Warning::Statics {
                field: trace::TOTAL_STATIC.place(),
                total: total.1,
                parts: [trace::SOURCE_STATIC, trace::RECEIVER_STATIC].map(Field::place),
                sum,
                traces: Alike::of(trace),
            });
        let applied = Some("apply it to the samples first");
        let start = Some(remedy::START);
        for ((field, value), remedy) in [
            (of(trace::LAG_A), start),
            (of(trace::LAG_B), start),
            (scalar, start),
            (part(trace::SOURCE_STATIC), applied),
            (part(trace::RECEIVER_STATIC), applied),
            (of(trace::WEIGHT), applied),
            (of(trace::DATUM_ELEVATION), Some(remedy::POSITIONS)),
            (of(trace::SOURCE_DATUM), Some("correct the headers")),
            (total, None),
        ] {
            if value != 0 {
                self.count(field, (value, trace), remedy);
            }
        }
        statics.into_iter().for_each(|warning| self.add(warning));
    }

    /// Warns of the first trace that has a number other than 0 here, and counts the others.
    fn count(
        &mut self,
        field: Field<TRACE>,
        (value, trace): (i64, u64),
        remedy: Option<&'static str>,
    ) {
        let field = field.place();
        let others = self.warnings.iter_mut().find_map(|known| match known {
            Warning::Unapplied { field: of, others, .. }
            | Warning::Shifted { field: of, others, .. }
                if *of == field =>
            {
                Some(others)
            }
            _ => None,
        });
        match (others, remedy) {
            (Some(others), _) => *others += 1,
            (None, Some(remedy)) => {
                let warning = Warning::Unapplied { field, value, trace, others: 0, remedy };
                self.warnings.push(warning);
            }
            (None, None) => self.warnings.push(Warning::Shifted { field, value, trace, others: 0 }),
        }
    }

    fn check_interval(&mut self, trace: u64) {
        let own = self.header.float(trace::INTERVAL);
        let Some(taken) = self.layout.interval.filter(|_| self.overrides.interval.is_none()) else {
            return;
        };
        if own != 0.0 && (own - taken).abs() > 0.5 {
            let own_field = trace::INTERVAL.place();
            let first = self.binary.as_ref().map(|_| binary::INTERVAL.place());
            let (field, binary) = (first.unwrap_or(own_field), taken);
            let traces = Alike::of(trace);
            self.add(Warning::Interval { field, binary, own_field, own, traces, taken });
        }
    }
}
