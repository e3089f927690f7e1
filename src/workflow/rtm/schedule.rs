//! In which order a wave is run again so that its parts are met backward, from as many states as there is memory for.
//!
//! A run of many parts, of which one at a time is kept whole, is reversed from states kept at the beginnings of some of them: with as many
//! states as parts but one each part is run twice, and with fewer by the schedule with the fewest parts to run of all there are (Griewank and
//! Walther 2000, "Algorithm 799: Revolve", ACM Trans. Math. Softw. 26(1)).

/// What the wave that is run again does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// It runs to the beginning of a part.
    To(usize),
    /// Its state is kept, on top of those before.
    Keep,
    /// It goes back to the state on top.
    PutBack,
    /// The same, and the state is let go.
    Take,
    /// It runs through a part, which is kept whole and met by the other wave.
    Meet(usize),
}

/// The moves that meet so many parts, the last one first, from at most so many states; at least 1, where there is more than one part.
pub(super) fn schedule(parts: usize, states: usize) -> Vec<Move> {
    let mut moves = Vec::new();
    meet(0, parts, states.max(1), &mut moves);
    moves
}

/// Meets the parts from one on to an end; the wave is at the beginning of the first.
fn meet(first: usize, mut end: usize, states: usize, moves: &mut Vec<Move>) {
    if end - first > 1 {
        moves.push(Move::Keep);
    }
    while end - first > 1 {
        let split = first + split(end - first, states);
        moves.push(Move::To(split));
        if states > 1 {
            meet(split, end, states - 1, moves);
        } else {
            moves.push(Move::Meet(split));
        }
        end = split;
        moves.push(if end - first > 1 { Move::PutBack } else { Move::Take });
    }
    if first < end {
        moves.push(Move::Meet(first));
    }
}

/// How far the wave runs before its next state is kept: where what is left to run is least.
fn split(parts: usize, states: usize) -> usize {
    if states == 1 {
        return parts - 1;
    }
    let left = |split: &usize| split + runs(parts - split, states - 1) + runs(*split, states);
    (1..parts).min_by_key(left).unwrap_or(1)
}

/// Parts that are run until so many are met, with so many states: `r l - b(s + 1, r - 1)` before they are met, and each once more, with `b(s, r)` the
/// binomial coefficient of s + r over s and r the least with `b(s, r) >= l` (equation 5 there).
pub(super) fn runs(parts: usize, states: usize) -> usize {
    let mut repeated = 0;
    while binomial(states, repeated) < parts {
        repeated += 1;
    }
    match repeated {
        0 => parts,
        _ => repeated * parts - binomial(states + 1, repeated - 1) + parts,
    }
}

/// (s + r)! / (s! r!), or `usize::MAX` where it overflows.
fn binomial(s: usize, r: usize) -> usize {
    let (few, many) = (s.min(r), s.max(r));
    (1..=few).try_fold(1usize, |b, i| Some(b.checked_mul(many + i)? / i)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every schedule meets all parts backward, runs from where it is, keeps no more states than it may, and runs as few parts as there can be.
    #[test]
    fn schedules_are_sound_and_shortest() {
        // Over all splits, by trying them.
        let mut least = vec![vec![0; 41]; 41];
        for states in 1..=40 {
            for parts in 1..=40usize {
                let split = |split: usize| match states {
                    1 => parts * (parts + 1) / 2,
                    _ => split + least[states - 1][parts - split] + least[states][split],
                };
                let best = (1..parts).map(split).min().unwrap_or(1);
                least[states][parts] = best;
                assert_eq!(runs(parts, states), best, "{parts} parts, {states} states");

                let (mut at, mut kept, mut met, mut run) = (0, Vec::new(), parts, 0);
                for of in schedule(parts, states) {
                    match of {
                        Move::To(part) => {
                            assert!(part > at);
                            run += part - at;
                            at = part;
                        }
                        Move::Keep => kept.push(at),
                        Move::PutBack => at = *kept.last().expect("a state"),
                        Move::Take => at = kept.pop().expect("a state"),
                        Move::Meet(part) => {
                            assert_eq!((at, met), (part, part + 1));
                            (at, met, run) = (part + 1, part, run + 1);
                        }
                    }
                    assert!(kept.len() <= states);
                }
                assert_eq!((met, kept.len(), run), (0, 0, best));
            }
        }
        assert_eq!(runs(1000, 999), 1999);
        assert!(schedule(0, 1).is_empty());
    }
}
