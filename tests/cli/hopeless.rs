//! Jobs that can run and mean nothing are refused unless they are forced; jobs that mean something
//! run.

use crate::run::{SMALL, done, folder, huygens, json, refused, said, says, with_job};
use ndarray::Array2;
use ndarray_npy::write_npy;
use std::{fs, path::Path};

const CPU: [&str; 2] = ["--backend", "cpu"];

/// Runs a command of `job.toml`.
fn run(folder: &Path, command: &str, more: &[&str]) -> String {
    said(&done(folder, &[&[command, "job.toml"], &CPU[..], more].concat()))
}

#[test]
fn velocities_in_another_unit_are_refused_by_every_command() {
    let model = "velocity = \"velocity.npy\"\naxes = \"xz\"";
    let of_model = "velocity = \"builtin:layers\"\nnodes = { z = 60, x = 80 }";
    assert!(SMALL.contains(of_model));
    let folder = with_job(SMALL.replace(of_model, model));
    let write = |velocity: f32| {
        let values = Array2::from_elem((80, 60), velocity);
        write_npy(folder.path().join("velocity.npy"), &values).expect("written");
    };
    let commands = ["check", "shot", "rtm", "gradient", "invert", "locate", "zero-offset"];
    for (velocity, unit) in [(1.5, "km/s"), (148_000.0, "cm/s")] {
        write(velocity);
        for command in commands {
            let said = refused(folder.path(), &[&[command, "job.toml"], &CPU[..]].concat());
            let range = format!("from {velocity} to {velocity} m/s");
            says(&said, &[&range, "20 to 50000", unit, "--unit", "--force", "job.toml:3"]);
        }
    }
    // Forced, and those of air, of steel and of soft soil as they are.
    write(1.5);
    assert!(run(folder.path(), "check", &["--force"]).contains("these look like km/s"));
    for velocity in [330.0, 6400.0, 120.0] {
        write(velocity);
        let set = ["--set", "time.step=\"auto\"", "--set", "source[0].wavelet.peak_hz=0.5"];
        assert!(!run(folder.path(), "check", &set).contains("look like"));
    }
    write(20_000.0);
    assert!(run(folder.path(), "check", &["--set", "time.step=\"auto\""]).contains("ft/s"));
    // What a conversion makes of them is taken.
    write(148_000.0);
    let convert = ["model", "convert", "velocity.npy", "velocity.rsf", "--unit", "cm/s"];
    done(folder.path(), &[&convert[..], &["--axes", "xz", "--file-spacing", "20"]].concat());
    let made = run(folder.path(), "check", &["--model", "velocity.rsf"]);
    assert!(!made.contains("WARN"), "{made}");
}

#[test]
fn hopeless_jobs_are_refused_unless_forced() {
    let folder = folder();
    for (right, wrong, parts) in [
        ("peak_hz = 10.0", "peak_hz = 30.0", ["points per wavelength", "2.5", "spacing of"]),
        ("to = { x = 1580.0", "to = { x = 1.58", ["80 receivers", "1.58 m", "by 1000"]),
        ("duration = 0.4", "duration = 4000.0", ["4000 s", "4 s", "milliseconds"]),
    ] {
        assert!(SMALL.contains(right), "{right}");
        fs::write(folder.path().join("job.toml"), SMALL.replace(right, wrong)).expect("written");
        for command in ["check", "shot"] {
            let said = refused(folder.path(), &[&[command, "job.toml"], &CPU[..]].concat());
            says(&said, &parts);
            says(&said, &["--force", "job.toml:"]);
        }
        if wrong != "duration = 4000.0" {
            run(folder.path(), "shot", &["--force", "--no-pictures"]);
        }
    }
}

/// Of a survey whose line runs to the north-east.
#[test]
fn receivers_far_off_the_line_are_refused_with_its_azimuth() {
    let survey = "[survey]\nwavelet = { kind = \"ricker\", peak_hz = 10.0 }\n\
                  line = { first = { x = 400.0, z = 200.0 }, increment = { x = 400.0 }, count = 2 }\n";
    let (head, tail) = SMALL.split_once("[[source]]").expect("a source");
    let (_, receivers) = tail.split_once("[receivers]").expect("receivers");
    let (receivers, _) = receivers.split_once("[output]").expect("output");
    let placed = head.replace("[model]", "[model]\nazimuth = 60.0\norigin = { x = 0.0, y = 0.0 }");
    let folder = with_job(format!("{placed}{survey}[receivers]{receivers}"));
    run(folder.path(), "shot", &["--no-pictures", "--out", "on"]);
    let of_file = "[survey]\nwavelet = { kind = \"ricker\", peak_hz = 10.0 }\n\
                   geometry = \"on/gathers.sgy\"\n";
    fs::write(folder.path().join("job.toml"), format!("{head}{of_file}")).expect("written");
    for command in ["check", "shot"] {
        let said = refused(folder.path(), &[&[command, "job.toml"], &CPU[..]].concat());
        // 1580 m cos 60 degrees, and the wavelength of 10 Hz at 2600 m/s.
        says(&said, &["790.0 m off the line", "260 m", "azimuth = 60.0", "--force"]);
    }
    says(&run(folder.path(), "check", &["--force"]), &["790.0 m off the line", "projected"]);
    let told = run(folder.path(), "check", &["--set", "model.azimuth=60.0"]);
    assert!(!told.contains("off the line"), "{told}");
}

