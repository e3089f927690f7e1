//! Writes a file trace by trace, in revision 1 or 2.

use super::{
    BinaryHeader, ByteOrder, Format, LengthUnit, SegyError, TEXT, TraceHeader, binary,
    layout::HEADERS, text, trace,
};
use std::io::Write;

/// The revision of the standard to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// From 2002: supported by every program.
    #[default]
    One,
    /// From 2017: more formats, any interval, 2^32 samples per trace.
    Two,
}

/// The settings of a file.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The revision.
    pub revision: Revision,
    /// The byte order. Revision 1 allows only big, but many programs read both.
    pub order: ByteOrder,
    /// The sample format.
    pub format: Format,
    /// Samples per trace.
    pub samples: usize,
    /// The number for the sample-interval field, microseconds for samples of time.
    pub interval: f64,
    /// The unit of positions.
    pub unit: LengthUnit,
    /// Lines of the textual header, at most 38 of 76 characters; longer ones are cut.
    pub text: Vec<String>,
    /// Number of traces, if known beforehand.
    pub traces: Option<u64>,
    /// Traces per ensemble, such as a shot; 0 if that has no meaning.
    pub ensemble: usize,
}

impl Default for Spec {
    /// Revision 1, big-endian, IEEE, metres; samples and interval must be set.
    fn default() -> Self {
        Spec {
            revision: Revision::One,
            order: ByteOrder::Big,
            format: Format::F32,
            samples: 0,
            interval: 0.0,
            unit: LengthUnit::Metre,
            text: Vec::new(),
            traces: None,
            ensemble: 0,
        }
    }
}

/// The largest number of an unsigned field of two bytes.
const LARGEST: f64 = 65535.0;

impl Spec {
    /// The same in revision 1, if that can store it, otherwise in revision 2.
    pub fn in_earliest_revision(self) -> Self {
        let one = Spec { revision: Revision::One, ..self };
        match one.check() {
            Ok(()) => one,
            Err(_) => Spec { revision: Revision::Two, ..one },
        }
    }

    /// Checks that the revision can store it.
    pub(super) fn check(&self) -> Result<(), SegyError> {
        if !(self.interval.is_finite() && self.interval > 0.0) {
            let wanted = "it must be a positive number";
            return Err(SegyError::Given {
                what: "the sample interval",
                value: self.interval,
                wanted,
            });
        }
        let samples = self.samples as f64;
        if self.samples == 0 || u32::try_from(self.samples).is_err() {
            let wanted = "a trace has from 1 to 2^32 - 1";
            return Err(SegyError::Given { what: "the number of samples", value: samples, wanted });
        }
        if self.revision == Revision::Two {
            return Ok(());
        }
        if !self.format.in_revision_1() {
            return Err(SegyError::FormatOfRevision2 { format: self.format });
        }
        if samples > LARGEST {
            return Err(SegyError::Revision1 { what: "a number of samples of", value: samples });
        }
        if self.interval.fract() != 0.0 || self.interval > LARGEST {
            let what = "a sample interval of";
            return Err(SegyError::Revision1 { what, value: self.interval });
        }
        Ok(())
    }

    /// Checks that Seismic Unix can store it.
    pub(super) fn check_su(&self) -> Result<(), SegyError> {
        if self.format != Format::F32 {
            return Err(SegyError::SuFormat { format: self.format });
        }
        let samples = self.samples as f64;
        if samples == 0.0 || samples > LARGEST {
            return Err(SegyError::Su { what: "a number of samples of", value: samples });
        }
        // 0 if the samples are not in time.
        if self.interval.fract() != 0.0 || !(0.0..=LARGEST).contains(&self.interval) {
            return Err(SegyError::Su {
                what: "an interval of microseconds of",
                value: self.interval,
            });
        }
        Ok(())
    }

    /// Samples and interval for fields of two bytes; 0 if they do not fit.
    fn short(&self) -> (i64, i64) {
        let held = |value: f64| if value.round() <= LARGEST { value.round() as i64 } else { 0 };
        (held(self.samples as f64), held(self.interval))
    }

