//! What the user sees: messages, progress, tables, and remedies in flags and keys; and the files that
//! a command writes by itself.

pub mod escape;
pub mod picture;
pub mod progress;
pub mod remedy;
pub mod say;
pub mod shell;
pub mod table;
pub mod timeline;
