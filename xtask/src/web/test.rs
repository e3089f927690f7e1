//! The page in a real browser without a screen, on a software adapter.

use super::server::{KEPT, serve};
use crate::run::{Outcome, root, shown};
use serde_json::Value;
use std::{
    env, fs,
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

/// Names a browser to test with.
const BROWSER: &str = "HUYGENS_BROWSER";
/// Those that are looked for.
const KNOWN: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// A software adapter computes all steps several times.
const PATIENCE: Duration = Duration::from_secs(1200);
/// How far the gather of the built-in job may be from the CPU engine's, of its largest sample.
const FAR: f64 = 2e-6;
/// The least number of checks: a test that ends early has fewer.
const LEAST: usize = 14;

/// Builds the page and tests it; without a browser says loudly that it was not.
pub fn test() -> Outcome {
    super::web()?;
    let Some(browser) = browser() else {
        eprintln!(
            "\nNOT RUN: the page was not tested in a browser; install chromium, or name one by {BROWSER}\n"
        );
        return Ok(());
    };
    let kept = root().join(KEPT);
    let cannot = |error: std::io::Error| format!("cannot test the page: {error}");
    if kept.exists() {
        fs::remove_dir_all(&kept).map_err(cannot)?;
    }
    fs::create_dir_all(&kept).map_err(cannot)?;
    let (address, reported) = serve().map_err(cannot)?;
    let mut command = Command::new(browser);
    command
        .args(["--headless=new", "--no-sandbox", "--no-first-run", "--window-size=1400,1000"])
        .args(["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"])
        // Without these a canvas shows nothing of what a software adapter draws.
        .args(["--use-vulkan=swiftshader", "--enable-features=Vulkan", "--ignore-gpu-blocklist"])
        .args(["--use-gl=angle", "--use-angle=vulkan"])
        // Nobody watches, and the test goes on all the same.
        .args(["--disable-background-timer-throttling", "--disable-renderer-backgrounding"])
        .arg(format!("--user-data-dir={}", kept.join("profile").display()))
        .arg(&address);
    println!("$ {}", shown(&command));
    let log = fs::File::create(kept.join("browser.log")).map_err(cannot)?;
    let mut child = command.stdout(Stdio::null()).stderr(log).spawn().map_err(cannot)?;
    let report = reported.recv_timeout(PATIENCE);
    let _ = child.kill();
    let _ = child.wait();
    let report = report.map_err(|_| {
        format!("the page reported nothing in {PATIENCE:?}; {KEPT}/browser.log is the browser's")
    })?;
    fs::write(kept.join("report.json"), &report).map_err(cannot)?;
    judged(&report)
}

fn browser() -> Option<PathBuf> {
    if let Some(named) = env::var_os(BROWSER) {
        return Some(named.into());
    }
    let path = env::var_os("PATH")?;
    let folders: Vec<_> = env::split_paths(&path).collect();
    let all = KNOWN.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.into_iter().find(|path| path.is_file())
}

/// Fails where a check failed, or the gather is too far from the CPU engine's.
fn judged(report: &str) -> Outcome {
    let report: Value = serde_json::from_str(report).map_err(|error| error.to_string())?;
    let checks = report["checks"].as_array().cloned().unwrap_or_default();
    let mut failed = Vec::new();
    for check in &checks {
        let (name, said) = (check["name"].as_str().unwrap_or(""), check["said"].as_str());
        if check["ok"] != true {
            failed.push(format!("{name}: {}", said.unwrap_or("")));
        }
    }
    let difference = report["difference"].as_f64();
    println!(
        "device: {}; the built-in job: {difference:?} of the CPU engine's largest sample",
        report["device"]
    );
    if difference.is_none_or(|far| far.is_nan() || far > FAR) {
        failed.push(format!("the gather is {difference:?} from the CPU engine's, more than {FAR}"));
    }
    if checks.len() < LEAST {
        failed.push(format!("{} checks of at least {LEAST}", checks.len()));
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("the page failed:\n{}", failed.join("\n"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_judged() {
        let report = |ok: bool, difference: &str| {
            let check = format!("{{\"name\": \"a\", \"ok\": {ok}, \"said\": \"b\"}}");
            let checks = vec![check; LEAST].join(", ");
            judged(&format!("{{\"checks\": [{checks}], \"difference\": {difference}}}"))
        };
        assert_eq!(report(true, "1e-6"), Ok(()));
        for wrong in [report(false, "1e-6"), report(true, "3e-6"), report(true, "null")] {
            assert!(wrong.is_err());
        }
        assert!(judged("{}").is_err() && judged("no report").is_err());
    }
}
