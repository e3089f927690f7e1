//! The order in which a wave is run again so that its parts are met backward, from the states that
//! memory allows.
//!
//! A run of many parts, one of which is stored whole at a time, is reversed from states stored at
//! the beginnings of some of them. With one state fewer than parts each part is run twice; with
//! fewer states the schedule has the fewest parts to run of all (Griewank and Walther 2000,
//! "Algorithm 799: Revolve", ACM Trans. Math. Softw. 26(1)).

/// The next move of the wave that is run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Run to the beginning of a part.
    To(usize),
    /// Store the state, on top of those before.
    Keep,
    /// Restore the state on top.
    PutBack,
    /// Restore the state on top, and drop it.
    Take,
    /// Run through a part, which is stored whole and met by the other wave.
    Meet(usize),
}

/// The moves that meet `parts` parts, the last one first, from at most `states` states; at least 1
/// state if there is more than one part.
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

/// Distance that the wave runs before its next state is stored: the one with the fewest parts left
/// to run.
fn split(parts: usize, states: usize) -> usize {
    if states == 1 {
        return parts - 1;
    }
    let left = |split: &usize| split + runs(parts - split, states - 1) + runs(*split, states);
    (1..parts).min_by_key(left).unwrap_or(1)
}

/// Parts that are run until `parts` are met, with `states` states: `r l - b(s + 1, r - 1)` before
/// they are met, and each once more, with `b(s, r)` the binomial coefficient of s + r over s and r
/// the least with `b(s, r) >= l` (equation 5 there).
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

/// (s + r)! / (s! r!), or `usize::MAX` on overflow.
fn binomial(s: usize, r: usize) -> usize {
    let (few, many) = (s.min(r), s.max(r));
    (1..=few).try_fold(1usize, |b, i| Some(b.checked_mul(many + i)? / i)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every schedule meets all parts backward, runs from its current place, stores no more states
    /// than allowed, and runs the fewest parts possible.
    #[test]
    fn schedules_are_sound_and_shortest() {
        // Over all splits, by trial.
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
