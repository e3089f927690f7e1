//! Writes the gathers of a survey: one file of all shots, each writable separately.

use super::{
    ByteOrder, Format, LengthUnit, Placing, SegyError, Spec, TEXT, TRACE, Writer, field::BINARY,
    trace,
};
use crate::{grid::Position, model::Placement};
use ndarray::ArrayView2;
use std::{io::Write, ops::Range, sync::Arc};

/// A shot of a survey.
#[derive(Clone, Debug)]
pub struct ShotSpec {
    /// Its number.
    pub record: i64,
    /// Position of the source, metres.
    pub source: Position,
    /// Positions of the receivers, metres.
    pub receivers: Arc<[Position]>,
}

/// The bins of midpoints that number the CDPs: from 1, along x and then along y. Each is as wide as
/// the spacing of the survey's model, so that the CDP of a bin is the number of the model's column
/// below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bins {
    /// Metres along x and y; y is ignored if there is one line of bins.
    pub width: (f64, f64),
    /// Bins along x.
    pub along_x: usize,
    /// Where the first bin lies on the map.
    pub placement: Placement,
}

impl Bins {
    /// The number of the bin of a midpoint.
    fn number(&self, x: f64, y: f64) -> i64 {
        let Position { x, y, .. } = self.placement.in_model(Position { x, y, z: 0.0 });
        let line = if self.width.1 > 0.0 { (y / self.width.1).round() as i64 } else { 0 };
        1 + (x / self.width.0).round() as i64 + line * self.along_x as i64
    }
}

/// The unit of samples, for bytes 203-204 of the trace headers of SEG-Y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueUnit {
    /// None is known.
    #[default]
    Unknown = 0,
    /// Pascals.
    Pascal = 1,
}

/// The settings of a survey's file.
#[derive(Clone, Debug)]
pub struct SurveySpec {
    /// Lines of the textual header.
    pub text: Vec<String>,
    /// The shots, in the order of the file.
    pub shots: Vec<ShotSpec>,
    /// Samples per trace.
    pub samples: usize,
    /// Seconds between samples; the first is at the shot.
    pub interval: f64,
    /// The sample format.
    pub format: Format,
    /// The byte order.
    pub order: ByteOrder,
    /// The unit of positions.
    pub unit: LengthUnit,
    /// The bins of midpoints; without them CDPs have no number.
    pub bins: Option<Bins>,
    /// The unit of the samples.
    pub values: ValueUnit,
}

/// Tolerance of a whole number of microseconds.
const WHOLE: f64 = 1e-6;

fn microseconds(interval: f64) -> f64 {
    let microseconds = interval * 1e6;
    let whole = microseconds.round();
    if (microseconds - whole).abs() < WHOLE { whole } else { microseconds }
}

/// The file of a survey: the position of each shot's traces in it, and their bytes.
#[derive(Clone, Debug)]
pub struct SurveyFile {
    file: Spec,
    shots: Vec<ShotSpec>,
    bins: Option<Bins>,
    values: ValueUnit,
    placing: Placing,
    is_su: bool,
    /// Traces before each shot.
    before: Vec<u64>,
}

impl SurveyFile {
    /// SEG-Y, in revision 1 if that can store it, otherwise in revision 2: if the interval is not a
    /// whole number of microseconds, or there are more than 65535 samples.
    pub fn segy(spec: SurveySpec) -> Result<Self, SegyError> {
        let survey = Self::new(spec, false)?;
        let file = survey.file.in_earliest_revision();
        file.check()?;
        Ok(SurveyFile { file, ..survey })
    }

    /// Seismic Unix: traces alone, without text.
    pub fn su(spec: SurveySpec) -> Result<Self, SegyError> {
        let survey = Self::new(spec, true)?;
        survey.file.check_su()?;
        Ok(survey)
    }

    fn new(spec: SurveySpec, is_su: bool) -> Result<Self, SegyError> {
        let SurveySpec { text, shots, samples, interval, format, order, unit, bins, values } = spec;
        let counts = shots.iter().map(|shot| shot.receivers.len() as u64);
        let before = counts.scan(0, |traces, count| {
            *traces += count;
            Some(*traces - count)
        });
        let before: Vec<u64> = before.collect();
        let traces: u64 = shots.iter().map(|shot| shot.receivers.len() as u64).sum();
        let most = shots.iter().map(|shot| shot.receivers.len()).max();
        let points = shots.iter().flat_map(|shot| {
            let source = shot.source;
            // Seismic Unix has no place for midpoints.
            let of_middles = if is_su { &[] } else { &shot.receivers[..] };
            let middles = of_middles.iter().map(move |receiver| middle(source, *receiver));
            shot.receivers.iter().copied().chain(middles).chain([source])
        });
        let placing = Placing::new(unit, points)?;
        let file = Spec {
            text,
            samples,
            interval: microseconds(interval),
            format,
            order,
            unit,
            traces: Some(traces),
            ensemble: most.unwrap_or(0),
            ..Spec::default()
        };
        Ok(SurveyFile { file, shots, bins, values, placing, is_su, before })
    }

    /// The bytes before the first trace.
    pub fn headers(&self) -> Result<Vec<u8>, SegyError> {
        let mut bytes = Vec::new();
        if !self.is_su {
            Writer::new(&mut bytes, self.file.clone())?;
        }
        Ok(bytes)
    }

    /// The offset in the file of a shot's traces, with shots counted from 0.
    pub fn place(&self, shot: usize) -> u64 {
        let headers = if self.is_su { 0 } else { (TEXT + BINARY) as u64 };
        headers + self.before[shot] * self.trace_bytes()
    }

