//! The host's memory for this process, to reject simulations that do not fit before they start.

use crate::message::any_of;
use std::{
    fmt,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};
use sysinfo::{Process, ProcessesToUpdate, System, get_current_pid};

/// Memory of threads, libraries and files, beside arrays, bytes.
const BESIDE: u64 = 64 << 20;

/// The most that this program may take, bytes.
static MOST: AtomicU64 = AtomicU64::new(u64::MAX);

/// Limits the host's memory that models, runs and migrations of this process may take, bytes: what
/// needs more is refused before it is allocated, as on a host with so little. Threads, libraries and
/// drivers are not counted, nor is the memory of a GPU.
pub fn limit_memory(bytes: u64) {
    MOST.store(bytes, Relaxed);
}

/// The memory that this process may take, and what bounds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bounded {
    /// Bytes.
    pub bytes: u64,
    /// What bounds it.
    pub by: Bound,
}

/// What bounds the memory of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// The memory of the host.
    Host,
    /// That of the group of a batch job or a container.
    Group,
    /// [`limit_memory`].
    Set,
    /// A limit of the addresses of a process (`ulimit -v`).
    Addresses,
}

impl Bounded {
    /// No bound.
    pub const NONE: Self = Bounded { bytes: u64::MAX, by: Bound::Host };

    /// A change of the bound that would do.
    pub fn remedy(self) -> Option<&'static str> {
        match self.by {
            Bound::Host => None,
            Bound::Group => Some("ask for a job with more memory"),
            Bound::Set => Some("allow more with --max-memory"),
            Bound::Addresses => Some("raise that limit"),
        }
    }
}

impl fmt::Display for Bounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = binary(self.bytes);
        match self.by {
            Bound::Host => write!(f, "this host has {memory} of memory"),
            Bound::Group => write!(f, "this batch job or container has {memory} of memory"),
            Bound::Set => write!(f, "this run is allowed {memory} of memory"),
            Bound::Addresses => {
                write!(f, "the limit of addresses (ulimit -v) leaves {memory} of memory")
            }
        }
    }
}

/// All memory available to this process, if it is limited or the system reports it.
pub fn memory() -> Option<Bounded> {
    let set = Some(MOST.load(Relaxed)).filter(|bytes| *bytes < u64::MAX);
    let set = set.map(|bytes| Bounded { bytes, by: Bound::Set });
    of_the_system().into_iter().chain(set).min()
}

/// What bounds a process does not change while it runs, and takes a millisecond to read.
fn of_the_system() -> Option<Bounded> {
    static FOUND: OnceLock<Option<Bounded>> = OnceLock::new();
    *FOUND.get_or_init(ask_the_system)
}

fn ask_the_system() -> Option<Bounded> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    // Of the group at the root, as a container sees it, and of this process, as of a batch job.
    let own = this_process(&mut system).and_then(Process::cgroup_limits);
    let groups = system.cgroup_limits().into_iter().chain(own);
    let groups = groups.map(|group| Bounded { bytes: group.total_memory, by: Bound::Group });
    let host = Bounded { bytes: system.total_memory(), by: Bound::Host };
    groups.chain([host]).filter(|most| most.bytes > 0).min()
}

fn this_process(system: &mut System) -> Option<&Process> {
    let process = get_current_pid().ok()?;
    system.refresh_processes(ProcessesToUpdate::Some(&[process]), false);
    system.process(process)
}

/// What arrays may still take: of the memory, and of a limit of addresses (`ulimit -v`).
pub fn left() -> Option<Bounded> {
    let addresses = address_space_left().map(|bytes| Bounded { bytes, by: Bound::Addresses });
    memory().into_iter().chain(addresses).min()
}

/// Returns an error if a limit of addresses leaves no room for a program's threads and libraries.
/// Some of those end the process where they get none, so a program asks first.
pub fn check_start() -> Result<(), NoMemory> {
    let Some((bytes, used)) = addresses() else { return Ok(()) };
    let whole = Bounded { bytes, by: Bound::Addresses };
    check_against("this program with its threads", used + BESIDE, whole, Vec::new())
}

/// The part of a limit of the address space that is left for arrays; `None` without a limit.
pub fn address_space_left() -> Option<u64> {
    addresses().map(|(most, used)| most.saturating_sub(used).saturating_sub(BESIDE))
}

/// A limit of the address space, and how much of it is used, bytes.
#[cfg(unix)]
fn addresses() -> Option<(u64, u64)> {
    let most = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    Some((most, this_process(&mut System::new().ok()?)?.virtual_memory()))
}

/// There is no such limit.
#[cfg(not(unix))]
fn addresses() -> Option<(u64, u64)> {
    None
}

/// Arrays that the rest of the host's memory does not hold.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} would take {}, and {left}; {}", binary(*.bytes), any_of(.remedies))]
pub struct NoMemory {
    /// What needs them, in words.
    pub what: String,
    /// Their size, bytes.
    pub bytes: u64,
    /// Memory that may still be taken.
    pub left: Bounded,
    /// What would do.
    pub remedies: Vec<String>,
}

/// Returns an error for arrays of so many bytes that the rest of the memory does not hold. An
/// allocation that fails ends the process, so this comes before it.
pub fn check_memory(what: &str, bytes: u64) -> Result<(), NoMemory> {
    // What is kept free for the rest holds little ones.
    const LITTLE: u64 = 4 << 20;
    if bytes <= LITTLE {
        return Ok(());
    }
    check_against(
        what,
        bytes,
        left().unwrap_or(Bounded::NONE),
        vec!["use a smaller or coarser model".into()],
    )
}

/// [`check_memory`] against what is left, with remedies beside a higher limit.
pub(crate) fn check_against(
    what: &str,
    bytes: u64,
    left: Bounded,
    mut remedies: Vec<String>,
) -> Result<(), NoMemory> {
    if bytes <= left.bytes {
        return Ok(());
    }
    remedies.extend(left.remedy().map(String::from));
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
