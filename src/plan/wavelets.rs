//! The samples of a Plan's wavelets, each distinct one sampled once, all at the same time.

use super::TimeAxis;
use crate::acquisition::{
    Interpolation, Shot, TimeDispersion, Wavelet, WaveletError, highest_hz, peak_and_highest_hz,
    time_dispersion,
};
use rayon::prelude::*;
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

/// A distinct wavelet in a run.
pub(super) struct Row {
    /// s(n dt) for n in 0..steps.
    pub(super) samples: Arc<[f64]>,
    /// The largest of them, without its sign.
    pub(super) peak: f64,
    /// The dominant and the highest frequency, Hz, before any warp.
    dominant: f64,
    highest: f64,
}

/// The rows of all sources, in their order.
pub(super) struct Rows {
    /// Of each distinct wavelet.
    rows: Vec<Result<Row, WaveletError>>,
    /// The distinct wavelet of each source.
    numbers: std::vec::IntoIter<usize>,
}

impl Rows {
    pub(super) fn of<'s>(time: TimeAxis, shots: impl Iterator<Item = &'s Shot>) -> Self {
        let (distinct, numbers) = distinct(shots);
        let corrected = time.dispersion == TimeDispersion::Corrected;
        let count = if corrected { 2 * time.steps } else { time.steps };
        let interpolations = interpolations(&distinct, &time, count);
        let row = |wavelet: &&Wavelet| {
            let samples = wavelet.samples_by(time.dt, count, &interpolations)?;
            row(wavelet, samples, time, corrected)
        };
        let rows = distinct.par_iter().map(row).collect();
        Rows { rows, numbers: numbers.into_iter() }
    }

    /// Number and row of the next source's wavelet.
    pub(super) fn next(&mut self) -> Result<(usize, &Row), WaveletError> {
        let number = self.numbers.next().expect("a row for each source");
        self.rows[number].as_ref().map(|row| (number, row)).map_err(Clone::clone)
    }

    /// The highest dominant frequency among the first so many sources, Hz; 0 without a source.
    pub(super) fn dominant_hz(&self, sources: usize) -> f64 {
        let numbers = self.numbers.as_slice()[..sources].iter();
        numbers.flat_map(|number| &self.rows[*number]).fold(0.0, |most, row| most.max(row.dominant))
    }

    /// All samples, and the highest frequency of them, Hz.
    pub(super) fn taken(self) -> (Vec<Arc<[f64]>>, f64) {
        let rows = self.rows.into_iter().flatten();
        let mut highest = 0.0f64;
        let samples = rows.map(|row| {
            highest = highest.max(row.highest);
            row.samples
        });
        (samples.collect(), highest)
    }
}

/// Of a wavelet's samples, twice as many as steps where they are to be corrected.
fn row(
    wavelet: &Wavelet,
    samples: Arc<[f64]>,
    time: TimeAxis,
    corrected: bool,
) -> Result<Row, WaveletError> {
    let TimeAxis { dt, steps, .. } = time;
    let (dominant, highest) = match wavelet {
        Wavelet::Sampled(sampled) if !corrected && Arc::ptr_eq(&sampled.values, &samples) => {
            peak_and_highest_hz(&samples, dt)
        }
        _ => (wavelet.peak_hz(), highest_hz(&samples[..steps], dt)),
    };
    let samples = match corrected {
        true => time_dispersion::add(samples.to_vec(), steps).into(),
        false => samples,
    };
    if let Some(index) = samples.iter().position(|s| !s.is_finite()) {
        return Err(WaveletError::NotFinite { index, value: samples[index] });
    }
    let peak = samples.iter().fold(0.0f64, |peak, s| peak.max(s.abs()));
    Ok(Row { samples, peak, dominant, highest })
}

/// Each distinct wavelet once, and which of them each source has.
fn distinct<'w>(shots: impl Iterator<Item = &'w Shot>) -> (Vec<&'w Wavelet>, Vec<usize>) {
    let all: Vec<_> = shots.flat_map(|shot| &shot.sources).map(|source| &source.wavelet).collect();
    let hashes: Vec<u64> = all.par_iter().map(|wavelet| hash(wavelet)).collect();
    // By hash: a field sent back has as many wavelets as receivers.
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut distinct: Vec<&Wavelet> = Vec::new();
    let number = |(wavelet, hash)| {
        let alike = seen.entry(hash).or_default();
        alike.iter().copied().find(|number| distinct[*number] == wavelet).unwrap_or_else(|| {
            alike.push(distinct.len());
            distinct.push(wavelet);
            distinct.len() - 1
        })
    };
    let numbers = all.into_iter().zip(hashes).map(number).collect();
    (distinct, numbers)
}

fn hash(wavelet: &Wavelet) -> u64 {
    let mut hasher = DefaultHasher::new();
    match wavelet {
        Wavelet::Sampled(sampled) => {
            sampled.values.iter().for_each(|value| value.to_bits().hash(&mut hasher));
        }
        // A few numbers.
        formula => format!("{formula:?}").hash(&mut hasher),
    }
    hasher.finish()
}

/// Those that enough wavelets share to be worth their memory.
fn interpolations(distinct: &[&Wavelet], time: &TimeAxis, count: usize) -> Vec<Interpolation> {
    let mut users: HashMap<u64, usize> = HashMap::new();
    for wavelet in distinct {
        if let Wavelet::Sampled(sampled) = wavelet {
            *users.entry(sampled.interval.to_bits()).or_default() += 1;
        }
    }
    let shared = users.into_iter().filter(|(_, users)| *users >= Interpolation::WORTH);
    shared
        .filter_map(|(bits, _)| Interpolation::new(f64::from_bits(bits), time.dt, count))
        .collect()
}