/// SEG-Y rounds positions to 0.1 mm: the traces of a job are known by their order.
#[test]
fn a_model_of_fractions_of_a_millimetre_is_modelled_and_differentiated() {
    for (h, is_rounded) in [(1e-4, false), (2.5e-4, true)] {
        let (x, z, peak) = (59.0 * h, 2.0 * h, 2000.0 / (8.0 * h));
        let job = format!(
            "[model]\nvelocity = \"builtin:homogeneous\"\nnodes = {{ z = 40, x = 60 }}\nspacing = {h}\n\
             [time]\nduration = {}\n\
             [survey]\nwavelet = {{ kind = \"ricker\", peak_hz = {peak} }}\n\
             line = {{ first = {{ x = {}, z = {z} }}, increment = {{ x = {} }}, count = 2 }}\n\
             [receivers]\nline = {{ from = {{ x = 0.0, z = {z} }}, to = {{ x = {x}, z = {z} }}, count = 60 }}\n\
             [gradient]\nobserved = \"shot/gathers.sgy\"\n",
            0.8 * x / 2000.0,
            15.0 * h,
            30.0 * h
        );
        let folder = with_job(job);
        let told = run(folder.path(), "shot", &["--no-pictures", "--out", "shot"]);
        assert_eq!(
            told.contains("are rounded by up to 5.0e-5 m, 0.20 cells"),
            is_rounded,
            "{told}"
        );
        run(folder.path(), "gradient", &["--no-pictures", "--out", "gradient"]);
        let record = json(folder.path().join("gradient/run.json"));
        for misfit in record["misfits"].as_array().expect("a list") {
            assert_eq!(misfit.as_f64(), Some(0.0), "{told}");
        }
        run(folder.path(), "check", &[]);
    }
}

#[test]
fn a_job_that_locates_is_checked_as_such() {
    let (head, tail) = SMALL.split_once("[[source]]").expect("a source");
    let (_, receivers) = tail.split_once("[receivers]").expect("receivers");
    let (receivers, _) = receivers.split_once("[output]").expect("output");
    let folder = with_job(SMALL.replace("duration = 0.4", "duration = 0.8"));
    run(folder.path(), "shot", &["--no-pictures", "--out", "shot"]);
    let locate = |keys: &str| {
        let job =
            format!("{head}[receivers]{receivers}[locate]\ngather = \"shot/gather.npy\"\n{keys}");
        fs::write(folder.path().join("job.toml"), job).expect("written");
    };
    locate("");
    let told = huygens(folder.path(), &[&["check", "job.toml"], &CPU[..]].concat());
    let text =
        String::from_utf8_lossy(&told.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    says(&text, &["1 shot: 80 sources"]);
    // Of the loudest trace: the first samples of far ones are faint and rough.
    let (before, _) = text.split_once(" Hz, the dominant frequency").expect("a frequency");
    let hz: f64 = before.rsplit(' ').next().expect("a word").parse().expect("a number");
    assert!((5.0..20.0).contains(&hz), "a wavelet of 10 Hz, not {hz}: {text}");
    run(folder.path(), "locate", &["--no-pictures"]);
    for (keys, part) in [
        ("mask = -1.0", "-1"),
        ("groups = 100", "100 groups"),
        ("sources = 0", "0 sources"),
        ("mask = 9000.0", "every node"),
    ] {
        locate(keys);
        for command in ["check", "locate"] {
            let out: &[&str] = if command == "locate" { &["--out", "not"] } else { &[] };
            let said = refused(folder.path(), &[&[command, "job.toml"], &CPU[..], out].concat());
            says(&said, &[part]);
        }
    }
}

#[test]
fn recorded_shots_without_a_survey_are_told_where_it_may_come_from() {
    let survey = "[survey]\nwavelet = { kind = \"ricker\", peak_hz = 10.0 }\n";
    let line =
        "line = { first = { x = 400.0, z = 200.0 }, increment = { x = 400.0 }, count = 2 }\n";
    let (head, tail) = SMALL.split_once("[[source]]").expect("a source");
    let (_, receivers) = tail.split_once("[receivers]").expect("receivers");
    let (receivers, _) = receivers.split_once("[output]").expect("output");
    let folder = with_job(format!("{head}{survey}{line}[receivers]{receivers}"));
    run(folder.path(), "shot", &["--no-pictures", "--out", "shot"]);
    for (command, of) in [("rtm", "[rtm]\ngathers"), ("gradient", "[gradient]\nobserved")] {
        let named = format!("{of} = \"shot/gathers.sgy\"\n");
        fs::write(folder.path().join("job.toml"), format!("{head}{named}")).expect("written");
        for command in ["check", command] {
            let said = refused(folder.path(), &[&[command, "job.toml"], &CPU[..]].concat());
            says(&said, &["survey.geometry = \"shot/gathers.sgy\"", "survey.wavelet"]);
            assert!(!said.contains("no source"), "{said}");
        }
        let geometry = "geometry = \"shot/gathers.sgy\"\n";
        let job = format!("{head}{survey}{geometry}{named}");
        fs::write(folder.path().join("job.toml"), job).expect("written");
        run(folder.path(), "check", &[]);
        run(folder.path(), command, &["--no-pictures", "--out", command]);
    }
}
