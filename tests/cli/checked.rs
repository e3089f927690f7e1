//! `huygens check` accepts the jobs that run, and refuses those that do not: random jobs of every
//! command, each checked and run.

use crate::{
    common::{full, random},
    run::{command, done, folder, said},
};
use std::{fs, path::Path, process::Output, sync::Mutex, thread};
use toml::{Table, Value};

/// How many jobs, and how many of them a landing waits for.
const JOBS: u64 = 200;
const SOME: u64 = 40;
/// Jobs that run at a time.
const AT_ONCE: u64 = 2;

const MODEL: &str = r#"
[model]
velocity = "builtin:VELOCITY"
nodes = { z = 26, x = 36 }
spacing = 20.0
[time]
duration = 0.4
record = 0.004
[boundary]
sides = { kind = "cpml", cells = 8, reflection = 0.001 }
"#;
const SOURCE: &str = r#"
[[source]]
at = { x = 340.0, z = 40.0 }
wavelet = { kind = "ricker", peak_hz = 10.0, delay = 0.1 }
"#;
const SURVEY: &str = r#"
[survey]
wavelet = { kind = "ricker", peak_hz = 10.0, delay = 0.1 }
line = { first = { x = 200.0, z = 40.0 }, increment = { x = 200.0 }, count = 2 }
"#;
const RECEIVERS: &str = r#"
[receivers]
line = { from = { x = 0.0, z = 40.0 }, to = { x = 700.0, z = 40.0 }, count = 36 }
"#;
const RTM: &str = r#"
[rtm]
smooth = 60.0
interval = 0.012
memory = 0.1
mute = { velocity = 1500.0, delay = 0.1, taper = 0.02 }
band = [2.0, 4.0, 20.0, 30.0]
"#;
const GRADIENT: &str = r#"
[gradient]
observed = "survey/gathers.sgy"
taper = 0.02
interval = 0.012
around_sources = 40.0
"#;
const INVERT: &str = r#"
[invert]
iterations = 1
bands = [9.0]
water = 60.0
smooth = 30.0
"#;
const LOCATE: &str = r#"
[locate]
gather = "shot/gather.ENDING"
mask = 60.0
apart = 200.0
groups = 2
sources = 1
"#;

/// Keys of any job, good and bad.
const KEYS: &[&str] = &[
    "time.step = 0.001",
    "time.step = 0.0011",
    "time.step = 0.01",
    "time.dispersion = \"corrected\"",
    "output.movie = { every = 0.05 }",
    "output.movie = { every = 0.39 }",
    "output.figures = { dpi = 10.0 }",
    "output.snapshots = [-0.1]",
    "model.azimuth = 30.0",
    "gather.start = 0.1",
    "gather.records = [7]",
    "gather.kill = [1000]",
];
const KEYS_OF_RTM: &[&str] = &[
    "rtm.offsets = { most = 60.0, along = \"x\" }",
    "rtm.offsets = { most = 9000.0, along = \"x\" }",
    "rtm.factor = 0.3",
    "rtm.factor = 1.5",
    "rtm.formats = []",
    "rtm.direct = \"modelled\"",
];
const KEYS_OF_GRADIENT: &[&str] = &[
    "gradient.misfit = \"huber\"",
    "gradient.mute = { velocity = 1500.0, delay = 0.1 }",
    "gradient.mute = { velocity = 1500.0, delay = 9.0 }",
];
const KEYS_OF_INVERT: &[&str] =
    &["invert.most = 1900.0", "invert.most = 4000.0", "invert.bands = [300.0]"];
const KEYS_OF_LOCATE: &[&str] = &[
    "locate.condition = \"energy\"",
    "locate.groups = 37",
    "scan.factors = { from = 0.9, to = 1.1, count = 2 }",
    "scan.factors = { from = -1.0, to = 1.0, count = 2 }",
];

/// What a job is for.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Shot,
    Survey,
    Migrated,
    MigratedFile,
    Gradient,
    Inverted,
    Located,
    LocatedByHeaders,
    ZeroOffset,
    Section,
}

impl Kind {
    const ALL: [Kind; 10] = [
        Kind::Shot,
        Kind::Survey,
        Kind::Migrated,
        Kind::MigratedFile,
        Kind::Gradient,
        Kind::Inverted,
        Kind::Located,
        Kind::LocatedByHeaders,
        Kind::ZeroOffset,
        Kind::Section,
    ];

