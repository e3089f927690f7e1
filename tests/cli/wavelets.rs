//! Wavelets by formula and from files, and the correction of time dispersion, as a job asks for
//! them.

use crate::{
    common::gather_error,
    field,
    run::{SMALL, done, exits, folder, huygens, names, said, says},
};
use huygens::{
    acquisition::{Ricker, Wavelet},
    grid::Position,
    io::{
        npy,
        segy::{Gather, LengthUnit},
    },
};
use ndarray::{Array1, Array2};
use ndarray_npy::read_npy;
use std::path::Path;

const RICKER: &str = "{ kind = \"ricker\", peak_hz = 10.0 }";

/// Runs the small job with a wavelet; returns its gather and what the user reads.
fn shot(folder: &Path, wavelet: &str) -> (Array2<f32>, String) {
    let job = SMALL.replace(RICKER, wavelet);
    assert!(job == SMALL || wavelet != RICKER);
    std::fs::write(folder.join("job.toml"), job).expect("written");
    let arguments = ["shot", "job.toml", "--backend", "cpu", "--force"];
    let output = done(folder, &arguments);
    (read_npy(folder.join("out/gather.npy")).expect("an array"), said(&output))
}

/// The message for a rejected wavelet.
fn refused(folder: &Path, wavelet: &str) -> String {
    let before = names(folder);
    std::fs::write(folder.join("job.toml"), SMALL.replace(RICKER, wavelet)).expect("written");
    let said = said(&exits(2, folder, &["shot", "job.toml", "--backend", "cpu"]));
    std::fs::remove_file(folder.join("job.toml")).expect("there");
    assert_eq!(names(folder), before, "nothing is left behind");
    assert!(!said.contains("panicked") && said.contains("job.toml:13"), "{said}");
    said
}

/// The job's Ricker wavelet at an interval, until it is over.
fn samples(interval: f64) -> Vec<f64> {
    let ricker = Wavelet::Ricker(Ricker { peak_hz: 10.0, delay: 0.15 });
    ricker.samples(interval, (0.32 / interval) as usize).expect("a Ricker has samples")
}

#[test]
fn every_wavelet_makes_a_wave() {
    let folder = folder();
    let upright = shot(folder.path(), RICKER).0;
    for wavelet in [
        "{ kind = \"gaussian\", peak_hz = 10.0 }",
        "{ kind = \"gaussian\", peak_hz = 10.0, derivative = 1 }",
        "{ kind = \"ormsby\", corners_hz = [2.0, 8.0, 12.0, 20.0], delay = 0.2 }",
        "{ kind = \"klauder\", from_hz = 5.0, to_hz = 20.0, length = 6.0, delay = 0.2 }",
    ] {
        let (gather, _) = shot(folder.path(), wavelet);
        assert!(gather_error(gather.view(), upright.view()) > 0.1, "{wavelet} is no Ricker");
        assert!(gather.iter().any(|p| p.abs() > 1e-3 * upright.iter().fold(0.0, |m, p| p.max(m))));
    }
    let (gather, _) =
        shot(folder.path(), "{ kind = \"gaussian\", peak_hz = 10.0, derivative = 2 }");
    let upside_down = gather.mapv(|p| -p);
    assert!(gather_error(upside_down.view(), upright.view()) < 1e-6);
}

