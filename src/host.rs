//! The host's memory for this process, to reject simulations that do not fit before they start.

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

#[cfg(test)]
mod tests {
    #[test]
    fn the_host_has_memory() {
        let memory = super::memory().expect("the system tells");
        assert!(super::left().expect("so much") <= memory);
    }
}
