//! Linux without a display.

use std::{env, os::unix::process::CommandExt, path::Path, process::Command};

/// A folder that is not there, and that nobody can make.
const NOWHERE: &str = "/proc/self/no-display";

/// Runs the program anew in this process where XDG_RUNTIME_DIR is not set: a Vulkan layer of Mesa looks for a display there, and
/// complains twice where the variable is missing, but not where the folder is. No safe way sets a variable of the own environment.
pub fn begin_again() {
    let set = env::var_os("XDG_RUNTIME_DIR").is_some_and(|dir| Path::new(&dir).is_absolute());
    let (false, Ok(program)) = (set, env::current_exe()) else { return };
    let mut arguments = env::args_os();
    let mut again = Command::new(program);
    if let Some(name) = arguments.next() {
        again.arg0(name);
    }
    // It returns only where it failed, and then the complaint is heard.
    let _ = again.args(arguments).env("XDG_RUNTIME_DIR", NOWHERE).exec();
}
