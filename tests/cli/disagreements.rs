//! What disagrees in field gathers is told, once, by every command that reads them.

use crate::{
    field::{HEADERS, TRACE, bytes, gather, is_the_source, locate, of_geometry, recorded, set},
    run::{done, huygens, printed, said},
};
use huygens::{
    grid::Position,
    io::segy::{Gather, LengthUnit},
    model::Placement,
};
use std::path::Path;

/// Where the model lies on the map.
const ORIGIN: &str = "model.origin={x=500000,y=6700000}";

fn write(folder: &Path, bytes: Vec<u8>) {
    std::fs::write(folder.join("field.sgy"), bytes).expect("written");
}

/// The gather on the map, and its source there.
fn on_map(gather: &Gather) -> Gather {
    let origin = Position { x: 500_000.0, y: 6_700_000.0, z: 0.0 };
    let placement = Placement { origin, ..Placement::default() };
    let mut far = gather.clone();
    far.source = placement.on_map(far.source);
    far.receivers.iter_mut().for_each(|at| *at = placement.on_map(*at));
    far
}

/// The bytes of a trace's header, its number from 1.
fn header(bytes: &mut [u8], number: usize) -> &mut [u8] {
    &mut bytes[HEADERS + (number - 1) * TRACE..][..240]
}

/// Sets a field of 32 bits of a trace.
fn put(bytes: &mut [u8], number: usize, first: usize, value: i32) {
    header(bytes, number)[first - 1..first + 3].copy_from_slice(&value.to_be_bytes());
}

#[test]
fn each_disagreement_is_told_by_all_who_read_it() {
    let (folder, gather) = recorded();
    let folder = folder.path();
    std::fs::write(folder.join("survey.toml"), of_geometry()).expect("written");
    let plain = bytes(&on_map(&gather), LengthUnit::Metre);
    let edited = |edit: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = plain.clone();
        edit(&mut bytes);
        bytes
    };
    let one_place = |bytes: &mut Vec<u8>| {
        let place = header(bytes, 4)[80..88].to_vec();
        header(bytes, 5)[80..88].copy_from_slice(&place);
    };
    let unswept = |bytes: &mut Vec<u8>| {
        set(bytes, 125, 1);
        set(bytes, 131, 12_000);
    };
    let nowhere = |bytes: &mut Vec<u8>| {
        header(bytes, 7)[80..88].fill(0);
    };
    let mut twice = plain.clone();
    twice.extend(&plain[HEADERS..]);
    let mut copied = twice.clone();
    for number in 170..=338 {
        put(&mut copied, number, 9, 7);
    }
    let off = |bytes: &mut Vec<u8>| {
        for number in 1..=169 {
            put(bytes, number, 181, 50_000_000);
            put(bytes, number, 185, 670_000_000);
        }
    };
    let jitter = |bytes: &mut Vec<u8>| {
        (1..=169).for_each(|number| put(bytes, number, 73, 50_600_000 + 10 * (number as i32 % 2)));
    };
    let early = edited(&|b| [3217, 117].into_iter().for_each(|first| set(b, first, 4)));
    let statics = |bytes: &mut Vec<u8>| {
        [(99, 15), (101, 5), (103, 12)]
            .into_iter()
            .for_each(|(first, value)| set(bytes, first, value));
    };
    let mut depth_alone = on_map(&gather);
    (depth_alone.source.x, depth_alone.source.y) = (0.0, 0.0);
    let depth_alone = bytes(&depth_alone, LengthUnit::Metre);
    for (bytes, parts) in [
        (edited(&|b| set(b, 169, 3)), &["bytes 169-170", "say 3, and 168 other traces"][..]),
        (edited(&|b| set(b, 101, 12)), &["bytes 101-102", "it is not applied"]),
        (edited(&|b| set(b, 103, 12)), &["bytes 103-104", "samples were shifted by it"]),
        (edited(&|b| set(b, 29, 12)), &["bytes 29-30", "trace 1 and 168 others say 12"]),
        (edited(&unswept), &["bytes 125-126", "trace 1 and 168 others are not correlated"]),
        (edited(&one_place), &["trace 5 lies where another", "bytes 81-88"]),
        (twice, &["record 1 is there 2 times: traces 170 to 338 lie where"]),
        (copied, &["record 7 (bytes 9-12", "has the places and the samples of record 1"]),
        (edited(&off), &["bytes 181-188", "off the middle", "168 other traces"]),
        (edited(&|b| set(b, 55, 120)), &["bytes 53-56", "say 120, and 168 other traces"]),
        (edited(&|b| set(b, 3257, 2)), &["bytes 3257-3258", "reverse their sign first"]),
        (edited(&statics), &["bytes 103-104", "add up to 20, and 168 other traces"]),
        (
            edited(&jitter),
            &["the sources of record 1", "up to 0.1 m from its first", "taken as one"],
        ),
        (early, &["bytes 3217-3218", "say 4 us"]),
        (edited(&nowhere), &["trace 7 lies at x = 0, y = 0", "bytes 81-88", "the other 168"]),
        (depth_alone, &["the source of record 1 has a depth", "bytes 73-80"]),
    ] {
        write(folder, bytes);
        let located = said(&locate(folder, &[ORIGIN]));
        let info = huygens(folder, &["gather", "info", "field.sgy"]);
        let info = String::from_utf8_lossy(&info.stdout).into_owned();
        let check = ["check", "survey.toml", "--backend", "cpu", "--set", ORIGIN];
        let checked = said(&huygens(folder, &check));
        for part in parts {
            for told in [&located, &info, &checked] {
                assert!(told.contains(part), "{part}: {told}");
            }
        }
    }
    // What is told mends it.
    write(folder, edited(&nowhere));
    let output = locate(folder, &[ORIGIN, "gather.kill=[7]"]);
    assert!(
        output.status.success() && !said(&output).contains("x = 0, y = 0"),
        "{}",
        said(&output)
    );
    assert!(is_the_source(&printed(&output)));
}

