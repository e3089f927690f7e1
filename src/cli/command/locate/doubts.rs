//! Warnings about located sources.

use crate::cli::terminal::failure::Failure;
use huygens::{
    acquisition::Scale,
    job::{Back, Search},
    plan::{Mask, Plan},
    results::locate::{Tried, recorded_at},
    workflow::locate::{Doubt, FEWEST_TRACES, LEAST_POINTS, Peak, Sharpness},
};

/// A distance of any magnitude, as text.
fn metres(distance: f64) -> String {
    if distance < 1e9 { format!("{distance:.0}") } else { format!("{distance:e}") }
}

/// Warns of ambiguity in the chosen model of a scan; `traces` traces recorded a signal.
pub fn of_the_scan(tried: &[Tried], best: usize, factors: usize, traces: usize) {
    if traces < FEWEST_TRACES {
        tracing::warn!(
            "traces that recorded something: {traces}; fewer than {FEWEST_TRACES} tell neither a place nor a model: one source or \
             another explains them through any; give more receivers"
        );
    }
    let unjudged = tried.iter().filter(|tried| !tried.is_a_peak()).count();
    if (1..tried.len()).contains(&unjudged) {
        tracing::warn!(
            "{unjudged} of the {} models were not judged, for their fields are strongest at the edge of the mask (\"at the receivers\"): \
             the true one may be among them; try a smaller --mask",
            tried.len()
        );
    }
    let good: Vec<&Tried> = tried.iter().filter(|tried| tried.is_as_good()).collect();
    if let (true, Some(low), Some(high)) = (good.len() > 1, good.first(), good.last()) {
        let depths = || good.iter().filter_map(|tried| tried.fit).map(|fit| fit.at.z);
        let (top, bottom) = depths()
            .fold((f64::INFINITY, 0.0), |(top, bottom): (f64, f64), z| (top.min(z), bottom.max(z)));
        let of_factors = &tried[..factors.min(tried.len())];
        let mut rows = of_factors.split(|tried| !tried.is_as_good());
        let in_a_row = rows.any(|row| row.len() == good.len());
        let which = match in_a_row {
            true => format!("from {} to {}", low.model, high.model),
            false => good.iter().map(|tried| tried.model.as_str()).collect::<Vec<_>>().join(", "),
        };
        tracing::warn!(
            "{} of the {} models explain the recording equally well, within its noise: {which}, and put the source between \
             {top:.0} and {bottom:.0} m of depth; where velocity and depth stand in for each other, only more receivers, or \
             some beside or below the source, can tell them apart",
            good.len(),
            tried.len(),
        );
    }
    let at_an_end = best == 0 || best + 1 == factors;
    if factors > 1 && best < factors && at_an_end {
        tracing::warn!(
            "the best model, {}, is at the end of the range of factors; widen [scan] factors to see whether one \
             beyond it is better",
            tried[best].model
        );
    }
}

/// Warns of a survey in kilometres, and of waves that the grid cannot represent in the slowest of a
/// Plan's models. Uses the dominant frequency: a recording cut off during arrivals has higher ones
/// that are artefacts.
pub fn of_the_grid(search: &Search, plan: &Plan) {
    if let Some(crowded) = plan.crowded() {
        tracing::warn!("{crowded}");
    }
    let points = plan.points_per_wavelength_at(search.frequency);
    if let Some(points) = points.filter(|points| *points < LEAST_POINTS) {
        tracing::warn!(
            "waves of {:.3} Hz, the recording's dominant frequency, have {points:.2} points per wavelength at {} m/s, \
             fewer than {LEAST_POINTS}, and do not travel as in the ground; use a finer model, or a recording of lower frequencies",
            search.frequency,
            plan.slowest
        );
    }
}

/// Returns an error if everything is masked.
pub fn check(search: &Search, mask: &Mask) -> Result<(), Failure> {
    match mask.nodes_left() {
        0 => Err(Failure::input(format!(
            "every node of the model is within the mask, {} m of a receiver (a wavelength where not given; the \
             recording's dominant frequency is {:.3} Hz); give a smaller --mask",
            metres(search.mask),
            search.frequency
        ))),
        _ => Ok(()),
    }
}

/// Warns of samples that lose digits in f32.
pub fn of_the_digits(scale: &Scale) {
    if let Some(steps) = scale.steps {
        tracing::warn!(
            "the gather's largest sample is {:e}, where f32 has steps of 1.4e-45: samples are rounded to 1/{steps:.0} of it; \
             make the gather again in a larger unit, or in f64",
            scale.peak
        );
    }
}

/// Warns of sources hardly stronger than the unreported peaks, and of possible secondary sources.
pub fn of_the_peaks(search: &Search, plan: &Plan, peaks: &[Peak]) {
    let condition = search.focus.condition;
    for (number, peak) in (1..).zip(peaks) {
        let why = match peak.doubt(condition) {
            Some(Doubt::Next { over, least }) => {
                format!("{over:.2} times the highest that is not named, and less than {least:.2}")
            }
            Some(Doubt::Background { over, least }) => {
                format!("{over:.1} times the median of the map, and less than {least:.1}")
            }
            None => continue,
        };
        tracing::warn!(
            "source {number} may be none: its peak is {why}, as those of side lobes and scattered waves are; look for fewer \
             --sources, or for more where more are known"
        );
    }
    for (number, peak) in (1..).zip(peaks) {
        if let Some(beside) = peak.rival(condition) {
            let (a, b) = (peak.at, beside.at);
            let away = (a.z - b.z).hypot(a.x - b.x).hypot(a.y - b.y);
            tracing::warn!(
                "beside source {number}, {away:.0} m from it, is a peak {:.2} times as high, of {:.3} s: it may be another \
                 source, and is not named because sources are looked for {:.0} m apart; give apart = {:.0} under [locate] and \
                 more sources",
                beside.share,
                recorded_at(plan, beside.step),
                search.apart,
                (0.9 * away).floor()
            );
        }
    }
}

/// Returns an error for a map without a source, and warns of one that is stronger elsewhere.
pub fn of_what_was_found(
    search: &Search,
    peaks: &[Peak],
    sharpness: &Sharpness,
    back: &Back,
) -> Result<(), Failure> {
    let Some(strongest) = peaks.first() else {
        let why = match sharpness.largest > 0.0 {
            true => format!(
                "it is strongest at the edge of the mask, {:.0} m around the receivers, and has no peak beyond; give a \
                 smaller --mask, or a longer recording than {} s",
                search.mask,
                back.recording.duration()
            ),
            false => {
                "it is zero everywhere: receivers on a free surface record and send nothing".into()
            }
        };
        return Err(Failure::run(format!("no source was found in the field that ran back; {why}")));
    };
    let value = f64::from(strongest.value);
    if !sharpness.is_of(strongest.value) {
        tracing::warn!(
            "at the edge of the mask, {:.0} m around the receivers, the field is {:.1} times as strong as at the source \
             named: it may lie nearer to them; try a smaller --mask, or a larger one where it is theirs",
            search.mask,
            sharpness.largest / value
        );
    }
    if peaks.len() < search.sources {
        tracing::warn!(
            "{} of {} sources were found; there are no other peaks at least {:.0} m from these",
            peaks.len(),
            search.sources,
            search.apart
        );
    }
    Ok(())
}
