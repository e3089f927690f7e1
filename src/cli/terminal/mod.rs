//! What the user sees: messages, progress, tables; and the files that
//! a command writes by itself.

pub(crate) mod escape;
pub(crate) mod picture;
pub(crate) mod progress;
pub(crate) mod say;
pub(crate) mod shell;
pub(crate) mod table;
pub(crate) mod timeline;