    /// Bytes of a file of some of the shots.
    pub fn length(&self, shots: Range<usize>) -> u64 {
        let after = |shot: usize| match shot {
            0 => self.place(0),
            shot => self.place(shot - 1) + self.bytes(shot - 1),
        };
        self.place(0) + after(shots.end) - after(shots.start)
    }

    /// Bytes of the traces of a shot.
    fn bytes(&self, shot: usize) -> u64 {
        self.shots[shot].receivers.len() as u64 * self.trace_bytes()
    }

    fn trace_bytes(&self) -> u64 {
        (TRACE + self.file.format.bytes() * self.file.samples) as u64
    }

    /// The bytes of a shot's traces, of shape `[receiver][time]`.
    pub fn shot(&self, shot: usize, traces: ArrayView2<'_, f32>) -> Result<Vec<u8>, SegyError> {
        self.traces(shot, 0..traces.nrows(), traces, |source, _| source)
    }

    /// [`Self::shot`] in parts of at most `bytes` bytes, or of one trace.
    pub fn parts<'s>(
        &'s self,
        shot: usize,
        traces: ArrayView2<'s, f32>,
        bytes: usize,
    ) -> impl Iterator<Item = Result<Vec<u8>, SegyError>> + 's {
        let trace = TRACE + self.file.format.bytes() * traces.ncols();
        let rows = (bytes / trace).max(1);
        let count = traces.nrows();
        (0..count).step_by(rows).map(move |first| {
            let rows = first..count.min(first + rows);
            self.traces(shot, rows, traces, |source, _| source)
        })
    }

    /// The bytes of some of a shot's traces, with the source of each from a function of its
    /// receiver.
    fn traces(
        &self,
        shot: usize,
        rows: Range<usize>,
        traces: ArrayView2<'_, f32>,
        source: impl Fn(Position, Position) -> Position,
    ) -> Result<Vec<u8>, SegyError> {
        let ShotSpec { record, source: fired, receivers } = &self.shots[shot];
        if traces.nrows() != receivers.len() {
            let wanted = "it must be that of the gather's rows";
            let value = receivers.len() as f64;
            return Err(SegyError::Given { what: "the number of receivers", value, wanted });
        }
        let mut bytes =
            Vec::with_capacity(rows.len() * (TRACE + self.file.format.bytes() * traces.ncols()));
        let before = self.before[shot] + rows.start as u64;
        let mut writer = Writer::part(&mut bytes, self.file.clone(), before);
        for index in rows {
            let (receiver, samples) = (&receivers[index], traces.row(index));
            let mut header = writer.header();
            header.set(trace::RECORD, *record)?;
            header.set(trace::IN_RECORD, index as i64 + 1)?;
            header.set(trace::SOURCE_POINT, *record)?;
            let source = source(*fired, *receiver);
            self.placing.put(&mut header, source, *receiver)?;
            let Position { x, y, .. } = middle(source, *receiver);
            if let Some(bins) = self.bins {
                header.set(trace::ENSEMBLE, bins.number(x, y))?;
            }
            // Seismic Unix has other fields there.
            if !self.is_su {
                header.set(trace::VALUE_UNIT, self.values as i64)?;
                self.placing.put_ensemble(&mut header, x, y)?;
            }
            match samples.as_slice() {
                Some(samples) => writer.trace_of_singles(header, samples)?,
                None => writer.trace(header, samples.iter().map(|sample| f64::from(*sample)))?,
            }
        }
        Ok(bytes)
    }

    /// Writes the file of a survey of one shot.
    pub fn only<W: Write>(&self, sink: W, traces: ArrayView2<'_, f32>) -> Result<W, SegyError> {
        self.whole(sink, self.shot(0, traces)?)
    }

    /// Writes a zero-offset section of shape `[receiver][time]`: each trace has its source at its
    /// receiver, whatever the source of the shot.
    pub(crate) fn section<W: Write>(
        &self,
        sink: W,
        traces: ArrayView2<'_, f32>,
    ) -> Result<W, SegyError> {
        let all = 0..traces.nrows();
        self.whole(sink, self.traces(0, all, traces, |_, receiver| receiver)?)
    }

    fn whole<W: Write>(&self, mut sink: W, traces: Vec<u8>) -> Result<W, SegyError> {
        let write = |bytes: &[u8], sink: &mut W| sink.write_all(bytes).map_err(SegyError::Write);
        write(&self.headers()?, &mut sink)?;
        write(&traces, &mut sink)?;
        Ok(sink)
    }
}

/// The midpoint of a trace, at its source's depth.
fn middle(source: Position, receiver: Position) -> Position {
    let (x, y) = (0.5 * (source.x + receiver.x), 0.5 * (source.y + receiver.y));
    Position { x, y, ..source }
}

/// Bytes of a file of `traces` traces of `samples` samples.
pub fn bytes(traces: usize, samples: usize) -> u64 {
    (TEXT + BINARY) as u64 + traces as u64 * (TRACE + Format::F32.bytes() * samples) as u64
}

/// Checks that Seismic Unix can store traces of `samples` samples at this interval, s.
pub fn su_holds(samples: usize, interval: f64) -> Result<(), SegyError> {
    Spec { samples, interval: microseconds(interval), ..Spec::default() }.check_su()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn midpoints_are_numbered_as_the_columns_of_the_model() {
        let placement = Placement::default();
        let line = Bins { width: (10.0, 0.0), along_x: 5, placement };
        assert_eq!([0.0, 4.0, 10.0, 40.0].map(|x| line.number(x, 99.0)), [1, 1, 2, 5]);
        let area = Bins { width: (10.0, 20.0), along_x: 5, placement };
        assert_eq!(area.number(10.0, 20.0), 7);
    }
}
