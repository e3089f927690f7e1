//! Two at once for one task, and for one merge.

use super::{brief, migration, same};
use crate::run::{command, done, folder, said};
use std::{
    fs,
    path::Path,
    process::{Output, Stdio},
};

/// Two runs at once.
fn both(folder: &Path, arguments: &[&str]) -> [Output; 2] {
    let begin = || {
        let mut command = command(folder, arguments);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary runs")
    };
    [begin(), begin()].map(|run| run.wait_with_output().expect("over"))
}

/// One comes to its end; the other does too, or is refused.
#[track_caller]
fn one_at_least([first, second]: &[Output; 2], refusals: &[&str]) {
    for output in [first, second] {
        let said = said(output);
        let is_refused =
            output.status.code() == Some(2) && refusals.iter().any(|words| said.contains(words));
        assert!(output.status.success() || is_refused, "{said}");
    }
    assert!(first.status.success() || second.status.success(), "{} {}", said(first), said(second));
}

#[test]
fn two_runs_of_one_task_and_two_merges_do_no_harm() {
    for (kind, job, merge) in [
        ("shot", brief(6), &["merge", "out", "--force"] as &[&str]),
        (
            "rtm",
            migration(4),
            &["rtm", "job.toml", "--out", "out", "--merge", "--force", "--no-pictures"],
        ),
    ] {
        let folder = folder();
        let at = folder.path();
        fs::write(at.join("job.toml"), job.replace("duration = 0.02", "duration = 0.2"))
            .expect("written");
        let run = [kind, "job.toml", "--backend", "cpu", "--no-pictures", "--out"];
        done(at, &[&run[..], &["whole"]].concat());
        for task in ["1/2", "2/2"] {
            let outputs = both(at, &[&run[..], &["out", "--task", task]].concat());
            one_at_least(
                &outputs,
                &["another run writes to", "is not empty", "nothing to resume", "unfinished run"],
            );
        }
        one_at_least(&both(at, merge), &["another run writes to"]);
        let merged = same(&at.join("out"));
        for (name, bytes) in same(&at.join("whole")) {
            // A migration of tasks has no journal of its own.
            assert!(
                name == "journal.jsonl" && kind == "rtm" || merged.get(&name) == Some(&bytes),
                "{kind}: {name}"
            );
        }
    }
}