    fn text(&self) -> [u8; TEXT] {
        let end = match self.revision {
            Revision::One => ["SEG Y REV1", "END TEXTUAL HEADER"],
            Revision::Two => ["SEG-Y REV2.0", "END TEXTUAL HEADER"],
        };
        let said = self.text.iter().map(String::as_str).chain(std::iter::repeat("")).take(38);
        let lines: Vec<String> =
            said.chain(end).zip(1..).map(|(line, number)| format!("C{number:>2} {line}")).collect();
        text::ebcdic(&lines)
    }

    fn binary(&self) -> Result<BinaryHeader, SegyError> {
        let mut header = BinaryHeader::new(self.order);
        header.set(binary::JOB, 1)?;
        header.set(binary::LINE, 1)?;
        header.set(
            binary::ENSEMBLE_TRACES,
            i64::try_from(self.ensemble).unwrap_or(0).min(i16::MAX.into()),
        )?;
        header.set(binary::FOLD, 1)?;
        header.set(binary::SORTING, 1)?;
        self.describe(&mut header, 0)?;
        Ok(header)
    }

    /// Sets what describes the layout of a file with these extended textual headers.
    fn describe(&self, header: &mut BinaryHeader, extended_texts: usize) -> Result<(), SegyError> {
        let (samples, interval) = self.short();
        header.set(binary::INTERVAL, interval)?;
        header.set(binary::SAMPLES, samples)?;
        header.set(binary::FORMAT, self.format.code().into())?;
        header.set(binary::MEASUREMENT, self.unit.code())?;
        header.set(binary::FIXED, 1)?;
        header.set(binary::EXTENDED_TEXTS, extended_texts as i64)?;
        let major = match self.revision {
            Revision::One => 1,
            Revision::Two => {
                header.set(binary::EXTENDED_SAMPLES, self.samples as i64)?;
                header.set_float(binary::EXTENDED_INTERVAL, self.interval);
                header.set(binary::ENDIAN, 0x0102_0304)?;
                header.set(binary::TRACES, self.traces.unwrap_or(0) as i64)?;
                header.set(binary::EXTRA_HEADERS, 0)?;
                header
                    .set(binary::FIRST_TRACE, (HEADERS as usize + extended_texts * TEXT) as i64)?;
                header.set(binary::TRAILERS, 0)?;
                2
            }
        };
        // Two separate bytes, in any byte order.
        let at = binary::REVISION.offset();
        header.bytes_mut()[at..at + 2].copy_from_slice(&[major, 0]);
        Ok(())
    }
}

/// A SEG-Y file being written.
#[derive(Debug)]
pub struct Writer<W> {
    sink: W,
    spec: Spec,
    written: u64,
    bytes: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Writes the headers.
    pub fn new(mut sink: W, spec: Spec) -> Result<Self, SegyError> {
        spec.check()?;
        sink.write_all(&spec.text()).map_err(SegyError::Write)?;
        sink.write_all(spec.binary()?.bytes()).map_err(SegyError::Write)?;
        Ok(Writer { sink, spec, written: 0, bytes: Vec::new() })
    }

    /// Writes the headers of a copy: its textual ones as they are, the extended ones after the first,
    /// and a binary one of which what describes the layout is set.
    pub(super) fn with_headers(
        mut sink: W,
        spec: Spec,
        texts: &[u8],
        mut binary: BinaryHeader,
    ) -> Result<Self, SegyError> {
        spec.check()?;
        let (first, extended) = texts.split_at(TEXT);
        spec.describe(&mut binary, extended.len() / TEXT)?;
        for bytes in [first, binary.bytes(), extended] {
            sink.write_all(bytes).map_err(SegyError::Write)?;
        }
        Ok(Writer { sink, spec, written: 0, bytes: Vec::new() })
    }

    /// Traces alone, for Seismic Unix: without the headers of the file.
    pub fn su(sink: W, spec: Spec) -> Result<Self, SegyError> {
        spec.check_su()?;
        Ok(Writer { sink, spec, written: 0, bytes: Vec::new() })
    }

