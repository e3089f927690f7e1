//! Field gathers: what their headers lack is refused with the key that gives it, and taken with it.

use crate::run::{done, huygens, json, names, printed, said, with_job};
use huygens::{
    grid::Position,
    io::segy::{
        ByteOrder, Format, Gather, LengthUnit, Reader, ReaderOptions, ShotSpec, SurveySpec,
        ValueUnit, read_gathers, write_gather,
    },
    model::{Placement, Side},
};
use ndarray::s;
use serde_json::Value;
use std::path::Path;

/// A source above the salt, under receivers on the surface.
const JOB: &str = r#"
[model]
velocity = "builtin:salt"
spacing = 40.0

[time]
duration = 2.0
step = 0.004

[boundary]
top = "zero"

[[source]]
at = { x = 6000.0, z = 1000.0 }
wavelet = { kind = "ricker", peak_hz = 5.0, delay = 0.3 }

[receivers]
line = { from = { x = 0.0, z = 0.0 }, to = { x = 13480.0, z = 0.0 }, count = 169 }

[output]
pictures = false
"#;

/// Bytes of the headers of the file, and of one trace.
pub const HEADERS: usize = 3600;
pub const TRACE: usize = 240 + 4 * 501;

/// The job, and its gather.
pub fn recorded() -> (tempfile::TempDir, Gather) {
    let folder = with_job(JOB);
    done(folder.path(), &["shot", "job.toml", "--backend", "cpu", "--out", "out"]);
    let mut reader = Reader::open(&folder.path().join("out/gather.sgy"), ReaderOptions::default())
        .expect("a gather");
    let gather = read_gathers(&mut reader, None).expect("a gather").remove(0);
    (folder, gather)
}

/// The bytes of a gather in this unit.
pub fn bytes(gather: &Gather, unit: LengthUnit) -> Vec<u8> {
    let Gather { record, source, ref receivers, .. } = *gather;
    let spec = SurveySpec {
        text: Vec::new(),
        shots: vec![ShotSpec { record, source, receivers: receivers.clone().into() }],
        samples: gather.traces.ncols(),
        interval: gather.interval,
        format: Format::F32,
        order: ByteOrder::Big,
        unit,
        bins: None,
        values: ValueUnit::Unknown,
    };
    write_gather(Vec::new(), gather.traces.view(), spec).expect("written")
}

/// Sets a field of 16 bits of the binary header (from 3201) or of every trace (from 1).
pub fn set(bytes: &mut [u8], first: usize, value: i16) {
    let traces = (bytes.len() - HEADERS) / TRACE;
    let places: Vec<usize> = match first {
        3201.. => vec![first - 1],
        _ => (0..traces).map(|trace| HEADERS + trace * TRACE + first - 1).collect(),
    };
    for place in places {
        bytes[place..place + 2].copy_from_slice(&value.to_be_bytes());
    }
}

/// Locates field.sgy with these keys.
pub fn locate(folder: &Path, keys: &[&str]) -> std::process::Output {
    let mut arguments = vec![
        "locate",
        "job.toml",
        "--backend",
        "cpu",
        "--force",
        "--out",
        "back",
        "--json",
        "--gather",
        "field.sgy",
    ];
    arguments.extend(keys.iter().flat_map(|key| ["--set", key]));
    huygens(folder, &arguments)
}

/// The job of the shots of field.sgy.
pub fn of_geometry() -> String {
    let (model, source) = JOB.split_once("[[source]]").expect("a source");
    let (_, wavelet) = source.split_once("\nwavelet").expect("a wavelet");
    let (wavelet, _) = wavelet.split_once("[receivers]").expect("receivers");
    format!("{model}[survey]\ngeometry = \"field.sgy\"\nwavelet{wavelet}")
}

pub fn is_the_source(report: &Value) -> bool {
    let found = &report["found"][0];
    let at = |axis: &str| found["at"][axis].as_f64().expect("metres");
    let off = (at("x") - 6000.0).hypot(at("z") - 1000.0);
    // A cell, and less than half a period.
    off < 40.0 && (found["time"].as_f64().expect("s") - 0.3).abs() < 0.1
}

