//! What Linux libraries read from the environment, set before they are used.

#![allow(unsafe_code, reason = "the C library offers no safe call; each SAFETY says why")]

use std::{env, path::Path};

/// A folder that does not exist and cannot be created.
const NOWHERE: &str = "/proc/self/no-display";

/// To be called first in `main`, before there is another thread.
///
/// Without XDG_RUNTIME_DIR a Vulkan layer of Mesa looks for a display and warns twice, but not if
/// the folder is missing.
pub(crate) fn prepare() {
    let is_folder = env::var_os("XDG_RUNTIME_DIR").is_some_and(|dir| Path::new(&dir).is_absolute());
    if !is_folder {
        // SAFETY: no other thread reads the environment yet.
        unsafe { env::set_var("XDG_RUNTIME_DIR", NOWHERE) };
    }
    #[cfg(target_env = "gnu")]
    allocate_for_long_runs();
}

/// Under a limit of addresses (`ulimit -v`), one arena of memory serves all threads: the C library
/// reserves 64 MiB of addresses for each arena. An inversion and a least-squares migration allocate the
/// same arrays for each evaluation, on any thread. The arena of each thread would keep the arrays that it
/// freed, so they go back to the system at once from a size of 1 MiB on.
#[cfg(target_env = "gnu")]
fn allocate_for_long_runs() {
    use rustix::process::{Resource, getrlimit};
    const RETURNED: libc::c_int = 1 << 20;

    let is_set = |name: &str| env::var_os(name).is_some();
    if getrlimit(Resource::As).current.is_some() && !is_set("MALLOC_ARENA_MAX") {
        // SAFETY: changes a setting of the allocator, which takes its own lock.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
    let evaluates = env::args_os().any(|word| word == "invert" || word == "lsrtm");
    if evaluates && !is_set("MALLOC_MMAP_THRESHOLD_") {
        // SAFETY: changes a setting of the allocator, which takes its own lock.
        unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, RETURNED) };
    }
}
