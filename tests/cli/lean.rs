//! Source wavefields get what a cap leaves: a job is refused only if the least of them does not fit.

use crate::{
    memory_cases::{Case, SHOT},
    run::{done, exits, said, says, with_job},
};

const SMALL: Case = Case { nodes: &[200, 150], steps: 300, shots: 2, receivers: 700, ..SHOT };
const WAVEFIELDS: &str = "source wavefields";

/// Runs a case under a cap that its other arrays and a part of all its wavefields fill, where half of
/// it would be too much for those; then under one that does not hold the least.
fn runs_under_a_cap(case: &Case, result: &str) {
    let folder = with_job(case.job());
    let at = folder.path();
    let words = case.begin(at);
    let sum = |arrays: &[(String, f64)], wavefields: bool| -> f64 {
        // The last is the program, which does not count.
        let arrays = arrays[..arrays.len() - 1].iter();
        let wanted = arrays.filter(|(name, _)| (name == WAVEFIELDS) == wavefields);
        wanted.map(|(_, bytes)| bytes).sum()
    };
    let all = case.predicted(at, &[]);
    let (others, kept) = (sum(&all, false), sum(&all, true));
    let cap = others + 0.3 * kept;
    assert!(others + (0.5 * cap).min(kept) > cap, "{others} and {kept} bytes");

    let flag = |bytes: f64| format!("{}", 1e-9 * bytes);
    let run = |words: &[&str], bytes: f64| -> Vec<u8> {
        done(at, &[words, &["--max-memory", &flag(bytes)]].concat());
        std::fs::read(at.join("out").join(result)).expect("written")
    };
    let whole = run(&words, 1e12);
    assert!(whole[128..].iter().any(|byte| *byte != 0), "there is something to compare");
    let lean = case.predicted(at, &["--max-memory", &flag(cap)]);
    assert!(sum(&lean, false) + sum(&lean, true) <= cap && sum(&lean, true) < 0.3 * kept + 1.0);
    assert_eq!(run(&words, cap), whole, "the same bits");
    // The least is a field and a state.
    let least = flag(others);
    for words in [&words[..], &["check", "job.toml", "--backend", "cpu"]] {
        let told = said(&exits(2, at, &[words, &["--max-memory", &least]].concat()));
        let command = format!("huygens {} (", case.command);
        says(&told, &[command.as_str(), "would take", "this run is allowed", "--max-memory"]);
    }
}

#[test]
fn a_migration_keeps_what_a_cap_leaves() {
    let more = "[rtm]\ninterval = 0.004\ndirect = \"kept\"\n";
    runs_under_a_cap(&Case { command: "rtm", more, ..SMALL }, "image.npy");
}

#[test]
fn a_gradient_keeps_what_a_cap_leaves() {
    let more = "[gradient]\ninterval = 0.004\n";
    runs_under_a_cap(&Case { command: "gradient", more, ..SMALL }, "gradient.npy");
}
