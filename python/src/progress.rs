//! Progress to a function of Python, and Ctrl-C.

use crate::{
    error::{Error, RunError},
    messages,
};
use pyo3::prelude::*;
use std::{
    mem,
    ops::ControlFlow,
    panic::resume_unwind,
    process,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError, mpsc, mpsc::RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// How often Python is asked whether Ctrl-C came, and gets the messages to log.
const POLL_EVERY: Duration = Duration::from_millis(50);
/// The function is called at most this often, and at the end.
const CALL_EVERY: Duration = Duration::from_millis(250);

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
/// raised. The thread that waits for a run calls it, so that the run never waits for it.
pub struct Progress {
    call: Option<Py<PyAny>>,
    /// The newest news of each stage that it was not called with.
    news: Mutex<Vec<(&'static str, usize, usize)>>,
    raised: Mutex<Option<PyErr>>,
}

pub fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress {
    pub fn new(call: Option<Py<PyAny>>) -> Self {
        Progress { call, news: Mutex::default(), raised: Mutex::default() }
    }

    /// Records steps done; `Break` after Ctrl-C, or if the function raised.
    pub fn report(&self, stage: &'static str, done: usize, all: usize) -> ControlFlow<()> {
        if self.call.is_some() {
            let mut news = lock(&self.news);
            match news.iter_mut().find(|(of, ..)| *of == stage) {
                Some(newest) => *newest = (stage, done, all),
                None => news.push((stage, done, all)),
            }
        }
        if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// True after Ctrl-C, or if the function raised.
    pub fn is_stopped(&self) -> bool {
        lock(&self.raised).is_some()
    }

    /// Calls the function with the news.
    fn call_with_news(&self) {
        let Some(call) = &self.call else { return };
        // Not locked during the loop.
        let all = mem::take(&mut *lock(&self.news));
        for news in all {
            if !self.is_stopped() {
                self.ask(|py| call.call1(py, news).map(drop));
            }
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
        let dispatch = tracing::dispatcher::get_default(Clone::clone);
        let ended = thread::scope(|scope| {
            let (send, receive) = mpsc::channel();
            let of_run = &dispatch;
            let running = scope.spawn(move || {
                let ended = tracing::dispatcher::with_default(of_run, run);
                let _ = send.send(ended);
            });
            let mut called = Instant::now();
            loop {
                match receive.recv_timeout(POLL_EVERY) {
                    Ok(ended) => {
                        self.call_with_news();
                        return ended;
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        self.ask(|py| py.check_signals());
                        self.ask(|py| messages::log_waiting(py, &dispatch));
                        if called.elapsed() >= CALL_EVERY {
                            self.call_with_news();
                            called = Instant::now();
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        resume_unwind(running.join().expect_err("it ends with a result, or panics"))
                    }
                }
            }
        });
        lock(&self.raised).take().map_or(ended, |error| Err(Error(error)))
    }
}
