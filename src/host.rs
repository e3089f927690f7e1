//! The host's memory for this process, to reject simulations that do not fit before they start.

use sysinfo::System;

/// Memory of threads, libraries and files, beside arrays, bytes.
#[cfg(unix)]
const BESIDE: u64 = 64 << 20;

/// All memory available to this process, bytes, if the system reports it.
pub(crate) fn memory() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    let group = system.cgroup_limits().map_or(u64::MAX, |group| group.total_memory);
    let most = system.total_memory().min(group);
    (most > 0).then_some(most)
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
    use sysinfo::{ProcessesToUpdate, get_current_pid};
    let most = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    let process = get_current_pid().ok()?;
    let mut system = System::new().ok()?;
    system.refresh_processes(ProcessesToUpdate::Some(&[process]), false);
    let used = system.process(process)?.virtual_memory();
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
