//! The weights W of traces in the misfit: a band, then a mute and tapers, as a migration applies them.

use crate::{
    acquisition::{Band, Shot},
    conditioning::taper::fade,
    operations::rtm::Conditioning,
};
use ndarray::{Array2, Axis};
use rayon::prelude::*;
use std::ops::Range;

/// Times within this part of an interval are the same.
const SAME: f64 = 1e-6;

/// The recorded samples of a shot's traces, and the seconds between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordedSamples<'a> {
    pub(crate) of_traces: &'a [Range<usize>],
    pub(crate) interval: f64,
}

/// The weights of a shot's traces, a linear operator on them.
pub(crate) struct Weights<'a> {
    pub(crate) conditioning: Conditioning,
    /// For traces of as many samples.
    pub(crate) band: Option<&'a Band>,
    pub(crate) shot: &'a Shot,
    pub(crate) recorded: RecordedSamples<'a>,
    /// Seconds between the samples of the traces, and to the end of the run.
    pub(crate) dt: f64,
    pub(crate) end: f64,
}

/// Receivers that a thread takes at once.
const TOGETHER: usize = 8;

impl Weights<'_> {
    /// W d, in place of traces d `[receiver][sample]`, whose first samples are at t = 0.
    pub(crate) fn apply(&self, traces: &mut Array2<f64>) {
        self.each_pair(traces, &|first, pair| {
            self.filter(pair);
            self.gain(first, pair);
        });
    }

    /// W' d, the transpose.
    pub(crate) fn apply_adjoint(&self, traces: &mut Array2<f64>) {
        self.each_pair(traces, &|first, pair| {
            self.gain(first, pair);
            self.filter(pair);
        });
    }

    /// Calls back with pairs of traces, or a last one, and the receiver of the first.
    fn each_pair(
        &self,
        traces: &mut Array2<f64>,
        call: &(dyn Fn(usize, &mut [&mut [f64]]) + Sync),
    ) {
        let chunks: Vec<_> = traces.axis_chunks_iter_mut(Axis(0), TOGETHER).collect();
        chunks.into_par_iter().enumerate().for_each(|(chunk, mut rows)| {
            let rows = rows.outer_iter_mut();
            let mut rows: Vec<&mut [f64]> = rows
                .map(|row| row.into_slice().expect("a row of an array in standard layout"))
                .collect();
            for (pair, of_pair) in rows.chunks_mut(2).enumerate() {
                call(chunk * TOGETHER + 2 * pair, of_pair);
            }
        });
    }

    fn filter(&self, pair: &mut [&mut [f64]]) {
        let Some(band) = self.band else { return };
        match pair {
            [one, other] => band.pass_both(one, other),
            [last] => {
                let silence = &mut vec![0.0; last.len()];
                band.pass_both(last, silence);
            }
            _ => {}
        }
    }

    fn gain(&self, first: usize, pair: &mut [&mut [f64]]) {
        for (receiver, trace) in (first..).zip(pair) {
            let RecordedSamples { of_traces, interval } = self.recorded;
            let of_trace = &of_traces[receiver];
            let (start, last) = (of_trace.start as f64, of_trace.end as f64 - 1.0);
            let is_recorded =
                |t: f64| t >= (start - SAME) * interval && t <= (last + SAME) * interval;
            let (begins, tapered) = self.conditioning.mute_of(self.shot, receiver);
            let taper = self.conditioning.taper;
            for (n, sample) in trace.iter_mut().enumerate() {
                let t = n as f64 * self.dt;
                let muted = if t < begins { 0.0 } else { fade(t - begins, tapered) };
                let faded = fade((last + 1.0) * interval - t, taper) * fade(self.end - t, taper);
                *sample *= if is_recorded(t) { muted * faded } else { 0.0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Source, Wavelet},
        conditioning::Mute,
        grid::Axes,
    };

    fn random(seed: u64, shape: (usize, usize)) -> Array2<f64> {
        let mut state = seed;
        Array2::from_shape_simple_fn(shape, || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        })
    }

    /// `<W a, b> = <a, W' b>`, with a mute, tapers, a band, a dead trace and one that starts late.
    #[test]
    fn they_are_linear_with_their_transpose() {
        let receivers = [100.0, 350.0, 600.0, 800.0, 1000.0].map(|x| Axes::xz(x, 10.0));
        let source = Source::new(Axes::xz(50.0, 10.0), Wavelet::ricker(12.0));
        let shot = Shot { sources: vec![source], receivers: receivers.to_vec().into() };
        let band = Band::of_corners([2.0, 4.0, 20.0, 30.0], 2e-3, 301);
        let mute = Mute { velocity: 2000.0, delay: 0.1, taper: 0.05 };
        let conditioning =
            Conditioning { mute: Some(mute), taper: 0.08, ..Conditioning::default() };
        let of_traces = [0..151, 0..151, 0..0, 40..151, 0..90];
        let weights = Weights {
            conditioning,
            band: Some(&band),
            shot: &shot,
            recorded: RecordedSamples { of_traces: &of_traces, interval: 4e-3 },
            dt: 2e-3,
            end: 0.602,
        };
        let (a, b) = (random(3, (5, 301)), random(7, (5, 301)));
        let (mut there, mut back) = (a.clone(), b.clone());
        weights.apply(&mut there);
        weights.apply_adjoint(&mut back);
        let (forward, adjoint) = ((&there * &b).sum(), (&a * &back).sum());
        let size = (&there * &there).sum().sqrt() * (&b * &b).sum().sqrt();
        assert!((forward - adjoint).abs() < 1e-14 * size, "{forward} {adjoint}");
        // Not symmetric: the order counts.
        let mut other = b.clone();
        weights.apply(&mut other);
        assert!((forward - (&a * &other).sum()).abs() > 1e-4 * size);
        // The dead trace, what comes before the mute or the start, and what comes after the end.
        assert!(there.row(2).iter().all(|v| *v == 0.0));
        assert!(there.row(4).iter().take(287).all(|v| *v == 0.0));
        assert!(there.row(3).iter().take(80).all(|v| *v == 0.0));
        assert!(there.row(4).iter().skip(180).all(|v| *v == 0.0));
        assert!(there.row(0).iter().skip(70).take(150).any(|v| *v != 0.0));
    }
}