#[test]
fn a_migration_tells_what_is_wrong_with_a_file_once() {
    let (folder, gather) = recorded();
    let folder = folder.path();
    let mut off_line = gather.clone();
    off_line.receivers.iter_mut().for_each(|at| at.y = 25.0);
    let mut bytes = bytes(&off_line, LengthUnit::Metre);
    set(&mut bytes, 169, 3);
    write(folder, bytes);
    let job = format!("{}\n[rtm]\ngathers = \"field.sgy\"\n", of_geometry());
    std::fs::write(folder.join("rtm.toml"), job).expect("written");
    let rtm = [
        "rtm",
        "rtm.toml",
        "--backend",
        "cpu",
        "--no-pictures",
        "--out",
        "image",
        "--set",
        "gather.kill=[1]",
    ];
    let told = said(&done(folder, &rtm));
    for part in ["trace weighting factor", "off the line", "of 169 traces 1 are left out"] {
        assert_eq!(told.matches(part).count(), 1, "{part}: {told}");
    }
}

#[test]
fn check_reads_the_headers_of_the_gathers_of_a_job() {
    let (folder, gather) = recorded();
    let folder = folder.path();
    let check = |keys: &[&str]| {
        let words =
            ["check", "job.toml", "--backend", "cpu", "--set", "locate.gather=\"field.sgy\""];
        let keys = keys.iter().flat_map(|key| ["--set", key]);
        huygens(folder, &words.into_iter().chain(keys).collect::<Vec<_>>())
    };
    assert!(check(&[]).status.success(), "a run may be to make it");
    let mut bytes = bytes(&gather, LengthUnit::Metre);
    set(&mut bytes, 169, 3);
    write(folder, bytes.clone());
    let output = check(&[]);
    assert!(output.status.success() && said(&output).contains("weighting"), "{}", said(&output));
    set(&mut bytes, 3255, 0);
    write(folder, bytes);
    let output = check(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("gather.unit"), "{}", said(&output));
    assert!(check(&["gather.unit=\"m\""]).status.success());
    let output =
        check(&["gather.unit=\"m\"", "rtm.gathers=\"field.sgy\"", "receivers.line.count=9"]);
    assert!(said(&output).contains("169 traces, and the job has 9"), "{}", said(&output));
}

