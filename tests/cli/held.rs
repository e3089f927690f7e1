//! Runs that are held at a point (`HUYGENS_FAULT`), to be killed or interrupted there.

use crate::run::command;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Output, Stdio},
    thread,
    time::Duration,
};

/// A run that waits at a point. A program without the feature `faults` waits nowhere: it runs on one
/// thread, so that it has something left to do when it is interrupted.
pub struct Held {
    run: Child,
    /// It waits while this file exists.
    file: PathBuf,
}

/// Begins a run that waits once it has passed a point so many times, and saves what it stacks after every shot.
pub fn begin_saving(folder: &Path, arguments: &[&str], point: &str, passages: usize) -> Held {
    begin_with(folder, arguments, &format!("save:1+,{point}:{passages}"))
}

/// Begins a run that waits once it has passed a point so many times.
pub fn begin(folder: &Path, arguments: &[&str], point: &str, passages: usize) -> Held {
    begin_with(folder, arguments, &format!("{point}:{passages}"))
}

fn begin_with(folder: &Path, arguments: &[&str], fault: &str) -> Held {
    let file = folder.join("hold");
    fs::write(&file, "").expect("written");
    let mut command = command(folder, arguments);
    command.env("RAYON_NUM_THREADS", "1");
    command.env("HUYGENS_FAULT", format!("{fault}@{}", file.display()));
    let run = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    Held { run, file }
}

impl Held {
    /// Waits until a file has so many lines.
    pub fn until_lines(&mut self, file: &Path, lines: usize) -> &mut Self {
        self.until(|| line_count(file) >= lines)
    }

    /// Waits until something is true.
    pub fn until(&mut self, is_so: impl Fn() -> bool) -> &mut Self {
        while !is_so() {
            let ended = self.run.try_wait().expect("a child");
            assert!(ended.is_none(), "it ended before it was interrupted: {ended:?}");
            thread::sleep(Duration::from_millis(2));
        }
        self
    }

    /// Kills it.
    pub fn kill(&mut self) {
        self.run.kill().expect("killed");
        self.run.wait().expect("over");
        fs::remove_file(&self.file).expect("removed");
    }

    /// Releases the hold, and waits for the exit.
    pub fn release(self) -> Output {
        fs::remove_file(&self.file).expect("removed");
        self.run.wait_with_output().expect("over")
    }

    /// Sends SIGINT, releases the hold, and waits for the exit.
    #[cfg(unix)]
    pub fn interrupt(self) -> Output {
        self.send_interrupt();
        self.release()
    }

    /// Sends SIGINT until the run ends, although it is held. One that ignores them all is released,
    /// so that the test fails and does not wait.
    #[cfg(all(unix, feature = "faults"))]
    pub fn interrupt_until_it_ends(mut self) -> Output {
        for _ in 0..10_000 {
            if self.run.try_wait().expect("a child").is_some() {
                break;
            }
            self.send_interrupt();
            thread::sleep(Duration::from_millis(2));
        }
        fs::remove_file(&self.file).expect("removed");
        self.run.wait_with_output().expect("over")
    }

    #[cfg(unix)]
    fn send_interrupt(&self) {
        let pid = rustix::process::Pid::from_raw(self.run.id() as i32).expect("a process");
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("signalled");
    }
}

fn line_count(file: &Path) -> usize {
    fs::read(file).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count()
}
