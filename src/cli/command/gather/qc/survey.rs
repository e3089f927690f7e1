//! Places, offsets, amplitudes and spectra of the traces of a file.

use crate::{
    cli::terminal::table::{self, Column},
    grid::Position,
    io::segy::Gather,
    ndarray::{Array2, ArrayView1, s},
};
use huygens_fourier as fourier;
use rayon::prelude::*;

/// Records in the table; the first of more.
const LISTED: usize = 30;

/// A trace.
#[derive(Clone, Copy)]
pub(crate) struct Trace {
    pub(crate) source: Position,
    pub(crate) receiver: Position,
    /// Horizontal distance of source and receiver, metres.
    pub(crate) offset: f64,
    /// Root mean square of its finite samples.
    pub(crate) rms: f64,
    finite: bool,
}

impl Trace {
    /// Half way from the source to the receiver.
    pub(crate) fn midpoint(&self) -> (f64, f64) {
        let middle = |a: f64, b: f64| f64::midpoint(a, b);
        (middle(self.source.x, self.receiver.x), middle(self.source.y, self.receiver.y))
    }
}

/// The traces of a file.
pub(crate) struct Survey {
    pub(crate) traces: Vec<Trace>,
    /// Mean amplitude spectra: of all traces, the nearer and the farther half by offset; Hz and
    /// amplitude.
    pub(crate) spectra: [Vec<(f64, f64)>; 3],
    records: Vec<RecordRow>,
}

/// A record in the table.
struct RecordRow {
    number: i64,
    traces: usize,
    samples: usize,
    interval: f64,
    source: Position,
    offsets: (f64, f64),
    rms: f64,
    dead: usize,
}

/// The nearest trace of each record or, of one record, all its traces.
pub(crate) struct Near {
    pub(crate) traces: Array2<f32>,
    pub(crate) interval: f64,
    /// Metres, or 1000 times the number of the record.
    pub(crate) positions: Vec<f64>,
    pub(crate) across: &'static str,
    pub(crate) title: &'static str,
}

impl Survey {
    pub(crate) fn of(gathers: &[Gather]) -> Self {
        let traces: Vec<_> = gathers.iter().flat_map(traces).collect();
        let mut offsets: Vec<f64> = traces.iter().map(|trace| trace.offset).collect();
        offsets.sort_unstable_by(f64::total_cmp);
        let middle = offsets.get(offsets.len() / 2).copied().unwrap_or(0.0);
        Survey {
            spectra: spectra(gathers, middle),
            records: gathers.iter().map(row).collect(),
            traces,
        }
    }

    pub(crate) fn near_traces(&self, gathers: &[Gather]) -> Near {
        let interval = gathers[0].interval;
        if let [gather] = gathers {
            let positions = traces(gather).map(|trace| trace.offset).collect::<Vec<_>>();
            let number = (0..positions.len()).map(|k| 1000.0 * (k + 1) as f64).collect();
            let rises = positions.is_sorted() || positions.iter().rev().is_sorted();
            let (positions, across) =
                if rises { (positions, "Offset (km)") } else { (number, "Trace") };
            let traces = gather.traces.clone();
            return Near { traces, interval, positions, across, title: "The record" };
        }
        let alike: Vec<_> =
            gathers.iter().filter(|of| of.interval == interval && !of.traces.is_empty()).collect();
        let samples = alike.iter().map(|of| of.traces.ncols()).min().unwrap_or(0);
        let mut near = Array2::zeros((alike.len(), samples));
        for (gather, mut row) in alike.iter().zip(near.outer_iter_mut()) {
            let nearest = traces(gather).enumerate();
            let nearest = nearest.min_by(|(_, a), (_, b)| a.offset.total_cmp(&b.offset));
            let nearest = nearest.map_or(0, |(k, _)| k);
            row.assign(&gather.traces.slice(s![nearest, ..samples]));
        }
        let numbers: Vec<_> = alike.iter().map(|of| of.record).collect();
        let rises = numbers.windows(2).all(|pair| pair[0] < pair[1]);
        let number =
            |(k, record): (usize, &i64)| if rises { *record as f64 } else { (k + 1) as f64 };
        let positions = numbers.iter().enumerate().map(|of| 1000.0 * number(of)).collect();
        let across = if rises { "Record" } else { "Record in the file" };
        let title = "Nearest trace of each record";
        Near { traces: near, interval, positions, across, title }
    }

