//! Progress to a function of Python, and Ctrl-C.

use crate::error::{Error, RunError};
use pyo3::prelude::*;
use std::{
    ops::ControlFlow,
    panic::resume_unwind,
    process,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError, mpsc, mpsc::RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// Python is asked this often.
const EVERY: Duration = Duration::from_millis(50);

/// Returns an error in a process that was forked from one that has used huygens: its threads are not
/// there.
pub fn check_process() -> PyResult<()> {
    static FIRST: OnceLock<u32> = OnceLock::new();
    let (first, this) = (*FIRST.get_or_init(process::id), process::id());
    match first == this {
        true => Ok(()),
        false => Err(RunError::new_err(format!(
            "process {this} was forked from {first}, which has used huygens; start it with multiprocessing's \"spawn\" or \"forkserver\""
        ))),
    }
}

/// A function that is called with the stage, the steps done and all of them, and what it or Ctrl-C
/// raised.
pub struct Progress {
    call: Option<Py<PyAny>>,
    called: Mutex<Instant>,
    raised: Mutex<Option<PyErr>>,
}

pub fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress {
    pub fn new(call: Option<Py<PyAny>>) -> Self {
        Progress { call, called: Mutex::new(Instant::now()), raised: Mutex::new(None) }
    }

    /// Tells of steps done; `Break` after Ctrl-C, or if the function raises.
    pub fn hear(&self, stage: &str, done: usize, all: usize) -> ControlFlow<()> {
        if let Some(call) = &self.call {
            let mut called = lock(&self.called);
            if done >= all || called.elapsed() >= EVERY {
                *called = Instant::now();
                self.ask(|py| call.call1(py, (stage, done, all)).map(drop));
            }
        }
        if lock(&self.raised).is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn ask(&self, ask: impl FnOnce(Python<'_>) -> PyResult<()>) {
        if let Err(error) = Python::attach(ask) {
            lock(&self.raised).get_or_insert(error);
        }
    }

    /// Runs in a thread of its own, because signals come to the one that calls; returns the result,
    /// or what ended it.
    pub fn run<T: Send>(&self, run: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
        let ended = thread::scope(|scope| {
            let (send, receive) = mpsc::channel();
            let dispatch = tracing::dispatcher::get_default(Clone::clone);
            let running = scope.spawn(move || {
                let ended = tracing::dispatcher::with_default(&dispatch, run);
                let _ = send.send(ended);
            });
            loop {
                match receive.recv_timeout(EVERY) {
                    Ok(ended) => return ended,
                    Err(RecvTimeoutError::Timeout) => self.ask(|py| py.check_signals()),
                    Err(RecvTimeoutError::Disconnected) => {
                        resume_unwind(running.join().expect_err("it ends with a result, or panics"))
                    }
                }
            }
        });
        lock(&self.raised).take().map_or(ended, |error| Err(Error(error)))
    }
}
