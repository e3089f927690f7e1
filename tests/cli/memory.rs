//! The memory of a run: the estimate of `check` beside what a run takes, and a cap.

use crate::run::{command, done, exits, printed, said, says, with_job};
use huygens::engine::gpu;
use std::{fs, path::Path, process::Stdio, thread::sleep, time::Duration};

/// A volume whose columns, with the layers, take no padding.
const VOLUME: &str = r#"
[model]
velocity = "builtin:layers"
nodes = { z = 276, x = 270, y = 270 }
spacing = 10.0
[time]
duration = 0.002
step = 0.001
[[source]]
at = { x = 100.0, y = 100.0, z = 100.0 }
wavelet = { kind = "ricker", peak_hz = 15.0, delay = 0.001 }
[receivers]
line = { from = { x = 0.0, y = 0.0, z = 20.0 }, to = { x = 500.0, y = 0.0, z = 20.0 }, count = 5 }
"#;
const SMALL: [&str; 2] = ["--set", "model.nodes={ z = 52, x = 60, y = 60 }"];

/// The sum of the arrays by `huygens check`, bytes.
fn estimate(folder: &Path, more: &[&str]) -> f64 {
    let words = [&["check", "job.toml", "--json"][..], more].concat();
    let told = printed(&done(folder, &words));
    let arrays = told["memory"].as_array().expect("arrays");
    arrays.iter().filter_map(|array| array["bytes"].as_f64()).sum()
}

/// The most memory that a run had at a time, bytes; `None` if the system does not tell.
fn taken(folder: &Path, more: &[&str]) -> Option<f64> {
    let shot = ["shot", "job.toml", "--no-pictures", "--force"];
    let mut run = command(folder, &[&shot[..], more].concat());
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    let status = format!("/proc/{}/status", run.id());
    let mut most = None;
    while run.try_wait().expect("a child").is_none() {
        let told = fs::read_to_string(&status).unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        most = kib.or(most);
        sleep(Duration::from_millis(1));
    }
    assert!(run.wait().expect("over").success());
    most.map(|kib| 1024.0 * kib)
}

/// What a run takes over its estimate. The program itself, its libraries and threads take the same for
/// both volumes. `None` if the system does not tell.
fn ratio(engine: &[&str]) -> Option<f64> {
    let folder = with_job(VOLUME);
    let of = |more: &[&str]| Some((taken(folder.path(), more)?, estimate(folder.path(), more)));
    let (large, estimate) = of(engine)?;
    let (small, estimate_of_small) = of(&[engine, &SMALL].concat())?;
    let ratio = (large - small) / (estimate - estimate_of_small);
    println!("{engine:?}: {ratio:.3} times the estimate of {:.0} MB", 1e-6 * estimate);
    Some(ratio)
}

#[test]
fn a_run_takes_what_was_estimated() {
    let Some(ratio) = ratio(&["--backend", "cpu"]) else {
        println!("NOT RUN: this system does not tell the memory of a process");
        return;
    };
    assert!((0.9..=1.1).contains(&ratio), "{ratio}");
}

/// The memory of such a device is that of the process.
#[test]
fn a_run_on_software_vulkan_takes_what_was_estimated() {
    let is_software = |adapter: &gpu::Adapter| adapter.name.contains("llvmpipe");
    let index = gpu::list(false).iter().position(is_software).map(|index| index.to_string());
    let Some(ratio) = index.and_then(|index| ratio(&["--adapter", &index])) else {
        println!("NOT RUN: no llvmpipe, or the system does not tell the memory of a process");
        return;
    };
    assert!((0.9..=1.1).contains(&ratio), "{ratio}");
}

#[test]
fn what_passes_the_cap_is_refused() {
    let folder = with_job(VOLUME);
    let shot = ["shot", "job.toml", "--backend", "cpu", "--no-pictures", "--max-memory"];
    // Passed by the model, by that with its layers, and by the arrays of the engine.
    for gigabytes in ["0.05", "0.09", "0.4"] {
        let refused = exits(2, folder.path(), &[&shot[..], &[gigabytes]].concat());
        says(&said(&refused), &["coarser", "allow more with --max-memory"]);
        assert!(!folder.path().join("out").exists());
    }
    // A survey that has begun before its engine refuses it.
    let survey = VOLUME.replace(
        "[[source]]\nat = { x = 100.0, y = 100.0, z = 100.0 }\n",
        "[survey]\nline = { first = { x = 9.0, y = 9.0, z = 9.0 }, increment = { x = 9.0, y = 0.0 }, count = 3 }\n",
    );
    fs::write(folder.path().join("survey.toml"), survey).expect("written");
    let run = ["shot", "survey.toml", "--backend", "cpu", "--max-memory", "0.4"];
    says(&said(&exits(2, folder.path(), &run)), &["allow more"]);
    assert!(!folder.path().join("out").exists(), "nothing to resume");
    done(folder.path(), &[&shot[..], &["0.15"], &SMALL].concat());
    for wrong in ["0", "nan", "much"] {
        says(&said(&exits(2, folder.path(), &[&shot[..], &[wrong]].concat())), &["a number of GB"]);
    }
}

#[cfg(target_os = "linux")]
mod group {
    use super::*;
    use crate::limits::under;
    use std::path::PathBuf;

    /// A control group of this system with a limit, for as long as it lives; `None` where none may be made.
    struct Group(PathBuf);

    impl Group {
        fn new(bytes: u64) -> Option<Self> {
            let root = Path::new("/sys/fs/cgroup");
            let (parent, limit) = match root.join("cgroup.controllers").exists() {
                true => (root.to_owned(), "memory.max"),
                false => (root.join("memory"), "memory.limit_in_bytes"),
            };
            let group = Group(parent.join(format!("huygens-test-{}", std::process::id())));
            fs::create_dir(&group.0).ok()?;
            fs::write(group.0.join(limit), bytes.to_string()).ok()?;
            Some(group)
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            let _ = fs::remove_dir(&self.0);
        }
    }

    /// A batch system gives each job such a group, and kills what passes its limit.
    #[test]
    fn a_limit_of_the_control_group_is_known() {
        let folder = with_job(VOLUME);
        let Some(group) = Group::new(300 << 20) else {
            println!("NOT RUN: no control group may be made here");
            return;
        };
        let shot = ["shot", "job.toml", "--backend", "cpu", "--no-pictures"];
        let join = format!("echo $$ > {}/cgroup.procs", group.0.display());
        let run = |more: &[&str]| under(&join, folder.path(), &[&shot, more].concat());
        let refused = run(&[]);
        assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
        says(&said(&refused), &["has 300.0 MiB of memory", "smaller or coarser model"]);
        let small = run(&SMALL);
        assert!(small.status.success(), "{}", said(&small));
    }
}
