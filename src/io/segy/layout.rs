//! The positions and the length of a file's traces: the binary header, cross-checked with the first
//! trace's header and with the file's length. Nothing here reads or allocates.

use super::{
    Alike, BINARY, BinaryHeader, ByteOrder, Field, LengthUnit, SegyError, TEXT, TRACE, TraceHeader,
    Warning, binary, field::Place, sample::Format, trace,
};

/// Offset of the first trace without extended textual headers.
pub(crate) const HEADERS: u64 = 3600;

const NO_ROOM: &str = "the file has no room for so many";

/// A stanza of data after the last trace.
const TRAILER: u64 = TEXT as u64;

/// The layout of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// 0, 1 or 2.
    pub revision: u8,
    /// The sample format.
    pub format: Format,
    /// Samples per trace.
    pub samples: usize,
    /// Traces in the file.
    pub traces: u64,
    /// The number in the sample-interval field: microseconds in files of time, the writer's unit in
    /// files of depth. `None` if no header has one.
    pub interval: Option<f64>,
    /// The unit of positions; `None` if the file has none.
    pub unit: Option<LengthUnit>,
    /// Extended textual headers.
    pub extended_texts: u64,
    /// Offset of the first trace.
    pub(crate) start: u64,
    /// Bytes of headers per trace.
    pub header_bytes: u64,
}

impl Layout {
    /// Bytes from one trace to the next.
    pub fn stride(&self) -> u64 {
        self.header_bytes + self.samples as u64 * self.format.bytes() as u64
    }

    /// Offset of a trace.
    pub(crate) fn offset(&self, trace: u64) -> u64 {
        self.start + trace * self.stride()
    }
}

/// The constant of revision 2, most significant byte first.
const BIG: [u8; 4] = [1, 2, 3, 4];
const LITTLE: [u8; 4] = [4, 3, 2, 1];
const PAIRS: [u8; 4] = [2, 1, 4, 3];

/// The byte order of a binary header: by the constant of revision 2, if it is there; otherwise the
/// order in which the sample format is a code of the standard. Codes are 1 to 16, so that they are
/// invalid in the other order.
pub(crate) fn byte_order(header: &[u8; BINARY]) -> Result<ByteOrder, SegyError> {
    let at = binary::ENDIAN.offset();
    match [header[at], header[at + 1], header[at + 2], header[at + 3]] {
        BIG => return Ok(ByteOrder::Big),
        LITTLE => return Ok(ByteOrder::Little),
        PAIRS => return Err(SegyError::PairsSwapped { field: binary::ENDIAN.place() }),
        _ => {}
    }
    let at = binary::FORMAT.offset();
    let code = [header[at], header[at + 1]];
    let (big, little) = (i16::from_be_bytes(code), i16::from_le_bytes(code));
    if Format::CODES.contains(&big) {
        Ok(ByteOrder::Big)
    } else if Format::CODES.contains(&little) {
        Ok(ByteOrder::Little)
    } else {
        Err(SegyError::ByteOrder { field: binary::FORMAT.place(), big, little })
    }
}

/// The revision of a file. Its two bytes are a major and a minor number; some write the number 1
/// into both bytes together, or swap them with the rest of a little-endian file.
pub(crate) fn revision(header: &BinaryHeader, warnings: &mut Vec<Warning>) -> u8 {
    let at = binary::REVISION.offset();
    let (major, minor) = (header.bytes()[at], header.bytes()[at + 1]);
    let taken = match (major, minor) {
        (0, 1 | 2) => minor,
        (0..=2, _) => major,
        _ => 0,
    };
    let honest = matches!((major, minor), (0, 0) | (1, 0) | (2, 0 | 1));
    // Swapped with the rest of the file, it is as valid.
    let swapped = header.order() == ByteOrder::Little && matches!((major, minor), (0, 1 | 2));
    if !(honest || swapped) {
        warnings.push(Warning::Revision { field: binary::REVISION.place(), major, minor, taken });
    }
    taken
}

