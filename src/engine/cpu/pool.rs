//! Threads of a run that keep their part of the field from step to step.
//!
//! Work sharing wakes and asks threads at every step, which takes longer than a step of a small
//! plane. Here each thread has its own tasks, the same at every step, and waits for the next step in
//! a loop. A thread that has waited a little takes tasks that another has not begun, so a busy
//! machine does not hold up all; then it yields its core, and at last it sleeps.

#![allow(unsafe_code, reason = "threads that outlive a borrowed closure; each SAFETY says why")]

use std::{
    any::Any,
    cell::UnsafeCell,
    hint,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{
            AtomicBool, AtomicU64, AtomicUsize,
            Ordering::{AcqRel, Acquire, Relaxed, SeqCst},
        },
    },
    thread::{self, JoinHandle},
};

/// The most tasks of a job, for each thread.
pub(crate) const TASKS_PER_THREAD: usize = 16;
/// Bits of a job's word that count its tasks; those above number the job.
const COUNT_BITS: u32 = 16;
/// Looks for a new job before a thread helps others, a few microseconds.
const SPINS: usize = 200;
/// Looks between which it yields its core, about a tenth of a millisecond; then it sleeps.
const YIELDS: usize = 200;

/// Threads for the steps of one run; the caller is the first.
pub(crate) struct Pool {
    common: Arc<Common>,
    workers: Vec<JoinHandle<()>>,
    /// Held during a job.
    turn: Mutex<()>,
}

/// A value on a cache line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Line<T>(T);

type Task<'a> = &'a (dyn Fn(usize) + Sync);

struct Common {
    threads: usize,
    /// Number and tasks of the present job; zero tasks end the threads.
    job: Line<AtomicU64>,
    /// For each task, the word of the last job in which a thread took it.
    taken: Vec<Line<AtomicU64>>,
    /// Tasks of the job that are not done.
    left: Line<AtomicUsize>,
    task: UnsafeCell<Option<Task<'static>>>,
    sleepers: AtomicUsize,
    sleep: Mutex<()>,
    wake: Condvar,
    ended: AtomicBool,
    /// Of the first task that panicked.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: `task` alone is not Sync. It is written by `Pool::run` while no task is open, and read by
// a thread that has taken a task of that job, which the writer waits for.
unsafe impl Sync for Common {}

impl Pool {
    /// A pool of so many threads, or of those that the system allows.
    pub(crate) fn new(threads: usize) -> Self {
        let threads = threads.clamp(1, (1 << COUNT_BITS) / TASKS_PER_THREAD - 1);
        let tasks = threads * TASKS_PER_THREAD;
        let common = Arc::new(Common {
            threads,
            job: Line::default(),
            taken: (0..tasks).map(|_| Line::default()).collect(),
            left: Line::default(),
            task: UnsafeCell::new(None),
            sleepers: AtomicUsize::new(0),
            sleep: Mutex::new(()),
            wake: Condvar::new(),
            ended: AtomicBool::new(false),
            panic: Mutex::new(None),
        });
        let start = |thread: usize| {
            let common = common.clone();
            let builder = thread::Builder::new().name(format!("step {thread}"));
            builder.spawn(move || common.work(thread)).ok()
        };
        // Without a thread its tasks are taken by the others.
        let workers = (1..threads).filter_map(start).collect();
        Pool { common, workers, turn: Mutex::new(()) }
    }

    /// The number of threads that tasks are meant for.
    pub(crate) fn threads(&self) -> usize {
        self.common.threads
    }

    /// Calls `task` with every number below `tasks`. A thread gets neighbouring numbers, the same
    /// in every job of as many tasks.
    pub(crate) fn run(&self, tasks: usize, task: impl Fn(usize) + Sync) {
        if tasks <= 1 || self.workers.is_empty() {
            return (0..tasks).for_each(task);
        }
        let most = self.common.taken.len();
        for first in (0..tasks).step_by(most) {
            self.run_job(most.min(tasks - first), &|i| task(first + i));
        }
    }

