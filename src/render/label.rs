//! Labels moved apart, so that none covers another.

/// The label of an upright line: it flies beside the top of its line, as a
/// flag on a pole, and is lifted over those in its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flag {
    /// Where the label begins.
    pub(super) left: u32,
    /// How many labels' heights it is lifted.
    pub(super) level: u32,
}

/// Places the labels of upright lines, each as (where the line stands, width
/// of its label) from left to right, `gap` away from the lines.
///
/// A label lies to the right of its line where it ends before the next line
/// and before `end`, else to the left. So a label on the right is in no other
/// line's way, and one on the left is lifted over all that it reaches.
pub(super) fn fly(lines: &[(u32, u32)], gap: u32, end: u32) -> Vec<Flag> {
    // How far to the right each line and its label reach, and at what level.
    let mut reached: Vec<(u32, u32)> = Vec::new();
    let mut flags = Vec::new();
    for (k, &(at, width)) in lines.iter().enumerate() {
        let free = lines.get(k + 1).map_or(end, |next| next.0.saturating_sub(gap));
        let on_the_right = at + gap + width <= free;
        let left = if on_the_right { at + gap } else { at.saturating_sub(gap + width) };
        let beneath = reached.iter().filter(|other| other.0 + gap > left);
        let level = beneath.map(|other| other.1 + 1).max();
        let level = if on_the_right { 0 } else { level.unwrap_or(0) };
        reached.push((if on_the_right { left + width } else { at }, level));
        flags.push(Flag { left, level });
    }
    flags
}

/// Middles of labels that are to stand at places given as (middle, height),
/// from the top down, moved no farther than keeps them apart and above
/// `bottom`.
pub(super) fn spread(wanted: &[(f64, f64)], bottom: f64) -> Vec<f64> {
    let mut middles = Vec::new();
    let mut free = f64::NEG_INFINITY;
    for &(middle, height) in wanted {
        let middle = middle.max(free + height / 2.0);
        free = middle + height / 2.0;
        middles.push(middle);
    }
    let mut free = bottom;
    for (middle, &(_, height)) in middles.iter_mut().zip(wanted).rev() {
        *middle = middle.min(free - height / 2.0);
        free = *middle - height / 2.0;
    }
    middles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_cover_neither_labels_nor_lines() {
        for lines in [
            vec![(100, 80)],
            vec![(990, 80)],
            vec![(100, 80), (990, 80)],
            vec![(100, 80), (110, 80)],
            vec![(500, 80), (500, 300)],
            vec![(900, 200), (905, 200), (910, 200), (960, 30)],
            vec![(500, 300), (700, 400), (950, 600)],
            vec![(300, 150), (500, 20), (560, 200), (570, 20), (999, 450)],
        ] {
            let flags = fly(&lines, 8, 1000);
            for (k, (flag, &(_, width))) in flags.iter().zip(&lines).enumerate() {
                let (left, right) = (flag.left, flag.left + width);
                assert!(right <= 1000, "{lines:?}: {flags:?}");
                for (j, (other, &(at, wide))) in flags.iter().zip(&lines).enumerate() {
                    let aside = other.left >= right || other.left + wide <= left;
                    assert!(j == k || aside || other.level != flag.level, "{lines:?}: {flags:?}");
                    let apart = !(left..=right).contains(&at);
                    assert!(apart || other.level < flag.level, "{lines:?}: {flags:?}");
                }
            }
        }
    }

    #[test]
    fn labels_that_are_apart_stay_at_the_lowest_level() {
        let flags = fly(&[(100, 80), (990, 80)], 8, 1000);
        assert_eq!(flags[0], Flag { left: 108, level: 0 });
        assert_eq!(flags[1], Flag { left: 902, level: 0 });
    }

    #[test]
    fn labels_spread_no_farther_than_needed() {
        assert_eq!(spread(&[(10.0, 30.0), (100.0, 30.0)], 500.0), [10.0, 100.0]);
        assert_eq!(spread(&[(90.0, 30.0), (100.0, 60.0)], 500.0), [90.0, 135.0]);
        assert_eq!(spread(&[(480.0, 30.0), (490.0, 30.0)], 500.0), [455.0, 485.0]);
    }
}
