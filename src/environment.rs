//! Environment variables that Linux libraries read at start-up.

use rustix::process::{Resource, getrlimit};
use std::{env, os::unix::process::CommandExt, path::Path, process::Command};

/// A folder that does not exist and cannot be created.
const NOWHERE: &str = "/proc/self/no-display";
/// The number of arenas of the C library of GNU.
const ARENAS: &str = "MALLOC_ARENA_MAX";

/// The size from which the C library of GNU returns a freed array to the system at once, bytes.
const RETURNED: &str = "MALLOC_MMAP_THRESHOLD_";

/// Restarts the program in this process if a variable is missing: the C library reads its own before
/// `main`, and no safe function sets one that a driver reads later.
///
/// Without XDG_RUNTIME_DIR a Vulkan layer of Mesa looks for a display and warns twice, but not if
/// the folder is missing. Under a limit of addresses (`ulimit -v`) one arena of memory serves all
/// threads: the C library reserves 64 MiB of addresses for each. An inversion and a least-squares migration allocate the same
/// arrays for each evaluation, on any thread: each thread's arena would keep those that it freed.
pub(crate) fn reexec_with_env() {
    let is_set = |name: &str| env::var_os(name).is_some();
    let is_folder = env::var_os("XDG_RUNTIME_DIR").is_some_and(|dir| Path::new(&dir).is_absolute());
    let limited = getrlimit(Resource::As).current.is_some();
    let mut wanted = Vec::new();
    wanted.extend((!is_folder).then_some(("XDG_RUNTIME_DIR", NOWHERE)));
    wanted.extend((limited && !is_set(ARENAS)).then_some((ARENAS, "1")));
    let inverts = env::args_os().any(|word| word == "invert" || word == "lsrtm");
    wanted.extend((inverts && !is_set(RETURNED)).then_some((RETURNED, "1048576")));
    let (false, Ok(program)) = (wanted.is_empty(), env::current_exe()) else { return };
    let mut arguments = env::args_os();
    let mut again = Command::new(program);
    if let Some(name) = arguments.next() {
        again.arg0(name);
    }
    // Returns only on failure; the warnings then appear.
    let _ = again.args(arguments).envs(wanted).exec();
}