    /// Traces alone from trace `first` of a file on, counted from 0: a part of the file, to be put
    /// in its place.
    pub(super) fn part(sink: W, spec: Spec, first: u64) -> Self {
        Writer { sink, spec, written: first, bytes: Vec::new() }
    }

    pub(super) fn format(&self) -> Format {
        self.spec.format
    }

    /// A trace header in the file's byte order, for seismic data.
    pub fn header(&self) -> TraceHeader {
        let mut header = TraceHeader::new(self.spec.order);
        header.set(trace::IDENTIFICATION, 1).expect("1 fits");
        header
    }

    /// Writes a trace, with its number in the file, its samples and its interval in its header.
    pub fn trace(
        &mut self,
        header: TraceHeader,
        samples: impl IntoIterator<Item = f64>,
    ) -> Result<(), SegyError> {
        let header = self.number(header)?;
        self.numbered(header, samples)
    }

    /// [`Self::trace`] that keeps the trace's numbers.
    pub(super) fn numbered(
        &mut self,
        header: TraceHeader,
        samples: impl IntoIterator<Item = f64>,
    ) -> Result<(), SegyError> {
        self.begin(header)?;
        let (format, order, trace) = (self.spec.format, self.spec.order, self.written);
        let mut count = 0;
        for (sample, value) in samples.into_iter().enumerate() {
            let refused = SegyError::Sample { trace, sample, value, format };
            format.encode(order, value, &mut self.bytes).ok_or(refused)?;
            count += 1;
        }
        self.end(count)
    }

    /// [`Self::numbered`] for samples in the file's format and byte order.
    pub(super) fn copied(&mut self, header: TraceHeader, samples: &[u8]) -> Result<(), SegyError> {
        self.begin(header)?;
        self.bytes.extend_from_slice(samples);
        self.end(samples.len() / self.spec.format.bytes())
    }

    /// [`Self::trace`] for f32 samples.
    pub(super) fn trace_of_singles(
        &mut self,
        header: TraceHeader,
        samples: &[f32],
    ) -> Result<(), SegyError> {
        if self.spec.format != Format::F32 {
            return self.trace(header, samples.iter().map(|sample| f64::from(*sample)));
        }
        let header = self.number(header)?;
        self.begin(header)?;
        let whole = self.spec.format.encode_singles(self.spec.order, samples, &mut self.bytes);
        whole.expect("the format is f32");
        self.end(samples.len())
    }

    fn number(&self, mut header: TraceHeader) -> Result<TraceHeader, SegyError> {
        let number = self.written as i64 + 1;
        header.set(trace::IN_LINE, number)?;
        header.set(trace::IN_FILE, number)?;
        Ok(header)
    }

    fn begin(&mut self, mut header: TraceHeader) -> Result<(), SegyError> {
        let (spec, trace) = (&self.spec, self.written);
        if header.order() != spec.order {
            return Err(SegyError::HeaderOrder { trace });
        }
        let (short_samples, short_interval) = spec.short();
        header.set(trace::SAMPLES, short_samples)?;
        header.set(trace::INTERVAL, short_interval)?;
        self.bytes.clear();
        self.bytes.extend_from_slice(header.bytes());
        Ok(())
    }

    fn end(&mut self, count: usize) -> Result<(), SegyError> {
        let (wanted, trace) = (self.spec.samples, self.written);
        if count != wanted {
            return Err(SegyError::TraceLength { trace, samples: count, wanted });
        }
        self.sink.write_all(&self.bytes).map_err(SegyError::Write)?;
        self.written += 1;
        Ok(())
    }

    /// Ends the file: an error if the number of traces is not the announced one.
    pub fn finish(mut self) -> Result<W, SegyError> {
        let found = self.written;
        match self.spec.traces {
            Some(said) if said != found => {
                Err(SegyError::TraceCount { field: binary::TRACES.place(), said, found })
            }
            _ => {
                self.sink.flush().map_err(SegyError::Write)?;
                Ok(self.sink)
            }
        }
    }
}