    /// The command, and the flag of a section for it and for `check`.
    fn command(self) -> (&'static str, Option<[&'static str; 2]>) {
        match self {
            Kind::Shot | Kind::Survey => ("shot", None),
            Kind::Migrated | Kind::MigratedFile => ("rtm", None),
            Kind::Gradient => ("gradient", None),
            Kind::Inverted => ("invert", None),
            Kind::Located | Kind::LocatedByHeaders => ("locate", None),
            Kind::ZeroOffset => ("zero-offset", None),
            Kind::Section => ("zero-offset", Some(["--migrate", "--section"])),
        }
    }

    fn keys(self) -> &'static [&'static str] {
        match self {
            Kind::Migrated | Kind::MigratedFile => KEYS_OF_RTM,
            Kind::Gradient => KEYS_OF_GRADIENT,
            Kind::Inverted => KEYS_OF_INVERT,
            Kind::Located | Kind::LocatedByHeaders => KEYS_OF_LOCATE,
            _ => KEYS,
        }
    }

    fn job(self) -> String {
        let rtm_of_file = RTM.replace("[rtm]", "[rtm]\ngathers = \"survey/gathers.sgy\"");
        let locate = |ending| LOCATE.replace("ENDING", ending);
        let tables = match self {
            Kind::Shot => {
                [SOURCE, "amplitude = 2.0\n", RECEIVERS, "[output]\nsnapshots = [0.1, 0.3]"]
                    .concat()
            }
            Kind::ZeroOffset | Kind::Section => [SOURCE, RECEIVERS].concat(),
            Kind::Survey => [SURVEY, RECEIVERS].concat(),
            Kind::Migrated => [SURVEY, RECEIVERS, RTM].concat(),
            Kind::MigratedFile => [SURVEY, RECEIVERS, &rtm_of_file].concat(),
            Kind::Gradient => [SURVEY, RECEIVERS, GRADIENT].concat(),
            Kind::Inverted => [SURVEY, RECEIVERS, GRADIENT, INVERT].concat(),
            Kind::Located => [RECEIVERS, &locate("npy")].concat(),
            Kind::LocatedByHeaders => locate("sgy"),
        };
        // What is inverted for is not the model of the observed traces.
        let velocity = match self {
            Kind::Gradient | Kind::Inverted => "homogeneous",
            _ => "layers",
        };
        MODEL.replace("VELOCITY", velocity) + &tables
    }
}

/// A key of a job, from the outermost table on.
type Key = Vec<String>;

/// The keys of all values that are no tables, those of numbers apart.
fn leaves(value: &Value, at: &mut Key, all: &mut Vec<(Key, bool)>) {
    let parts: Vec<(String, &Value)> = match value {
        Value::Table(table) => table.iter().map(|(key, of)| (key.clone(), of)).collect(),
        Value::Array(list) => (0..).map(|i: usize| i.to_string()).zip(list).collect(),
        Value::Integer(_) | Value::Float(_) => return all.push((at.clone(), true)),
        _ => return all.push((at.clone(), false)),
    };
    for (key, part) in parts {
        at.push(key);
        leaves(part, at, all);
        at.pop();
    }
}

fn part<'v>(value: &'v mut Value, at: &[String]) -> &'v mut Value {
    at.iter().fold(value, |value, key| match key.parse::<usize>() {
        Ok(index) => &mut value[index],
        Err(_) => &mut value[key.as_str()],
    })
}

/// Changes a number, leaves a key out, or adds one that is not known.
fn mutated(job: &mut Value, random: &mut dyn FnMut() -> f64) {
    let mut all = Vec::new();
    leaves(job, &mut Vec::new(), &mut all);
    let mut of = |count: usize| ((count as f64 * random()) as usize).min(count - 1);
    let (at, is_number) = all[of(all.len())].clone();
    let (key, table) = at.split_last().expect("a job is a table");
    match of(8) {
        0 => {
            if let Value::Table(table) = part(job, table) {
                // That may be given on the command line.
                if key != "observed" {
                    table.remove(key);
                }
            }
        }
        1 => {
            if let Value::Table(table) = part(job, table) {
                table.insert(format!("{key}s"), Value::Integer(1));
            }
        }
        _ if is_number => {
            // Not what takes long.
            let factors: &[f64] = match key.as_str() {
                "iterations" => &[0.0, -1.0, 2.0],
                "count" => &[0.0, -1.0, 0.5, 2.0, 10.0],
                _ if at.iter().any(|key| key == "nodes") => &[0.0, -1.0, 0.1, 0.5, 2.0],
                "spacing" => &[0.0, -1.0, 0.1, 0.5, 2.0, 10.0],
                _ => &[0.0, -1.0, 0.1, 0.5, 2.0, 10.0, 1e5, 1e300],
            };
            let factor = factors[of(factors.len())];
            match part(job, &at) {
                Value::Integer(number) => *number = (*number as f64 * factor) as i64,
                Value::Float(number) => *number *= factor,
                _ => {}
            }
        }
        _ => {}
    }
}

