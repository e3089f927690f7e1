//! Commands as a shell reads them.

use huygens::program::PROGRAM;
use std::path::Path;

/// Characters that need quoting in a shell.
const SPECIAL: [char; 18] =
    [' ', '\'', '"', '[', '$', '&', ';', '*', '(', ')', '|', '<', '>', '\\', '#', '`', '?', '~'];

/// A word quoted for a shell.
pub fn quoted(word: &str) -> String {
    match word.contains(SPECIAL) || word.is_empty() {
        true => format!("'{}'", word.replace('\'', "'\\''")),
        false => word.to_owned(),
    }
}

/// The name of a file without its folder.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).display().to_string()
}

/// The command line as given.
pub fn command() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    let command: Vec<String> = [PROGRAM.name.to_owned()].into_iter().chain(words).collect();
    command.join(" ")
}
