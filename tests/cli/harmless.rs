//! Names and values of files and jobs reach the terminal, or a script, without doing anything there.

use crate::{
    field::{HEADERS, bytes, recorded},
    run::{SMALL, command, folder, huygens, printed, says, with_job},
};
use huygens::io::segy::LengthUnit;
use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

/// Clears a screen in two ways, turns the text that follows, and begins a line of its own.
const HOSTILE: &str = "a\u{1b}[2J\u{9b}2J\u{202e}\r\nFORGED";

/// Everything written is text of our own lines.
#[track_caller]
fn is_harmless(output: &Output, what: &str) {
    let obeyed = |c: &char| {
        (c.is_control() && *c != '\n')
            || matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    for stream in [&output.stdout, &output.stderr] {
        let text = std::str::from_utf8(stream).expect("text");
        assert_eq!(text.chars().find(obeyed), None, "{what}: {text:?}");
        let forged = |line: &str| line.trim_start_matches([' ', '│', '×']).starts_with("FORGED");
        assert!(!text.lines().any(forged), "{what}: {text}");
    }
}

/// Runs a command, which says something of the hostile name.
#[track_caller]
fn runs(folder: &Path, arguments: &[&str], code: i32) -> Output {
    let output = huygens(folder, arguments);
    is_harmless(&output, arguments[0]);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    says(&String::from_utf8_lossy(&said), &["\\u001b[2J\\u009b2J\\u202e"]);
    output
}

/// A value as TOML writes it.
fn toml(value: &str) -> String {
    let escape = |c: char| match c {
        ' '..='~' => c.to_string(),
        c => format!("\\u{:04x}", u32::from(c)),
    };
    format!("\"{}\"", value.chars().map(escape).collect::<String>())
}

#[test]
fn names_of_files_are_shown_and_not_obeyed() {
    let folder = folder();
    let (path, job) = (folder.path(), format!("{HOSTILE}.toml"));
    fs::write(path.join(&job), SMALL).expect("written");
    runs(path, &["check", &job, "--backend", "cpu"], 0);
    runs(path, &["shot", &job, "--backend", "cpu", "--no-pictures", "--out", HOSTILE, "-v"], 0);
    let unstable = format!("{HOSTILE} unstable.toml");
    fs::write(path.join(&unstable), SMALL.replace("step = 0.002", "step = 1.0")).expect("written");
    runs(path, &["shot", &unstable, "--backend", "cpu"], 2);
    let json = ["check", &job, "--backend", "cpu", "--json"];
    assert_eq!(printed(&runs(path, &json, 0))["job_name"], *job, "JSON keeps its meaning");
    for file in ["sgy", "npy", "rsf", "toml"].map(|ending| format!("{HOSTILE} missing.{ending}")) {
        runs(path, &["model", "info", &file], 2);
        runs(path, &["gather", "info", &file, &file], 2);
        runs(path, &["shot", "--model", &file], 2);
        runs(path, &["locate", &job, "--gather", &file], 2);
    }
    runs(path, &["merge", &format!("{HOSTILE} missing")], 2);
    // Clap leaves escapes out.
    for words in
        [["shot", &format!("--{HOSTILE}")[..]], ["shot", &format!("--set={HOSTILE}=1")[..]]]
    {
        let output = huygens(path, &words);
        is_harmless(&output, "a flag");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn values_of_a_job_are_shown_and_not_obeyed() {
    let value = toml(HOSTILE);
    for job in [
        SMALL.replace("\"builtin:layers\"", &value),
        SMALL.replace("builtin:layers\"", &format!("builtin:{}", &value[1..])),
        SMALL.replace("\"ricker\"", &value),
        SMALL.replace("[time]", &format!("[time]\n{value} = 1")),
        format!("{SMALL}\n[{value}]\n"),
    ] {
        let folder = with_job(&job);
        runs(folder.path(), &["check", "job.toml", "--backend", "cpu"], 2);
    }
    // The excerpt of a text that is no TOML.
    let folder = with_job(format!("{SMALL}\nbad = \"{HOSTILE}"));
    let output = huygens(folder.path(), &["check", "job.toml"]);
    is_harmless(&output, "an excerpt");
    says(&String::from_utf8_lossy(&output.stderr), &["bad = \"a?[2J"]);
}

#[test]
fn what_files_say_is_shown_and_not_obeyed() {
    let folder = folder();
    let path = folder.path();
    let hostile = HOSTILE.replace("\r\n", "");
    let header = format!(
        "n1=4 n2=4 d1=10 d2=10 data_format=\"native_float\" esize=4 in=\"m.bin\"\n\
         label1=\"Depth{hostile}\" label2=\"X\" unit1=\"m\" unit2=\"{hostile}\"\n"
    );
    fs::write(path.join("m.rsf"), header).expect("written");
    let values: Vec<u8> = [2000.0_f32; 16].iter().flat_map(|v| v.to_le_bytes()).collect();
    fs::write(path.join("m.bin"), values).expect("written");
    runs(path, &["model", "info", "m.rsf"], 0);
    let (recorded, gather) = recorded();
    let mut bytes = bytes(&gather, LengthUnit::Metre);
    for (place, byte) in
        bytes[..HEADERS - 400].iter_mut().zip("C 1 \u{1b}[2J words ".bytes().cycle())
    {
        *place = byte;
    }
    bytes[5] = 0x9b;
    fs::write(recorded.path().join("field.sgy"), bytes).expect("written");
    let output = huygens(recorded.path(), &["gather", "info", "field.sgy"]);
    is_harmless(&output, "a textual header");
    says(&String::from_utf8_lossy(&output.stdout), &["words"]);
}

#[test]
fn a_script_for_slurm_runs_nothing_of_a_name() {
    if Command::new("bash").arg("--version").output().is_err() {
        println!("NOT RUN in bash: there is none");
        return;
    }
    let folder = folder();
    let path = folder.path();
    let two = SMALL.replace("[[source]]", "[[shot]]\n[[shot.source]]");
    let second = "[[shot]]\n[[shot.source]]\nat = { x = 400.0, z = 200.0 }\nwavelet = { kind = \"ricker\", peak_hz = 10.0 }\n";
    let two = two.replace("[receivers]", &format!("{second}\n[receivers]"));
    let stub = path.join("srun");
    fs::write(&stub, "#!/bin/bash\nprintf '%s\\0' \"$@\"\n").expect("written");
    fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).expect("a program");
    let search = format!("{}:{}", path.display(), env::var("PATH").unwrap_or_default());
    let payload = "touch stolen";
    for name in [
        format!("a\n{payload}\n#"),
        format!("a$({payload})"),
        format!("a`{payload}`"),
        format!("a';{payload};'"),
        format!("a\";{payload};\""),
        format!("a\r\n#SBATCH --wrap={payload}\u{1b}"),
        "plain name".to_owned(),
    ] {
        let job = format!("{name}.toml");
        fs::write(path.join(&job), &two).expect("written");
        let check = ["check", &job, "--backend", "cpu", "--slurm", "2"];
        let output = command(path, &check).output().expect("the binary runs");
        is_harmless(&output, &name);
        assert_eq!(output.status.code(), Some(0), "{name:?}: {output:?}");
        fs::write(path.join("job.sh"), &output.stdout).expect("written");
        let bash = |arguments: &[&str]| {
            let mut bash = Command::new("bash");
            let bash = bash.args(arguments).current_dir(path).env("PATH", &search);
            bash.env("SLURM_ARRAY_TASK_ID", "1").output().expect("bash runs")
        };
        assert!(bash(&["-n", "job.sh"]).status.success(), "{name:?}");
        let ran = bash(&["job.sh"]);
        assert!(!path.join("stolen").exists(), "{name:?}");
        let words = String::from_utf8(ran.stdout).expect("text");
        let words: Vec<_> = words.split_terminator('\0').collect();
        let expected =
            ["huygens", "shot", &job, "--backend", "cpu", "--out", &name, "--task", "1/2"];
        assert_eq!(words, expected);
        let script = String::from_utf8(output.stdout).expect("text");
        let named = script.lines().filter(|line| line.starts_with("#SBATCH"));
        assert!(named.clone().all(|line| !line.contains(payload)), "{script}");
    }
}
