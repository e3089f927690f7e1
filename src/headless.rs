//! Linux without a display.

use std::{env, os::unix::process::CommandExt, path::Path, process::Command};

/// A folder that does not exist and cannot be created.
const NOWHERE: &str = "/proc/self/no-display";

/// Restarts the program in this process with XDG_RUNTIME_DIR set to a missing folder if it is
/// unset: a Vulkan layer of Mesa looks for a display there and warns twice if the variable is
/// unset, but not if the folder is missing. No safe function sets a variable of the process' own
/// environment.
pub fn begin_again() {
    let set = env::var_os("XDG_RUNTIME_DIR").is_some_and(|dir| Path::new(&dir).is_absolute());
    let (false, Ok(program)) = (set, env::current_exe()) else { return };
    let mut arguments = env::args_os();
    let mut again = Command::new(program);
    if let Some(name) = arguments.next() {
        again.arg0(name);
    }
    // Returns only on failure; the warnings then appear.
    let _ = again.args(arguments).env("XDG_RUNTIME_DIR", NOWHERE).exec();
}
