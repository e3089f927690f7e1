//! The memory that `check` predicts beside what commands hold: their largest resident memory, which
//! does not depend on their speed.

use crate::{
    common::all_or,
    run::{command, done, exits, printed, said, says, with_job},
};
use std::{fs, path::Path, process::Stdio, thread::sleep, time::Duration};

/// The largest resident memory of a command, bytes, and whether it succeeded.
fn peak(folder: &Path, words: &[&str]) -> (f64, bool) {
    let mut run = command(folder, words);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    let status = format!("/proc/{}/status", run.id());
    let mut most = 0.0f64;
    while run.try_wait().expect("a child").is_none() {
        let told = fs::read_to_string(&status).unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        most = most.max(kib.unwrap_or(0.0));
        sleep(Duration::from_millis(1));
    }
    (1024.0 * most, run.wait().expect("over").success())
}

/// A job, by what differs between jobs.
#[derive(Clone)]
struct Case {
    name: &'static str,
    command: &'static str,
    /// Extents of the model: x and z, or x, y and z.
    nodes: &'static [usize],
    /// Steps of the run.
    steps: usize,
    shots: usize,
    receivers: usize,
    /// Metres of the first receiver from the left edge: 3 is between nodes.
    first: f64,
    /// More lines of its time, and of the job.
    time: &'static str,
    more: &'static str,
}

const SHOT: Case = Case {
    name: "",
    command: "shot",
    nodes: &[],
    steps: 6,
    shots: 1,
    receivers: 5,
    first: 0.0,
    time: "",
    more: "",
};

const CASES: [Case; 16] = [
    Case { name: "a plane", nodes: &[4000, 3500], ..SHOT },
    Case { name: "a volume", nodes: &[240, 230, 220], ..SHOT },
    Case { name: "traces", nodes: &[60, 50], steps: 4000, receivers: 20_000, ..SHOT },
    Case {
        name: "corrected traces",
        nodes: &[60, 50],
        steps: 4000,
        receivers: 12_000,
        time: "dispersion = \"corrected\"\n",
        ..SHOT
    },
    Case {
        name: "traces in every format",
        nodes: &[60, 50],
        steps: 3000,
        receivers: 20_000,
        more: "[output]\ngathers = [\"npy\", \"sgy\", \"su\"]\n",
        ..SHOT
    },
    Case {
        name: "an archive of traces",
        nodes: &[60, 50],
        steps: 3000,
        receivers: 20_000,
        more: "[output]\ngathers = [\"npz\"]\n",
        ..SHOT
    },
    Case {
        name: "snapshots of a plane",
        nodes: &[3000, 3500],
        steps: 24,
        more: "[output]\nsnapshots = [0.004, 0.006, 0.008, 0.01, 0.012, 0.014, 0.016, 0.018, 0.02]\n",
        ..SHOT
    },
    Case {
        name: "snapshots of a volume",
        nodes: &[230, 200, 210],
        steps: 12,
        more: "[output]\nsnapshots = [0.002, 0.004, 0.006, 0.008, 0.01]\n",
        ..SHOT
    },
    Case {
        name: "receivers between nodes",
        nodes: &[60, 50],
        steps: 4,
        shots: 20,
        receivers: 100_000,
        first: 3.0,
        more: "[survey.spread]\noffsets = { first = 0.0, increment = 0.003, count = 100000 }\nz = 20.0\nends = \"roll-off\"\n",
        ..SHOT
    },
    Case {
        name: "a migration",
        command: "rtm",
        nodes: &[500, 400],
        steps: 1500,
        shots: 3,
        receivers: 50,
        more: "[rtm]\ninterval = 0.004\n",
        ..SHOT
    },
    Case {
        name: "offset gathers",
        command: "rtm",
        nodes: &[400, 300],
        steps: 100,
        shots: 3,
        receivers: 50,
        more: "[rtm.offsets]\nmost = 1000.0\n",
        ..SHOT
    },
    Case {
        name: "a migration of a large plane",
        command: "rtm",
        nodes: &[2000, 1500],
        steps: 30,
        shots: 2,
        receivers: 50,
        more: "[rtm]\nsmooth = 50.0\n",
        ..SHOT
    },
    Case {
        name: "a gradient",
        command: "gradient",
        nodes: &[500, 400],
        steps: 1500,
        shots: 2,
        receivers: 50,
        more: "[gradient]\ninterval = 0.004\n",
        ..SHOT
    },
    Case {
        name: "a gradient in a volume",
        command: "gradient",
        nodes: &[110, 100, 90],
        steps: 100,
        receivers: 50,
        more: "[gradient]\ninterval = 0.002\n",
        ..SHOT
    },
    Case {
        name: "a gradient of many traces",
        command: "gradient",
        nodes: &[60, 50],
        steps: 1500,
        shots: 4,
        receivers: 5000,
        more: "[gradient]\ntaper = 0.1\n",
        ..SHOT
    },
    Case {
        name: "an inversion",
        command: "invert",
        nodes: &[1300, 1000],
        steps: 120,
        receivers: 50,
        more: "[invert]\niterations = 2\n",
        ..SHOT
    },
];