/// The number of extended textual headers; `None` if a stanza ends them.
pub(crate) fn extended_texts(header: &BinaryHeader) -> Result<Option<u64>, SegyError> {
    match header.get(binary::EXTENDED_TEXTS) {
        -1 => Ok(None),
        count @ 0.. => Ok(Some(count as u64)),
        count => {
            let wanted = "extended textual headers are counted, or -1 where a stanza ends them";
            Err(value(binary::EXTENDED_TEXTS, count as f64, wanted))
        }
    }
}

fn value<const N: usize>(field: Field<N>, value: f64, wanted: &'static str) -> SegyError {
    SegyError::Value { field: field.place(), value, wanted }
}

/// Fewer microseconds are an interval in milliseconds, of most files.
const MOST_MILLISECONDS: f64 = 20.0;

/// Intervals in milliseconds are whole multiples of this.
const LEAST_MILLISECONDS: f64 = 0.125;

/// The doubt about an interval that may be in milliseconds.
pub(super) fn in_milliseconds(field: Place, taken: f64) -> Option<Warning> {
    let may_be = taken <= MOST_MILLISECONDS && (taken / LEAST_MILLISECONDS).fract() == 0.0;
    may_be.then_some(Warning::Milliseconds { field, taken })
}

/// How well the file's length is that of whole traces.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// By one of two numbers of samples.
    Doubted,
    /// By the number of samples on which the headers agree.
    Agreed,
}

/// The properties of a file before its traces are counted.
pub(crate) struct Known<'a> {
    /// The binary header.
    pub(crate) header: &'a BinaryHeader,
    /// 0, 1 or 2.
    pub(crate) revision: u8,
    /// Extended textual headers.
    pub(crate) extended_texts: u64,
    /// Bytes of the file.
    pub(crate) length: u64,
}

/// The bytes of the traces of a file, and the first of them.
struct Room<'a> {
    format: Format,
    data: u64,
    first: &'a TraceHeader,
}

