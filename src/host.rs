//! The host's memory for this process, to reject simulations that do not fit before they start.

use crate::remedy::{Refusal, Remedy, any_of};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use sysinfo::{Process, ProcessesToUpdate, System, get_current_pid};

/// Memory of threads, libraries and files, beside arrays, bytes.
#[cfg(unix)]
const BESIDE: u64 = 64 << 20;

/// The most that this program may take, bytes.
static MOST: AtomicU64 = AtomicU64::new(u64::MAX);

/// Limits the host's memory that models, runs and migrations of this process may take, bytes: what
/// needs more is refused before it is allocated, as on a host with so little. Threads, libraries and
/// drivers are not counted, nor is the memory of a GPU.
pub fn limit_memory(bytes: u64) {
    MOST.store(bytes, Relaxed);
}

/// All memory available to this process, bytes, if it is limited or the system reports it.
pub(crate) fn memory() -> Option<u64> {
    let limit = MOST.load(Relaxed);
    let all = of_the_system().unwrap_or(u64::MAX).min(limit);
    (all < u64::MAX).then_some(all)
}

fn of_the_system() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    // Of the group at the root, as a container sees it, and of this process, as of a batch job.
    let own = this_process(&mut system).and_then(Process::cgroup_limits);
    let groups = system.cgroup_limits().into_iter().chain(own);
    let all = groups.map(|group| group.total_memory).chain([system.total_memory()]);
    all.filter(|most| *most > 0).min()
}

fn this_process(system: &mut System) -> Option<&Process> {
    let process = get_current_pid().ok()?;
    system.refresh_processes(ProcessesToUpdate::Some(&[process]), false);
    system.process(process)
}

/// Bytes that arrays may still take: of the memory, and of a limit of addresses (`ulimit -v`).
pub(crate) fn left() -> Option<u64> {
    match (memory(), address_space_left()) {
        (Some(memory), Some(left)) => Some(memory.min(left)),
        (memory, left) => memory.or(left),
    }
}

/// The unused part of a limit of the address space; `None` without a limit.
#[cfg(unix)]
pub(crate) fn address_space_left() -> Option<u64> {
    let most = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    let used = this_process(&mut System::new().ok()?)?.virtual_memory();
    Some(most.saturating_sub(used).saturating_sub(BESIDE))
}

/// There is no such limit.
#[cfg(not(unix))]
pub(crate) fn address_space_left() -> Option<u64> {
    None
}

/// Arrays that the rest of the host's memory does not hold.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} would take {}, and {} of memory are left; {}", binary(*.bytes), binary(*.left), any_of(.remedies))]
pub struct NoMemory {
    /// What needs them, in words.
    pub what: String,
    /// Their size, bytes.
    pub bytes: u64,
    /// Memory that may still be taken, bytes.
    pub left: u64,
    /// What would do.
    pub remedies: Vec<Remedy>,
}

impl Refusal for NoMemory {
    fn remedies(&self) -> Vec<Remedy> {
        self.remedies.clone()
    }
}

/// Returns an error for arrays of so many bytes that the rest of the memory does not hold. An
/// allocation that fails ends the process, so this comes before it.
pub fn check_memory(what: &str, bytes: u64) -> Result<(), NoMemory> {
    // What is kept free for the rest holds little ones.
    const LITTLE: u64 = 4 << 20;
    if bytes <= LITTLE {
        return Ok(());
    }
    let left = left().unwrap_or(u64::MAX);
    check_against(what, bytes, left, vec!["use a smaller or coarser model".into()])
}

/// [`check_memory`] against what is left, with remedies beside a higher limit.
pub(crate) fn check_against(
    what: &str,
    bytes: u64,
    left: u64,
    mut remedies: Vec<Remedy>,
) -> Result<(), NoMemory> {
    if bytes <= left {
        return Ok(());
    }
    remedies.push(Remedy::HigherLimit);
    Err(NoMemory { what: what.to_owned(), bytes, left, remedies })
}

/// Formats bytes with binary units.
pub fn binary(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.iter().find(|(power, _)| bytes >> power > 0) {
        Some((power, name)) => format!("{:.1} {name}", bytes as f64 / 2f64.powi(*power)),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_host_has_memory() {
        let memory = super::memory().expect("the system tells");
        assert!(super::left().expect("so much") <= memory);
    }
}
