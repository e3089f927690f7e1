//! Characters that a terminal would obey. Names and values of files and jobs may hold any, so
//! everything that reaches standard output or standard error goes through here: `say` and
//! `progress` escape what they write, a table its cells, and a failure its message and excerpt.
//!
//! Escapes are those of JSON and TOML: text in either keeps its meaning.

use std::fmt::{Display, Write};

/// True of control characters, and of those that reverse the direction of a text or break its line.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
                | '\u{feff}'
        )
}

/// A text on one line: line breaks are escaped too.
pub(crate) fn line(text: impl Display) -> String {
    escaped(text.to_string(), is_obeyed)
}

/// A text with our own line breaks, which stay.
pub(crate) fn lines(text: impl Display) -> String {
    escaped(text.to_string(), |c| c != '\n' && is_obeyed(c))
}

fn escaped(text: String, escape: impl Fn(char) -> bool) -> String {
    if !text.contains(&escape) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if !escape(c) => shown.push(c),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            // Writing to a string cannot fail.
            c => _ = write!(shown, "\\u{:04x}", u32::from(c)),
        }
    }
    shown
}

/// A text of the same bytes and lines, with a stand-in for each such character: places in it stay.
pub(crate) fn excerpt(text: &str) -> String {
    let stands_in = |c: char| match c.len_utf8() {
        1 => '?',
        2 => '¿',
        _ => '\u{fffd}',
    };
    let mut characters = text.chars().peekable();
    let mut shown = String::with_capacity(text.len());
    while let Some(c) = characters.next() {
        // A return within a line goes back to its start.
        let ends_a_line = c == '\n' || (c == '\r' && characters.peek() == Some(&'\n'));
        let is_kept = ends_a_line || c == '\t' || !is_obeyed(c);
        shown.push(if is_kept { c } else { stands_in(c) });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[2J\u{9b}31m\u{202e}\r\n\tb\u{7f}é";

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let shown = line(HOSTILE);
        assert_eq!(shown, "a\\u001b[2J\\u009b31m\\u202e\\r\\n\\tb\\u007fé");
        assert_eq!(lines("one\ntwo\u{1b}"), "one\ntwo\\u001b");
        assert_eq!(line("plain: 3 m, Grüße"), "plain: 3 m, Grüße");
    }

    #[test]
    fn json_keeps_its_meaning() {
        let json = serde_json::to_string_pretty(&[HOSTILE]).expect("a list");
        let read: Vec<String> = serde_json::from_str(&lines(json)).expect("the list");
        assert_eq!(read, [HOSTILE]);
    }

    #[test]
    fn an_excerpt_keeps_its_places() {
        let text = "a = \"\u{1b}\u{9b}\u{202e}\"\r\nb = 1\rc";
        let shown = excerpt(text);
        assert_eq!(shown, "a = \"?¿\u{fffd}\"\r\nb = 1?c");
        assert_eq!(shown.len(), text.len());
    }
}
