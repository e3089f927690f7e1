//! Reads a file trace by trace, or block by block: one trace or block is in memory at a time,
//! whatever the file's size.

use super::{
    BINARY, BinaryHeader, ByteOrder, Kill, Layout, SegyError, TEXT, TRACE, TraceHeader, Warning,
    binary,
    block::{self, Block},
    elevations::Elevations,
    ensembles::Ensembles,
    layout::{self, HEADERS, Known},
    overrides::Overrides,
    sample::Format,
    su, text,
};
use crate::{access, gzip};
use std::{
    fs::File,
    io::{BufReader, Read, Seek, SeekFrom},
    path::Path,
};

/// A SEG-Y file being read. Only the headers and one trace, or one block of traces, are in memory,
/// and nothing is allocated before the file's length has been checked against it.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    texts: Vec<Vec<String>>,
    order: ByteOrder,
    /// `None` in files of Seismic Unix.
    pub(super) binary: Option<BinaryHeader>,
    pub(super) layout: Layout,
    pub(super) warnings: Vec<Warning>,
    pub(super) overrides: Overrides,
    pub(super) kill: Kill,
    pub(super) elevations: Elevations,
    pub(super) ensembles: Ensembles,
    /// Traces that have been checked, from the first on.
    pub(super) checked: u64,
    /// Index of the next trace.
    next: u64,
    /// Whether the source is at that trace.
    there: bool,
    bytes: Vec<u8>,
    pub(super) header: TraceHeader,
    samples: Vec<f64>,
}

/// A trace, in the reader's buffers until the next one is read.
#[derive(Clone, Copy, Debug)]
pub struct Trace<'a> {
    /// Its index in the file, from 0.
    pub index: u64,
    /// Its header.
    pub header: &'a TraceHeader,
    /// Its samples; they are not finite if those in the file are not.
    pub samples: &'a [f64],
}

/// How a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReaderOptions {
    /// True for Seismic Unix: traces alone, without the headers of a file.
    pub is_su: bool,
    /// Values in place of the headers' own.
    pub overrides: Overrides,
}

impl ReaderOptions {
    /// Those of a file of Seismic Unix as it is; the default is SEG-Y as it is.
    pub fn su() -> Self {
        ReaderOptions { is_su: true, ..ReaderOptions::default() }
    }
}

impl Reader<BufReader<File>> {
    /// Opens a file and reads its headers.
    pub fn open(path: &Path, options: ReaderOptions) -> Result<Self, SegyError> {
        Reader::new(plain_file(path)?, options)
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Reads the headers, and determines the layout of the traces.
    pub fn new(mut source: R, options: ReaderOptions) -> Result<Self, SegyError> {
        let ReaderOptions { is_su, overrides } = options;
        let Start { texts, order, binary, mut layout, mut warnings } = match is_su {
            true => su::start(&mut source, overrides)?,
            false => start(&mut source, overrides.sample_format()?)?,
        };
        overrides.of_layout(&mut layout, &mut warnings);
        Ok(Reader {
            source,
            texts,
            order,
            binary,
            layout,
            warnings,
            overrides,
            kill: Kill::default(),
            elevations: Elevations::default(),
            ensembles: Ensembles::default(),
            checked: 0,
            next: 0,
            there: false,
            bytes: Vec::new(),
            header: TraceHeader::new(order),
            samples: Vec::new(),
        })
    }

    /// True for a file of Seismic Unix.
    pub fn is_su(&self) -> bool {
        self.binary.is_none()
    }

    /// The reader for a use that leaves these traces out: nothing is told of them.
    #[must_use]
    pub fn without(self, kill: Kill) -> Self {
        Reader { kill, ..self }
    }

    /// The lines of the textual header, and of each extended one; empty in files of Seismic Unix.
    pub fn texts(&self) -> &[Vec<String>] {
        &self.texts
    }

    /// The bytes of the textual header and of the extended ones, one after the other; none in files
    /// of Seismic Unix.
    pub(super) fn raw_texts(&mut self) -> Result<Vec<u8>, SegyError> {
        let mut bytes = vec![0; self.texts.len() * TEXT];
        self.there = false;
        if let Some((first, extended)) = bytes.split_at_mut_checked(TEXT) {
            read_at(&mut self.source, 0, first)?;
            read_at(&mut self.source, HEADERS, extended)?;
        }
        Ok(bytes)
    }

    /// The file's byte order.
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// The binary header; `None` in files of Seismic Unix, which have none.
    pub(crate) fn binary(&self) -> Option<&BinaryHeader> {
        self.binary.as_ref()
    }

    /// The layout of the file.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Contradictions in the headers read so far, each kind once.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The next trace, or `None` after the last.
    pub fn next_trace(&mut self) -> Result<Option<Trace<'_>>, SegyError> {
        let index = self.next;
        if index >= self.layout.traces {
            return Ok(None);
        }
        // The layout has been checked: a trace fits the file, but may exceed the memory.
        let (bytes, samples) = (self.layout.stride() as usize, self.layout.samples);
        let room = self.samples.try_reserve_exact(samples.saturating_sub(self.samples.len()));
        room.map_err(|error| SegyError::Read(error.into()))?;
        self.samples.resize(samples, 0.0);
        self.fill(bytes)?;
        self.next += 1;
        self.header = self.overrides.of_trace(block::header(&self.bytes, self.order));
        let samples = &self.bytes[self.layout.header_bytes as usize..];
        self.layout.format.decode(self.order, samples, &mut self.samples);
        self.cross_check(index)?;
        Ok(Some(Trace { index, header: &self.header, samples: &self.samples }))
    }

