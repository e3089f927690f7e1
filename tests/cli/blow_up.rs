//! Runs that blow up: exit code 1, what happened where, and what was recorded before.

use crate::run::{SMALL, done, exits, folder, huygens, json, names, printed, said, says, with_job};

#[test]
fn a_forced_unstable_run_fails_with_step_and_cell_and_leaves_its_record_alone() {
    let folder = folder();
    let job = SMALL.replace("builtin:layers", "builtin:homogeneous").replace("0.4", "4.0");
    let huygens = |step: &str| {
        let job = job.replace("step = 0.002", step);
        std::fs::write(folder.path().join("job.toml"), job).expect("written");
        let shot = ["shot", "job.toml", "--backend", "cpu", "--force", "--out", "new"];
        huygens(folder.path(), &[&shot[..], &["--json"]].concat())
    };
    // The files of an earlier run must not pass for this one's.
    assert!(huygens("step = 0.002").status.success());
    // The limit is 5.55 ms; at twice that the field overflows before the first look.
    for (step, place) in [("step = 0.0057", "at x ="), ("step = 0.0111", "where is not known")] {
        let output = huygens(step);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        says(
            &said(&output),
            &["blew up", "step 100 ", place, "largest stable", "Nothing was recorded"],
        );
        assert_eq!(names(&folder.path().join("new")), ["run.json"]);
        let record = json(folder.path().join("new/run.json"));
        assert_eq!(record["error"]["step"], 100);
        assert_eq!(printed(&output), record);
    }
}

/// The field is well until the wave comes to the fast layer; what was recorded till then is kept.
#[test]
fn samples_recorded_before_a_blow_up_are_kept() {
    let folder = with_job(include_str!("../../assets/jobs/unstable.toml"));
    let output = exits(2, folder.path(), &["shot", "job.toml", "--backend", "cpu"]);
    says(&said(&output), &["unstable", "largest stable step", "step = \"auto\""]);
    assert_eq!(names(folder.path()), ["job.toml"]);

    let shot = |out| ["shot", "job.toml", "--backend", "cpu", "--force", "--out", out];
    let output = exits(1, folder.path(), &shot("new"));
    let out = folder.path().join("new");
    let record = json(out.join("run.json"));
    let error = &record["error"];
    let until = error["kept_until"].as_u64().expect("a step");
    assert!(until >= 300 && error["step"].as_u64() == Some(until + 100), "{error:#}");
    assert_eq!(error["cause"]["kind"], "step");
    assert!(error["at"]["z"].as_f64() > Some(2500.0), "in the fast layer: {error:#}");
    assert!(record["timings"].is_null() && record["gpts_per_s"].is_null());

    let [wiggles, gather, picture, segy, snapshots] = [
        "gather-wiggle-until-step{}.png",
        "gather-until-step{}.npy",
        "gather-until-step{}.png",
        "gather-until-step{}.sgy",
        "snapshots-until-step{}.npy",
    ]
    .map(|name| name.replace("{}", &until.to_string()));
    assert_eq!(
        names(&out),
        [&gather, &picture, &segy, &wiggles, "run.json", "snapshots", &snapshots]
    );
    // The first two of three.
    assert_eq!(names(&out.join("snapshots")), ["t0000100.png", "t0000200.png"]);
    let kept: ndarray::Array2<f32> = ndarray_npy::read_npy(out.join(&gather)).expect("an array");
    assert_eq!(kept.dim(), (120, until as usize + 1));
    let peak = kept.iter().fold(0.0f32, |peak, p| peak.max(p.abs()));
    assert!(peak > 0.0 && kept.iter().all(|p| p.is_finite()));
    assert!(kept.column(until as usize).iter().any(|p| *p != 0.0), "what was held back is there");
    says(&said(&output), &["blew up", "above the largest stable one", "is kept in new", &gather]);

    assert_eq!(error["uncorrected"], false);
    assert!(!said(&output).contains("not corrected"), "{}", said(&output));

    // A truncated gather cannot be corrected, and the message says so.
    let job = include_str!("../../assets/jobs/unstable.toml");
    let job = job.replace("step = 0.003", "step = 0.003\ndispersion = \"corrected\"");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    let output = exits(1, folder.path(), &shot("warped"));
    says(&said(&output), &["its traces are not corrected", "warped"]);
    let record = json(folder.path().join("warped/run.json"));
    assert_eq!(record["error"]["uncorrected"], true);

    // A run that ends well takes the place of what was kept.
    let job =
        include_str!("../../assets/jobs/unstable.toml").replace("step = 0.003", "step = 0.0025");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    done(folder.path(), &shot("new"));
    assert_eq!(
        names(&out),
        [
            "gather-wiggle.png",
            "gather.npy",
            "gather.png",
            "gather.sgy",
            "run.json",
            "snapshots",
            "snapshots.npy"
        ]
    );
}

/// The wave of the source blows up before there is an image.
#[test]
fn a_migration_that_blows_up_leaves_a_record() {
    let folder = with_job(include_str!("../../assets/jobs/unstable.toml"));
    let rtm = ["rtm", "job.toml", "--backend", "cpu", "--force", "--out", "new"];
    let output = exits(1, folder.path(), &rtm);
    says(&said(&output), &["blew up", "0 of 1 shots", "unfinished"]);
    let record = json(folder.path().join("new/unfinished/run.json"));
    assert_eq!(
        (&record["command"], &record["error"]["cause"]["kind"]),
        (&"rtm".into(), &"step".into())
    );
    assert!(record["error"]["kept_until"].is_null(), "no gather is kept: {record:#}");
}
