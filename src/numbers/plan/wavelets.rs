//! The samples of a Plan's wavelets. Each distinct one is sampled once, all in parallel.

use super::{TimeAxis, ete_source::means};
use crate::acquisition::{
    Interpolation, Sampled, Shot, TOGETHER, TimeDispersion, Wavelet, WaveletError, highest_hz,
    largest, peak_and_highest_hz, samples_of, time_dispersion,
};
use rayon::prelude::*;
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

/// The distinct wavelets of a setup's sources.
pub(super) struct Wavelets<'w> {
    distinct: Vec<Known<'w>>,
    /// Index of each source's wavelet.
    numbers: Vec<usize>,
}

struct Known<'w> {
    wavelet: &'w Wavelet,
    /// Frequency of the largest amplitude, Hz.
    dominant: f64,
    /// The highest frequency of a sampled wavelet, Hz.
    highest: f64,
    /// Largest absolute value of a sampled wavelet; otherwise 1.
    largest: f64,
}

impl<'w> Wavelets<'w> {
    pub(super) fn of(shots: impl Iterator<Item = &'w Shot>) -> Self {
        let all: Vec<_> =
            shots.flat_map(|shot| &shot.sources).map(|source| &source.wavelet).collect();
        let hashes: Vec<u64> = all.par_iter().map(|wavelet| hash(wavelet)).collect();
        // By hash: a gather that is sent back has one wavelet per receiver.
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
        let known = |wavelet: &'w Wavelet| {
            let ((dominant, highest), largest) = match wavelet {
                Wavelet::Sampled(Sampled { values, interval }) => {
                    (peak_and_highest_hz(values, *interval), largest(values))
                }
                formula => ((formula.peak_hz(), 0.0), 1.0),
            };
            Known { wavelet, dominant, highest, largest }
        };
        Wavelets { distinct: distinct.into_par_iter().map(known).collect(), numbers }
    }

    /// The highest dominant frequency among the first `sources` sources, Hz; 0 without a source.
    pub(super) fn dominant_hz(&self, sources: usize) -> f64 {
        let numbers = self.numbers[..sources].iter();
        numbers.fold(0.0, |most, number| most.max(self.distinct[*number].dominant))
    }

    /// Samples all of them in parallel; `evolved` for explicit time evolution.
    pub(super) fn sampled(self, time: TimeAxis, evolved: bool) -> Rows {
        let corrected = time.dispersion == TimeDispersion::Corrected;
        // Means reach two samples further.
        let count = match evolved {
            true => time.steps + 2,
            false if corrected => 2 * time.steps,
            false => time.steps,
        };
        let shared = self.interpolations(time.dt, count);
        let rows = |known: &[Known<'_>]| {
            let wavelets: Vec<_> = known.iter().map(|known| known.wavelet).collect();
            let samples = samples_of(&wavelets, time.dt, count, &shared).into_iter();
            let rows = known
                .iter()
                .zip(samples)
                .map(|(known, samples)| row(known, samples?, time, evolved));
            rows.collect::<Vec<_>>()
        };
        let rows = self.distinct.par_chunks(TOGETHER).flat_map_iter(rows).collect();
        Rows { rows, numbers: self.numbers.into_iter() }
    }

    /// The interpolations that enough wavelets share to be worth their memory.
    fn interpolations(&self, dt: f64, count: usize) -> Vec<Interpolation> {
        let mut users: HashMap<u64, usize> = HashMap::new();
        for known in &self.distinct {
            if let Wavelet::Sampled(sampled) = known.wavelet {
                *users.entry(sampled.interval.to_bits()).or_default() += 1;
            }
        }
        let shared = users.into_iter().filter(|(_, users)| *users >= Interpolation::WORTH);
        shared.filter_map(|(bits, _)| Interpolation::new(f64::from_bits(bits), dt, count)).collect()
    }
}

/// A distinct wavelet in a run.
pub(super) struct Row {
    /// s(n dt) for n in 0..steps.
    samples: Arc<[f64]>,
    /// Largest absolute value of the samples.
    pub(super) peak: f64,
    /// Largest absolute value of the whole wavelet, even beyond the run; 1 for a formula.
    pub(super) largest: f64,
    /// The highest frequency, Hz, before any warp.
    highest: f64,
}