    /// Makes the first trace the next.
    pub(super) fn rewind(&mut self) {
        (self.next, self.there) = (0, false);
    }

    /// The next block of traces; `None` after the last.
    pub(super) fn next_block(&mut self) -> Result<Option<Block<'_>>, SegyError> {
        let (first, stride) = (self.next, self.layout.stride() as usize);
        let left = self.layout.traces.saturating_sub(first);
        let count = ((block::BYTES / stride.max(1)).max(1) as u64).min(left);
        if count == 0 {
            return Ok(None);
        }
        self.fill(count as usize * stride)?;
        self.next += count;
        for index in 0..count {
            let header = block::header(&self.bytes[index as usize * stride..], self.order);
            self.header = self.overrides.fields.of(header);
            self.cross_check(first + index)?;
        }
        Ok(Some(Block {
            first,
            bytes: &self.bytes,
            layout: self.layout,
            order: self.order,
            overrides: self.overrides,
            kill: &self.kill,
        }))
    }

    /// Reads this many bytes from the next trace on.
    fn fill(&mut self, bytes: usize) -> Result<(), SegyError> {
        let room = self.bytes.try_reserve_exact(bytes.saturating_sub(self.bytes.len()));
        room.map_err(|error| SegyError::Read(error.into()))?;
        self.bytes.resize(bytes, 0);
        if !self.there {
            let start = SeekFrom::Start(self.layout.offset(self.next));
            self.source.seek(start).map_err(SegyError::Read)?;
        }
        let read = self.source.read_exact(&mut self.bytes);
        self.there = read.is_ok();
        read.map_err(|error| SegyError::Read(error).of_trace(self.next))
    }

    /// Any trace; the one after it is the next.
    pub fn trace(&mut self, index: u64) -> Result<Trace<'_>, SegyError> {
        let traces = self.layout.traces;
        self.there &= self.next == index;
        self.next = index;
        self.next_trace()?.ok_or(SegyError::NoSuchTrace { trace: index, traces })
    }
}

/// What a file says before its first trace.
pub(super) struct Start {
    pub(crate) texts: Vec<Vec<String>>,
    pub(crate) order: ByteOrder,
    pub(crate) binary: Option<BinaryHeader>,
    pub(crate) layout: Layout,
    pub(crate) warnings: Vec<Warning>,
}

