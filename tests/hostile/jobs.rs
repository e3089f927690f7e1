//! Jobs whose numbers are at the ends of their ranges or beyond: a Plan or a mistake, never a panic,
//! and nothing taken that the machine does not have.

use huygens::job::{JobError, JobFile};
use std::path::PathBuf;
use toml::Value;

/// A job with a value for most keys.
pub const JOB: &str = r#"
[model]
velocity = "builtin:layers"
density = 2300.0
nodes = { z = 30, x = 40, y = 5 }
spacing = { z = 10.0, x = 11.0, y = 12.0 }
origin = { x = 1.0, y = 2.0, elevation = 3.0 }
azimuth = 30.0
[time]
duration = 0.05
step = 0.001
record = 0.002
dispersion = "corrected"
[operator]
kind = "taylor"
order = 8
[boundary]
top = "free"
sides = { kind = "cpml", cells = 6, reflection = 1e-3, power = 2 }
[[source]]
at = { x = 100.0, y = 20.0, z = 50.0 }
wavelet = { kind = "ricker", peak_hz = 15.0, delay = 0.01 }
amplitude = 2.0
[receivers]
line = { from = { x = 0.0, y = 20.0, z = 20.0 }, to = { x = 300.0, y = 20.0, z = 20.0 }, count = 5 }
[output]
snapshots = [0.01, 0.02]
slices = { x = [100.0], y = [20.0], z = [50.0] }
"#;

/// A survey, whose counts are multiplied.
pub const SURVEY: &str = r#"
[model]
velocity = "builtin:layers"
density = "gardner"
nodes = { z = 30, x = 40 }
spacing = 10.0
[time]
duration = 0.05
[boundary]
sides = { kind = "sponge", cells = 5, strength = 0.3 }
[survey]
wavelet = { kind = "ormsby", corners_hz = [5.0, 10.0, 20.0, 30.0], delay = 0.02 }
line = { first = { x = 150.0, z = 20.0 }, increment = { x = 20.0 }, count = 3 }
spread = { offsets = { first = -100.0, increment = 20.0, count = 11 }, z = 20.0, ends = "roll-off" }
"#;

/// What may stand for a number.
fn extremes() -> Vec<Value> {
    let whole = [0, 1, -1, 2, i64::MAX, i64::MIN, 1 << 31, (1 << 32) - 1, 1 << 53];
    let real = [
        0.0,
        -0.0,
        -1.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        1e-30,
        1e30,
    ];
    whole.into_iter().map(Value::Integer).chain(real.map(Value::Float)).collect()
}

/// The places of all numbers.
fn numbers(value: &Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let parts: Vec<(String, &Value)> = match value {
        Value::Table(table) => table.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(list) => {
            list.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect()
        }
        Value::Integer(_) | Value::Float(_) => return found.push(path.clone()),
        _ => return,
    };
    for (part, value) in parts {
        path.push(part);
        numbers(value, path, found);
        path.pop();
    }
}

fn at<'v>(job: &'v mut Value, path: &[String]) -> &'v mut Value {
    path.iter().fold(job, |value, part| match part.parse::<usize>() {
        Ok(index) => &mut value[index],
        Err(_) => &mut value[part.as_str()],
    })
}

#[test]
fn every_number_of_a_job_may_be_anything() {
    let (mut taken, mut refused) = (0, 0);
    for text in [JOB, SURVEY] {
        let job: Value = toml::from_str(text).expect("a job");
        let mut places = Vec::new();
        numbers(&job, &mut Vec::new(), &mut places);
        for place in &places {
            for extreme in extremes() {
                let mut changed = job.clone();
                *at(&mut changed, place) = extreme.clone();
                let text = toml::to_string(&changed).expect("a table");
                let case = format!("{} = {extreme}", place.join("."));
                let inputs = |forced| {
                    JobFile::parse("a job", &text, PathBuf::new()).and_then(|mut job| {
                        job.forced = forced;
                        job.inputs()
                    })
                };
                for forced in [false, true] {
                    match inputs(forced) {
                        Ok(_) => taken += 1,
                        Err(JobError::Mistake(mistake)) => {
                            refused += 1;
                            let said = mistake.to_string();
                            assert!(said.len() > 10 && said.len() < 600, "{case}: {said}");
                        }
                        Err(other) => panic!("{case} stands in the text: {other}"),
                    }
                }
            }
        }
    }
    assert!(taken > 200 && refused > 500, "{taken}, {refused}");
}

/// Panics unless a text is a job without mistakes.
pub fn taken(text: &str) {
    let job = JobFile::parse("a job", text, PathBuf::new()).expect("a job");
    job.inputs().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_jobs_are_jobs() {
    taken(JOB);
    taken(SURVEY);
}
