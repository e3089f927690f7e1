//! What is said on every run: warnings of what may be wrong, facts with `-v` alone, numbers that are
//! rounded.

use crate::run::{SMALL, done, folder, huygens, json, refused, said, says, with_job};

#[test]
fn where_a_model_lies_is_a_note() {
    let folder = with_job(SMALL);
    let at = folder.path();
    let place = ["--origin", "x=500000.12345678,y=6700000", "--azimuth", "34.99994"];
    let build = ["model", "build", "builtin:layers", "--nodes", "z=60,x=80", "--spacing", "20"];
    done(at, &[&build[..], &["--out", "a.rsf"]].concat());
    let placed = [&["model", "convert", "a.rsf", "b.rsf"], &place[..]].concat();
    assert!(!said(&done(at, &placed)).contains("WARN"));
    let job = SMALL.replace("nodes = { z = 60, x = 80 }\nspacing = { z = 20.0, x = 20.0 }\n", "");
    std::fs::write(at.join("job.toml"), job.replace("builtin:layers", "b.rsf")).expect("written");
    let check = ["check", "job.toml", "--backend", "cpu"];
    assert_eq!(said(&done(at, &check)), "");
    let told = said(&done(at, &[&check[..], &["-v"]].concat()));
    let place = "the first node of b.rsf lies at x = 500000.123 m, y = 6700000 m of the map";
    says(&told, &["INFO", place, "at 35 degrees from north"]);
    let moved = [&check[..], &["--set", "model.azimuth=10", "-v"]].concat();
    says(&said(&done(at, &moved)), &["INFO", "is taken to lie at", "at 10 degrees"]);
}

#[test]
fn a_location_needs_no_duration() {
    let folder = with_job(SMALL);
    let at = folder.path();
    done(at, &["shot", "job.toml", "--backend", "cpu"]);
    std::fs::write(at.join("none.toml"), SMALL.replace("duration = 0.4\n", "")).expect("written");
    let located = |job: &str| {
        let out = format!("{job}-back");
        let words =
            ["locate", job, "--gather", "out/gather.npy", "--backend", "cpu", "--out", &out];
        done(at, &words);
        json(at.join(out).join("focus.json"))["found"].clone()
    };
    assert_eq!(located("none.toml"), located("job.toml"));
    let told = refused(at, &["shot", "none.toml", "--backend", "cpu"]);
    says(&told, &["the job has no duration", "give duration, seconds"]);
}

#[test]
fn a_job_that_only_locates_has_no_array_of_tasks() {
    let folder = with_job(SMALL);
    let at = folder.path();
    done(at, &["shot", "job.toml", "--backend", "cpu"]);
    let (without, _) = SMALL.split_once("[[source]]").expect("a job with a source");
    let locate = "[locate]\ngather = \"out/gather.npy\"\n[receivers]\n";
    let (_, receivers) = SMALL.split_once("[receivers]\n").expect("a job with receivers");
    let job = format!("{without}{locate}{receivers}");
    std::fs::write(at.join("locate.toml"), job).expect("written");
    done(at, &["check", "locate.toml", "--backend", "cpu"]);
    let told = refused(at, &["check", "locate.toml", "--backend", "cpu", "--slurm", "2"]);
    says(&told, &["this job has no shots", "leave it out"]);
}

#[test]
fn a_kind_of_ladder_is_asked_for_by_name() {
    let told = refused(folder().path(), &["ladder"]);
    says(&told, &["2d|3d|all|copy|imaging|ete|snapshots"]);
}

#[test]
fn info_takes_the_unit_of_a_sample_interval() {
    let folder = folder();
    let at = folder.path();
    let build = ["model", "build", "builtin:layers", "--nodes", "z=60,x=80", "--spacing", "12.5"];
    done(at, &[&build[..], &["--out", "a.sgy"]].concat());
    let info = |more: &[&str]| {
        let output = done(at, &[&["model", "info", "a.sgy"], more].concat());
        String::from_utf8(output.stdout).expect("text")
    };
    says(&info(&["--sample-interval", "cm"]), &["12500: 125 m of depth, as given"]);
    says(&info(&[]), &["12500 mm of depth, as its text says"]);
    done(at, &["model", "convert", "a.sgy", "a.npy"]);
    let words = ["model", "info", "a.npy", "--sample-interval", "cm"];
    assert_eq!(huygens(at, &words).status.code(), Some(2), "no field of it counts anything");
}
