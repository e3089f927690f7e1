//! Doubts whether what was found is a source, and whether it is where it seems to be.

use super::{Beside, Peak};
use crate::plan::{Condition, Crowded};

/// A source is a peak this many times as high as the highest that is not named; for energies the
/// square.
const CLEAR: f64 = 1.5;
/// It is also this many times as high as the median of the map; likewise.
const ABOVE: f64 = 3.5;

/// Fewer traces with a signal determine no position and no model.
pub(crate) const FEWEST_TRACES: usize = 5;

/// A best model that explains a smaller part of the recording's energy may be wrong: pulses a twelfth
/// of a period off explain cos^2 30 degrees of theirs.
pub(crate) const LEAST_EXPLAINED: f64 = 0.75;

/// Fewer points per wavelength of the dominant frequency do not propagate as in the ground: a
/// Ricker wavelet extends to 2.4 times that frequency, where 4 points are fewer than 2.
pub(crate) const LEAST_POINTS: f64 = 4.0;

/// A doubt about a location. Lengths are in metres, times in seconds of the recording, frequencies
/// in hertz; sources are counted from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum Doubt {
    #[error("{0}")]
    Crowded(Crowded),
    /// Of the slowest model, whose velocity is in m/s.
    #[error(
        "waves of {frequency:.3} Hz, the recording's dominant frequency, have {points:.2} points per wavelength at \
         {slowest} m/s, fewer than {LEAST_POINTS}, and do not travel as in the ground; use a finer model, or a \
         recording of lower frequencies"
    )]
    Coarse { frequency: f64, points: f64, slowest: f32 },
    /// Samples are rounded to the peak over `steps`.
    #[error(
        "the gather's largest sample is {peak:e}, where f32 has steps of 1.4e-45: samples are rounded to \
         1/{steps:.0} of it; make the gather again in a larger unit, or in f64"
    )]
    Rounded { peak: f64, steps: f64 },
    #[error(
        "only {traces} trace{} recorded a signal; below {FEWEST_TRACES} neither a position nor a model can be \
         determined; use more receivers",
        if *.traces == 1 { "" } else { "s" }
    )]
    FewTraces { traces: usize },
    /// Models of a scan whose maps are strongest at the edge of the mask.
    #[error(
        "{count} of the {models} models were not judged, for their fields are strongest at the edge of the mask \
         (\"at the receivers\"): the true one may be among them; try a smaller --mask"
    )]
    Unjudged { count: usize, models: usize },
    /// Models of a scan that do as well as the best, in words, and the depths of their sources.
    #[error(
        "{good} of the {models} models explain the recording equally well, within its noise: {which}, and put the \
         source between {top:.0} and {bottom:.0} m of depth; where velocity and depth stand in for each other, only \
         more receivers, or some beside or below the source, can tell them apart"
    )]
    Ambiguous { good: usize, models: usize, which: String, top: f64, bottom: f64 },
    #[error(
        "the best model, {model}, explains only {part:.0} % of the recording, below the limit of {:.0} %: the rest \
         is noise, other sources or a wrong velocity; filter the noise, or compare other models, and do not trust \
         the depth",
        100.0 * LEAST_EXPLAINED
    )]
    Unexplained { model: String, part: f64 },
    #[error(
        "the best model, {model}, is at the end of the range of factors; widen [scan] factors to see whether one \
         beyond it is better"
    )]
    AtAnEnd { model: String },
    /// The map has no peak but at the edge of the mask.
    #[error(
        "no source was found in the field that ran back; it is strongest at the edge of the mask, {mask:.0} m around the receivers, and \
         has no peak beyond; try a smaller --mask, or a longer recording than {recorded} s"
    )]
    OnlyAtTheMask { mask: f64, recorded: f64 },
    #[error(
        "no source was found in the field that ran back; it is zero everywhere: receivers on a free surface record and send nothing"
    )]
    Nothing,
    #[error(
        "at the edge of the mask, {mask:.0} m around the receivers, the field is {times:.1} times as strong as at \
         the source named: it may lie nearer to them; try a smaller --mask, or a larger one if that energy comes \
         from the receivers"
    )]
    AtTheMask { mask: f64, times: f64 },
    #[error(
        "{found} of {wanted} sources were found; there are no other peaks at least {apart:.0} m from these"
    )]
    Fewer { found: usize, wanted: usize, apart: f64 },
    #[error(
        "source {source_number} may be spurious: its peak is {why}, and side lobes and scattered waves reach this; \
         look for fewer --sources, or for more if more are known"
    )]
    Spurious { source_number: usize, why: Weakness },
    /// A peak that is not named, `away` from a source and `share` times as high.
    #[error(
        "beside source {source_number}, {away:.0} m from it, is a peak {share:.2} times as high, at {time:.3} s: it may be another \
         source. It is not reported, because sources are looked for {apart:.0} m apart; give \
         locate.apart = {:.0} and more sources",
        (NEARER * away).floor()
    )]
    Rival { source_number: usize, away: f64, share: f64, time: f64, apart: f64 },
}

/// Why a peak may be no source, as side lobes and scattered waves are none.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Weakness {
    #[error("only {over:.2} times the highest other peak, below the limit of {least:.2}")]
    Next { over: f64, least: f64 },
    #[error("only {over:.1} times the median of the map, below the limit of {least:.1}")]
    Background { over: f64, least: f64 },
}

/// The search distance that also names a peak beside a source, as a fraction of their distance.
const NEARER: f64 = 0.9;

impl Doubt {
    /// True if no source was found.
    pub(crate) fn is_of_nothing(&self) -> bool {
        matches!(self, Doubt::OnlyAtTheMask { .. } | Doubt::Nothing)
    }
}

impl Peak {
    /// Why it may be no source, in a map of this condition.
    pub fn weakness(&self, condition: Condition) -> Option<Weakness> {
        let [clear, above] = [CLEAR, ABOVE].map(|limit| of_condition(limit, condition));
        let next = self.over_next.filter(|over| *over < clear);
        let background = self.over_background.filter(|over| *over < above);
        next.map(|over| Weakness::Next { over, least: clear })
            .or(background.map(|over| Weakness::Background { over, least: above }))
    }

    /// The peak beside it, if that is high enough to be another source.
    pub(crate) fn rival(&self, condition: Condition) -> Option<Beside> {
        self.beside.filter(|beside| beside.share * of_condition(CLEAR, condition) > 1.0)
    }
}

/// A mask within which every node lies.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "every node of the model is within the mask, {} m of a receiver (a wavelength where not given; the recording's dominant \
     frequency is {frequency:.3} Hz); try a smaller --mask",
    metres(*.mask)
)]
pub(crate) struct AllMasked {
    /// Radius of the mask, m.
    pub(crate) mask: f64,
    /// Dominant frequency of the recording, Hz.
    pub(crate) frequency: f64,
}

/// A distance of any magnitude, as text.
fn metres(distance: f64) -> String {
    if distance < 1e9 { format!("{distance:.0}") } else { format!("{distance:e}") }
}

/// A ratio of amplitudes as one of values of a map.
fn of_condition(ratio: f64, condition: Condition) -> f64 {
    match condition {
        Condition::Amplitude => ratio,
        Condition::Energy { .. } => ratio * ratio,
    }
}