/// The job of a number, the same each time.
fn drawn(number: u64) -> (Kind, String) {
    let mut random = random(number);
    // The first numbers of close seeds are close.
    for _ in 0..8 {
        random();
    }
    let mut of = |count: usize| ((count as f64 * random()) as usize).min(count - 1);
    let kind = Kind::ALL[number as usize % Kind::ALL.len()];
    let mut job: Table = kind.job().parse().expect("a job");
    let text = |text: &str| text.parse::<Table>().expect("a table");
    // A section does not use the top, nor where a source is.
    let tops = !matches!(kind, Kind::ZeroOffset | Kind::Section);
    let more = match of(6) {
        0 => "operator = { kind = \"taylor\", order = 4 }",
        1 => "operator = { kind = \"windowed-sinc\", wing = 4 }",
        2 => "operator = { kind = \"ete\", points = 37 }",
        3 if tops => "boundary = { top = \"free\" }",
        4 => "boundary = { sides = { kind = \"sponge\", cells = 6 } }",
        _ => "",
    };
    job.extend(text(more));
    let keys = if of(2) == 0 { KEYS } else { kind.keys() };
    if of(2) == 0 {
        for (name, keys) in text(keys[of(keys.len())]) {
            let table = job.entry(name).or_insert(Value::Table(Table::new()));
            let keys = keys.as_table().expect("a key of a table").clone();
            table.as_table_mut().expect("a table").extend(keys);
        }
    }
    let mutations = [0, 0, 1, 1, 2][of(5)];
    let mut job = Value::Table(job);
    for _ in 0..mutations {
        mutated(&mut job, &mut random);
    }
    (kind, toml::to_string(&job).expect("a table"))
}

/// Files of traces that the jobs name.
fn recorded(folder: &Path) {
    for (kind, out) in [(Kind::Shot, "shot"), (Kind::Survey, "survey"), (Kind::ZeroOffset, "zero")]
    {
        fs::write(folder.join("job.toml"), kind.job()).expect("written");
        let (of_kind, _) = kind.command();
        done(
            folder,
            &[of_kind, "job.toml", "--backend", "cpu", "--no-pictures", "-q", "--out", out],
        );
    }
}

/// Whether `check` and the command accept a job; a job on which they differ, with what they say.
fn tried(folder: &Path, number: u64) -> Result<bool, String> {
    let (kind, text) = drawn(number);
    let (name, out) = (format!("job{number}.toml"), format!("out{number}"));
    fs::write(folder.join(&name), &text).expect("written");
    let run = |arguments: &[&str], flag: Option<&str>| -> Output {
        let section = flag.map(|flag| [flag, "zero/section.npy"]);
        let all: Vec<&str> =
            arguments.iter().copied().chain(section.into_iter().flatten()).collect();
        command(folder, &all).output().expect("the binary runs")
    };
    let (of_kind, flags) = kind.command();
    let checked = run(&["check", &name, "--backend", "cpu"], flags.map(|flags| flags[1]));
    let ran = run(
        &[of_kind, &name, "--backend", "cpu", "--no-pictures", "--out", &out],
        flags.map(|flags| flags[0]),
    );
    let codes = [&checked, &ran].map(|output| output.status.code());
    match codes {
        [Some(0), Some(0)] => Ok(true),
        // A search may find nothing.
        [Some(0), Some(1)] if of_kind == "locate" && said(&ran).contains("no source was found") => {
            Ok(true)
        }
        [Some(2), Some(2)] => Ok(false),
        _ => Err(format!(
            "job {number}, {kind:?}: check and {of_kind} end with {codes:?}\n{text}\ncheck: {}\n{of_kind}: {}",
            said(&checked),
            said(&ran)
        )),
    }
}

#[test]
fn check_accepts_the_jobs_that_run() {
    let folder = folder();
    recorded(folder.path());
    let jobs = if full() { JOBS } else { SOME };
    let (counts, wrong) = (Mutex::new([0, 0]), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for first in 0..AT_ONCE {
            let (folder, counts, wrong) = (folder.path(), &counts, &wrong);
            scope.spawn(move || {
                for number in (first..jobs).step_by(AT_ONCE as usize) {
                    match tried(folder, number) {
                        Ok(accepted) => {
                            counts.lock().expect("no panic")[usize::from(accepted)] += 1
                        }
                        Err(why) => wrong.lock().expect("no panic").push(why),
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{} of {jobs} jobs\n{}", wrong.len(), wrong.join("\n\n"));
    let [refused, accepted] = counts.into_inner().expect("no panic");
    println!("{accepted} jobs run, {refused} are refused");
    assert!(accepted as u64 > jobs / 3 && refused as u64 > jobs / 6, "{accepted} {refused}");
}