impl Known<'_> {
    /// Offset of the first trace.
    pub(crate) fn start(&self) -> Result<u64, SegyError> {
        let after_texts = HEADERS + self.extended_texts * TEXT as u64;
        if self.revision < 2 {
            return Ok(after_texts);
        }
        match self.header.get(binary::FIRST_TRACE) {
            0 => Ok(after_texts),
            said if u64::try_from(said).is_ok_and(|said| said >= after_texts) => Ok(said as u64),
            said => {
                let wanted = "the first trace starts after the textual headers";
                Err(value(binary::FIRST_TRACE, said as f64, wanted))
            }
        }
    }

    /// Additional headers per trace. Revision 2.0 counts them in four bytes; 2.1 in the first two of
    /// them, with the survey type in the others. The count with which `fits` says that the file's
    /// length is that of whole traces is taken; the minor number decides only if both fit alike.
    fn extra_headers(
        &self,
        fits: impl Fn(u64) -> Option<Fit>,
        warnings: &mut Vec<Warning>,
    ) -> Result<u64, SegyError> {
        if self.revision < 2 {
            return Ok(0);
        }
        let (field, of_2_1) = (binary::EXTRA_HEADERS, binary::EXTRA_HEADERS_2_1);
        let (wide, narrow) = (self.header.get(field), self.header.get(of_2_1));
        let is_2_1 = self.header.bytes()[binary::REVISION.offset() + 1] == 1;
        let stated = if is_2_1 { narrow } else { wide };
        let fit = |count: i64| fits(u64::try_from(count).ok()?);
        let (taken, both) = match (fit(wide), fit(narrow)) {
            (None, None) if fits(0) == Some(Fit::Agreed) => (0, false),
            (None, None) => {
                let refused = |_| value(field, stated as f64, "a trace has 0 or more of them");
                return u64::try_from(stated).map_err(refused);
            }
            (of_wide, of_narrow) if of_wide == of_narrow && wide != narrow => (stated as u64, true),
            // `None` is the least.
            (of_wide, of_narrow) if of_wide >= of_narrow => return Ok(wide as u64),
            _ => return Ok(narrow as u64),
        };
        let field = field.place();
        warnings.push(Warning::HeaderCount { field, wide, narrow, both, taken });
        Ok(taken)
    }

    /// Samples per trace in the binary header, and their field.
    fn samples(&self) -> (u64, Field<BINARY>) {
        let extended = self.header.get(binary::EXTENDED_SAMPLES);
        match self.revision >= 2 && extended != 0 {
            true => (extended as u64, binary::EXTENDED_SAMPLES),
            false => (self.header.get(binary::SAMPLES) as u64, binary::SAMPLES),
        }
    }

    /// The interval in the binary header, 0 for none, and its field.
    fn interval(&self) -> Result<(f64, Field<BINARY>), SegyError> {
        let extended = self.header.float(binary::EXTENDED_INTERVAL);
        if self.revision < 2 || extended == 0.0 {
            return Ok((self.header.float(binary::INTERVAL), binary::INTERVAL));
        }
        if !(extended.is_finite() && extended > 0.0) {
            let wanted = "an interval is a positive number";
            return Err(value(binary::EXTENDED_INTERVAL, extended, wanted));
        }
        Ok((extended, binary::EXTENDED_INTERVAL))
    }

    /// Bytes of traces: from the first to the end of the file, or to the stanzas after the last.
    fn data(&self, start: u64) -> Result<u64, SegyError> {
        let none = SegyError::NoTraces { start, length: self.length };
        let trailers = if self.revision < 2 { 0 } else { self.header.get(binary::TRAILERS) };
        let counted = "stanzas after the traces must be counted";
        let of_trailers = |wanted| value(binary::TRAILERS, trailers as f64, wanted);
        let bytes = u64::try_from(trailers).map_err(|_| of_trailers(counted))? * TRAILER;
        let room = self.length.checked_sub(start).ok_or(match self.extended_texts {
            0 => none,
            count => value(binary::EXTENDED_TEXTS, count as f64, NO_ROOM),
        })?;
        room.checked_sub(bytes).ok_or_else(|| of_trailers(NO_ROOM))
    }

    /// The layout, with a warning for each contradiction.
    pub(crate) fn layout(
        &self,
        first: Option<&TraceHeader>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Layout, SegyError> {
        let code = self.header.get(binary::FORMAT);
        let unknown = || SegyError::Format { field: binary::FORMAT.place(), code };
        let format = Format::from_code(code).ok_or_else(unknown)?;
        let start = self.start()?;
        let data = self.data(start)?;
        let none = SegyError::NoTraces { start, length: self.length };
        let first = first.ok_or(none)?;
        let room = Room { format, data, first };
        let with = |extra: u64, warnings: &mut Vec<Warning>| {
            self.traces(&room, TRACE as u64 * (1 + extra), warnings)
        };
        let fits = |extra| {
            let mut doubts = Vec::new();
            with(extra, &mut doubts).ok()?;
            Some(if doubts.is_empty() { Fit::Agreed } else { Fit::Doubted })
        };
        let extra = self.extra_headers(fits, warnings)?;
        let (samples, traces) = with(extra, warnings)?;
        if extra > 0 {
            let field = binary::EXTRA_HEADERS.place();
            warnings.push(Warning::ExtraHeaders { field, count: extra });
        }
        if let value @ (..=-1 | 2..) = self.header.get(binary::POLARITY) {
            warnings.push(Warning::Polarity { field: binary::POLARITY.place(), value });
        }
        let unit = match self.header.get(binary::MEASUREMENT) {
            1 => Some(LengthUnit::Metre),
            2 => Some(LengthUnit::Foot),
            value => {
                warnings.push(Warning::Unit { field: binary::MEASUREMENT.place(), value });
                None
            }
        };
        Ok(Layout {
            revision: self.revision,
            format,
            samples: usize::try_from(samples).map_err(|_| {
                value(self.samples().1, samples as f64, "this machine cannot address so many")
            })?,
            traces,
            interval: self.agreed_interval(first, warnings)?,
            unit,
            extended_texts: self.extended_texts,
            start,
            header_bytes: TRACE as u64 * (1 + extra),
        })
    }

    /// Samples per trace, and traces, if a trace has so many bytes of headers.
    fn traces(
        &self,
        room: &Room<'_>,
        header_bytes: u64,
        warnings: &mut Vec<Warning>,
    ) -> Result<(u64, u64), SegyError> {
        let samples = self.count(room, header_bytes, warnings)?;
        let found = room.data / (header_bytes + samples * room.format.bytes() as u64);
        let said = if self.revision < 2 { 0 } else { self.header.get(binary::TRACES) as u64 };
        if said != 0 && said != found {
            let field = binary::TRACES.place();
            return Err(SegyError::TraceCount { field, said, found });
        }
        Ok((samples, found))
    }

    /// Samples per trace: the number by which the file's length is a whole number of traces.
    fn count(
        &self,
        &Room { format, data, first }: &Room<'_>,
        header_bytes: u64,
        warnings: &mut Vec<Warning>,
    ) -> Result<u64, SegyError> {
        let (said, field) = self.samples();
        let own = first.get(trace::SAMPLES) as u64;
        let trace_bytes = |samples: u64| header_bytes + samples * format.bytes() as u64;
        let fits =
            |samples: u64| samples > 0 && data > 0 && data.is_multiple_of(trace_bytes(samples));
        let (field, own_field) = (field.place(), trace::SAMPLES.place());
        if said == 0 && own == 0 {
            let wanted =
                "so does the first trace's header: nothing says how many samples a trace has";
            return Err(SegyError::Value { field, value: 0.0, wanted });
        }
        let taken = match (fits(said), fits(own)) {
            (true, true) if said != own && self.header.get(binary::FIXED) != 1 => {
                let flag = binary::FIXED.place();
                return Err(SegyError::Ambiguous { binary: said, field, own, own_field, flag });
            }
            (true, _) => said,
            (false, true) => own,
            (false, false) => {
                let trace = trace_bytes(if said == 0 { own } else { said });
                let (binary, whole, rest) = (said, data / trace, data % trace);
                return Err(SegyError::Length {
                    data,
                    binary,
                    field,
                    whole,
                    trace,
                    rest,
                    own,
                    own_field,
                });
            }
        };
        // 0 means nothing; old files have empty trace headers.
        if said != own && own != 0 {
            let binary = said;
            warnings.push(Warning::Samples { field, binary, own_field, own, trace: 0, taken });
        }
        Ok(taken)
    }

    /// The interval of the binary header, or of the first trace's if that has none.
    fn agreed_interval(
        &self,
        first: &TraceHeader,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<f64>, SegyError> {
        let (said, field) = self.interval()?;
        let (own, field) = (first.float(trace::INTERVAL), field.place());
        if said == 0.0 && own == 0.0 {
            warnings.push(Warning::NoInterval { field });
            return Ok(None);
        }
        let taken = if said == 0.0 { own } else { said };
        // A trace header stores whole microseconds.
        if own != 0.0 && (own - taken).abs() > 0.5 {
            let own_field = trace::INTERVAL.place();
            let (binary, traces) = (said, Alike::of(0));
            warnings.push(Warning::Interval { field, binary, own_field, own, traces, taken });
        }
        let field = if said == 0.0 { trace::INTERVAL.place() } else { field };
        warnings.extend(in_milliseconds(field, taken));
        Ok(Some(taken))
    }
}
