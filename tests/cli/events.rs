//! Located sources on the map and the clock: the table, events.csv and events.xml.

use crate::run::{done, folder, json, names, refused, said, says};
use ndarray::Array2;
use ndarray_npy::write_npy;
use std::{f64::consts::TAU, fs, path::Path};
use xml::reader::{EventReader, XmlEvent};

/// A ring of receivers around a source, in a model that lies on the map.
fn job() -> String {
    let points = (0..72).map(|k| {
        let angle = TAU * f64::from(k) / 72.0;
        let (x, z) = (800.0 + 600.0 * angle.cos(), 600.0 + 500.0 * angle.sin());
        format!("{{ x = {x:.1}, z = {z:.1} }}")
    });
    format!(
        r#"
[model]
velocity = "builtin:homogeneous"
nodes = {{ x = 161, z = 121 }}
spacing = 10.0
origin = {{ x = 500000.0, y = 6700000.0, elevation = 120.0 }}
azimuth = 60.0

[time]
duration = 1.2
step = 0.001

[[source]]
at = {{ x = 743.0, z = 612.0 }}
wavelet = {{ kind = "ricker", peak_hz = 15.0, delay = 0.2 }}

[receivers]
points = [{}]
"#,
        points.collect::<Vec<_>>().join(", ")
    )
}

/// The same with receivers along the surface.
fn line() -> String {
    let job = job();
    let (head, _) = job.split_once("[receivers]").expect("receivers");
    let line = "from = { x = 100.0, z = 20.0 }, to = { x = 1500.0, z = 20.0 }, count = 40";
    format!("{head}[receivers]\nline = {{ {line} }}\n")
}

/// Where that source is: by hand, x sin 60 east and x cos 60 north of the origin.
const EASTING: f64 = 500_000.0 + 743.0 * 0.866_025_403_784;
const NORTHING: f64 = 6_700_000.0 + 743.0 * 0.5;
const ELEVATION: f64 = 120.0 - 612.0;
/// The shot is at 23:59:59 on day 121 of 2026.
const ORIGIN_TIME: &str = "2026-05-01T23:59:59.2";

/// Writes a date into every trace header, as a recorder does: year, day, hour, minute, second, basis.
fn date(gather: &Path, numbers: [i16; 6]) {
    let mut bytes = fs::read(gather).expect("a gather");
    let samples = usize::from(u16::from_be_bytes([bytes[3220], bytes[3221]]));
    for trace in bytes[3600..].chunks_exact_mut(240 + 4 * samples) {
        for (field, number) in trace[156..168].chunks_exact_mut(2).zip(numbers) {
            field.copy_from_slice(&number.to_be_bytes());
        }
    }
    fs::write(gather, bytes).expect("written");
}

/// The text of each element of XML, by its path without the outermost.
fn elements(text: &str) -> Vec<(String, String)> {
    let (mut path, mut found) = (Vec::new(), Vec::new());
    for event in EventReader::from_str(text) {
        match event.expect("well-formed XML") {
            XmlEvent::StartElement { name, .. } => path.push(name.local_name),
            XmlEvent::Characters(text) => found.push((path[1..].join("/"), text)),
            XmlEvent::EndElement { .. } => drop(path.pop()),
            _ => {}
        }
    }
    found
}

#[test]
fn a_made_event_is_within_a_metre_and_a_millisecond_on_the_map_and_in_utc() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("job.toml"), job()).expect("written");
    let shot = ["shot", "job.toml", "--backend", "cpu", "--force", "--no-pictures"];
    done(folder, &[&shot[..], &["--set", "output.gathers=[\"sgy\"]"]].concat());
    date(&folder.join("out/gather.sgy"), [2026, 121, 23, 59, 59, 4]);
    let locate = ["locate", "job.toml", "--backend", "cpu", "--force", "--no-pictures"];
    let locate = [&locate[..], &["--gather", "out/gather.sgy", "--out", "back"]].concat();
    let output = done(folder, &locate);
    let close = |text: &str, wanted: f64| {
        let value: f64 = text.parse().expect("a number");
        assert!((value - wanted).abs() < 1.0, "{value} for {wanted}");
    };
    // The table: a row of the source's number, three values with their sizes, and the time.
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let row = printed.lines().find(|line| line.contains(ORIGIN_TIME)).expect("a row with UTC");
    let words: Vec<_> = row.split_whitespace().collect();
    for (place, wanted) in [(1, EASTING), (4, NORTHING), (7, ELEVATION)] {
        close(words[place], wanted);
        assert_eq!(words[place + 1], "±", "{row}");
    }
    assert!(words[10].ends_with(".200Z"), "within a millisecond: {row}");

    let report = json(folder.join("back/focus.json"));
    let found = &report["found"][0];
    assert!(found["utc"].as_str().expect("a time").starts_with(ORIGIN_TIME), "{found:#}");
    assert!((found["map"]["easting"].as_f64().expect("metres") - EASTING).abs() < 1.0);
    assert!((found["time"].as_f64().expect("seconds") - 0.2).abs() < 1e-3, "as before");

    let table = fs::read_to_string(folder.join("back/events.csv")).expect("a table");
    let rows: Vec<Vec<_>> = table.lines().map(|line| line.split(',').collect()).collect();
    let cell = |name| rows[1][rows[0].iter().position(|own| *own == name).expect("a column")];
    close(cell("easting_m"), EASTING);
    close(cell("northing_m"), NORTHING);
    close(cell("elevation_m"), ELEVATION);
    assert!(cell("utc").starts_with(ORIGIN_TIME), "{table}");

    let catalogue = fs::read_to_string(folder.join("back/events.xml")).expect("a catalogue");
    let elements = elements(&catalogue);
    let text = |path: &str| {
        let path = format!("eventParameters/event/origin/{path}");
        let found = elements.iter().find(|(own, _)| *own == path);
        found.map(|(_, text)| text.as_str()).unwrap_or_else(|| panic!("{path} in {catalogue}"))
    };
    close(text("easting/value"), EASTING);
    close(text("northing/value"), NORTHING);
    close(text("depth/value"), -ELEVATION);
    assert!(text("time/value").starts_with(ORIGIN_TIME) && text("time/value").ends_with('Z'));
    assert_eq!(text("evaluationMode"), "automatic");
    assert!(text("comment/text").contains("builtin:homogeneous"));
}