/// The rows of all sources, in their order.
pub(super) struct Rows {
    /// For each distinct wavelet.
    rows: Vec<Result<Row, WaveletError>>,
    /// The distinct wavelet of each source.
    numbers: std::vec::IntoIter<usize>,
}

impl Rows {
    /// Index and row of the next source's wavelet.
    pub(super) fn next(&mut self) -> Result<(usize, &Row), WaveletError> {
        let number = self.numbers.next().expect("a row for each source");
        self.rows[number].as_ref().map(|row| (number, row)).map_err(Clone::clone)
    }

    /// All samples, and their highest frequency, Hz.
    pub(super) fn taken(self) -> (Vec<Arc<[f64]>>, f64) {
        let mut highest = 0.0f64;
        let samples = self.rows.into_iter().flatten().map(|row| {
            highest = highest.max(row.highest);
            row.samples
        });
        (samples.collect(), highest)
    }
}

/// From a wavelet's samples, twice as many as steps if they are to be corrected.
fn row(
    known: &Known<'_>,
    samples: Arc<[f64]>,
    time: TimeAxis,
    evolved: bool,
) -> Result<Row, WaveletError> {
    let TimeAxis { dt, steps, .. } = time;
    let Known { wavelet, highest, largest, .. } = *known;
    if let (Wavelet::Sampled(given), TimeDispersion::Kept) = (wavelet, time.dispersion)
        && Arc::ptr_eq(&given.values, &samples)
        && !evolved
    {
        return Ok(Row { samples, peak: largest, largest, highest });
    }
    let highest = highest_hz(&samples[..steps], dt);
    let samples = match time.dispersion {
        TimeDispersion::Corrected => time_dispersion::add(samples.to_vec(), steps).into(),
        TimeDispersion::Kept if evolved => means(&samples)[..steps].into(),
        TimeDispersion::Kept => samples,
    };
    if let Some(index) = samples.iter().position(|s| !s.is_finite()) {
        return Err(WaveletError::NotFinite { index, value: samples[index] });
    }
    Ok(Row { peak: self::largest(&samples), samples, largest, highest })
}

/// The golden ratio in 64 bits, which spreads what it multiplies.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

fn hash(wavelet: &Wavelet) -> u64 {
    match wavelet {
        // A sum, whose terms are independent, as recordings have millions of values; equal hashes
        // are compared by value.
        Wavelet::Sampled(sampled) => (1u64..).zip(&*sampled.values).fold(0, |hash, (n, value)| {
            let term = (value.to_bits() ^ n.wrapping_mul(ODD)).wrapping_mul(ODD);
            hash.wrapping_add(term ^ (term >> 32))
        }),
        // A few numbers.
        formula => {
            let mut hasher = DefaultHasher::new();
            format!("{formula:?}").hash(&mut hasher);
            hasher.finish()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{acquisition::Source, grid::Position};

    fn shot(peak_hz: f64) -> Shot {
        Shot::new(Source::new(Position::default(), Wavelet::ricker(peak_hz)), Vec::new())
    }

    #[test]
    fn a_corrected_wavelet_is_known_beyond_the_run() {
        let (shot, dt, steps) = (shot(30.0), 2e-3, 30);
        let dispersion = TimeDispersion::Corrected;
        let time =
            TimeAxis { dt, limit: dt, steps, record_every: 1, samples: 31, beyond: 0, dispersion };
        let mut rows = Wavelets::of([&shot].into_iter()).sampled(time, false);
        let twice = shot.sources[0].wavelet.samples(dt, 2 * steps).expect("samples");
        let known = time_dispersion::add(twice, steps);
        assert_eq!(rows.next().expect("a row").1.samples[..], known[..]);
    }

    #[test]
    fn only_the_first_sources_have_a_say_in_the_dominant_frequency() {
        let shots = [shot(10.0), shot(30.0)];
        let wavelets = Wavelets::of(shots.iter());
        assert_eq!([0, 1, 2].map(|sources| wavelets.dominant_hz(sources)), [0.0, 10.0, 30.0]);
    }
}