#[test]
fn each_lack_is_refused_with_the_key_that_mends_it() {
    let (folder, gather) = recorded();
    let plain = bytes(&gather, LengthUnit::Metre);
    let edited = |edit: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = plain.clone();
        edit(&mut bytes);
        bytes
    };
    let map = Position { x: 500_000.0, y: 6_700_000.0, z: 0.0 };
    let on_map = |placement: Placement, unit| {
        let mut far = gather.clone();
        far.receivers.iter_mut().for_each(|at| *at = placement.on_map(*at));
        bytes(&far, unit)
    };
    let utm = Placement { origin: map, ..Placement::default() };
    let rotated =
        Placement { origin: Position { z: -120.0, ..map }, azimuth: 30.0, y_axis: Side::Left };
    let nowhere = |bytes: &mut Vec<u8>| {
        for first in [41, 43, 81, 83, 85, 87] {
            set(bytes, first, 0);
        }
    };
    let no_interval = |bytes: &mut Vec<u8>| {
        set(bytes, 3217, 0);
        set(bytes, 117, 0);
    };
    let kinds: [(&str, Vec<u8>, &str, &[&str]); 8] = [
        ("no unit", edited(&|b| set(b, 3255, 0)), "gather.unit", &["gather.unit=m"]),
        ("no interval", edited(&no_interval), "gather.interval", &["gather.interval=0.004"]),
        (
            "degrees",
            edited(&|b| set(b, 89, 3)),
            "gather.coordinates",
            &["gather.coordinates=lengths"],
        ),
        ("no positions", edited(&nowhere), "gather.positions", &["gather.positions=job"]),
        (
            "a wrong scalar",
            edited(&|b| set(b, 71, 10)),
            "gather.coordinate_scalar",
            &["gather.coordinate_scalar=-10000"],
        ),
        (
            "a map",
            on_map(utm, LengthUnit::Metre),
            "model.origin",
            &["model.origin={x=500000,y=6700000}"],
        ),
        (
            "its own origin",
            on_map(utm, LengthUnit::Metre),
            "gather.origin",
            &["gather.origin={x=-500000,y=-6700000}"],
        ),
        (
            "a line across the map, in feet",
            on_map(rotated, LengthUnit::Foot),
            "model.azimuth",
            &["model.origin={x=500000,y=6700000,elevation=120}", "model.azimuth=30"],
        ),
    ];
    for (kind, bytes, key, keys) in kinds {
        std::fs::write(folder.path().join("field.sgy"), bytes).expect("written");
        let output = locate(folder.path(), &[]);
        assert!(
            !output.status.success() && said(&output).contains(key),
            "{kind}: {}",
            said(&output)
        );
        let output = locate(folder.path(), keys);
        assert!(output.status.success(), "{kind}: {}", said(&output));
        let report = printed(&output);
        assert!(is_the_source(&report), "{kind}: {report:#}");
    }
}

#[test]
fn what_is_taken_for_granted_is_told() {
    let (folder, gather) = recorded();
    let plain = bytes(&gather, LengthUnit::Metre);
    let mut late = gather.clone();
    late.traces = gather.traces.slice(s![.., 50..]).to_owned();
    let mut late = bytes(&late, LengthUnit::Metre);
    let short = 240 + 4 * 451;
    for trace in 0..gather.receivers.len() {
        let delay = HEADERS + trace * short + 108;
        late[delay..delay + 2].copy_from_slice(&200i16.to_be_bytes());
    }
    let mut outside = gather.clone();
    outside.receivers.last_mut().expect("a receiver").x += 3.0;
    let mut off_line = gather.clone();
    off_line.receivers.iter_mut().for_each(|at| at.y = 25.0);
    let edited = |first: usize, value: i16| {
        let mut bytes = plain.clone();
        set(&mut bytes, first, value);
        bytes
    };
    for (told, bytes) in [
        ("zeros stand before them", late),
        ("are taken to its edge", bytes(&outside, LengthUnit::Metre)),
        ("25.0 m off the line", bytes(&off_line, LengthUnit::Metre)),
        ("metres are taken", edited(3255, 3)),
        ("taken for lengths", edited(89, 7)),
        // The header of the file is taken: 4000.
        ("117-118", edited(117, 2000)),
    ] {
        std::fs::write(folder.path().join("field.sgy"), bytes).expect("written");
        let output = locate(folder.path(), &[]);
        assert!(
            output.status.success() && said(&output).contains(told),
            "{told}: {}",
            said(&output)
        );
        let report = printed(&output);
        assert!(is_the_source(&report), "{told}: {report:#}");
    }
}

