//! Rock with a vertical axis of symmetry on the command line.

use crate::run::{SMALL, done, json, refused, said, says, with_job};

const CPU: [&str; 3] = ["--backend", "cpu", "--no-pictures"];

fn job() -> String {
    SMALL.replace("[model]", "[model]\nepsilon = 0.2\ndelta = 0.1")
}

#[test]
fn a_shot_runs_and_differs_from_isotropic_rock() {
    let folder = with_job(job());
    let at = folder.path();
    let gather = |out: &str, more: &[&str]| {
        let output = done(at, &[&["shot", "job.toml", "--out", out], &CPU[..], more].concat());
        (std::fs::read(at.join(out).join("gather.npy")).expect("a gather"), said(&output))
    };
    let (vti, _) = gather("vti", &[]);
    let isotropic = ["--set", "model.epsilon=0.0", "--set", "model.delta=0.0"];
    assert_ne!(gather("isotropic", &isotropic).0, vti);
    let (lowered, told) = gather(
        "lowered",
        &["--set", "model.delta=0.3", "--set", "model.anisotropy=\"elliptical-where-needed\""],
    );
    says(&told, &["delta is lowered by 0.1", "to epsilon"]);
    assert_eq!(gather("elliptical", &["--set", "model.delta=0.2"]).0, lowered);
    assert_eq!(json(at.join("vti/run.json"))["job"]["model"]["epsilon"].as_f64(), Some(0.2));
}

#[test]
fn anisotropic_rock_is_migrated_and_inverted() {
    let folder = with_job(job());
    let at = folder.path();
    let run = |command: &str, out: &str, more: &[&str]| {
        done(at, &[&[command, "job.toml", "--out", out], &CPU[..], more].concat());
    };
    let isotropic = ["--set", "model.epsilon=0.0", "--set", "model.delta=0.0"];
    run("shot", "observed", &[]);
    for (command, image) in [("rtm", "image.npy"), ("gradient", "gradient.npy")] {
        let observed = format!("{command}.observed=\"observed/gather.npy\"");
        let given: &[&str] = match command {
            "rtm" => &["--set", "rtm.gathers=\"observed/gather.npy\""],
            _ => &["--set", &observed, "--set", "model.velocity=\"builtin:homogeneous\""],
        };
        run(command, command, given);
        run(command, "isotropic", &[given, &isotropic].concat());
        let [ours, other] =
            [command, "isotropic"].map(|out| std::fs::read(at.join(out).join(image)).expect(image));
        assert_ne!(ours, other, "{command}");
        std::fs::remove_dir_all(at.join("isotropic")).expect("it is there");
    }
}

#[test]
fn what_vti_cannot_do_is_refused_with_a_remedy() {
    let folder = with_job(job() + "[gradient]\nobserved = \"none.sgy\"\n");
    for (command, more, parts) in [
        ("shot", "model.delta=0.3", ["epsilon is 0.2, below delta, 0.3", "elliptical"]),
        ("shot", "model.epsilon=-0.6", ["epsilon is -0.6", "give more than -0.5"]),
        ("shot", "operator={kind=\"ete\"}", ["explicit time evolution", "use a Taylor operator"]),
        (
            "shot",
            "window={margin=200.0,depth=800.0}",
            ["VTI has no windows yet", "leave the window out"],
        ),
        (
            "rtm",
            "rtm.offsets={along=\"x\",most=100.0}",
            ["no offset gathers yet", "leave rtm.offsets and rtm.angles out"],
        ),
        ("rtm", "rtm.direct=\"modelled\"", ["uniform isotropic rock", "\"muted\" or \"kept\""]),
        ("zero-offset", "time.record=0.002", ["VTI has a second field", "leave epsilon and delta"]),
    ] {
        // delta is below such an epsilon.
        let lower: &[&str] =
            if more.contains("-0.6") { &["--set", "model.delta=-0.7"] } else { &[] };
        let words = [&[command, "job.toml", "--set", more], &CPU[..], lower].concat();
        says(&refused(folder.path(), &words), &parts);
    }
}
