//! Consecutive traces in the reader's buffer, whose samples are decoded in parallel.

use super::{ByteOrder, Kill, Layout, TRACE, TraceHeader, overrides::Overrides, sample::Sample};
use rayon::prelude::*;

/// Bytes of a block: few enough to stay in a processor's cache.
pub(super) const BYTES: usize = 4 << 20;

/// Some consecutive traces, until the next block is read.
pub(super) struct Block<'a> {
    /// Index of the first trace in the file, from 0.
    pub(crate) first: u64,
    pub(crate) bytes: &'a [u8],
    pub(crate) layout: Layout,
    pub(crate) order: ByteOrder,
    pub(crate) overrides: Overrides,
    pub(crate) kill: &'a Kill,
}

impl Block<'_> {
    /// The header of each trace, with its index in the file.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (u64, TraceHeader)> {
        let traces = self.bytes.chunks_exact(self.layout.stride() as usize);
        let header = |trace| self.overrides.of_trace(header(trace, self.order));
        (self.first..).zip(traces.map(header))
    }

    /// A value of each trace, from the bytes of its samples.
    pub(crate) fn map<T: Send>(&self, of: impl Fn(&[u8]) -> T + Sync) -> Vec<T> {
        let traces = self.bytes.par_chunks_exact(self.layout.stride() as usize);
        traces.map(|trace| of(&trace[self.layout.header_bytes as usize..])).collect()
    }

    /// Appends the samples of all traces.
    pub(crate) fn decode<T: Sample>(&self, samples: &mut Vec<T>) {
        let Layout { samples: count, format, header_bytes, .. } = self.layout;
        let traces = self.bytes.par_chunks_exact(self.layout.stride() as usize);
        let from = samples.len();
        samples.resize(from + traces.len() * count, T::of(0.0));
        let decoded = samples[from..].par_chunks_exact_mut(count);
        decoded.zip(traces).for_each(|(samples, trace)| {
            format.decode(self.order, &trace[header_bytes as usize..], samples);
        });
    }
}

/// The header of a trace with these bytes.
pub(super) fn header(trace: &[u8], order: ByteOrder) -> TraceHeader {
    TraceHeader::from_bytes(*trace.first_chunk::<TRACE>().expect("a whole trace"), order)
}