#[test]
fn every_record_is_located_or_those_chosen() {
    let (folder, gather) = recorded();
    let mut bytes = bytes(&gather, LengthUnit::Metre);
    let mut again = bytes[HEADERS..].to_vec();
    for trace in again.chunks_exact_mut(TRACE) {
        trace[8..12].copy_from_slice(&7i32.to_be_bytes());
    }
    bytes.extend(again);
    std::fs::write(folder.path().join("field.sgy"), bytes).expect("written");
    let output = locate(folder.path(), &[]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(names(&folder.path().join("back")), ["record-1", "record-7"]);
    for record in [1, 7] {
        let name = format!("back/record-{record}/focus.json");
        let report = json(folder.path().join(name));
        assert!(is_the_source(&report) && report["record"] == record, "{report:#}");
    }
    // Those of one record and of all replace each other, and leave nothing behind.
    let back = folder.path().join("back");
    let output = locate(folder.path(), &["gather.records=[7]"]);
    assert!(output.status.success(), "{}", said(&output));
    let of_one = names(&back);
    assert!(of_one.contains(&"focus.json".into()), "{of_one:?}");
    assert!(!of_one.iter().any(|name| name.starts_with("record-")), "{of_one:?}");
    assert!(locate(folder.path(), &[]).status.success());
    assert_eq!(names(&back), ["record-1", "record-7"]);
    let words = ["locate", "job.toml", "--backend", "cpu", "--gather", "field.sgy"];
    let records = |numbers: &str| {
        let keys = ["--set", &format!("gather.records={numbers}")];
        done(folder.path(), &[&words[..], &keys, &["--force"]].concat());
        names(&folder.path().join("located"))
    };
    assert_eq!(records("[1, 7]"), ["record-1", "record-7"]);
    assert_eq!(records("[7]"), of_one);
    let stays = [&words[..], &["--out", "back"]].concat();
    let output = huygens(folder.path(), &stays);
    assert!(said(&output).contains("is not empty"), "{}", said(&output));
    let output = locate(folder.path(), &["gather.records=[3]"]);
    assert!(said(&output).contains("its records are 1, 7"), "{}", said(&output));
    // One that fails leaves those before it.
    std::fs::create_dir(folder.path().join("new")).expect("made");
    std::fs::write(folder.path().join("new/record-7"), "a file").expect("written");
    let output = huygens(folder.path(), &[&words[..], &["--out", "new", "--force"]].concat());
    assert!(!output.status.success() && said(&output).contains("1 record before it is located"));
    assert!(folder.path().join("new/record-1/focus.json").exists());
}

#[test]
fn a_number_of_several_sources_is_told_by_all_who_read_it() {
    let (folder, gather) = recorded();
    let mut bytes = bytes(&gather, LengthUnit::Metre);
    let mut again = bytes[HEADERS..].to_vec();
    for trace in again.chunks_exact_mut(TRACE) {
        trace[72..76].copy_from_slice(&(100 * 6500i32).to_be_bytes());
    }
    bytes.extend(again);
    std::fs::write(folder.path().join("field.sgy"), bytes).expect("written");
    let told = "say 1 for 2 sources: the traces of each source are a gather";
    let output = locate(folder.path(), &[]);
    assert!(output.status.success() && said(&output).contains(told), "{}", said(&output));
    let output = huygens(folder.path(), &["gather", "info", "field.sgy"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains(told), "{output:?}");
    std::fs::write(folder.path().join("survey.toml"), of_geometry()).expect("written");
    let output = huygens(folder.path(), &["check", "survey.toml"]);
    assert!(said(&output).contains(told), "{}", said(&output));
}

#[test]
fn traces_that_start_in_turn_early_and_late_stay_in_their_order() {
    let (folder, gather) = recorded();
    let mut bytes = bytes(&gather, LengthUnit::Metre);
    // Every second trace begins 0.2 s later, and is as long.
    for trace in bytes[HEADERS..].chunks_exact_mut(TRACE).skip(1).step_by(2) {
        trace[108..110].copy_from_slice(&200i16.to_be_bytes());
        trace.copy_within(240 + 4 * 50.., 240);
        trace[TRACE - 4 * 50..].fill(0);
    }
    std::fs::write(folder.path().join("field.sgy"), bytes).expect("written");
    let output = locate(folder.path(), &["gather.positions=\"job\""]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(is_the_source(&printed(&output)));
}

#[test]
fn traces_that_are_dead_or_not_finite_are_left_out() {
    let (folder, gather) = recorded();
    let count = gather.receivers.len();
    let mut bytes = bytes(&gather, LengthUnit::Metre);
    // The second is dead, and lies nowhere; a sample of the fourth is not finite.
    let trace = |number: usize| HEADERS + (number - 1) * TRACE;
    bytes[trace(2) + 28..trace(2) + 30].copy_from_slice(&2i16.to_be_bytes());
    bytes[trace(2) + 80..trace(2) + 84].copy_from_slice(&i32::MAX.to_be_bytes());
    bytes[trace(4) + 240 + 400..][..4].copy_from_slice(&f32::NAN.to_be_bytes());
    std::fs::write(folder.path().join("field.sgy"), bytes).expect("written");

    let output = locate(folder.path(), &["gather.kill=[4]"]);
    let kept = said(&output);
    assert!(kept.contains("trace 2 lies at") && kept.contains("gather.kill"), "{kept}");
    let output = locate(folder.path(), &["gather.kill=[\"dead\"]"]);
    let bad = said(&output);
    assert!(bad.contains("not finite") && bad.contains("gather.kill"), "{bad}");
    let output = locate(folder.path(), &["gather.kill=[\"dead\", 4]"]);
    let both = said(&output);
    assert!(both.contains(&format!("of {count} traces 2 are left out")), "{both}");
    assert!(!both.contains("read as it is"), "{both}");
    assert!(is_the_source(&serde_json::from_slice(&output.stdout).expect("JSON")));

    // A list is of all traces, whichever are left out.
    let line = |at: &Position| format!("{},{}\n", at.x, at.z);
    let list = |of: &mut dyn Iterator<Item = &Position>| {
        let lines: String = of.map(line).collect();
        std::fs::write(folder.path().join("list.csv"), format!("x,z\n{lines}")).expect("written");
    };
    let both = ["gather.kill=[\"dead\", 4]", "gather.positions=\"list.csv\""];
    list(&mut gather.receivers.iter());
    let output = locate(folder.path(), &both);
    assert!(is_the_source(&serde_json::from_slice(&output.stdout).expect("JSON")));
    assert!(!said(&output).contains("cells from those"), "{}", said(&output));
    list(&mut gather.receivers.iter().rev());
    assert!(said(&locate(folder.path(), &both)).contains("cells from those of its headers"));
    list(&mut gather.receivers.iter().skip(2));
    let short = said(&locate(folder.path(), &both));
    assert!(short.contains(&format!("{count} traces, but there are {}", count - 2)), "{short}");

    for (kill, why) in [
        ("[0]", "no trace 0 to leave out"),
        ("[9999]", &format!("numbered 1 to {count}")),
        ("[\"weak\"]", "a number from 1, or \"dead\""),
        (&format!("{:?}", (1..=count).collect::<Vec<_>>()), "none stays"),
    ] {
        let output = locate(folder.path(), &[&format!("gather.kill={kill}")]);
        assert!(!output.status.success() && said(&output).contains(why), "{}", said(&output));
    }

    let convert = ["convert", "field.sgy", "live.sgy", "--kill", "dead,4"];
    let output = self::gather(folder.path(), &convert);
    assert!(output.status.success(), "{}", said(&output));
    let live = read(&folder.path().join("live.sgy"));
    let kept: Vec<usize> = (0..count).filter(|trace| ![1, 3].contains(trace)).collect();
    assert_eq!(live.traces, gather.traces.select(ndarray::Axis(0), &kept));
    assert_eq!(live.receivers[1], gather.receivers[2]);

    // The shots of a geometry have the same traces.
    std::fs::write(folder.path().join("survey.toml"), of_geometry()).expect("written");
    let check = ["check", "survey.toml", "--json", "--set", "gather.kill=[\"dead\", 4]"];
    let output = done(folder.path(), &check);
    assert!(said(&output).contains("left out"), "{}", said(&output));
}

#[test]
fn the_archive_of_a_shot_keeps_the_place_of_its_model() {
    let (folder, gather) = recorded();
    let placed = ["--set", "model.origin={x=500000,y=6700000}", "--set", "model.azimuth=30"];
    let shot = ["shot", "job.toml", "--backend", "cpu", "--out", "npz"];
    let formats = ["--set", "output.gathers=[\"npz\"]"];
    done(folder.path(), &[&shot[..], &formats, &placed].concat());
    let back = ["locate", "job.toml", "--backend", "cpu", "--out", "back", "--json"];
    let output =
        done(folder.path(), &[&back[..], &["--gather", "npz/gather.npz"], &placed].concat());
    assert!(is_the_source(&printed(&output)));
    let convert = ["convert", "npz/gather.npz", "map.sgy"];
    let output = self::gather(folder.path(), &convert);
    assert!(output.status.success(), "{}", said(&output));
    let of_map = read(&folder.path().join("map.sgy"));
    assert!((of_map.receivers[0].x - 500_000.0).abs() < 1.0, "{:?}", of_map.receivers[0]);
    assert_eq!(of_map.traces, gather.traces);
}

#[test]
fn what_contradicts_a_header_or_is_missing_is_told() {
    let (folder, gather) = recorded();
    let write = |bytes: &[u8]| {
        std::fs::write(folder.path().join("field.sgy"), bytes).expect("written");
    };
    let mut bytes = bytes(&gather, LengthUnit::Metre);
    set(&mut bytes, 29, 4);
    write(&bytes);
    let output = locate(folder.path(), &["gather.unit=ft", "gather.positions=\"job\""]);
    assert!(said(&output).contains("say metres; feet are taken, as given"), "{}", said(&output));
    assert!(said(&output).contains("auxiliary, of no receiver"), "{}", said(&output));
    let mut apart = bytes.clone();
    set(&mut apart, 71, -10);
    set(&mut apart, 105, 12);
    write(&apart);
    let output = huygens(folder.path(), &["gather", "info", "field.sgy"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in [
        "and its positions are",
        "lag time A) of trace 1 say 12, and 168 other traces have a number: it is not applied",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let mut late = bytes.clone();
    set(&mut late, 109, 200);
    write(&late);
    let keys = ["gather.start=0.1", "gather.elevation_scalar=7", "gather.positions=\"job\""];
    let output = locate(folder.path(), &keys);
    for part in [
        "it says a start of 0.2 s (bytes 109-110",
        "0.1 s is taken, as given",
        "; 7 are taken, as given",
    ] {
        assert!(said(&output).contains(part), "{part}: {}", said(&output));
    }
    let mut no_source = bytes.clone();
    for first in [49, 51, 73, 75, 77, 79] {
        set(&mut no_source, first, 0);
    }
    write(&no_source);
    std::fs::write(folder.path().join("survey.toml"), of_geometry()).expect("written");
    let output = huygens(folder.path(), &["check", "survey.toml"]);
    assert!(said(&output).contains("the shot has no position of its source"), "{}", said(&output));
}

#[test]
fn listed_positions_are_in_the_unit_of_the_headers() {
    let (folder, gather) = recorded();
    std::fs::write(folder.path().join("field.sgy"), bytes(&gather, LengthUnit::Metre))
        .expect("written");
    let line = |at: &Position| format!("{},{}\n", at.x / 0.3048, at.z / 0.3048);
    let lines: String = gather.receivers.iter().map(line).collect();
    std::fs::write(folder.path().join("feet.csv"), format!("x,z\n{lines}")).expect("written");
    let listed = "gather.positions=\"feet.csv\"";
    let output = locate(folder.path(), &[listed, "gather.unit=ft"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(is_the_source(&printed(&output)));
    let output = locate(folder.path(), &[listed]);
    assert!(said(&output).contains("outside the model"), "{}", said(&output));
}

/// Runs `huygens gather` with these words.
pub fn gather(folder: &Path, words: &[&str]) -> std::process::Output {
    huygens(folder, &[&["gather"], words].concat())
}

pub fn read(path: &Path) -> Gather {
    let mut reader = Reader::open(path, ReaderOptions::default()).expect("a file of traces");
    read_gathers(&mut reader, None).expect("gathers").remove(0)
}

#[test]
fn gathers_are_converted_muted_and_filtered() {
    let (folder, recorded) = recorded();
    let at = |name: &str| folder.path().join(name);
    let does = |words: &[&str]| {
        let output = gather(folder.path(), words);
        assert!(output.status.success(), "{words:?}: {}", said(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    // There and back through every format.
    let chain = ["out/gather.sgy", "a.su", "b.npz", "c.h5", "d.npy"];
    for pair in chain.windows(2) {
        does(&["convert", pair[0], pair[1]]);
    }
    does(&["convert", "d.npy", "e.sgy", "--positions", "d.csv", "--interval", "0.004"]);
    let back = read(&at("e.sgy"));
    assert_eq!(back.traces, recorded.traces);
    assert_eq!((&back.receivers, back.interval), (&recorded.receivers, recorded.interval));
    // From traces to traces every header is kept, but for what is given.
    does(&["convert", "out/gather.sgy", "same.sgy"]);
    assert_eq!(
        std::fs::read(at("same.sgy")).expect("a file"),
        std::fs::read(at("out/gather.sgy")).expect("a file")
    );
    assert!(!gather(folder.path(), &["convert", "out/gather.sgy", "same.sgy"]).status.success());
    for file in ["b.npz", "c.h5"] {
        let keys = ["locate", "job.toml", "--backend", "cpu", "--force", "--out", "back", "--json"];
        let output = done(folder.path(), &[&keys[..], &["--gather", file]].concat());
        assert!(is_the_source(&printed(&output)), "{file}");
        assert!(does(&["info", file]).contains("169 traces of 501 samples"));
    }
    let told = does(&["info", "out/gather.sgy", "--json"]);
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!((&told[0]["gathers"], &told[0]["traces"]), (&Value::from(1), &Value::from(169)));

    does(&["mute", "out/gather.sgy", "muted.sgy", "--delay", "1.0", "--taper", "0.2"]);
    let muted = read(&at("muted.sgy"));
    assert!(muted.traces.slice(s![.., ..250]).iter().all(|sample| *sample == 0.0));
    assert_eq!(muted.traces.slice(s![.., 301..]), recorded.traces.slice(s![.., 301..]));
    does(&["filter", "out/gather.sgy", "coarse.sgy", "--resample", "0.008"]);
    assert_eq!(read(&at("coarse.sgy")).traces.dim(), (169, 251));
    does(&["filter", "out/gather.sgy", "low.sgy", "--high-cut", "0.1,0.2", "--taper", "0.1"]);
    let energy = |gather: &Gather| gather.traces.iter().map(|v| f64::from(v * v)).sum::<f64>();
    assert!(energy(&read(&at("low.sgy"))) < 0.01 * energy(&recorded), "all is above 0.2 Hz");
    for style in [&[][..], &["--wiggles"]] {
        let plot = ["plot", "out/gather.sgy", "--force", "--out", "gather.png", "--agc", "0.5"];
        does(&[&plot[..], style].concat());
        assert!(image::image_dimensions(at("gather.png")).is_ok());
    }
    // The archive of a modelled shot is a gather, and an array's source can be said.
    let shot = ["shot", "job.toml", "--backend", "cpu", "--out", "npz"];
    done(folder.path(), &[&shot[..], &["--set", "output.gathers=[\"npz\"]"]].concat());
    does(&["convert", "npz/gather.npz", "shot.sgy"]);
    let shot = read(&at("shot.sgy"));
    assert_eq!((&shot.traces, &shot.receivers), (&recorded.traces, &recorded.receivers));
    assert_eq!((shot.source, shot.interval), (recorded.source, recorded.interval));
    let words = ["convert", "d.npy", "f.sgy", "--positions", "d.csv", "--interval", "0.004"];
    does(&[&words[..], &["--source", "x=6000,z=1000"]].concat());
    assert_eq!(read(&at("f.sgy")).source, recorded.source);
    let words = [&words[..2], &["g.sgy"], &words[3..]].concat();
    let feet = gather(folder.path(), &[&words[..], &["--unit", "ft"]].concat());
    assert!(feet.status.success() && said(&feet).contains("give --source"), "{}", said(&feet));
    let pairs = read(&at("g.sgy")).receivers.into_iter().zip(&recorded.receivers);
    assert!(pairs.into_iter().all(|(own, feet)| (own.x - 0.3048 * feet.x).abs() < 1e-3));
    let over = gather(folder.path(), &[&words[..2], &["d.npy", "--force"], &words[3..]].concat());
    assert!(said(&over).contains("which is read"), "{}", said(&over));

    // Without positions there are no offsets.
    let nowhere = Gather {
        source: Position::default(),
        receivers: vec![Position::default(); recorded.receivers.len()],
        ..recorded.clone()
    };
    std::fs::write(at("nowhere.sgy"), bytes(&nowhere, LengthUnit::Metre)).expect("written");
    for (words, part) in [
        (&["mute", "out/gather.sgy", "x.sgy", "--velocity", "-1"][..], "velocity"),
        (&["mute", "nowhere.sgy", "x.sgy", "--velocity", "1500"], "so that no offset is known"),
        (&["convert", "d.npy", "x.sgy", "--source", "x=1"], "give z and x"),
        (&["filter", "out/gather.sgy", "x.sgy", "--low-cut", "4,2"], "no band"),
        (&["filter", "out/gather.sgy", "x.sgy", "--low-cut", "4"], "takes two frequencies"),
        (&["convert", "d.npy", "x.sgy"], "--positions"),
        (&["convert", "out/gather.sgy", "x.vti"], "no format in which gathers are written"),
        (&["convert", "out/gather.sgy", "x.sgy", "--records", "9"], "its records are 1"),
        (&["info", "job.toml"], "no file of gathers"),
    ] {
        let output = gather(folder.path(), words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(said(&output).contains(part), "{words:?}: {}", said(&output));
        assert!(!at("x.sgy").exists());
    }
}

/// Traces of two records that stand in turn are two records, for every command.
#[test]
fn records_are_one_wherever_their_traces_stand() {
    let (folder, recorded) = recorded();
    let mut second = recorded.clone();
    second.record = 2;
    second.source.x += 500.0;
    let of = [recorded.clone(), second].map(|gather| bytes(&gather, LengthUnit::Metre));
    let mut both = of[0][..HEADERS].to_vec();
    for trace in 0..169 {
        let at = HEADERS + trace * TRACE;
        of.iter().for_each(|file| both.extend(&file[at..at + TRACE]));
    }
    std::fs::write(folder.path().join("field.sgy"), &both).expect("written");
    let output = gather(folder.path(), &["convert", "field.sgy", "both.npz"]);
    assert!(output.status.success(), "{}", said(&output));
    let output = gather(folder.path(), &["info", "both.npz"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("2, 338 traces"), "{told}");
    let output = locate(folder.path(), &["gather.records=[1]"]);
    assert!(output.status.success(), "{}", said(&output));
    let report = printed(&output);
    assert!(is_the_source(&report) && report["receivers"] == 169, "{report:#}");
    // Lengths in feet stay so in a file that names no unit, with a word.
    std::fs::write(folder.path().join("ft.sgy"), bytes(&recorded, LengthUnit::Foot))
        .expect("written");
    let output = gather(folder.path(), &["convert", "ft.sgy", "ft.su"]);
    assert!(said(&output).contains("lengths are in feet, and stay so"), "{}", said(&output));
    // Remedies are flags here.
    let mut unsaid = both;
    set(&mut unsaid, 3255, 0);
    std::fs::write(folder.path().join("unsaid.sgy"), unsaid).expect("written");
    let output = gather(folder.path(), &["convert", "unsaid.sgy", "x.npz"]);
    assert!(said(&output).contains("--unit (\"m\" or \"ft\")"), "{}", said(&output));
}

#[test]
fn what_means_nothing_is_not_told_and_what_is_not_used_is() {
    let (folder, gather) = recorded();
    let write = |bytes: Vec<u8>| {
        std::fs::write(folder.path().join("field.sgy"), bytes).expect("written");
    };
    // The source of an event is not known: its header is 0, far from the model on the map.
    let origin = Position { x: 500_000.0, y: 6_700_000.0, z: 0.0 };
    let placement = Placement { origin, azimuth: 30.0, y_axis: Side::Left };
    let mut event = gather.clone();
    event.source = Position::default();
    event.receivers.iter_mut().for_each(|at| *at = placement.on_map(*at));
    write(bytes(&event, LengthUnit::Metre));
    let keys = ["model.origin={x=500000,y=6700000}", "model.azimuth=30"];
    let output = locate(folder.path(), &keys);
    assert!(
        output.status.success() && !said(&output).contains("off the line"),
        "{}",
        said(&output)
    );
    // Traces of a record that start at two times are one gather.
    let mut parted = bytes(&gather, LengthUnit::Metre);
    for trace in 0..80 {
        let delay = HEADERS + trace * TRACE + 108;
        parted[delay..delay + 2].copy_from_slice(&4i16.to_be_bytes());
    }
    write(parted);
    let output = locate(folder.path(), &[]);
    assert!(output.status.success(), "{}", said(&output));
    let report = printed(&output);
    assert!(is_the_source(&report) && report["receivers"] == 169, "{report:#}");
    // An array has no unit, but it may start late.
    let late = gather.traces.slice(s![.., 50..]).to_owned();
    ndarray_npy::write_npy(folder.path().join("late.npy"), &late).expect("written");
    let words = ["locate", "job.toml", "--backend", "cpu", "--force", "--out", "back", "--json"];
    let keys = ["--gather", "late.npy", "--set", "gather.start=0.2", "--set", "gather.unit=ft"];
    let output = huygens(folder.path(), &[&words[..], &keys].concat());
    assert!(said(&output).contains("gather.unit is not used"), "{}", said(&output));
    assert!(is_the_source(&printed(&output)));
    let output = self::gather(folder.path(), &["info", "field.sgy", "--records", "1"]);
    assert!(said(&output).contains("leave --start, --records"), "{}", said(&output));
}
