//! Copies traces from one file to another, block by block: whatever the file's size, the memory is
//! that of some blocks.

use super::{
    BinaryHeader, ByteOrder, Format, LengthUnit, Reader, Revision, SegyError, Spec, TraceHeader,
    Writer, binary,
    block::Block,
    field::{BINARY, Field, Kind, TRACE},
    geometry::scaled,
    model::no_unit,
    trace,
};
use std::io::{Read, Seek, Write};

/// The settings of a copy.
#[derive(Clone, Debug, Default)]
pub struct CopySpec {
    /// The sample format; default that of the file. Seismic Unix has only
    /// [`Format::F32`], whatever is given.
    pub format: Option<Format>,
    /// The byte order; default that of the file.
    pub order: Option<ByteOrder>,
    /// The revision of SEG-Y, or the earliest later one that can store the traces.
    pub revision: Revision,
    /// The unit of positions for SEG-Y, if the file has none.
    pub unit: Option<LengthUnit>,
    /// Lines of the textual header for traces of Seismic Unix, which have none.
    pub text: Vec<String>,
}

/// The widths of the binary header's numbers, bytes, each with how many such numbers follow. Fields
/// of the revision are single bytes, as are those that have no meaning.
const BINARY_WIDTHS: [(usize, usize); 12] = [
    (3, 4),
    (24, 2),
    (3, 4),
    (2, 8),
    (3, 4),
    (202, 1),
    (2, 2),
    (1, 4),
    (1, 2),
    (2, 8),
    (1, 4),
    (68, 1),
];

/// What only revision 2 has in the binary header.
const OF_REVISION_2: [std::ops::Range<usize>; 2] = [60..100, 306..332];

/// Those of the trace header up to the ensemble's position, where Seismic Unix differs.
const COMMON_WIDTHS: [(usize, usize); 6] = [(7, 4), (4, 2), (8, 4), (2, 2), (4, 4), (46, 2)];
/// Those of the rest in SEG-Y, which ends with a name.
const SEGY_WIDTHS: [(usize, usize); 7] = [(5, 4), (2, 2), (1, 4), (8, 2), (1, 4), (2, 2), (8, 1)];
/// Those of the rest in Seismic Unix.
const SU_WIDTHS: [(usize, usize); 2] = [(7, 4), (16, 2)];

/// Where the ensemble's position begins.
const ENSEMBLE: usize = 180;

/// Where the times of the header begin, milliseconds with the scalar of SEG-Y: from those of the
/// uphole to those of the mute.
const TIMES: std::ops::RangeInclusive<usize> = 95..=113;

/// Swaps the bytes of each number.
fn swap(mut bytes: &mut [u8], widths: &[(usize, usize)]) {
    for (count, width) in widths {
        let numbers;
        (numbers, bytes) = bytes.split_at_mut(count * width);
        numbers.chunks_exact_mut(*width).for_each(<[u8]>::reverse);
    }
}

/// How trace headers are copied.
#[derive(Clone, Copy)]
struct Headers {
    from_su: bool,
    to_su: bool,
    order: ByteOrder,
    revision: u8,
}

impl Headers {
    /// A header of the copy. From 181 on Seismic Unix has other fields than SEG-Y, so that they are
    /// 0 if only one of the files is of Seismic Unix.
    fn of(&self, header: &TraceHeader) -> Result<TraceHeader, SegyError> {
        let mut bytes = *header.bytes();
        if header.order() != self.order {
            let (common, rest) = bytes.split_at_mut(ENSEMBLE);
            swap(common, &COMMON_WIDTHS);
            swap(rest, if self.from_su { &SU_WIDTHS } else { &SEGY_WIDTHS });
        }
        if self.from_su != self.to_su {
            bytes[ENSEMBLE..].fill(0);
        }
        let mut copied = TraceHeader::from_bytes(bytes, self.order);
        let scalar = if self.revision == 0 { 0 } else { header.get(trace::TIME_SCALAR) };
        if self.to_su && !self.from_su && !matches!(scalar, 0 | 1) {
            for first in TIMES.step_by(2) {
                let field = Field::<TRACE>::new("time", first, Kind::I16);
                copied.set(field, scaled(header.get(field), scalar).round() as i64)?;
            }
        }
        Ok(copied)
    }
}

