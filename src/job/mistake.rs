//! Errors of a job: a mistake with its line, or one outside the text.

use crate::message::{self, with_exponents};
use miette::{Diagnostic, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use std::{ops::Range, sync::Arc};

/// A mistake, its place, and its remedy.
#[derive(Debug, Diagnostic, thiserror::Error)]
#[error("{message}")]
pub struct Mistake {
    message: String,
    #[source_code]
    text: Text,
    #[label("here")]
    span: Option<SourceSpan>,
    #[help]
    help: Option<String>,
}

/// A mistake in a text, its place, and the probable intention.
pub(crate) struct Wrong {
    pub(crate) span: Option<Range<usize>>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// Longest message, and longest excerpt of a job around a mistake, bytes; the middle of a longer
/// message is left out.
const LONGEST: usize = 1000;
/// Bytes of a line that is cut, on either side of the start of the mistake.
const SHOWN: usize = 100;

impl Mistake {
    /// A mistake in the job `text` called `name`.
    pub(crate) fn new(
        name: &str,
        text: &Arc<str>,
        span: Option<Range<usize>>,
        message: impl ToString,
        help: Option<String>,
    ) -> Self {
        // Newlines at the end of a span would underline the line after.
        let span = span.map(|span| {
            let end = text[..span.end.min(text.len())].trim_end().len().max(span.start);
            let end = match end - span.start > LONGEST {
                true => floor(text, span.start + SHOWN),
                false => end,
            };
            SourceSpan::from(span.start..end)
        });
        Mistake {
            message: Mistake::shortened(&message.to_string()),
            text: Text { name: name.to_owned(), text: text.clone() },
            span,
            help: help.as_deref().map(Mistake::shortened),
        }
    }

    /// The same with texts of one line passed through `line`, and the job through `excerpt`, which
    /// keeps the places of its bytes.
    #[must_use]
    pub(crate) fn shown_with(
        self,
        line: impl Fn(String) -> String,
        excerpt: impl Fn(&str) -> String,
    ) -> Self {
        let Mistake { message, text: Text { name, text }, span, help } = self;
        Mistake {
            message: line(message),
            text: Text { name: line(name), text: excerpt(&text).into() },
            span,
            help: help.map(line),
        }
    }

    /// A message without the middle of a text that is too long, such as a quoted value. The remedy
    /// is at its end. Numbers of very many digits get an exponent.
    pub(crate) fn shortened(message: &str) -> String {
        let message = &with_exponents(message);
        if message.len() <= LONGEST {
            return message.to_owned();
        }
        let (start, end) =
            (floor(message, LONGEST / 4), floor(message, message.len() - LONGEST / 2));
        format!("{} ... {}", &message[..start], &message[end..])
    }

    /// Line and column, both from 1.
    pub fn place(&self) -> Option<(usize, usize)> {
        let before = self.text.text.get(..self.span?.offset())?;
        let line = before.rsplit('\n').next().unwrap_or(before);
        Some((before.matches('\n').count() + 1, line.chars().count() + 1))
    }

    /// What the text says at the mistake, if that is a line of less than 100 bytes.
    pub fn said(&self) -> Option<&str> {
        let span = self.span?;
        let said = self.text.text.get(span.offset()..span.offset() + span.len())?.trim();
        (!said.is_empty() && said.len() < SHOWN && !said.contains('\n')).then_some(said)
    }

    /// The key whose value is wrong, after those of the tables that it is in: of its line `key = value` and the
    /// header above.
    pub fn key(&self) -> Option<Vec<&str>> {
        let before = self.text.text.get(..self.span?.offset())?;
        let (above, line) = before.rsplit_once('\n').unwrap_or(("", before));
        let (key, _) = line.split_once(" = ")?;
        let header = above.lines().rfind(|line| line.starts_with('['));
        let tables = header.into_iter().flat_map(|line| line.trim_matches(['[', ']']).split('.'));
        Some(tables.chain(key.split('.')).collect())
    }

    /// The name of the job.
    pub fn file(&self) -> &str {
        &self.text.name
    }

    /// What may have been meant, beside the message.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The remedy: the key that may have been meant, or the end of the message; empty without one.
    pub(crate) fn remedy(&self) -> &str {
        self.help().unwrap_or_else(|| message::remedy(&self.message))
    }
}

/// An error of a job.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// A mistake in the job.
    #[error(transparent)]
    Mistake(#[from] Box<Mistake>),
    /// A mistake outside the text: a file that cannot be read, or an argument given instead of the
    /// job.
    #[error("{0}")]
    Other(String),
}

impl JobError {
    /// A mistake outside the text.
    pub(crate) fn other(message: impl ToString) -> Self {
        JobError::Other(Mistake::shortened(&message.to_string()))
    }
}

impl From<Mistake> for JobError {
    fn from(mistake: Mistake) -> Self {
        JobError::Mistake(Box::new(mistake))
    }
}

/// The last character boundary at or before a byte of a text.
fn floor(text: &str, byte: usize) -> usize {
    (0..=byte.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// A job's text; lines that are too long are shown in part.
#[derive(Debug)]
struct Text {
    name: String,
    text: Arc<str>,
}

impl SourceCode for Text {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let whole = self.text.read_span(span, before, after)?;
        let named = |data, span, line, column, lines| {
            let contents =
                MietteSpanContents::new_named(self.name.clone(), data, span, line, column, lines);
            Box::new(contents.with_language("toml"))
        };
        if whole.data().len() <= LONGEST {
            return Ok(named(
                whole.data(),
                *whole.span(),
                whole.line(),
                whole.column(),
                whole.line_count(),
            ));
        }
        // A part of the line on which it begins.
        let at = floor(&self.text, span.offset());
        let line = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline);
        let start = floor(&self.text, line.max(at.saturating_sub(SHOWN)));
        let end = floor(&self.text, end.min(at + 2 * SHOWN));
        let number = self.text[..line].matches('\n').count();
        let start = if before == 0 { at } else { start };
        let column = self.text[line..start].len();
        let part = SourceSpan::from(start..end);
        Ok(named(&self.text.as_bytes()[start..end], part, number, column, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_many_digits_get_an_exponent() {
        let said = |x: f64| Mistake::shortened(&format!("x = {x} m lies outside 13480.5 m; é"));
        assert_eq!(said(1e300), "x = 1e300 m lies outside 13480.5 m; é");
        assert_eq!(said(-2.5e-200), "x = -2.5e-200 m lies outside 13480.5 m; é");
        assert_eq!(said(0.1 + 0.2), "x = 0.30000000000000004 m lies outside 13480.5 m; é");
    }
}