    /// The ranges of the headers, and the records.
    pub(crate) fn table(&self) -> String {
        type Of = fn(&Trace) -> f64;
        let values: [(&str, Of); 9] = [
            ("source x, m", |of| of.source.x),
            ("source y, m", |of| of.source.y),
            ("source depth, m", |of| of.source.z),
            ("receiver x, m", |of| of.receiver.x),
            ("receiver y, m", |of| of.receiver.y),
            ("receiver depth, m", |of| of.receiver.z),
            ("offset, m", |of| of.offset),
            ("midpoint x, m", |of| of.midpoint().0),
            ("RMS amplitude", |of| of.rms),
        ];
        let ranges = values.map(|(name, of)| {
            let mut all: Vec<f64> = self.traces.iter().map(of).collect();
            all.sort_unstable_by(f64::total_cmp);
            let at = |share: f64| short(all[((all.len() - 1) as f64 * share).round() as usize]);
            [name.to_owned(), at(0.0), at(0.5), at(1.0)]
        });
        let columns: [Column<'_, [String; 4]>; 4] = [
            ("header", &|row| row[0].clone()),
            ("least", &|row| row[1].clone()),
            ("median", &|row| row[2].clone()),
            ("most", &|row| row[3].clone()),
        ];
        let ranges = table::table(ranges, 1, &columns);
        let columns: [Column<'_, &RecordRow>; 10] = [
            ("record", &|row| row.number.to_string()),
            ("traces", &|row| row.traces.to_string()),
            ("samples", &|row| row.samples.to_string()),
            ("interval, s", &|row| short(row.interval)),
            ("source x, m", &|row| short(row.source.x)),
            ("source y, m", &|row| short(row.source.y)),
            ("least offset, m", &|row| short(row.offsets.0)),
            ("most, m", &|row| short(row.offsets.1)),
            ("RMS", &|row| short(row.rms)),
            ("dead", &|row| row.dead.to_string()),
        ];
        let records = table::table(self.records.iter().take(LISTED), 0, &columns);
        let more = match self.records.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!("\nand {more} more records"),
        };
        let bad = self.traces.iter().filter(|trace| !trace.finite).count();
        let dead = self.traces.iter().filter(|trace| trace.rms == 0.0).count();
        format!(
            "{ranges}\n\n{records}{more}\n\n{} traces: {dead} of zeros, {bad} with samples that are not finite",
            self.traces.len()
        )
    }
}

/// A number with six digits at most.
fn short(value: f64) -> String {
    let size = value.abs();
    match size {
        0.0 => "0".into(),
        1e-3..1e9 => {
            let decimals = (5 - size.log10().floor() as i32).clamp(0, 6) as usize;
            let text = format!("{value:.decimals$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text,
            }
        }
        _ => format!("{value:.3e}"),
    }
}

/// The traces of a record.
fn traces(gather: &Gather) -> impl Iterator<Item = Trace> {
    gather.receivers.iter().zip(gather.traces.outer_iter()).map(|(receiver, samples)| {
        let source = gather.source;
        let offset = (receiver.x - source.x).hypot(receiver.y - source.y);
        let finite = samples.iter().filter(|sample| sample.is_finite());
        let (count, sum) = finite.fold((0_usize, 0.0), |(count, sum), sample| {
            (count + 1, sum + f64::from(*sample).powi(2))
        });
        let rms = (sum / count.max(1) as f64).sqrt();
        Trace { source, receiver: *receiver, offset, rms, finite: count == samples.len() }
    })
}

fn row(gather: &Gather) -> RecordRow {
    let all: Vec<_> = traces(gather).collect();
    let offsets = all.iter().map(|trace| trace.offset);
    let square = all.iter().map(|trace| trace.rms.powi(2)).sum::<f64>();
    RecordRow {
        number: gather.record,
        traces: all.len(),
        samples: gather.traces.ncols(),
        interval: gather.interval,
        source: gather.source,
        offsets: (
            offsets.clone().reduce(f64::min).unwrap_or(0.0),
            offsets.reduce(f64::max).unwrap_or(0.0),
        ),
        rms: (square / all.len().max(1) as f64).sqrt(),
        dead: all.iter().filter(|trace| trace.rms == 0.0).count(),
    }
}

/// Mean amplitude spectra of all traces, of those nearer than `middle`, and of the others; of traces
/// with the interval of the first record.
fn spectra(gathers: &[Gather], middle: f64) -> [Vec<(f64, f64)>; 3] {
    let interval = gathers[0].interval;
    let alike = || gathers.iter().filter(|gather| gather.interval == interval);
    let size = alike().map(|gather| gather.traces.ncols()).max().unwrap_or(0).max(2);
    let size = size.next_power_of_two();
    let rows: Vec<_> = alike().flat_map(|of| traces(of).zip(of.traces.outer_iter())).collect();
    let chosen = |keep: &(dyn Fn(&Trace) -> bool + Sync)| {
        let kept = rows.par_iter().filter(|(trace, _)| keep(trace) && trace.finite);
        let (sum, count) = kept.map(|(_, samples)| (amplitudes(*samples, size), 1_usize)).reduce(
            || (vec![0.0; size / 2 + 1], 0),
            |(mut sum, count), (other, more)| {
                sum.iter_mut().zip(other).for_each(|(a, b)| *a += b);
                (sum, count + more)
            },
        );
        let hertz = |k: usize| k as f64 / (size as f64 * interval);
        let mean = |sum: f64| sum / count.max(1) as f64;
        sum.into_iter().enumerate().map(|(k, sum)| (hertz(k), mean(sum))).collect()
    };
    [chosen(&|_| true), chosen(&|of| of.offset < middle), chosen(&|of| of.offset >= middle)]
}

/// The amplitude spectrum of a trace, padded to `size` samples.
fn amplitudes(samples: ArrayView1<'_, f32>, size: usize) -> Vec<f64> {
    let transform = fourier::real(size);
    let mut input = transform.make_input_vec();
    input.iter_mut().zip(samples).for_each(|(to, from)| *to = f64::from(*from));
    let mut output = transform.make_output_vec();
    transform.process(&mut input, &mut output).expect("vectors of its own size");
    output.iter().map(|value| value.norm()).collect()
}
