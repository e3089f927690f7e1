//! Gathers: the traces of a shot, with the positions of its source and its receivers.

use super::{
    ByteOrder, Format, LengthUnit, Point, Reader, SegyError, Spec, TraceHeader, Writer, binary,
    geometry::{self, Placing, scaled},
    model::no_unit,
    trace,
};
use ndarray::{Array2, ArrayView2};
use std::io::{Read, Seek, Write};

/// The traces of a shot.
#[derive(Clone, Debug, PartialEq)]
pub struct Gather {
    /// Number of the shot.
    pub record: i64,
    /// Where the source is, metres.
    pub source: Point,
    /// Where the receivers are, metres.
    pub receivers: Vec<Point>,
    /// Samples of shape `[receiver][time]`.
    pub traces: Array2<f32>,
    /// Seconds between samples.
    pub interval: f64,
    /// Time of the first sample, seconds after the shot.
    pub start: f64,
}

/// What is one for all traces of a shot.
#[derive(Clone, Copy, PartialEq)]
struct Shot {
    record: i64,
    source: Point,
    start: f64,
}

/// A shot as it is read.
struct Open {
    shot: Shot,
    receivers: Vec<Point>,
    samples: Vec<f32>,
}

/// Time of the first sample, s: the delay in milliseconds with the scalar of times.
pub(super) fn start(header: &TraceHeader, revision: u8) -> f64 {
    let scalar = if revision == 0 { 0 } else { header.get(trace::TIME_SCALAR) };
    scaled(header.get(trace::DELAY), scalar) / 1e3
}

/// Reads the gathers of a file whole, in its order: traces that follow each other with the same field record, source
/// and delay are one. `unit` stands for what the file does not say.
pub fn read_gathers<R: Read + Seek>(
    reader: &mut Reader<R>,
    unit: Option<LengthUnit>,
) -> Result<Vec<Gather>, SegyError> {
    let layout = *reader.layout();
    let unit = layout.unit.or(unit).ok_or_else(|| no_unit(reader))?;
    let field = binary::INTERVAL.place();
    let interval = layout.interval.ok_or(SegyError::NoInterval { field })? / 1e6;
    let close = |open: Open| {
        let Shot { record, source, start } = open.shot;
        let shape = (open.receivers.len(), layout.samples);
        let traces = Array2::from_shape_vec(shape, open.samples).expect("a row a receiver");
        Gather { record, source, receivers: open.receivers, traces, interval, start }
    };
    let (mut gathers, mut open): (Vec<Gather>, Option<Open>) = (Vec::new(), None);
    while let Some(trace) = reader.next_trace()? {
        let of_trace = |error: SegyError| error.of_trace(trace.index);
        let shot = Shot {
            record: trace.header.get(trace::RECORD),
            source: geometry::source(trace.header, unit).map_err(of_trace)?,
            start: start(trace.header, layout.revision),
        };
        let receiver = geometry::receiver(trace.header, unit).map_err(of_trace)?;
        if let Some(done) = open.take_if(|open| open.shot != shot) {
            gathers.push(close(done));
        }
        let new = || Open { shot, receivers: Vec::new(), samples: Vec::new() };
        let open = open.get_or_insert_with(new);
        open.receivers.push(receiver);
        let room = open.samples.try_reserve(layout.samples);
        room.map_err(|error| SegyError::Read(error.into()))?;
        open.samples.extend(trace.samples.iter().map(|sample| *sample as f32));
    }
    gathers.extend(open.map(close));
    Ok(gathers)
}

/// How a gather is written.
#[derive(Clone, Debug)]
pub struct GatherSpec {
    /// Lines of the textual header.
    pub text: Vec<String>,
    /// Number of the shot.
    pub record: i64,
    /// Where the source is, metres.
    pub source: Point,
    /// Where the receivers are, metres.
    pub receivers: Vec<Point>,
    /// Seconds between samples; the first is at the shot.
    pub interval: f64,
    /// The sample format.
    pub format: Format,
    /// The byte order.
    pub order: ByteOrder,
    /// The unit of positions.
    pub unit: LengthUnit,
}

/// A number of microseconds this close to a whole one is meant to be it.
const WHOLE: f64 = 1e-6;

/// Seconds as microseconds.
fn microseconds(interval: f64) -> f64 {
    let microseconds = interval * 1e6;
    let whole = microseconds.round();
    if (microseconds - whole).abs() < WHOLE { whole } else { microseconds }
}

impl GatherSpec {
    /// The file of a gather of shape `[receiver][time]`.
    fn file(&self, (receivers, samples): (usize, usize)) -> Result<Spec, SegyError> {
        if receivers != self.receivers.len() {
            let wanted = "it must be that of the gather's rows";
            let value = self.receivers.len() as f64;
            return Err(SegyError::Given { what: "the number of receivers", value, wanted });
        }
        Ok(Spec {
            text: self.text.clone(),
            samples,
            interval: microseconds(self.interval),
            format: self.format,
            order: self.order,
            unit: self.unit,
            traces: Some(receivers as u64),
            ensemble: receivers,
            ..Spec::default()
        })
    }

    fn write<W: Write>(
        &self,
        mut writer: Writer<W>,
        traces: ArrayView2<'_, f32>,
        source: impl Fn(Point) -> Point,
    ) -> Result<W, SegyError> {
        let points = self.receivers.iter().copied().chain([self.source]);
        let placing = Placing::new(self.unit, points)?;
        for (index, (receiver, samples)) in
            self.receivers.iter().zip(traces.outer_iter()).enumerate()
        {
            let mut header = writer.header();
            header.set(trace::RECORD, self.record)?;
            header.set(trace::IN_RECORD, index as i64 + 1)?;
            header.set(trace::SOURCE_POINT, self.record)?;
            placing.put(&mut header, source(*receiver), *receiver)?;
            writer.trace(header, samples.iter().map(|sample| f64::from(*sample)))?;
        }
        writer.finish()
    }
}

/// Writes a gather of shape `[receiver][time]`, in revision 1 where that holds it, else in revision 2: with an
/// interval that is no whole number of microseconds, or more samples than 65535.
pub fn write_gather<W: Write>(
    sink: W,
    traces: ArrayView2<'_, f32>,
    spec: GatherSpec,
) -> Result<W, SegyError> {
    let file = spec.file(traces.dim())?.in_earliest_revision();
    spec.write(Writer::new(sink, file)?, traces, |_| spec.source)
}

/// Writes a zero-offset section of shape `[receiver][time]` as [`write_gather`] does: each trace has its source where its
/// receiver is, whatever the source of the spec.
pub fn write_section<W: Write>(
    sink: W,
    traces: ArrayView2<'_, f32>,
    spec: GatherSpec,
) -> Result<W, SegyError> {
    let file = spec.file(traces.dim())?.in_earliest_revision();
    spec.write(Writer::new(sink, file)?, traces, |receiver| receiver)
}

/// Writes a gather of shape `[receiver][time]` for Seismic Unix, which has no text.
pub fn write_su_gather<W: Write>(
    sink: W,
    traces: ArrayView2<'_, f32>,
    spec: GatherSpec,
) -> Result<W, SegyError> {
    let file = spec.file(traces.dim())?;
    spec.write(Writer::su(sink, file)?, traces, |_| spec.source)
}

/// Whether Seismic Unix holds traces of so many samples with so many seconds between them.
pub fn su_holds(samples: usize, interval: f64) -> Result<(), SegyError> {
    let interval = microseconds(interval);
    Writer::su(std::io::sink(), Spec { samples, interval, ..Spec::default() }).map(|_| ())
}
