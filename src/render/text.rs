//! Sizes and styles of the text in figures; cutting and wrapping.

use super::colour::Colour;
use super::font;

/// Size of the title, dots.
pub(super) const TITLE: f32 = 30.0;
/// Size of axis and colour-bar labels, dots.
pub(super) const LABEL: f32 = 28.0;
/// Size of tick labels, dots.
pub(super) const TICK: f32 = 26.0;
/// Line height of multi-line text, dots.
pub(super) const LINE_HEIGHT: f64 = 32.0;
/// Extent of a line of text above and below its baseline, em.
const BOX: (f32, f32) = (0.80, 0.24);
/// Colour of text, frames and ticks.
pub(super) const INK: Colour = [30; 3];
/// Colour of secondary text: subtitles and missing values.
const GREY: Colour = [105; 3];

/// The anchor of a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Align {
    /// Left end or top.
    Start,
    Middle,
    /// Right end or bottom.
    End,
}

/// The style of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Size, dots.
    pub(super) em: f32,
    pub(super) across: Align,
    pub(super) down: Align,
    pub(super) colour: Colour,
    /// True if rotated to read upward.
    pub(super) upward: bool,
}

impl Style {
    pub(super) const fn new(em: f32, across: Align, down: Align) -> Self {
        Self { em, across, down, colour: INK, upward: false }
    }

    /// Where a line of text begins along its direction, and its baseline across that, from its
    /// anchor, with letters of `em`.
    pub(super) fn start(self, text: &str, em: f32) -> (f32, f32) {
        let along = match self.across {
            Align::Start => 0.0,
            Align::Middle => -font::width(text, em) / 2.0,
            Align::End => -font::width(text, em),
        };
        let down = match self.down {
            Align::Start => BOX.0 * em,
            Align::Middle => font::CAPITAL * em / 2.0,
            Align::End => -BOX.1 * em,
        };
        (along, down)
    }

    pub(super) const fn grey(self) -> Self {
        Self { colour: GREY, ..self }
    }

    pub(super) const fn upward(self) -> Self {
        Self { upward: true, ..self }
    }
}

/// A label right of, left of and below its object.
pub(super) const RIGHT_OF: Style = Style::new(TICK, Align::Start, Align::Middle);
pub(super) const LEFT_OF: Style = Style::new(TICK, Align::End, Align::Middle);
pub(super) const BELOW: Style = Style::new(TICK, Align::Middle, Align::Start);

/// Width of a text, dots: that of its widest line.
pub(super) fn width(text: &str, em: f32) -> f64 {
    text.split('\n').map(|line| f64::from(font::width(line, em)).ceil()).fold(0.0, f64::max)
}

