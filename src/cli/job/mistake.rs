//! A mistake in a job, with the line it stands on.

use miette::{Diagnostic, NamedSource, SourceSpan};
use std::{ops::Range, sync::Arc};

/// What is wrong, where, and what would do.
#[derive(Debug, Diagnostic, thiserror::Error)]
#[error("{message}")]
pub struct Mistake {
    message: String,
    #[source_code]
    text: NamedSource<Arc<str>>,
    #[label("here")]
    span: Option<SourceSpan>,
    #[help]
    help: Option<String>,
}

impl Mistake {
    /// A mistake in the job `text`, which came from `name`.
    pub fn new(
        name: &str,
        text: &Arc<str>,
        span: Option<Range<usize>>,
        message: impl ToString,
        help: Option<String>,
    ) -> Self {
        // Newlines at the end of a span would underline the line after.
        let span = span.map(|span| {
            let end = text[..span.end.min(text.len())].trim_end().len().max(span.start);
            SourceSpan::from(span.start..end)
        });
        Mistake {
            message: message.to_string(),
            text: NamedSource::new(name, text.clone()).with_language("toml"),
            span,
            help,
        }
    }

    /// Line and column, both from 1, where it stands.
    pub fn place(&self) -> Option<(usize, usize)> {
        let before = self.text.inner().get(..self.span?.offset())?;
        let line = before.rsplit('\n').next().unwrap_or(before);
        Some((before.matches('\n').count() + 1, line.chars().count() + 1))
    }

    /// What the job is called.
    pub fn file(&self) -> &str {
        self.text.name()
    }

    /// The key that may have been meant.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}
