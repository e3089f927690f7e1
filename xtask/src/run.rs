//! Commands, shown before they run.

use std::{env, ffi::OsStr, path::Path, path::PathBuf, process::Command};

/// Nothing, or why the chore failed.
pub type Outcome = Result<(), String>;

/// The root of the repository.
pub fn root() -> PathBuf {
    // Cargo tells it anew at each run, so that a moved checkout finds itself.
    let here =
        env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&here).parent().expect("xtask is a folder of the repository").into()
}

/// A folder of what is built.
pub fn built(name: &str) -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    root().join(target).join(name)
}

/// The cargo that runs this, in the root of the repository.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    command
}

/// Shows the command, runs it and waits for its end.
pub fn run(command: &mut Command) -> Outcome {
    let line = shown(command);
    println!("$ {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` failed ({status})")),
        Err(error) => Err(format!("`{line}` could not be started: {error}")),
    }
}

/// The command as one would type it.
pub fn shown(command: &Command) -> String {
    let set = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={}", name.to_string_lossy(), quoted(&value?.to_string_lossy())))
    });
    let program = Path::new(command.get_program()).file_stem().map(OsStr::to_string_lossy);
    let args = command.get_args().map(|arg| quoted(&arg.to_string_lossy()));
    set.chain(program.map(Into::into)).chain(args).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=./:,+".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{word}'") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_typed() {
        let mut command = Command::new("/somewhere/cargo");
        command.args(["doc", "--bench", "*"]).env("RUSTDOCFLAGS", "-D warnings").env_remove("X");
        assert_eq!(shown(&command), "RUSTDOCFLAGS='-D warnings' cargo doc --bench '*'");
    }

    #[test]
    fn a_failure_names_its_command() {
        let why = run(&mut Command::new("no-such-program-anywhere")).unwrap_err();
        assert!(why.starts_with("`no-such-program-anywhere` could not be started"), "{why}");
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("Cargo.lock").exists());
    }
}
