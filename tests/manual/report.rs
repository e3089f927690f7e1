//! The results of a page's test.

/// The number of tested blocks of a page, and its mistakes.
#[derive(Debug, Default)]
pub struct Report {
    /// Commands that ran.
    pub ran: usize,
    /// Job files that `huygens check` took.
    pub checked: usize,
    /// Commands and job files that were not tried, each with its line and the mark that says why.
    pub not_run: Vec<String>,
    /// Each with its line.
    pub wrong: Vec<String>,
}
