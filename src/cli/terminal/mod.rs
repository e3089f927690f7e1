//! What the user sees: messages, progress, tables; and the files that
//! a command writes by itself.

pub mod escape;
pub mod picture;
pub mod progress;
pub mod say;
pub mod shell;
pub mod table;
pub mod timeline;
