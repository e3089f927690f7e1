//! The first samples of traces, at the shot.

use super::{GatherFileError, Given, Purpose, SAME};
use crate::{
    conditioning::shift,
    room::make_room,
    rounded::rounded,
    segy::{Gather, Record, SegyError, TraceTag, remedy::START, trace},
};
use ndarray::{Array2, Axis, s};
use std::ops::Range;

/// Takes a start in place of the headers', and tells what is done about the times of traces.
pub(super) fn take(
    records: &mut [Record],
    given: &Given,
    are_headers: bool,
    warnings: &mut Vec<String>,
) {
    let by = if are_headers { format!(" ({})", trace::DELAY.place()) } else { String::new() };
    // What is given needs no remedy.
    let wrong = match given.start {
        Some(_) => String::new(),
        None => format!("; if that is wrong, {START}"),
    };
    let (mut late, mut early, mut overruled) = (0.0f64, 0.0f64, None);
    for Record { gather, tags, .. } in records {
        if let Some(start) = given.start {
            let other = |own: &f64| *own != 0.0 && (*own - start).abs() > SAME;
            let own = tags.iter().map(|tag| tag.start).find(other);
            overruled = overruled.or(own.map(|own| (own, start)));
            gather.start = start;
            tags.iter_mut().for_each(|tag| tag.start = start);
        }
        late = tags.iter().map(|tag| tag.start).fold(late, f64::max);
        early = tags.iter().map(|tag| tag.start).fold(early, f64::min);
    }
    if let Some((own, start)) = overruled {
        warnings.push(format!("it says a start of {own} s{by}; {start} s is taken, as given"));
    }
    if late > 0.0 {
        let before = match given.purpose {
            Purpose::Observed => "what lies before has no weight",
            _ => "zeros stand before them",
        };
        let late = rounded(late);
        warnings
            .push(format!("its traces start up to {late} s after the shot{by}: {before}{wrong}"));
    }
    if early < 0.0 {
        warnings.push(format!(
            "its traces start up to {} s before the shot{by}: what lies before it is left out{wrong}",
            rounded(-early)
        ));
    }
}

/// Samples of a record's longest traces from the shot on, of as many in the file.
pub(super) fn samples_from_shot(Record { gather, tags, .. }: &Record, samples: usize) -> usize {
    let late = tags.iter().map(|tag| tag.start).fold(f64::NEG_INFINITY, f64::max);
    // As a shift counts them; without an interval none is known.
    let end = late / gather.interval + samples as f64;
    if end.is_finite() { (end + SAME).floor().max(0.0) as usize } else { 0 }
}

/// The recorded samples of each trace, counted from the shot on; none of a trace that is marked dead.
/// Headers alone are those of traces of so many samples.
pub(super) fn recorded(record: &Record, of_headers: Option<usize>) -> Vec<Range<usize>> {
    let Record { gather, tags, .. } = record;
    let samples = of_headers.unwrap_or(gather.traces.ncols());
    let of_trace = |tag: &TraceTag| match tag.mark.is_live() {
        true => shift::recorded(samples, gather.interval, tag.start),
        false => 0..0,
    };
    tags.iter().map(of_trace).collect()
}

/// [`from_shot`] of each trace by its own start; zeros stand behind those that end
/// earlier.
pub(super) fn each_from_shot(record: Record) -> Result<Gather, GatherFileError> {
    let Record { gather, tags, .. } = record;
    if tags.iter().all(|tag| tag.start == gather.start) {
        return from_shot(gather);
    }
    let shifted = gather.traces.outer_iter().zip(tags).map(|(trace, TraceTag { start, .. })| {
        let traces = trace.insert_axis(Axis(0)).to_owned();
        from_shot(Gather { traces, start, receivers: Vec::new(), ..gather })
    });
    let shifted = shifted.collect::<Result<Vec<_>, _>>()?;
    let longest = shifted.iter().map(|of| of.traces.ncols()).max().unwrap_or(0);
    let mut room = Vec::new();
    let whole = shifted.len().saturating_mul(longest);
    make_room(&mut room, whole).map_err(SegyError::Read)?;
    room.resize(whole, 0.0);
    let mut traces =
        Array2::from_shape_vec((shifted.len(), longest), room).expect("as many samples");
    for (mut row, of) in traces.outer_iter_mut().zip(&shifted) {
        row.slice_mut(s![..of.traces.ncols()]).assign(&of.traces.row(0));
    }
    Ok(Gather { traces, start: 0.0, ..gather })
}

/// Traces start at most this many times their length from the shot.
const FARTHEST: f64 = 100.0;

/// The gather with its first sample at t = 0: zeros stand before a late one, and what lies before
/// the shot is left out.
pub fn from_shot(gather: Gather) -> Result<Gather, GatherFileError> {
    let Gather { start, interval, .. } = gather;
    if start == 0.0 {
        return Ok(gather);
    }
    let most = FARTHEST * gather.traces.ncols() as f64 * interval;
    // Comparisons with NaN are false.
    if start.abs() <= most {
        let traces = shift::from_zero(&gather.traces, interval, start)?;
        return Ok(Gather { traces, start: 0.0, ..gather });
    }
    Err(GatherFileError::Start { start, most })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Position,
        segy::{Clock, Mark},
    };

    fn gather(traces: Array2<f32>, start: f64) -> Gather {
        let (source, receivers) = (Position::default(), vec![Position::default(); traces.nrows()]);
        Gather { record: 4, source, receivers, traces, interval: 0.004, start }
    }

    #[test]
    fn traces_keep_their_order_whatever_their_start() {
        let traces = Array2::from_shape_fn((3, 2), |(r, _)| r as f32 + 1.0);
        let tag =
            |start| TraceTag { mark: Mark { index: 0, code: 1 }, start, ensemble: (0.0, 0.0) };
        let tags = [0.0, 0.004, 0.0].map(tag).to_vec();
        let gather =
            each_from_shot(Record { gather: gather(traces, 0.0), tags, clock: Clock::default() })
                .expect("a gather");
        let expected = ndarray::array![[1.0, 1.0, 0.0], [0.0, 2.0, 2.0], [3.0, 3.0, 0.0]];
        assert_eq!((gather.traces, gather.receivers.len()), (expected, 3));
    }

    #[test]
    fn the_first_sample_is_at_the_shot() {
        let traces = Array2::from_shape_fn((2, 4), |(r, t)| (10 * r + t + 1) as f32);
        let at = |start: f64| from_shot(gather(traces.clone(), start));
        let row = |start: f64| at(start).expect("a gather").traces.row(1).to_vec();
        assert_eq!(row(0.0), [11.0, 12.0, 13.0, 14.0]);
        assert_eq!(row(0.008), [0.0, 0.0, 11.0, 12.0, 13.0, 14.0]);
        assert_eq!(row(-0.008), [13.0, 14.0]);
        assert!(matches!(at(-0.016), Err(GatherFileError::Shift(_))));
        for far in [2.0, -2.0, f64::NAN] {
            assert!(matches!(at(far), Err(GatherFileError::Start { .. })));
        }
    }
}
