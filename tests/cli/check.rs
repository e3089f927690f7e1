//! Reports before a run, for which nothing is run.

use crate::run::{
    SMALL, done, exits, folder, huygens, huygens_with_cache, json, names, printed, said, with_job,
};
use serde_json::Value;

/// `huygens check` of a job that ships, as JSON.
fn report(job: &str, arguments: &[&str]) -> Value {
    let job = format!("{}/assets/jobs/{job}", env!("CARGO_MANIFEST_DIR"));
    let all = [&["check", &job, "--backend", "cpu", "--json"], arguments].concat();
    printed(&done(folder().path(), &all))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn the_jobs_that_ship_are_in_step() {
    // The SEG/EAGE model is not ours to ship: one as large and nowhere slower.
    let (folder, velocity) = (folder(), ndarray::Array2::from_elem((645, 150), 1524.0f32));
    let model = folder.path().join("velocity.npy");
    std::fs::write(&model, huygens::io::npy::bytes(velocity.view().into_dyn())).expect("written");
    let model = ["--model", model.to_str().expect("a path of text")];
    let jobs = [("thesis.toml", &[][..]), ("salt3d.toml", &[]), ("seg-eage-salt.toml", &model)];
    for (job, arguments) in jobs {
        let report = report(job, arguments);
        assert_eq!(report["warnings"], Value::Array(vec![]), "{job}");
        let periods = number(&report["dispersion"]["periods"]);
        let points = number(&report["dispersion"]["highest"]["points_per_wavelength"]);
        println!("{job}: {periods:+.4} periods, {points:.2} points at the highest frequency");
        assert!(periods.abs() < 0.05 && points > 3.0);
    }
}

#[test]
fn the_report_is_complete() {
    let folder = with_job(SMALL);
    let check = ["check", "job.toml", "--backend", "cpu"];
    // Nothing is remembered of an engine.
    let output = huygens_with_cache(folder.path(), &check, &folder.path().join("none"));
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "builtin:layers",
        "80 x 60 nodes of 20 m x 20 m",
        "120 x 100 nodes with the layers",
        "1500 to 2600 m/s",
        "Taylor, order 8",
        "200 steps of 0.002 s, 0.4 s",
        "% of the largest stable step",
        "7.5 points per wavelength at 10 Hz",
        "phase error",
        "CPML of 20 cells on every side",
        "1 shot: 1 source, 80 receivers, 1 snapshot",
        "wavefield, two steps",
        "3.8 KiB receivers of the plan",
        "not known",
    ] {
        assert!(text.contains(part), "\"{part}\" in:\n{text}");
    }
    assert_eq!(names(folder.path()), ["job.toml"], "nothing is written unasked");
    // The thesis' case where no job is named.
    let output = huygens(folder.path(), &["check", "--backend", "cpu"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("builtin:salt"));
}

/// Once a job like it has run, and for its class alone.
#[test]
fn the_time_on_a_cpu_comes_from_an_earlier_run() {
    let folder = folder();
    let folder = folder.path();
    let job = SMALL.replace("duration = 0.4", "duration = 20.0");
    let larger = job.replace("z = 60, x = 80", "z = 800, x = 800");
    std::fs::write(folder.join("job.toml"), job).expect("written");
    std::fs::write(folder.join("larger.toml"), larger).expect("written");
    let run = |arguments: &[&str]| {
        let all = [arguments, &["--backend", "cpu", "--json"]].concat();
        let output = huygens_with_cache(folder, &all, &folder.join(".cache"));
        assert!(output.status.success(), "{}", said(&output));
        printed(&output)
    };
    assert!(run(&["check", "job.toml"])["seconds"].is_null());
    let ran = run(&["shot", "job.toml", "--out", "out"]);
    let told = run(&["check", "job.toml"]);
    let (rate, seconds) = (number(&ran["gpts_per_s"]), number(&told["seconds"]));
    assert!((number(&told["engine"]["gpts_per_s"]) / rate - 1.0).abs() < 1e-9, "{told}");
    let stepping = number(&ran["timings"]["stepping"]);
    assert!((seconds / stepping - 1.0).abs() < 1e-6, "{seconds} {stepping}");
    assert!(run(&["check", "larger.toml"])["seconds"].is_null());
    assert!(!folder.join("none").exists());
}

/// Shots that share their receivers hold them once.
#[test]
fn the_plan_itself_is_counted() {
    let folder = folder();
    let (head, tail) = SMALL.split_once("[[source]]").expect("a source");
    let (source, tail) = tail.split_once("[receivers]").expect("receivers");
    let shots = format!("[[shot]]\n[[shot.source]]{source}").repeat(40);
    let line = tail.replace("x = 0.0, z = 0.0", "x = 3.0, z = 0.0").replace("1580.0", "1563.0");
    let job = format!("{head}{shots}[receivers]{line}");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    let check = ["check", "job.toml", "--backend", "cpu", "--json"];
    let output = done(folder.path(), &check);
    let report = printed(&output);
    let memory = report["memory"].as_array().expect("arrays");
    let of = |name: &str| {
        let array = memory.iter().find(|array| array["name"] == name);
        number(&array.unwrap_or_else(|| panic!("{name} in {memory:?}"))["bytes"])
    };
    // Positions and records of 24 bytes, and weights of 88 for each of the places along an axis.
    assert!(of("receivers of the plan") <= (80 * 48 + 82 * 88) as f64);
    assert!(of("receivers of the plan") >= (80 * 48) as f64);
    // Those of the model; its layers have none of their own.
    assert_eq!(of("velocities of the plan"), (80 * 60 * 4) as f64);
    assert!(of("sources of the plan") >= (40 * 48) as f64);
    assert!(of("wavelets of the plan") > 0.0);
}

#[test]
fn sources_are_counted_as_the_job_has_them() {
    // Between nodes a source is spread over many.
    let folder = folder();
    let (head, tail) = SMALL.split_once("[[source]]").expect("a source");
    let (source, tail) = tail.split_once("[receivers]").expect("receivers");
    let shot = format!("[[shot]]\n[[shot.source]]{}", source.replace("x = 800.0", "x = 807.0"));
    let job = format!("{head}{shot}{shot}[receivers]{tail}");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    let output = done(folder.path(), &["check", "job.toml", "--backend", "cpu"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("2 shots, each 1 source, 80 receivers, 1 snapshot"), "{text}");
}

#[test]
fn the_picture_and_the_report_are_kept_where_asked_for() {
    let folder = with_job(SMALL);
    let check = ["check", "job.toml", "--backend", "cpu", "--out", "a"];
    done(folder.path(), &check);
    let out = folder.path().join("a");
    assert_eq!(names(&out), ["check.json", "check.png"]);
    let picture = image::open(out.join("check.png")).expect("a picture");
    assert!(picture.width() > 1000 && picture.height() > 600);
    let record = json(out.join("check.json"));
    assert_eq!(record["files"], serde_json::json!(["check.png"]));
    // Not over what is there, unless told to.
    assert_eq!(huygens(folder.path(), &check).status.code(), Some(2));
    assert!(huygens(folder.path(), &[&check[..], &["--force"]].concat()).status.success());
}

#[test]
fn a_dispersive_job_is_warned_of_with_what_would_do() {
    let report = report("dispersive.toml", &[]);
    assert!(number(&report["dispersion"]["periods"]) > 0.25);
    let warnings = report["warnings"].as_array().expect("a list");
    let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert_eq!(warning["kind"], "dispersion");
    let remedies = warning["remedies"].as_array().expect("a list");
    let kinds: Vec<_> = remedies.iter().map(|remedy| remedy["change"].as_str()).collect();
    assert_eq!(kinds, [Some("order"), Some("spacing"), Some("frequency")]);

    // `shot` says so too, and what it proposes is believed by `check`.
    let folder = folder();
    let text = include_str!("../../assets/jobs/dispersive.toml");
    let order = remedies[0]["order"].as_u64().expect("an order");
    let cured = text.replace("order = 2", &format!("order = {order}"));
    let short = text.replace("duration = 3.0", "duration = 2.5");
    for (name, text) in [("cured.toml", cured.as_str()), ("short.toml", &short)] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let output = done(folder.path(), &["shot", "short.toml", "--backend", "cpu"]);
    for part in ["periods", "late", "0.25 is the limit", "any one of these", "order =", "peak_hz ="]
    {
        assert!(said(&output).contains(part), "\"{part}\" in: {}", said(&output));
    }
    let output = done(folder.path(), &["check", "cured.toml", "--backend", "cpu"]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("WARNING"));
}

#[test]
fn a_corrected_job_counts_what_is_kept() {
    let folder = folder();
    let job =
        SMALL.replace("step = 0.002", "step = 0.002\nrecord = 0.004\ndispersion = \"corrected\"");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    let output = done(folder.path(), &["check", "job.toml", "--backend", "cpu"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "216 steps of 0.002 s, 0.4 s and 16 steps beyond, for the correction",
        "101 samples a trace, one every 0.004 s",
    ] {
        assert!(words.contains(part), "\"{part}\" in:\n{text}");
    }
}

/// The small job under a free surface with all of its survey on it, and its source once more.
fn on_the_surface() -> (String, String) {
    let source = "[[source]]\nat = { x = 800.0, z = 0.0 }\n\
                  wavelet = { kind = \"ricker\", peak_hz = 10.0 }\n";
    let (before, after) = SMALL.split_once("[[source]]").expect("a source");
    let (_, after) = after.split_once("[receivers]").expect("receivers");
    let job = format!("{before}[boundary]\ntop = \"free\"\n\n{source}\n[receivers]{after}");
    (job, source.to_owned())
}

#[test]
fn jobs_that_give_only_zeros_are_refused() {
    let folder = folder();
    let at = folder.path();
    let (job, _) = on_the_surface();
    let deep = job.replace("x = 800.0, z = 0.0", "x = 800.0, z = 200.0");
    let along = |axis: &str| {
        job.replace("[[source]]\n", &format!("[[source]]\nkind = \"dipole\"\naxis = \"{axis}\"\n"))
    };
    let source = [
        "source 1 of shot 1 is at z = 0 m, on the free surface",
        "z = 20 m or more, or run it with --force",
    ];
    let no_wave =
        ["source 1 of shot 1 makes no wave", "give it an amplitude", "or run it with --force"];
    for (job, parts, place) in [
        (job.clone(), source, "job.toml:15:6"),
        (along("x"), source, "job.toml:17:6"),
        (
            deep.replace("snapshots = [0.2]", ""),
            [
                "receiver 1 of shot 1 (and 79 more) is at z = 0 m",
                "z = 20 m or more, or run it with --force",
            ],
            "job.toml:19:8",
        ),
        (
            SMALL.replace("peak_hz = 10.0 }", "peak_hz = 10.0 }\namplitude = 0.0"),
            [no_wave[0], no_wave[2]],
            "job.toml:11:1",
        ),
        (
            SMALL.replace("peak_hz = 10.0", "peak_hz = 10.0, delay = 60.0"),
            [no_wave[0], no_wave[1]],
            "job.toml:11:1",
        ),
    ] {
        std::fs::write(at.join("job.toml"), &job).expect("written");
        for command in ["check", "shot"] {
            let output = huygens(at, &[command, "job.toml", "--backend", "cpu"]);
            let told = said(&output);
            assert_eq!(output.status.code(), Some(2), "{told}");
            assert!(told.contains("only zeros") && told.contains(place), "{place}: {told}");
            assert!(parts.iter().all(|part| told.contains(part)), "{parts:?}: {told}");
            assert!(!at.join("out").exists());
        }
    }
    // It is run where that is wanted, and so is what is heard by one shot, or in a snapshot.
    let run = |job: &str, more: &[&str]| {
        std::fs::write(at.join("job.toml"), job).expect("written");
        done(at, &[&["shot", "job.toml", "--backend", "cpu", "--force"], more].concat());
    };
    run(&job, &[]);
    let gather: ndarray::Array2<f32> =
        ndarray_npy::read_npy(at.join("out/gather.npy")).expect("an array");
    assert!(gather.iter().all(|p| *p == 0.0), "they were zeros");
    for job in [along("z"), deep] {
        std::fs::write(at.join("job.toml"), job).expect("written");
        done(at, &["check", "job.toml", "--backend", "cpu"]);
    }
}

#[test]
fn a_spacing_that_is_offered_is_taken() {
    let folder = folder();
    let at = folder.path();
    // The last receiver lies on the last node, which a finer grid with as many nodes does not
    // reach.
    let text = include_str!("../../assets/jobs/dispersive.toml");
    let whole =
        text.replace("nodes = { z = 151, x = 251 }", "").replace("x = 5000.0", "x = 13480.0");
    for job in [text, &whole] {
        std::fs::write(at.join("job.toml"), job).expect("written");
        let told = check(at, "job.toml");
        let remedies = told["warnings"][0]["remedies"].as_array().expect("a list").clone();
        let finer = remedies.iter().find(|remedy| remedy["change"] == "spacing").expect("offered");
        let both = |of: &str| format!("{{ z = {}, x = {} }}", finer[of]["z"], finer[of]["x"]);
        let cured = job.replace("nodes = { z = 151, x = 251 }\n", "").replace(
            "spacing = 20.0",
            &format!("spacing = {}\nnodes = {}", both("spacing"), both("nodes")),
        );
        let step = &finer["step"]["seconds"];
        let cured = match step.as_f64() {
            Some(step) => cured.replace("step = 0.002", &format!("step = {step}")),
            None => cured,
        };
        std::fs::write(at.join("cured.toml"), cured).expect("written");
        let told = check(at, "cured.toml");
        assert_eq!(told["warnings"], serde_json::json!([]), "{finer}");
    }
    // A spacing would stretch a model from a file, so it is no remedy.
    let build =
        ["model", "build", "builtin:homogeneous", "--nodes", "z=151,x=251", "--spacing", "20"];
    done(at, &[&build[..], &["--out", "a.rsf"]].concat());
    let file =
        text.replace("builtin:homogeneous", "a.rsf").replace("nodes = { z = 151, x = 251 }\n", "");
    std::fs::write(at.join("job.toml"), file).expect("written");
    let told = check(at, "job.toml");
    let remedies = told["warnings"][0]["remedies"].as_array().expect("a list");
    let kinds: Vec<_> = remedies.iter().map(|remedy| remedy["change"].as_str()).collect();
    assert_eq!(kinds, [Some("order"), Some("frequency")]);
}

/// The report of `check` for a valid job.
fn check(folder: &std::path::Path, job: &str) -> Value {
    printed(&done(folder, &["check", job, "--backend", "cpu", "--json"]))
}

#[test]
fn a_source_on_a_free_surface_is_warned_of() {
    let folder = folder();
    // Another one is heard, in the snapshot.
    let (job, source) = on_the_surface();
    let job = job + &source.replace("z = 0.0", "z = 200.0");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    for command in ["check", "shot"] {
        let output = done(folder.path(), &[command, "job.toml", "--backend", "cpu"]);
        let told = said(&output) + &String::from_utf8_lossy(&output.stdout);
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "source 1 of shot 1 is at z = 0 m, on the free surface",
            "receiver 1 of shot 1 (and 79 more) is at z = 0 m",
            "at z = 20 m or more",
        ] {
            assert!(told.contains(part), "\"{part}\" in: {told}");
        }
    }
}

#[test]
fn a_job_that_would_not_run_is_refused_as_a_run_would_be() {
    let folder = folder();
    let job = format!("{}/assets/jobs/unstable.toml", env!("CARGO_MANIFEST_DIR"));
    let output = exits(2, folder.path(), &["check", &job, "--backend", "cpu"]);
    assert!(said(&output).contains("largest stable step"), "{}", said(&output));
    assert!(output.stdout.is_empty());
}

#[test]
fn a_job_that_is_refused_is_refused_as_json() {
    let folder = folder();
    let told = |job: &str| -> Value {
        std::fs::write(folder.path().join("job.toml"), job).expect("written");
        let output = exits(2, folder.path(), &["check", "job.toml", "--backend", "cpu", "--json"]);
        let told = printed(&output);
        assert!(!said(&output).is_empty(), "a person is told too");
        told["error"].clone()
    };
    // The job is read, then planned.
    let error = told(&SMALL.replace("duration", "durration"));
    assert_eq!((&error["line"], &error["column"]), (&8.into(), &1.into()), "{error}");
    assert_eq!(error["file"], "job.toml");
    assert!(error["message"].as_str().is_some_and(|said| said.contains("durration")), "{error}");
    assert_eq!(error["remedy"], "did you mean `duration`?");
    let error = told(&SMALL.replace("step = 0.002", "step = 0.02"));
    assert_eq!((&error["line"], &error["column"]), (&9.into(), &8.into()), "{error}");
    assert!(
        error["remedy"].as_str().is_some_and(|said| said.starts_with("use step = 0.0")),
        "{error}"
    );
    // What would do is data of the file's error, of the job's own and of a text.
    for (velocity, remedy) in
        [("none.npy", "check the path"), ("builtin:salt3d\"\narray = \"vp", "leave it out")]
    {
        let nodes = "nodes = { z = 60, x = 80 }\n";
        let error = told(&SMALL.replace("builtin:layers", velocity).replace(nodes, ""));
        assert_eq!(error["remedy"], remedy, "{error}");
    }
    let error = told(&SMALL.replace("[[source]]", "[[source]]\nkind = \"dipole\""));
    assert!(error["remedy"].as_str().is_some_and(|said| said.starts_with("give axis")), "{error}");
    // A file that is not there has no line.
    let output = huygens(folder.path(), &["check", "none.toml", "--json"]);
    let told = printed(&output);
    assert!(told["error"]["line"].is_null() && told["error"]["message"].is_string(), "{told}");
}

#[test]
fn a_gather_that_is_missing_is_named_with_the_command_that_needs_it() {
    let keys = "\n[gradient]\nobserved = \"theirs.sgy\"\n[locate]\ngather = \"shot/gather.sgy\"\n[rtm]\ngathers = \"field.sgy\"\n";
    let folder = with_job(format!("{SMALL}{keys}"));
    let told = said(&done(folder.path(), &["check", "job.toml", "--backend", "cpu"]));
    for (file, command) in
        [("theirs.sgy", "gradient"), ("gather.sgy", "locate"), ("field.sgy", "rtm")]
    {
        let part = format!("{file} is not there yet: huygens {command} needs it");
        assert!(told.contains(&part), "{part}: {told}");
    }
}
