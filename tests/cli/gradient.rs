//! Gradients: a run that is killed and goes on, tasks, and mistakes.

use crate::{
    held,
    invert::{misfit_of, observed},
    run::{done, exits, said, says},
};
use std::{fs, path::Path};

const GRADIENT: [&str; 9] = [
    "gradient",
    "job.toml",
    "--model",
    "start.rsf",
    "--observed",
    "observed/gathers.sgy",
    "--backend",
    "cpu",
    "--no-pictures",
];

fn gradient<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&GRADIENT[..], more].concat()
}

/// All files but the record, and what it says of the misfits.
#[track_caller]
fn same(folder: &Path, one: &str, other: &str, files: &[&str]) {
    for file in files {
        let [one, other] =
            [one, other].map(|out| fs::read(folder.join(out).join(file)).expect(file));
        assert!(one == other, "{file}");
    }
    let misfits = |out: &str| {
        let record = fs::read(folder.join(out).join("run.json")).expect("a record");
        let record: serde_json::Value = serde_json::from_slice(&record).expect("JSON");
        record["misfits"].clone()
    };
    assert_eq!(misfits(one).as_array().map(Vec::len), Some(3));
    assert_eq!(misfits(one), misfits(other));
}

const FILES: [&str; 2] = ["gradient.npy", "illumination.npy"];

#[test]
fn a_killed_gradient_goes_on_to_the_same_bits() {
    let folder = observed();
    let at = folder.path();
    let shots: Vec<_> = (1..=3).map(|shot| format!("shot-{shot:04}/gradient.npy")).collect();
    let each: Vec<&str> = FILES.into_iter().chain(shots.iter().map(String::as_str)).collect();
    for (per_shot, files) in [("false", &FILES[..]), ("true", &each)] {
        let set = format!("gradient.per_shot={per_shot}");
        let (whole, parted) = (format!("whole-{per_shot}"), format!("parted-{per_shot}"));
        let words = |out: &'_ str| -> Vec<String> {
            let words = gradient(&["--set", &set, "--out", out]);
            words.into_iter().map(str::to_owned).collect()
        };
        let (of_whole, of_parted) = (words(&whole), words(&parted));
        let of_whole: Vec<&str> = of_whole.iter().map(String::as_str).collect();
        let of_parted: Vec<&str> = of_parted.iter().map(String::as_str).collect();
        done(at, &of_whole);
        assert!(!at.join(&whole).join("partial").exists());
        let journal = at.join(&parted).join("unfinished/partial/journal.jsonl");
        held::begin_saving(at, &of_parted, "state", 2).until_lines(&journal, 2).kill();
        says(&said(&exits(2, at, &of_parted)), &["unfinished run", "--resume"]);
        let resume = [&of_parted[..], &["--resume"]].concat();
        let other = exits(2, at, &[&resume[..], &["--set", "gradient.taper=0.1"]].concat());
        says(&said(&other), &["gradient.taper is 0.0 there and 0.1 in this job"]);
        says(&said(&done(at, &resume)), &["of 3 shots are done", "the misfit of 3 shots is"]);
        same(at, &whole, &parted, files);
        says(&said(&done(at, &resume)), &["is done already"]);
    }
}

#[test]
fn tasks_of_a_gradient_are_merged_to_the_bits_of_one_run() {
    let folder = observed();
    let at = folder.path();
    done(at, &gradient(&["--out", "whole"]));
    let merge = gradient(&["--out", "out", "--merge"]);
    for task in ["1/2", "2/2"] {
        done(at, &gradient(&["--out", "out", "--task", task]));
        if task == "1/2" {
            says(&said(&exits(2, at, &merge)), &["task 2 is not done"]);
        }
    }
    let part = at.join("out/task-2-of-2");
    assert!(part.join("partial").exists() && !part.join("gradient.npy").exists());
    says(&said(&exits(2, at, &["merge", "out"])), &["huygens gradient JOB --merge --out out"]);
    says(&said(&done(at, &merge)), &["3 shots of 2 tasks merged; results in out"]);
    same(at, "whole", "out", &FILES);
    // As of two devices.
    let devices: Vec<&str> = gradient(&["--devices", "cpu,cpu", "--out", "devices"])
        .into_iter()
        .filter(|word| !["--backend", "cpu"].contains(word))
        .collect();
    done(at, &devices);
    same(at, "whole", "devices", &FILES);
}