/// Copies all traces to SEG-Y, with every number of their headers and, from SEG-Y, every textual
/// header and the numbers of the binary header that do not describe the layout. Additional trace
/// headers and the stanzas after the traces are left out. A sample that the format cannot represent
/// is an error.
pub fn copy<R: Read + Seek, W: Write>(
    reader: &mut Reader<R>,
    sink: W,
    spec: CopySpec,
) -> Result<W, SegyError> {
    let unit = reader.layout().unit.or(spec.unit).ok_or_else(|| no_unit(reader))?;
    let file = file(reader, &spec, unit)?.in_earliest_revision();
    let file = Spec { revision: spec.revision.max(file.revision), ..file };
    let (texts, revision) = (reader.raw_texts()?, reader.layout().revision);
    let writer = match reader.binary() {
        None => Writer::new(sink, file)?,
        Some(binary) => {
            let mut bytes = *binary.bytes();
            if binary.order() != file.order {
                swap(&mut bytes, &BINARY_WIDTHS);
            }
            if revision < 2 || file.revision == Revision::One {
                OF_REVISION_2.into_iter().for_each(|numbers| bytes[numbers].fill(0));
            }
            let header = BinaryHeader::from_bytes(bytes, file.order);
            Writer::with_headers(sink, file, &texts, header)?
        }
    };
    traces(reader, writer, false)
}

/// Copies all traces to a file of Seismic Unix, with the numbers of their headers that it has.
/// Ensembles' positions, line numbers and all that follows them are left out of SEG-Y's, and times
/// with a scalar are rounded to milliseconds.
pub fn copy_su<R: Read + Seek, W: Write>(
    reader: &mut Reader<R>,
    sink: W,
    spec: CopySpec,
) -> Result<W, SegyError> {
    let file = file(reader, &spec, LengthUnit::Metre)?;
    let writer = Writer::su(sink, Spec { format: Format::F32, ..file })?;
    traces(reader, writer, true)
}

fn file<R: Read + Seek>(
    reader: &Reader<R>,
    spec: &CopySpec,
    unit: LengthUnit,
) -> Result<Spec, SegyError> {
    let layout = reader.layout();
    let field = match reader.is_su() {
        true => trace::INTERVAL.place(),
        false => binary::INTERVAL.place(),
    };
    Ok(Spec {
        format: spec.format.unwrap_or(layout.format),
        order: spec.order.unwrap_or(reader.order()),
        samples: layout.samples,
        interval: layout.interval.ok_or(SegyError::NoInterval { field })?,
        unit,
        text: spec.text.clone(),
        traces: Some(layout.traces),
        ..Spec::default()
    })
}

fn traces<R: Read + Seek, W: Write>(
    reader: &mut Reader<R>,
    mut writer: Writer<W>,
    to_su: bool,
) -> Result<W, SegyError> {
    let (layout, from_su) = (*reader.layout(), reader.is_su());
    let (order, revision) = (writer.header().order(), layout.revision);
    let headers = Headers { from_su, to_su, order, revision };
    let as_they_are = writer.format() == layout.format && order == reader.order();
    let mut decoded: Vec<f64> = Vec::new();
    while let Some(block) = reader.next_block()? {
        let Block { bytes, .. } = block;
        decoded.clear();
        if !as_they_are {
            block.decode(&mut decoded);
        }
        let stored = bytes.chunks_exact(layout.stride() as usize);
        for (place, ((index, header), stored)) in block.headers().zip(stored).enumerate() {
            let header = headers.of(&header).map_err(|error| error.of_trace(index))?;
            if as_they_are {
                writer.copied(header, &stored[layout.header_bytes as usize..])?;
            } else {
                let samples = &decoded[place * layout.samples..][..layout.samples];
                writer.numbered(header, samples.iter().copied())?;
            }
        }
    }
    writer.finish()
}

const _: () = assert!(bytes_of(&BINARY_WIDTHS) == BINARY);
const _: () = assert!(bytes_of(&COMMON_WIDTHS) == ENSEMBLE);
const _: () = assert!(ENSEMBLE + bytes_of(&SEGY_WIDTHS) == TRACE);
const _: () = assert!(ENSEMBLE + bytes_of(&SU_WIDTHS) == TRACE);

const fn bytes_of(widths: &[(usize, usize)]) -> usize {
    let (mut bytes, mut index) = (0, 0);
    while index < widths.len() {
        bytes += widths[index].0 * widths[index].1;
        index += 1;
    }
    bytes
}
