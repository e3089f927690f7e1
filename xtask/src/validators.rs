//! The programs by which the makers of SPIR-V and GLSL check shaders, for
//! `tests/agreement/translated.rs`.

use crate::debian;
use std::{env, path::PathBuf};

/// The variable with their folder, if they are not in `PATH`.
pub const FOLDER: &str = "HUYGENS_VALIDATORS";
const PROGRAMS: [&str; 2] = ["spirv-val", "glslangValidator"];

/// Their folder; `None` where they need none.
pub fn folder(install: bool) -> Result<Option<PathBuf>, String> {
    let path = env::var_os("PATH").unwrap_or_default();
    let usual = |program: &&str| env::split_paths(&path).any(|dir| dir.join(program).is_file());
    if env::var_os(FOLDER).is_some() || PROGRAMS.iter().all(usual) {
        return Ok(None);
    }
    let files = PROGRAMS.map(|program| format!("usr/bin/{program}"));
    let files = files.each_ref().map(String::as_str);
    let packages = ["spirv-tools", "glslang-tools"];
    let folder = debian::unpacked(&packages, "validators", &files, install)?;
    Ok(Some(folder.join("usr/bin")))
}
