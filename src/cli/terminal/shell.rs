//! Commands as a shell reads them.

use super::escape;
use crate::program::PROGRAM;
use std::path::Path;

/// A word quoted for a shell. One with line breaks or other control characters is quoted as bash,
/// ksh and zsh read it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+./:,=@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if escape::line(word) == word {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    let byte = |b: u8| match b {
        b'\'' | b'\\' => format!("\\{}", char::from(b)),
        b' '..=b'~' => char::from(b).into(),
        // Three octal digits end an escape, whatever follows.
        b => format!("\\{b:03o}"),
    };
    format!("$'{}'", word.bytes().map(byte).collect::<String>())
}

/// The name of a file without its folder.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).display().to_string()
}

/// The command line as given.
pub(crate) fn command() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    let command: Vec<String> = [PROGRAM.name.to_owned()].into_iter().chain(words).collect();
    command.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn bash_reads_a_quoted_word_as_it_was() {
        let words = [
            "plain/job-1.toml",
            "--set",
            "survey.x={a=1,b=2}",
            "",
            "it's",
            "a b\tc",
            "~",
            "!x",
            "$(touch stolen)`touch stolen`",
            "a\ntouch stolen",
            "\u{1b}[2J\u{9b}\u{202e}7'\\",
            "Grüße",
        ];
        let quoted: Vec<_> = words.iter().map(|word| quoted(word)).collect();
        assert!(quoted.iter().all(|word| !word.contains('\n')), "{quoted:?}");
        let script = format!("printf '%s\\0' {}", quoted.join(" "));
        let Ok(output) = Command::new("bash").args(["-c", &script]).output() else {
            println!("NOT RUN in bash: there is none");
            return;
        };
        let read = String::from_utf8(output.stdout).expect("text");
        assert_eq!(read.split_terminator('\0').collect::<Vec<_>>(), words);
    }
}