impl Case {
    fn job(&self) -> String {
        let &Case { nodes, steps, shots, receivers, first, time, more, .. } = self;
        let (nodes, y) = match *nodes {
            [x, z] => (format!("z = {z}, x = {x}"), ""),
            [x, y, z] => (format!("z = {z}, x = {x}, y = {y}"), "y = 100.0, "),
            _ => panic!("two extents, or three"),
        };
        let seen = if shots > 1 { "seen/gathers.sgy" } else { "seen/gather.sgy" };
        let wavelet = "wavelet = { kind = \"ricker\", peak_hz = 12.0, delay = 0.001 }";
        let source = match shots {
            1 => format!("[[source]]\nat = {{ x = 100.0, {y}z = 100.0 }}\n{wavelet}\n"),
            _ => format!(
                "[survey]\n{wavelet}\nline = {{ first = {{ x = 100.0, {y}z = 100.0 }}, increment = {{ x = 10.0 }}, \
                 count = {shots} }}\n"
            ),
        };
        let last = first + 300.0;
        let line = match more.contains("spread") {
            true => String::new(),
            false => format!(
                "[receivers]\nline = {{ from = {{ x = {first:?}, {y}z = 20.0 }}, to = {{ x = {last:?}, {y}z = 20.0 }}, \
                 count = {receivers} }}\n"
            ),
        };
        let gradient = match more.contains("[gradient]") {
            true => more.replace("[gradient]\n", &format!("[gradient]\nobserved = \"{seen}\"\n")),
            false => format!("{more}[gradient]\nobserved = \"{seen}\"\n"),
        };
        let more = match self.command {
            "gradient" | "invert" => gradient,
            _ => more.to_owned(),
        };
        let duration = 0.001 * steps as f64;
        format!(
            "[model]\nvelocity = \"builtin:layers\"\nnodes = {{ {nodes} }}\nspacing = 10.0\n\
             [time]\nduration = {duration:?}\nstep = 0.001\n{time}{source}{line}{more}"
        )
    }

    /// What the command holds, and what `check` says that it does.
    fn measured(&self) -> (f64, f64) {
        let folder = with_job(self.job());
        let at = folder.path();
        let run = ["job.toml", "--backend", "cpu", "--no-pictures", "--force", "--out"];
        if ["gradient", "invert"].contains(&self.command) {
            // Of another model, so that there is something to find.
            let other = ["seen", "--set", "model.velocity=\"builtin:homogeneous\""];
            done(at, &[&["shot"][..], &run, &other].concat());
        }
        let report = printed(&done(at, &["check", "job.toml", "--backend", "cpu", "--json"]));
        let demands = report["demands"].as_array().expect("of each command");
        let demand = demands.iter().find(|demand| demand["command"] == self.command);
        let demand = demand.unwrap_or_else(|| panic!("{} in {demands:?}", self.command));
        let sum = |arrays: &serde_json::Value| -> f64 {
            let arrays = arrays.as_array().expect("arrays");
            arrays.iter().filter_map(|array| array["bytes"].as_f64()).sum()
        };
        let program = report["memory"].as_array().expect("arrays").last().expect("the program");
        let predicted = sum(&demand["arrays"]) + program["bytes"].as_f64().expect("bytes");
        let (used, succeeded) = peak(at, &[&[self.command][..], &run, &["out"]].concat());
        assert!(succeeded, "{}", self.name);
        let (ratio, mb) = (used / predicted, 1e-6 * used);
        println!("{}: {mb:.0} MB, {ratio:.2} of the predicted", self.name);
        (used, predicted)
    }
}

/// Bytes from which a prediction is held to a ratio.
const LARGE: f64 = 200e6;

#[test]
fn predictions_are_what_is_used() {
    let some = ["a plane", "traces", "snapshots of a plane", "a migration of a large plane"];
    let some: Vec<_> = CASES.iter().filter(|case| some.contains(&case.name)).cloned().collect();
    let wrong = all_or(&CASES, &some).into_iter().filter_map(|case| {
        let (used, predicted) = case.measured();
        let is_right = match used.max(predicted) < LARGE {
            true => (used - predicted).abs() <= 50e6,
            false => (0.8..=1.25).contains(&(used / predicted)),
        };
        (!is_right).then(|| format!("{}: {used:.3e} of {predicted:.3e} bytes", case.name))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The same cap refuses a job in `check` and in its run, before its model is built.
#[test]
fn what_is_refused_is_not_built() {
    let job = SHOT.clone();
    let folder = with_job(Case { nodes: &[20_000, 20_000], ..job }.job());
    for word in ["check", "shot", "rtm"] {
        let words = [word, "job.toml", "--backend", "cpu", "--max-memory", "4"];
        says(
            &said(&exits(2, folder.path(), &words)),
            &["20000 x 20000 nodes", "nodes fit", "--max-memory"],
        );
        // The model alone takes 1.6 GB.
        assert!(peak(folder.path(), &words).0 < 3e8);
    }
}

/// A migration that holds more than its cap is refused by `check` too, and named.
#[test]
fn check_compares_with_the_cap() {
    let migration = CASES.iter().find(|case| case.name == "offset gathers").expect("a case");
    let folder = with_job(migration.job());
    for word in ["check", "rtm"] {
        let words = [word, "job.toml", "--backend", "cpu", "--max-memory", "0.05"];
        says(&said(&exits(2, folder.path(), &words)), &["huygens rtm", "MiB of", "--max-memory"]);
    }
}

/// Receivers are counted before they are laid out.
#[test]
fn receivers_beyond_the_memory_are_refused() {
    let case = Case {
        shots: 12,
        more: "[survey.spread]\noffsets = { first = 0.0, increment = 0.0001, count = 1000000 }\nz = 20.0\nends = \"roll-off\"\n",
        nodes: &[50, 40],
        ..SHOT
    };
    let folder = with_job(case.job());
    let run = crate::limits::under(
        "ulimit -v 1000000",
        folder.path(),
        &["check", "job.toml", "--backend", "cpu"],
    );
    assert_eq!(run.status.code(), Some(2), "{}", said(&run));
    says(&said(&run), &["survey.spread", "the receivers of all shots", "give fewer"]);
}