    /// [`Self::run`] for as many tasks as a job has.
    fn run_job(&self, tasks: usize, task: Task<'_>) {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the closure outlives the job, because this function returns after its last task.
        let task = unsafe { std::mem::transmute::<Task<'_>, Task<'static>>(task) };
        let common = &*self.common;
        // SAFETY: no task of an earlier job is open, and threads read it only in one that is.
        unsafe { *common.task.get() = Some(task) };
        common.left.0.store(tasks, Relaxed);
        let number = (common.job.0.load(Relaxed) >> COUNT_BITS) + 1;
        let job = number << COUNT_BITS | tasks as u64;
        common.job.0.store(job, SeqCst);
        if common.sleepers.load(SeqCst) > 0 {
            drop(common.sleep.lock());
            common.wake.notify_all();
        }
        common.do_own(0, job);
        for looks in 0.. {
            if common.left.0.load(Acquire) == 0 {
                break;
            }
            match looks {
                ..SPINS => hint::spin_loop(),
                SPINS => common.help(0, job),
                _ => thread::yield_now(),
            }
        }
        drop(turn);
        let panic = common.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let common = &*self.common;
        common.ended.store(true, SeqCst);
        let number = (common.job.0.load(Relaxed) >> COUNT_BITS) + 1;
        common.job.0.store(number << COUNT_BITS, SeqCst);
        drop(common.sleep.lock());
        common.wake.notify_all();
        for worker in self.workers.drain(..) {
            // Its tasks' panics are caught.
            let _ = worker.join();
        }
    }
}

impl Common {
    /// The life of a thread.
    fn work(&self, thread: usize) {
        let mut job = 0;
        loop {
            job = self.next(thread, job);
            if self.ended.load(Acquire) {
                return;
            }
            self.do_own(thread, job);
        }
    }

    /// Waits for another job than the last one.
    fn next(&self, thread: usize, last: u64) -> u64 {
        for looks in 0..SPINS + YIELDS {
            let job = self.job.0.load(Acquire);
            if job != last {
                return job;
            }
            match looks {
                ..SPINS => hint::spin_loop(),
                SPINS => self.help(thread, last),
                _ => thread::yield_now(),
            }
        }
        let mut guard = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleepers.fetch_add(1, SeqCst);
        loop {
            let job = self.job.0.load(SeqCst);
            if job != last {
                self.sleepers.fetch_sub(1, SeqCst);
                return job;
            }
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn tasks(job: u64) -> usize {
        (job & ((1 << COUNT_BITS) - 1)) as usize
    }

    /// Does the tasks of a thread that no other has taken.
    fn do_own(&self, thread: usize, job: u64) {
        let tasks = Self::tasks(job);
        let of = |thread: usize| tasks * thread / self.threads;
        let done = (of(thread)..of(thread + 1)).filter(|task| self.take(*task, job)).count();
        self.finish(done);
    }

    /// Does any tasks that no thread has taken.
    fn help(&self, thread: usize, job: u64) {
        let tasks = Self::tasks(job);
        // From the next thread's on, so that helpers spread.
        let all = (0..tasks).map(|i| (i + tasks * (thread + 1) / self.threads) % tasks);
        let done = all.filter(|task| self.take(*task, job)).count();
        self.finish(done);
    }

    fn finish(&self, done: usize) {
        if done > 0 {
            self.left.0.fetch_sub(done, AcqRel);
        }
    }

    /// Takes and does a task; false if it was taken before.
    fn take(&self, task: usize, job: u64) -> bool {
        let Some(Line(taken)) = self.taken.get(task) else { return false };
        let before = taken.load(Relaxed);
        // Jobs are numbered in ascending order, and a job ends after all of its tasks were taken.
        if before >= job || taken.compare_exchange(before, job, AcqRel, Relaxed).is_err() {
            return false;
        }
        // SAFETY: this task is open, so the job is the present one and its closure is in place.
        let work = unsafe { *self.task.get() };
        let work = AssertUnwindSafe(|| work.into_iter().for_each(|work| work(task)));
        if let Err(panic) = catch_unwind(work) {
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_of_every_job_is_done_once() {
        for threads in [1, 2, 5] {
            let pool = Pool::new(threads);
            let mut wanted = vec![0; 5 * threads * TASKS_PER_THREAD / 2];
            let done: Vec<_> = wanted.iter().map(|_| AtomicUsize::new(0)).collect();
            for job in 0..2_000 {
                let tasks = job % (wanted.len() + 1);
                pool.run(tasks, |task| {
                    done[task].fetch_add(1, Relaxed);
                });
                wanted[..tasks].iter_mut().for_each(|wanted| *wanted += 1);
                assert!(done.iter().zip(&wanted).all(|(done, n)| done.load(Relaxed) == *n));
            }
        }
    }

    #[test]
    fn threads_that_sleep_are_woken() {
        let pool = Pool::new(3);
        for _ in 0..5 {
            thread::sleep(std::time::Duration::from_millis(20));
            let done = AtomicUsize::new(0);
            pool.run(6, |_| {
                done.fetch_add(1, Relaxed);
            });
            assert_eq!(done.into_inner(), 6);
        }
    }

    #[test]
    fn a_panic_arrives_after_the_other_tasks() {
        let pool = Pool::new(4);
        let done = AtomicUsize::new(0);
        let run = || {
            pool.run(8, |task| {
                assert_ne!(task, 3, "as asked");
                done.fetch_add(1, Relaxed);
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        assert_eq!(done.load(Relaxed), 7);
        pool.run(8, |_| {
            done.fetch_add(1, Relaxed);
        });
        assert_eq!(done.into_inner(), 15);
    }
}