/// Reads the headers of a SEG-Y file, whose samples have this format, if it is given, whatever its
/// header says.
fn start<R: Read + Seek>(source: &mut R, format: Option<Format>) -> Result<Start, SegyError> {
    let length = source.seek(SeekFrom::End(0)).map_err(SegyError::Read)?;
    if length < HEADERS {
        return Err(SegyError::Short { length });
    }
    let mut first_text = [0; TEXT];
    let mut header = [0; BINARY];
    read_at(source, 0, &mut first_text)?;
    source.read_exact(&mut header).map_err(SegyError::Read)?;
    let order = match (layout::byte_order(&header), format) {
        // A code of the sample format that is none says nothing of the order either.
        (Err(SegyError::ByteOrder { .. }), Some(_)) => ByteOrder::Big,
        (order, _) => order?,
    };
    let mut binary = BinaryHeader::from_bytes(header, order);
    let mut warnings = Vec::new();
    if let Some(given) = format.map(|format| i64::from(format.code())) {
        let (field, said) = (binary::FORMAT.place(), binary.get(binary::FORMAT));
        if said != given {
            let (said, given) = (said.to_string(), format!("samples of format {given}"));
            warnings.push(Warning::Overruled { field, said, given });
        }
        binary.set(binary::FORMAT, given)?;
    }
    let revision = layout::revision(&binary, &mut warnings);
    let known = |extended_texts| Known { header: &binary, revision, extended_texts, length };
    let layout = match revision {
        0 => of_revision_0(source, &known, &mut warnings)?,
        _ => {
            let counted = layout::extended_texts(&binary)?;
            let count = counted.map_or_else(|| until_end_text(source, length), Ok)?;
            of_known(source, &known(count), &mut warnings)?
        }
    };
    let mut texts = vec![text::lines(&first_text)];
    for index in 0..layout.extended_texts {
        let mut text = [0; TEXT];
        read_at(source, HEADERS + index * TEXT as u64, &mut text)?;
        texts.push(text::lines(&text));
    }
    Ok(Start { texts, order, binary: Some(binary), layout, warnings })
}

/// Opens a file with an end: the length of a device means nothing.
fn plain_file(path: &Path) -> Result<BufReader<File>, SegyError> {
    let mut file = access::open(path).map_err(SegyError::Read)?;
    if gzip::is_packed(path) {
        file = gzip::unpacked(file).map_err(SegyError::Packed)?;
    }
    Ok(BufReader::with_capacity(1 << 20, file))
}

pub(super) fn read_at<R: Read + Seek>(
    source: &mut R,
    at: u64,
    bytes: &mut [u8],
) -> Result<(), SegyError> {
    source.seek(SeekFrom::Start(at)).map_err(SegyError::Read)?;
    source.read_exact(bytes).map_err(SegyError::Read)
}

/// The layout of a file whose textual headers are counted.
fn of_known<R: Read + Seek>(
    source: &mut R,
    known: &Known<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Layout, SegyError> {
    let start = known.start()?;
    let mut first = None;
    if start.checked_add(TRACE as u64).is_some_and(|end| end <= known.length) {
        let mut bytes = [0; TRACE];
        read_at(source, start, &mut bytes)?;
        first = Some(TraceHeader::from_bytes(bytes, known.header.order()));
    }
    known.layout(first.as_ref(), warnings)
}

/// The layout of a file of revision 0. It has no extended textual headers; but some files that have
/// them do not give their revision, so their number, or the stanza that ends them, is used if the
/// file's length agrees.
fn of_revision_0<'a, R: Read + Seek>(
    source: &mut R,
    known: &dyn Fn(u64) -> Known<'a>,
    warnings: &mut Vec<Warning>,
) -> Result<Layout, SegyError> {
    let (none, field) = (known(0), binary::EXTENDED_TEXTS);
    let said = none.header.get(field);
    if said == 0 {
        return of_known(source, &none, warnings);
    }
    let mut with = Vec::new();
    let count = match said {
        -1 => until_end_text(source, none.length).ok(),
        said => u64::try_from(said).ok(),
    };
    let layout = match count.map(|count| of_known(source, &known(count), &mut with)) {
        Some(Ok(layout)) => {
            warnings.append(&mut with);
            layout
        }
        _ => of_known(source, &none, warnings)?,
    };
    let taken = layout.extended_texts;
    warnings.push(Warning::ExtendedTexts { field: field.place(), said, taken });
    Ok(layout)
}

/// The number of extended textual headers up to the stanza that ends them.
fn until_end_text<R: Read + Seek>(source: &mut R, length: u64) -> Result<u64, SegyError> {
    let mut text = [0; TEXT];
    let whole = (length - HEADERS) / TEXT as u64;
    source.seek(SeekFrom::Start(HEADERS)).map_err(SegyError::Read)?;
    for index in 0..whole {
        source.read_exact(&mut text).map_err(SegyError::Read)?;
        let said = text::lines(&text).concat().replace(' ', "").to_lowercase();
        if said.contains("((seg:endtext))") {
            return Ok(index + 1);
        }
    }
    Err(SegyError::NoEndText { field: binary::EXTENDED_TEXTS.place() })
}
