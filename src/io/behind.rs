//! A thread that brings files to the disk while a run computes, so that its end waits for the last ones
//! only.

use super::synced;
use std::{
    fs::File,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{Builder, JoinHandle},
};

/// Bytes written between two files that are queued. The others reach the disk together at the end.
const BETWEEN: usize = 16 << 20;
/// The most files in the queue. Without room, a file is left to the end.
const WAITING: usize = 4;

/// Brings files to the disk one after the other.
#[derive(Debug, Default)]
pub(super) struct SyncBehind {
    /// Bytes since the last file that was queued.
    written: AtomicUsize,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    send: SyncSender<File>,
    thread: JoinHandle<io::Result<()>>,
    ends: Arc<AtomicBool>,
}

impl SyncBehind {
    /// Counts bytes that were written to a file, and queues the file if that is due.
    pub(crate) fn add(&self, file: File, bytes: usize) {
        if self.written.fetch_add(bytes, Ordering::Relaxed) + bytes < BETWEEN {
            return;
        }
        self.written.store(0, Ordering::Relaxed);
        let mut running = self.running();
        if running.is_none() {
            *running = Running::start();
        }
        if let Some(running) = &*running {
            let _ = running.send.try_send(file);
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the file under way. The others, and later ones, are left to the caller.
    ///
    /// # Errors
    ///
    /// The first of a file: the system reports it once.
    pub(crate) fn end(&self) -> io::Result<()> {
        let Some(Running { send, thread, ends }) = self.running().take() else {
            return Ok(());
        };
        ends.store(true, Ordering::Relaxed);
        drop(send);
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Drop for SyncBehind {
    fn drop(&mut self) {
        // Nobody needs the files of a folder that is dropped.
        let _ = self.end();
    }
}

impl Running {
    /// `None` where there is no thread.
    fn start() -> Option<Self> {
        let (send, receive) = sync_channel(WAITING);
        let ends = Arc::new(AtomicBool::new(false));
        let is_over = ends.clone();
        let thread = Builder::new().name("disk".into());
        let thread = thread.spawn(move || sync_all(&receive, &is_over)).ok()?;
        Some(Running { send, thread, ends })
    }
}

/// Brings files to the disk until the end.
fn sync_all(receive: &Receiver<File>, ends: &AtomicBool) -> io::Result<()> {
    let mut files = receive.iter().take_while(|_| !ends.load(Ordering::Relaxed));
    files.try_for_each(|file| synced::file(&file))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::{os::unix::fs::OpenOptionsExt, thread};

    /// A file that is open for its path alone, and cannot be brought to the disk.
    fn unsyncable() -> File {
        let path = rustix::fs::OFlags::PATH.bits() as i32;
        File::options().read(true).custom_flags(path).open("/").expect("the root")
    }

    #[test]
    fn an_error_is_returned_at_the_end() -> io::Result<()> {
        let behind = SyncBehind::default();
        behind.add(unsyncable(), BETWEEN - 1);
        behind.end()?;
        behind.add(tempfile::tempfile()?, 1);
        behind.end()?;
        behind.add(unsyncable(), BETWEEN);
        let has_ended = || behind.running().as_ref().is_none_or(|of| of.thread.is_finished());
        while !has_ended() {
            thread::yield_now();
        }
        behind.add(tempfile::tempfile()?, BETWEEN);
        assert!(behind.end().is_err());
        behind.end()
    }
}
