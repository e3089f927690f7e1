//! Places, offsets, amplitudes and spectra of the traces of a file.

use crate::{
    grid::Position,
    io::segy::Gather,
    ndarray::{Array2, ArrayView1, s},
};
use huygens_fourier as fourier;
use rayon::prelude::*;

/// A trace.
#[derive(Clone, Copy)]
pub(crate) struct Trace {
    pub(crate) source: Position,
    pub(crate) receiver: Position,
    /// Horizontal distance of source and receiver, metres.
    pub(crate) offset: f64,
    /// Root mean square of its finite samples.
    pub(crate) rms: f64,
    /// True if all of its samples are finite.
    pub(crate) finite: bool,
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
    pub(crate) records: Vec<RecordRow>,
}

/// A record.
pub(crate) struct RecordRow {
    pub(crate) number: i64,
    pub(crate) traces: usize,
    pub(crate) samples: usize,
    pub(crate) interval: f64,
    pub(crate) source: Position,
    pub(crate) offsets: (f64, f64),
    pub(crate) rms: f64,
    pub(crate) dead: usize,
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
