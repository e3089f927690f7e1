//! The terminal for progress bars. Once closed, it accepts drawings and shows nothing: indicatif
//! would panic.

use console::Term;
use indicatif::{ProgressDrawTarget, TermLike};
use std::io::{IsTerminal, Result};

/// Drawings per second.
const RATE: u8 = 20;

/// Standard error, if it is a terminal; else nothing is drawn.
pub fn target() -> ProgressDrawTarget {
    match std::io::stderr().is_terminal() {
        true => {
            ProgressDrawTarget::term_like_with_hz(Box::new(Terminal(Term::buffered_stderr())), RATE)
        }
        false => ProgressDrawTarget::hidden(),
    }
}

#[derive(Debug)]
struct Terminal(Term);

/// Ignores errors.
fn tried(_: Result<()>) -> Result<()> {
    Ok(())
}

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        TermLike::width(&self.0)
    }

    fn height(&self) -> u16 {
        TermLike::height(&self.0)
    }

    fn move_cursor_up(&self, n: usize) -> Result<()> {
        tried(self.0.move_cursor_up(n))
    }

    fn move_cursor_down(&self, n: usize) -> Result<()> {
        tried(self.0.move_cursor_down(n))
    }

    fn move_cursor_right(&self, n: usize) -> Result<()> {
        tried(self.0.move_cursor_right(n))
    }

    fn move_cursor_left(&self, n: usize) -> Result<()> {
        tried(self.0.move_cursor_left(n))
    }

    fn write_line(&self, text: &str) -> Result<()> {
        tried(self.0.write_line(text))
    }

    fn write_str(&self, text: &str) -> Result<()> {
        tried(self.0.write_str(text))
    }

    fn clear_line(&self) -> Result<()> {
        tried(self.0.clear_line())
    }

    fn flush(&self) -> Result<()> {
        tried(self.0.flush())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use indicatif::{MultiProgress, ProgressBar};
    use std::fs::File;

    #[test]
    fn a_terminal_that_takes_nothing_ends_nothing() -> Result<()> {
        let full = File::options().write(true).open("/dev/full")?;
        let terminal = Terminal(Term::read_write_pair(File::open("/dev/null")?, full));
        let bars =
            MultiProgress::with_draw_target(ProgressDrawTarget::term_like(Box::new(terminal)));
        let bar = bars.add(ProgressBar::new(10));
        bar.set_message("shots");
        bar.inc(1);
        bar.tick();
        assert_eq!(bars.suspend(|| 7), 7);
        bar.finish_and_clear();
        Ok(())
    }
}
