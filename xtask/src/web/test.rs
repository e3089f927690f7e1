//! The page in a real browser without a screen, on a software adapter, and in one without WebGPU.

use super::{
    browser::{Browser, found},
    server::{Asked, KEPT, serve},
};
use crate::run::{Outcome, root};
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    sync::mpsc::Receiver,
    time::{Duration, Instant},
};

/// A software adapter computes all steps several times.
const PATIENCE: Duration = Duration::from_secs(1200);
/// How far the gather of the built-in job was asked to be from the CPU engine's, of its largest sample.
const ASKED: f64 = 2e-6;
/// How far it may be. A step rounds p to f32, 6e-8 of it, and the leapfrog sums such errors twice: with n
/// steps a period they reach 6e-8 (n / 2 pi)^2 (`src/numbers/plan/rounding.rs`), 6e-6 at the n = 62.5 of 8 Hz in
/// steps of 2 ms, and two engines differ by at most twice that.
const ROUNDED: f64 = 1.2e-5;
/// The least number of checks: a test that ends early has fewer.
const LEAST: usize = 25;

/// The pictures of the page in the manual.
const PICTURES: [&str; 2] = ["browser-wide.png", "browser-phone.png"];

/// Builds the page and tests it; without a browser says loudly that it was not.
pub fn test() -> Outcome {
    let browser = match found() {
        Ok(browser) => browser,
        Err(why) => {
            eprintln!("\nNOT RUN: the page is not tested in a browser: {why}\n");
            return Ok(());
        }
    };
    let page = super::built()?;
    let kept = root().join(KEPT);
    let cannot = |error: std::io::Error| format!("cannot test the page: {error}");
    if kept.exists() {
        fs::remove_dir_all(&kept).map_err(cannot)?;
    }
    fs::create_dir_all(&kept).map_err(cannot)?;
    let (address, asked) = serve(page).map_err(cannot)?;
    let mut checks = Vec::new();
    for (name, webgpu) in [("without", false), ("page", true)] {
        let start = Instant::now();
        let mut browser = Browser::start(&browser, &kept.join(name), webgpu)?;
        let report = report(&mut browser, &asked, &format!("{address}test/{name}.html"))?;
        println!("{name}: {:.0} s", start.elapsed().as_secs_f64());
        fs::write(kept.join(format!("{name}.json")), &report).map_err(cannot)?;
        let report: Value = serde_json::from_str(&report).map_err(|error| error.to_string())?;
        checks.extend(report["checks"].as_array().cloned().unwrap_or_default());
        if webgpu {
            return judged(&checks, report["difference"].as_f64());
        }
    }
    Ok(())
}

/// Opens a test, does what it asks of the browser, and returns its report.
fn report(browser: &mut Browser, asked: &Receiver<Asked>, address: &str) -> Result<String, String> {
    browser.call("Page.navigate", json!({ "url": address }))?;
    let end = Instant::now() + PATIENCE;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match asked.recv_timeout(left) {
            Ok(Asked::Report(report)) => return Ok(report),
            Ok(Asked::Browser(method, params, reply)) => {
                let answer = browser.call(&method, params);
                let _ = reply.send(answer.unwrap_or_else(|why| json!({ "wrong": why })));
            }
            Err(_) => {
                return Err(format!(
                    "{address} reported nothing in {PATIENCE:?}: {KEPT}/*/browser.log"
                ));
            }
        }
    }
}

/// Fails where a check failed, or the gather is farther from the CPU engine's than f32 rounds.
fn judged(checks: &[Value], difference: Option<f64>) -> Outcome {
    let mut failed = Vec::new();
    for check in checks {
        let (name, said) = (check["name"].as_str().unwrap_or(""), check["said"].as_str());
        if check["ok"] != true {
            failed.push(format!("{name}: {}", said.unwrap_or("")));
        }
    }
    match difference {
        Some(far) if far <= ROUNDED => {
            let missed = if far > ASKED { "MISSED: " } else { "" };
            println!(
                "{missed}the built-in job is {far:.2e} of its largest sample from the CPU engine's; {ASKED:e} was asked, \
                 {ROUNDED:e} is what f32 rounds"
            );
        }
        _ => failed.push(format!(
            "the gather is {difference:?} from the CPU engine's, more than {ROUNDED}"
        )),
    }
    if checks.len() < LEAST {
        failed.push(format!("{} checks of at least {LEAST}", checks.len()));
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("the page failed:\n{}", failed.join("\n"))),
    }
}

/// Keeps the pictures that the test took of the page, for the manual.
pub fn keep(folder: &Path) -> Outcome {
    for name in PICTURES {
        let from = root().join(KEPT).join(name);
        fs::copy(&from, folder.join(name))
            .map_err(|error| format!("{} is not kept: {error}", from.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_judged() {
        let judge = |ok: bool, difference, count| {
            let check = json!({ "name": "a", "ok": ok, "said": "b" });
            judged(&vec![check; count], difference)
        };
        assert_eq!(judge(true, Some(1e-6), LEAST), Ok(()));
        assert_eq!(judge(true, Some(3.4e-6), LEAST), Ok(()));
        assert!(judge(false, Some(1e-6), LEAST).is_err());
        for wrong in [Some(2e-5), Some(f64::NAN), None] {
            assert!(judge(true, wrong, LEAST).is_err());
        }
        assert!(judge(true, Some(1e-6), LEAST - 1).is_err());
    }
}
