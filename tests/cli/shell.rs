//! Completions and manual pages.

use crate::run::{done, folder, huygens, names};
use std::{
    io::Write,
    process::{Command, Stdio},
};

/// The commands that `huygens --help` lists.
fn commands() -> Vec<String> {
    let output = huygens(folder().path(), &["--help"]);
    let help = String::from_utf8(output.stdout).expect("text");
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let lines = list.expect("a list of commands").lines();
    let names = lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    names.filter(|name| name != "help").collect()
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = folder();
    done(folder.path(), &["man", "--out", "man"]);
    let pages = names(&folder.path().join("man"));
    let program = huygens(folder.path(), &["man"]).stdout;
    let program = String::from_utf8(program).expect("text");
    let commands = commands();
    assert!(commands.len() > 7, "{commands:?}");
    for command in &commands {
        assert!(pages.contains(&format!("huygens-{command}.1")), "{command} in {pages:?}");
        assert!(
            program.contains(&format!("huygens\\-{}(1)", command.replace('-', "\\-"))),
            "{command} in {program}"
        );
    }
    for page in ["huygens.1", "huygens-job-new.1", "huygens-model-info.1"] {
        assert!(pages.iter().any(|name| name == page), "{page} in {pages:?}");
    }
    let page = std::fs::read_to_string(folder.path().join("man/huygens-shot.1")).expect("a page");
    for part in ["\\-\\-backend", "\\-\\-out", "assets/jobs/salt3d.toml"] {
        assert!(page.contains(part), "{part} in {page}");
    }
    // Not over what is there, unless told to.
    let again = ["man", "--out", "man"];
    assert_eq!(huygens(folder.path(), &again).status.code(), Some(2));
    assert!(huygens(folder.path(), &[&again[..], &["--force"]].concat()).status.success());
}

#[test]
fn shells_get_their_completions() {
    let commands = commands();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = done(folder().path(), &["completions", shell]);
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(commands.iter().all(|command| text.contains(command.as_str())), "{shell}");
    }
    let script = huygens(folder().path(), &["completions", "bash"]).stdout;
    let bash = Command::new("bash").arg("-n").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut bash) = bash else {
        println!("NOT RUN in bash: there is none");
        return;
    };
    bash.stdin.take().expect("it was asked for").write_all(&script).expect("bash reads");
    let read = bash.wait_with_output().expect("bash ends");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
}

/// A result that a full disk does not take is lost, and reported as lost.
#[cfg(target_os = "linux")]
#[test]
fn a_result_that_is_not_written_is_a_failure() {
    let folder = folder();
    let model = ["model", "build", "layers", "--out", "m.rsf"];
    assert!(huygens(folder.path(), &model).status.success());
    for arguments in [
        &["job", "new"] as &[&str],
        &["job", "schema"],
        &["man"],
        &["completions", "bash"],
        &["model", "info", "m.rsf", "--json"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let output = Command::new(env!("CARGO_BIN_EXE_huygens"))
            .args(arguments)
            .current_dir(folder.path())
            .stdout(full)
            .output()
            .expect("the binary runs");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(
            crate::run::said(&output).contains("cannot write to standard output"),
            "{}",
            crate::run::said(&output)
        );
    }
}

/// With a umask that hides a user's files from others, so are ours.
#[cfg(unix)]
#[test]
fn files_have_the_permissions_that_the_shell_gives() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    for (umask, wanted) in [("077", 0o600), ("002", 0o664)] {
        let script = format!("umask {umask}; exec \"$0\" job new {umask}.toml -q");
        let shell = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_huygens")])
            .current_dir(folder.path())
            .status();
        assert!(shell.expect("there is a sh").success());
        let file = std::fs::metadata(folder.path().join(format!("{umask}.toml"))).expect("there");
        assert_eq!(file.permissions().mode() & 0o777, wanted, "{umask}");
    }
}