#[test]
fn a_date_of_another_clock_is_no_utc_and_the_job_can_give_one() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("job.toml"), job()).expect("written");
    let shot = ["shot", "job.toml", "--backend", "cpu", "--force", "--no-pictures"];
    done(folder, &[&shot[..], &["--set", "output.gathers=[\"sgy\"]"]].concat());
    date(&folder.join("out/gather.sgy"), [2026, 121, 23, 59, 59, 1]);
    let locate = ["locate", "job.toml", "--backend", "cpu", "--force", "--no-pictures"];
    let locate = [&locate[..], &["--gather", "out/gather.sgy", "--out", "back"]].concat();
    let output = done(folder, &locate);
    says(&said(&output), &["local time", "bytes 167-168 say 1", "give gather.date"]);
    assert_eq!(names(&folder.join("back")), ["events.csv", "focus.json", "focus.npy"]);
    let dated = "gather.date=\"2026-05-01T21:59:59Z\"";
    let output = done(folder, &[&locate[..], &["--set", dated]].concat());
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("2026-05-01T21:59:59.200Z"), "{printed}");
    let wrong = [&locate[..], &["--set", "gather.date=\"yesterday\""]].concat();
    says(&refused(folder, &wrong), &["gather.date"]);
}

/// Degrees by PROJ: `pyproj.Transformer.from_crs("EPSG:32632", "EPSG:4326").transform(E, N)`.
#[test]
fn an_event_is_located_without_a_job_and_has_degrees() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("job.toml"), job()).expect("written");
    let shot = ["shot", "job.toml", "--backend", "cpu", "--force", "--no-pictures"];
    done(folder, &[&shot[..], &["--set", "output.gathers=[\"sgy\"]"]].concat());
    date(&folder.join("out/gather.sgy"), [2026, 121, 23, 59, 59, 4]);
    write_npy(folder.join("v.npy"), &Array2::from_elem((161, 121), 2000.0f32)).expect("written");
    let base = ["locate", "--gather", "out/gather.sgy", "--velocity", "v.npy", "--axes", "xz"];
    let place = ["--origin", "x=500000,y=6700000,elevation=120", "--azimuth", "60"];
    let run = ["--file-spacing", "10", "--backend", "cpu", "--force", "--no-pictures"];
    let locate =
        [&base[..], &place, &run, &["--projection", "EPSG:32632", "--out", "back"]].concat();
    let output = done(folder, &locate);
    let (longitude, latitude) = (9.0116916, 60.4396123);
    // A metre.
    let near = |text: &str, wanted: f64| {
        let degrees: f64 = text.parse().expect("degrees");
        assert!((degrees - wanted).abs() < 2e-5, "{degrees} for {wanted}");
    };
    let table = fs::read_to_string(folder.join("back/events.csv")).expect("a table");
    let rows: Vec<Vec<_>> = table.lines().map(|line| line.split(',').collect()).collect();
    let cell = |name| rows[1][rows[0].iter().position(|own| *own == name).expect("a column")];
    near(cell("longitude_deg"), longitude);
    near(cell("latitude_deg"), latitude);
    let catalogue =
        |out: &str| fs::read_to_string(folder.join(out).join("events.xml")).expect("a catalogue");
    let first = catalogue("back");
    for (name, wanted) in [("longitude", longitude), ("latitude", latitude)] {
        let path = format!("eventParameters/event/origin/{name}/value");
        let all = elements(&first);
        near(&all.iter().find(|(own, _)| *own == path).expect("degrees").1, wanted);
    }
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("longitude, latitude"), "{printed}");
    // Through another model it is another event.
    let slower = Array2::from_elem((161, 121), 1990.0f32);
    write_npy(folder.join("v.npy"), &slower).expect("written");
    done(folder, &[&base[..], &place, &run, &["--out", "slower"]].concat());
    let id = |text: &str| text.split("publicID=\"").nth(2).map(|rest| rest[..40].to_owned());
    assert_ne!(id(&first), id(&catalogue("slower")));
    let wrong = [&base[..], &place, &run, &["--projection", "EPSG:4326"]].concat();
    says(&refused(folder, &wrong), &["--projection EPSG:4326", "UTM zone"]);
    // The line of the receivers has an azimuth, which is offered.
    fs::write(folder.join("line.toml"), line()).expect("written");
    let out = ["--out", "along", "--set", "output.gathers=[\"sgy\"]"];
    done(folder, &[&["shot", "line.toml", "--backend", "cpu", "--no-pictures"], &out[..]].concat());
    let along = ["locate", "--gather", "along/gather.sgy", "--velocity", "v.npy", "--axes", "xz"];
    let turned = [&along[..], &place[..2], &["--azimuth", "100"], &run, &["--out", "turned"]];
    says(&said(&done(folder, &turned.concat())), &["off the line", "azimuth = 60.0"]);
}