/// A number in big-endian bytes, counted from 1 as in the standard.
fn number(bytes: &[u8], first: usize) -> f64 {
    let four = &bytes[first - 1..first + 3];
    f64::from(i32::from_be_bytes(four.try_into().expect("four bytes")))
}

/// By hand: the second column is 20 m along x, whose azimuth is 30 degrees.
#[test]
fn a_gradient_has_its_place_on_the_map_and_the_traces_it_compares() {
    let folder = observed();
    let at = folder.path();
    let place = ["--set", "model.origin={x=500000.0,y=6700000.0}", "--set", "model.azimuth=30.0"];
    let shot = ["shot", "job.toml", "--model", "true.rsf", "--out", "placed", "--no-pictures"];
    done(at, &[&shot[..], &["--backend", "cpu"], &place].concat());
    let words: Vec<_> = GRADIENT
        .into_iter()
        .filter(|word| *word != "--no-pictures")
        .map(|word| if word == "observed/gathers.sgy" { "placed/gathers.sgy" } else { word })
        .chain(place)
        .chain(["--set", "gradient.taper=0.2", "--set", "gradient.traces=true"])
        .collect();
    let formats = ["--set", "gradient.formats=[\"npy\",\"sgy\",\"rsf\"]"];
    done(at, &[&words[..], &formats, &["--out", "out"]].concat());
    let bytes = |name: &str| fs::read(at.join("out").join(name)).expect(name);
    for name in ["gradient", "illumination"] {
        let npy = bytes(&format!("{name}.npy"));
        let values = &npy[npy.len() - 4 * 61 * 51..];
        let rsf = bytes(&format!("{name}.rsf"));
        assert!(rsf.ends_with(values), "{name}");
        let head = String::from_utf8_lossy(&rsf[..rsf.len() - values.len()]).into_owned();
        for part in ["500000", "6700000", "30", "label2=\"X\"", "label1=\"Depth\""] {
            assert!(head.contains(part), "{name}, {part}: {head}");
        }
        let sgy = bytes(&format!("{name}.sgy"));
        assert_eq!(sgy.len(), 3600 + 61 * (240 + 4 * 51));
        let second = &sgy[3600 + 240 + 4 * 51..];
        let scalar = -i16::from_be_bytes([second[70], second[71]]);
        let (x, y) = (number(second, 181), number(second, 185));
        let off = [x / f64::from(scalar) - 500_010.0, y / f64::from(scalar) - 6_700_017.320_5];
        assert!(off.iter().all(|off| off.abs() < 0.01), "{name}: {off:?}, {scalar}");
        let first: Vec<u8> =
            sgy[3840..3840 + 4 * 51].chunks(4).flat_map(|of| of.iter().rev().copied()).collect();
        assert!(first == values[..4 * 51], "{name}");
    }
    let record: serde_json::Value = serde_json::from_slice(&bytes("run.json")).expect("JSON");
    let misfits = record["misfits"].as_array().expect("misfits").iter();
    let known: f64 = misfits.map(|of| of.as_f64().expect("a number")).sum();
    let found = misfit_of(&at.join("out"), "");
    assert!((found / known - 1.0).abs() < 1e-5, "{found:e} {known:e}");
    assert!(at.join("out/shot-0002/traces.png").exists());

    let task = exits(2, at, &[&words[..], &["--out", "shared", "--task", "1/2"]].concat());
    says(&said(&task), &["gradient.traces", "are not joined", "leave gradient.traces out"]);
    let none = ["--set", "gradient.formats=[]", "--out", "none"];
    let none = exits(2, at, &[&words[..], &none].concat());
    says(&said(&none), &["gradient.formats", "no format is asked for", "give \"npy\""]);
}