#[test]
fn a_wavelet_from_a_file_equals_its_formula() {
    let folder = folder();
    let write =
        |name: &str, text: String| std::fs::write(folder.path().join(name), text).expect("written");
    let lines = |interval: f64, line: fn(f64, f64) -> String| -> String {
        let samples = samples(interval);
        samples.iter().enumerate().map(|(n, s)| line(n as f64 * interval, *s)).collect()
    };
    let exact = shot(folder.path(), RICKER).0;
    write("column.txt", format!("# a Ricker\n\n{}", lines(0.002, |_, s| format!("{s:e}\n"))));
    write("coarse.txt", lines(0.005, |_, s| format!("  {s:.9}\r\n")));
    write("times.dat", lines(0.004, |t, s| format!("{t:8.4}  {s:14.7e} # t, s\n")));
    // A time that is no decimal number.
    write("thirds.txt", lines(1.0 / 150.0, |t, s| format!("{t:.4} {s:e}\n")));
    write("times.csv", lines(0.0005, |t, s| format!("{t:.4}, {s:e}\n")));
    let array: Array1<f32> = samples(0.001).iter().map(|s| *s as f32).collect();
    std::fs::write(folder.path().join("fine.npy"), npy::bytes(array.view().into_dyn()))
        .expect("written");
    let trace = |count: usize| {
        let values: Vec<f32> = samples(0.001).iter().map(|s| *s as f32).collect();
        let traces = Array2::from_shape_fn((count, values.len()), |(_, n)| values[n]);
        let receivers = vec![Position::default(); count];
        let gather = Gather {
            record: 1,
            source: Position::default(),
            receivers,
            traces,
            interval: 0.001,
            start: 0.0,
        };
        field::bytes(&gather, LengthUnit::Metre)
    };
    std::fs::write(folder.path().join("trace.sgy"), trace(1)).expect("written");
    std::fs::write(folder.path().join("two.sgy"), trace(2)).expect("written");
    for wavelet in [
        "{ kind = \"file\", path = \"trace.sgy\" }",
        "{ kind = \"file\", path = \"trace.sgy\", interval = 0.001 }",
        "{ kind = \"file\", path = \"column.txt\", interval = 0.002 }",
        "{ kind = \"file\", path = \"coarse.txt\", interval = 0.005 }",
        "{ kind = \"file\", path = \"times.dat\" }",
        "{ kind = \"file\", path = \"times.dat\", interval = 0.004 }",
        "{ kind = \"file\", path = \"thirds.txt\", interval = 0.0066666666667 }",
        "{ kind = \"file\", path = \"times.csv\" }",
        "{ kind = \"file\", path = \"fine.npy\", interval = 0.001 }",
    ] {
        let (gather, _) = shot(folder.path(), wavelet);
        let error = gather_error(gather.view(), exact.view());
        println!("{wavelet}: {error:.1e}");
        // The bar of docs/job.md is 1e-6 up to 0.94 of the Nyquist frequency; at 150 samples a
        // second some lies above.
        assert!(error < 5e-6, "{wavelet}: {error:e}");
    }
    std::fs::remove_file(folder.path().join("job.toml")).expect("there");
    let told = refused(folder.path(), "{ kind = \"file\", path = \"two.sgy\" }");
    says(&told, &["two.sgy", "holds 2 traces, and a wavelet is one"]);
    let told =
        refused(folder.path(), "{ kind = \"file\", path = \"trace.sgy\", interval = 0.002 }");
    says(&told, &["0.001 s apart, but interval is 0.002 s"]);
    // Without the interval, as far as four decimals tell it.
    let (gather, _) = shot(folder.path(), "{ kind = \"file\", path = \"thirds.txt\" }");
    let error = gather_error(gather.view(), exact.view());
    println!("thirds without an interval: {error:.1e}");
    assert!(error < 2e-4, "{error:e}");
    let wavelet = "{ kind = \"file\", path = \"fine.npy\", interval = 0.001 }";
    assert!(gather_error(shot(folder.path(), wavelet).0.view(), exact.view()) < 5e-6);
    let record = std::fs::read_to_string(folder.path().join("out/run.json")).expect("a record");
    assert!(record.contains("fine.npy"), "inputs are on record");
}

#[test]
fn mistakes_in_a_wavelet_are_named() {
    let folder = folder();
    let refused = |wavelet: &str| refused(folder.path(), wavelet);
    says(
        &refused("{ kind = \"gaussian\", peak_hz = 10.0, derivative = 12 }"),
        &["derivative of order 12", "from 0 to 10"],
    );
    says(&refused("{ kind = \"gaussian\", peak_hz = -1.0 }"), &["peak frequency of -1 Hz"]);
    says(
        &refused("{ kind = \"ormsby\", corners_hz = [10.0, 5.0, 40.0, 50.0] }"),
        &["[10.0, 5.0, 40.0, 50.0]", "f1 < f2 <= f3 < f4"],
    );
    says(&refused("{ kind = \"ormsby\", corners_hz = [10.0, 5.0, 40.0] }"), &["give a list of 4"]);
    says(
        &refused("{ kind = \"klauder\", from_hz = 5.0, to_hz = 5.0, length = 6.0 }"),
        &["from 5 to 5 Hz in 6 s", "two different frequencies"],
    );
    says(&refused("{ kind = \"ricker\", peak_hz = 10.0, delay = inf }"), &["delay of inf s"]);

    let write = |text: &[u8]| std::fs::write(folder.path().join("w.txt"), text).expect("written");
    let file = "{ kind = \"file\", path = \"w.txt\", interval = 0.002 }";
    says(&refused(file), &["cannot read", "w.txt"]);
    for (text, parts) in [
        (b"0.0\nNaN\n".as_slice(), ["line 2", "\"NaN\"", "finite"]),
        (b"0.0\n1e999\n", ["line 2", "1e999", "finite"]),
        (b"# t\n0.0 1.0 2.0\n", ["line 2", "0.0 1.0 2.0", "a time and a value"]),
        (b"0.0\n0.1 0.2\n", ["line 2", "one finite number", "as the first"]),
        (b"0.0 0.0\n0.1\n", ["line 2", "a time and a value", "as the first"]),
        (b"amplitude\n0.0\n", ["line 1", "\"amplitude\"", "comments start with #"]),
        (b"# nothing\n", ["holds no number", "w.txt", "one number a line"]),
        (b"\xff\xfe\x00", ["no text", ".npy", "one number a line"]),
        (b"-0.1 0.0\n0.0 1.0\n0.1 0.0\n", ["start at -0.1 s", "t = 0", "shift"]),
        (b"0.0 0.0\n0.1 1.0\n0.3 0.0\n", ["time 1", "0.1 s", "0.14 s"]),
        (
            b"0.0 0.0\n0.1 1.0\n0.2 0.0\n",
            ["0.1 s apart", "interval is 0.002 s", "leave interval out"],
        ),
        (b"0.0 0.0\n", ["0 s apart", "interval is 0.002 s", "w.txt"]),
    ] {
        write(text);
        says(&refused(file), &parts);
    }
    write(b"0.0\n1.0\n0.0\n");
    says(&refused("{ kind = \"file\", path = \"w.txt\" }"), &["give interval, in seconds"]);
    let alternating = "1.0\n-1.0\n".repeat(50);
    write(alternating.as_bytes());
    says(
        &refused("{ kind = \"file\", path = \"w.txt\", interval = 0.001 }"),
        &[
            "energy lies above 250",
            "time step of 0.002 s",
            "at most 0.01 %",
            "step = 0.001 or less",
            "filter",
        ],
    );
}