#[test]
fn traces_whose_samples_are_not_finite_are_listed() {
    let (folder, gather) = recorded();
    let mut bytes = bytes(&gather, LengthUnit::Metre);
    for number in [3, 4, 5, 9] {
        let sample = HEADERS + (number - 1) * TRACE + 640;
        bytes[sample..sample + 4].copy_from_slice(&f32::INFINITY.to_be_bytes());
    }
    write(folder.path(), bytes);
    let told = said(&locate(folder.path(), &[]));
    let list = "samples of traces 3 to 5, 9 are not finite; leave them out with gather.kill = [3, 4, 5, 9]";
    assert!(told.contains(list), "{told}");
    // Lists may have spaces.
    let convert = ["convert", "field.sgy", "kept.npz", "--kill", "3, 4, 5, 9", "--records", " 1"];
    let output = self::gather(folder.path(), &convert);
    assert!(output.status.success() && !said(&output).contains("finite"), "{}", said(&output));
    assert!(said(&output).contains("of 169 traces 4 are left out"), "{}", said(&output));
}

#[test]
fn a_passive_gather_with_its_sources_at_its_receivers_is_one_recording() {
    let (folder, gather) = recorded();
    let count = gather.receivers.len();
    let mut bytes = bytes(&gather, LengthUnit::Metre);
    for number in 1..=count {
        let place = header(&mut bytes, number)[80..88].to_vec();
        header(&mut bytes, number)[72..80].copy_from_slice(&place);
        put(&mut bytes, number, 49, 0);
    }
    set(&mut bytes, 29, 1);
    write(folder.path(), bytes);
    let output = locate(folder.path(), &[]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("are taken as one recording"), "{}", said(&output));
    let report = printed(&output);
    assert!(is_the_source(&report) && report["receivers"] == count, "{report:#}");
    let info = self::gather(folder.path(), &["info", "field.sgy"]);
    let info = String::from_utf8_lossy(&info.stdout).into_owned();
    assert!(info.contains("each source is at its receiver"), "{info}");
}

#[test]
fn info_shows_offsets_codes_and_records() {
    let (folder, gather) = recorded();
    let mut bytes = bytes(&gather, LengthUnit::Metre);
    header(&mut bytes, 2)[28..30].copy_from_slice(&2i16.to_be_bytes());
    write(folder.path(), bytes);
    let info = self::gather(folder.path(), &["info", "field.sgy"]);
    let info = String::from_utf8_lossy(&info.stdout).into_owned();
    let far = gather.receivers.iter().map(|at| at.x - gather.source.x).fold(0.0, f64::max).round();
    for part in [
        &format!("offsets    -6000 to {far}"),
        "1 (seismic data): 168 traces, 2 (dead): 1 trace",
        "field record 1",
    ] {
        assert!(info.contains(part), "{part}: {info}");
    }
    // Arrays have no headers, for a geometry too.
    let convert = ["convert", "field.sgy", "field.npz"];
    assert!(self::gather(folder.path(), &convert).status.success());
    let info = self::gather(folder.path(), &["info", "field.npz"]);
    assert!(String::from_utf8_lossy(&info.stdout).contains("numbers 1 to 1"));
    let job = of_geometry().replace("field.sgy", "field.npz");
    std::fs::write(folder.path().join("survey.toml"), job).expect("written");
    let check = ["check", "survey.toml", "--backend", "cpu", "--set", "gather.unit=\"ft\""];
    let output = huygens(folder.path(), &check);
    assert!(said(&output).contains("gather.unit is not used"), "{}", said(&output));
}
