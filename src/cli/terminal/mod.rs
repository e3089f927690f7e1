//! What the user sees and types: messages, progress, tables, failures and remedies in flags and keys.

pub mod failure;
pub mod picture;
pub mod progress;
pub mod remedy;
pub mod say;
pub mod shell;
pub mod table;
pub mod timeline;