#[test]
fn a_source_that_starts_with_a_jump_is_warned_about() {
    let folder = folder();
    let warned = |wavelet: &str| shot(folder.path(), wavelet).1.contains("WARN");
    assert!(!warned(RICKER));
    assert!(
        !warned("{ kind = \"ricker\", peak_hz = 10.0, delay = 0.1 }"),
        "one period is near zero"
    );
    for wavelet in [
        "{ kind = \"gaussian\", peak_hz = 10.0, derivative = 5 }",
        "{ kind = \"ormsby\", corners_hz = [2.0, 8.0, 12.0, 20.0] }",
        "{ kind = \"klauder\", from_hz = 5.0, to_hz = 20.0, length = 1.0 }",
    ] {
        let job = SMALL.replace("duration = 0.4", "duration = 3.2").replace(RICKER, wavelet);
        std::fs::write(folder.path().join("job.toml"), job).expect("written");
        let output = huygens(folder.path(), &["shot", "job.toml", "--backend", "cpu", "--force"]);
        assert!(output.status.success() && !said(&output).contains("WARN"), "{}", said(&output));
    }
    let (_, said) = shot(folder.path(), "{ kind = \"ricker\", peak_hz = 10.0, delay = 0.05 }");
    says(
        &said,
        &["source 1 of shot 1 starts at 33", "% of its peak", "0.1 % or less", "larger delay"],
    );
}

#[test]
fn time_dispersion_is_corrected_on_request_and_on_record() {
    let folder = folder();
    let run = |dispersion: &str| -> (Array2<f32>, serde_json::Value) {
        let job = SMALL.replace("step = 0.002", &format!("step = 0.002{dispersion}"));
        std::fs::write(folder.path().join("job.toml"), job).expect("written");
        done(folder.path(), &["shot", "job.toml", "--backend", "cpu", "--force"]);
        let record = std::fs::read(folder.path().join("out/run.json")).expect("a record");
        let gather = read_npy(folder.path().join("out/gather.npy")).expect("an array");
        (gather, serde_json::from_slice(&record).expect("JSON"))
    };
    let (plain, record) = run("");
    assert_eq!(record["job"]["time"]["dispersion"], "kept");
    let (kept, _) = run("\ndispersion = \"kept\"");
    assert_eq!(plain, kept);
    let (corrected, record) = run("\ndispersion = \"corrected\"");
    assert_eq!(record["job"]["time"]["dispersion"], "corrected");
    assert_eq!(record["time"]["dispersion"], "corrected");
    assert_eq!(corrected.dim(), kept.dim());
    let moved = gather_error(corrected.view(), kept.view());
    assert!((1e-3..0.5).contains(&moved), "{moved}");

    let job = SMALL.replace("step = 0.002", "dispersion = \"gone\"");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    let output = exits(2, folder.path(), &["shot", "job.toml", "--backend", "cpu"]);
    says(&said(&output), &["there is no choice gone", "kept, corrected"]);
}

#[test]
fn a_recording_interval_is_a_whole_number_of_steps() {
    let folder = folder();
    let run = |time: &str| {
        let job = SMALL.replace("step = 0.002", time);
        std::fs::write(folder.path().join("job.toml"), job).expect("written");
        huygens(folder.path(), &["shot", "job.toml", "--backend", "cpu", "--force"])
    };
    let gather = |time: &str| -> Array2<f32> {
        let output = run(time);
        assert!(output.status.success(), "{}", said(&output));
        read_npy(folder.path().join("out/gather.npy")).expect("an array")
    };
    let every = gather("step = 0.002");
    let fourth = gather("step = 0.002\nrecord = 0.008");
    assert_eq!((every.ncols(), fourth.ncols()), (201, 51));
    assert_eq!(fourth, every.slice(ndarray::s![.., ..;4]));
    assert_eq!(gather("step = \"auto\"\nrecord = 0.008").ncols(), 51);
    let refused = run("step = 0.002\nrecord = 0.007");
    assert_eq!(refused.status.code(), Some(2));
    says(&said(&refused), &["7 ms is not a whole number of time steps of 2 ms", "step = 0.00175"]);
}