/// A character that stays on its line.
fn plain(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// A text on one line, cut to `room` dots.
pub(super) fn shorten(text: &str, em: f32, room: f64) -> String {
    let line: Vec<char> = text.chars().map(plain).take(room as usize).collect();
    let whole: String = line.iter().collect();
    if width(&whole, em) <= room {
        return whole;
    }
    let cut = |kept: usize| -> String { line[..kept].iter().chain(&['…']).collect() };
    let (mut fits, mut too_wide) = (0, line.len());
    while too_wide - fits > 1 {
        let kept = usize::midpoint(fits, too_wide);
        if width(&cut(kept), em) <= room {
            fits = kept;
        } else {
            too_wide = kept;
        }
    }
    cut(fits)
}

/// A text on as few lines of `room` dots as hold it, broken between words; at most `most`, the last of
/// which is cut if needed.
pub(super) fn lines(text: &str, em: f32, room: f64, most: usize) -> Vec<String> {
    let text: String = text.chars().map(plain).collect();
    let (mut rest, mut lines) = (text.as_str(), Vec::new());
    while lines.len() + 1 < most && width(rest, em) > room {
        let (line, after) = rest.split_at(fitting(rest, em, room));
        lines.push(line.trim_end().to_owned());
        rest = after.trim_start();
    }
    lines.push(shorten(rest, em, room));
    lines
}

/// The bytes of a text that fit on a line of `room` dots: up to a comma in its second half, else
/// whole words or, of a word too wide, some of its characters.
fn fitting(text: &str, em: f32, room: f64) -> usize {
    let fits = |end: &usize| width(&text[..*end], em) <= room;
    let words = || text.match_indices(' ').map(|(at, _)| at).take_while(fits).filter(|at| *at > 0);
    let is_comma =
        |at: &usize| text[..*at].ends_with([',', ';']) && width(&text[..*at], em) > room / 2.0;
    let signs = || text.char_indices().map(|(at, sign)| at + sign.len_utf8());
    let one = signs().next().unwrap_or_default();
    let word = || words().last().or_else(|| signs().take_while(fits).last()).unwrap_or(one);
    words().filter(is_comma).last().unwrap_or_else(word)
}

/// The size of letters, at most `em` and at least two thirds of it, at which a text fits `room` dots.
pub(super) fn fitted(text: &str, em: f32, room: f64) -> f32 {
    let share = (room / width(text, em).max(1.0)).clamp(2.0 / 3.0, 1.0);
    // A little less, as widths are rounded up.
    if share < 1.0 { em * (0.99 * share) as f32 } else { em }
}

/// A text on one line or, if wider than `room` dots, on two of similar width, each cut if still too
/// wide.
pub(super) fn wrap(text: &str, em: f32, room: f64) -> String {
    let line = shorten(text, em, 2.0 * room);
    let halves = line.match_indices(' ').map(|(at, _)| line.split_at(at));
    let wider = |(one, other): &(&str, &str)| width(one, em).max(width(other.trim_start(), em));
    match halves.min_by(|one, other| wider(one).total_cmp(&wider(other))) {
        Some((first, second)) if width(&line, em) > room => {
            let [first, second] = [first, second].map(|half| shorten(half.trim(), em, room));
            format!("{first}\n{second}")
        }
        _ => shorten(line.trim(), em, room),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_are_cut_to_fit() {
        assert_eq!(shorten("two\nlines", TITLE, 500.0), "two lines");
        for room in [50.0, 500.0] {
            let cut = shorten(&"too long ".repeat(100), TITLE, room);
            assert!(cut.ends_with('…'));
            assert!(width(&cut, TITLE) <= room);
        }
        assert_eq!(shorten("", TITLE, 500.0), "");
    }

    #[test]
    fn titles_break_between_words_and_are_cut_on_their_last_line_only() {
        let title = "builtin:salt, step 500, t = 1.000 s";
        assert_eq!(lines(title, TITLE, 1000.0, 4), [title]);
        let broken = lines(title, TITLE, 400.0, 4);
        assert_eq!(broken, ["builtin:salt, step 500,", "t = 1.000 s"], "after a comma");
        assert_eq!(lines("one two three", TITLE, 120.0, 4), ["one two", "three"]);
        assert_eq!(lines("", TITLE, 100.0, 4), [""]);
        for text in ["unbreakable".repeat(8), "many words ".repeat(8)] {
            let whole = lines(&text, TITLE, 400.0, 100);
            let read: String = whole.concat();
            assert!(whole.len() > 2 && read.replace(' ', "") == text.replace(' ', ""), "{whole:?}");
            let cut = lines(&text, TITLE, 400.0, 2);
            assert!(cut.len() == 2 && cut[0] == whole[0] && cut[1].ends_with('…'), "{cut:?}");
            assert!(whole.iter().chain(&cut).all(|line| width(line, TITLE) <= 400.0));
        }
    }

    #[test]
    fn long_labels_break_in_their_middle() {
        assert_eq!(wrap("", TICK, 100.0), "");
        assert_eq!(wrap("one line", TICK, 200.0), "one line");
        assert_eq!(wrap("two lines of words", TICK, 200.0), "two lines\nof words");
        for text in ["unbreakable".repeat(50), "many words ".repeat(50)] {
            let lines = wrap(&text, TICK, 200.0);
            assert!(width(&lines, TICK) <= 200.0, "{lines:?}");
        }
    }
}
