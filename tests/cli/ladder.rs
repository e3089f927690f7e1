//! `huygens ladder`: tables, records and pictures of a tiny one.

use crate::{
    common::engines,
    run::{done, exits, folder, huygens, json, names, printed, said},
};
use serde_json::Value;
use std::path::Path;

/// `huygens ladder ARGUMENTS` on the best adapter, software or not; `None`, said aloud, where there
/// is none.
fn ladder(folder: &Path, arguments: &[&str]) -> Option<(String, Value)> {
    if engines::opened(false).is_empty() {
        return None;
    }
    let all = [&["ladder"], arguments, &["--quiet"]].concat();
    let output = done(folder, &all);
    assert_eq!(said(&output), "", "nothing but the table is said");
    let out = arguments.iter().position(|a| *a == "--out").map_or("ladder", |at| arguments[at + 1]);
    let json = std::fs::read(folder.join(out).join("ladder.json")).expect("a record");
    let table = String::from_utf8(output.stdout).expect("text");
    Some((table, serde_json::from_slice(&json).expect("a record of JSON")))
}

#[test]
fn climbs_every_rung() {
    let folder = folder();
    let Some((table, record)) = ladder(folder.path(), &["2d", "--size", "40x30", "--order", "4"])
    else {
        return;
    };
    let one = &record["ladders"][0];
    let rows = one["rows"].as_array().expect("rows");
    for rung in 1..=12 {
        assert!(rows.iter().any(|row| row["rung"] == rung), "rung {rung}");
    }
    assert!(rows.iter().any(|row| row["checked"] == true), "the cost of checks is shown");
    for row in rows {
        assert!(table.contains(row["name"].as_str().expect("a name")));
        let Some(seconds) = row["time"]["seconds"].as_f64() else {
            let why = row["refused"].as_str().expect("every rung takes a tiny grid");
            assert!(row["steps"].as_u64() > Some(1) && row["update"] == "laplacian", "{row}");
            assert!(why.contains("one step a pass only") && table.contains(why), "{why}");
            continue;
        };
        let [fastest, slowest] = ["fastest", "slowest"].map(|k| row["time"][k].as_f64().expect(k));
        assert!(0.0 < fastest && fastest <= seconds && seconds <= slowest, "{row}");
        assert!(row["time"]["samples"].as_u64() >= Some(5));
        let gpts = row["gpts"].as_f64().expect("a rate");
        assert!((gpts * seconds / (40.0 * 30.0 * 1e-9) - 1.0).abs() < 1e-12);
    }
    let bytes = one["ceiling"]["gb_per_s"].as_f64().expect("a ceiling");
    assert!(bytes > 0.0 && one["floor"]["seconds"].as_f64() > Some(0.0));
    // The definitions of the columns, from the numbers in the record.
    let fused = |rung| {
        let is =
            |row: &&Value| row["rung"] == rung && row["update"] == "wave" && row["part"] == false;
        rows.iter().rev().find(is).expect("a fused rung")
    };
    let (six, seven) = (fused(6), fused(7));
    let number = |row: &Value, key: &str| row[key].as_f64().expect("a number");
    let seconds = |row: &Value| row["time"]["seconds"].as_f64().expect("a time");
    assert!((number(seven, "against_previous") - seconds(six) / seconds(seven)).abs() < 1e-9);
    assert!((number(seven, "gb_per_s") - 16.0 * number(seven, "gpts")).abs() < 1e-9);
    assert!((number(seven, "of_ceiling") - number(seven, "gb_per_s") / bytes).abs() < 1e-9);
    assert_eq!((number(seven, "predicted"), number(seven, "bytes")), (16.0, 16.0));
    // Two steps a pass: p, p_prev and the model in, p and p_prev out, beside the halos; against the
    // fastest of one.
    let nine = fused(9);
    assert_eq!(number(nine, "bytes"), 10.0);
    assert!(number(nine, "predicted") > 10.0);
    assert!((number(nine, "afforded") - bytes / number(nine, "gpts")).abs() < 1e-9);
    let of_one = rows.iter().filter(|row| {
        row["update"] == "wave"
            && row["steps"] == 1
            && row["part"] == false
            && row["kernels"][0].is_array()
    });
    let fastest = of_one.map(seconds).fold(f64::INFINITY, f64::min);
    assert!((number(nine, "against_previous") - fastest / seconds(nine)).abs() < 1e-9);
    assert_eq!(names(&folder.path().join("ladder")), ["ladder.json", "ladder.png"]);
    // A second time needs a word.
    let again = exits(2, folder.path(), &["ladder", "2d", "--size", "40x30"]);
    assert!(said(&again).contains("--force"));
}

#[test]
fn sweeps_and_says_what_is_not_taken() {
    let folder = folder();
    let arguments = ["2d", "--sweep", "geometry", "--size", "1000x4", "--wing", "1", "--out", "g"];
    let Some((table, record)) = ladder(folder.path(), &arguments) else { return };
    let charts = record["sweeps"][0]["charts"].as_array().expect("charts");
    let mut refused = 0;
    for series in charts.iter().flat_map(|chart| chart["series"].as_array().expect("series")) {
        for point in series["points"].as_array().expect("points") {
            // Timed, or said why not.
            assert!(point["time"].is_null() != point["refused"].is_null(), "{point}");
            if let Some(why) = point["refused"].as_str() {
                assert!(why.contains("where the device takes"), "{why}");
                assert!(table.contains(why), "{why}");
                refused += 1;
            }
        }
    }
    // Two columns of 1,000 nodes fit no workgroup of 1,024.
    assert!(refused > 0);
    let pictures = [
        "geometry-laplacian.png",
        "geometry-steps.png",
        "geometry-wave.png",
        "ladder.json",
        "segmentation.png",
    ];
    assert_eq!(names(&folder.path().join("g")), pictures);
}

#[test]
fn copies_cost_what_they_cost() {
    let folder = folder();
    let Some((table, record)) = ladder(folder.path(), &["copy", "--size", "40x30", "--out", "c"])
    else {
        return;
    };
    let trips = record["copies"][0]["trips"].as_array().expect("trips");
    assert_eq!(trips.len(), 6);
    for trip in trips {
        let us = |part: &str| trip[part]["seconds"].as_f64().expect("a time");
        let share = trip["share_outside"].as_f64().expect("a share");
        assert!((share - (1.0 - us("kernel") / us("round_trip"))).abs() < 1e-12);
        assert!(us("round_trip") > 0.0 && us("kernel") > 0.0, "{trip}");
    }
    assert!(!table.contains("K20m"), "the thesis has another grid: {table}");
}

#[test]
fn imaging_kernels_stand_beside_the_propagation() {
    let folder = folder();
    let arguments = ["imaging", "--size", "41x44", "--out", "i"];
    let Some((table, record)) = ladder(folder.path(), &arguments) else { return };
    let small = huygens(folder.path(), &["ladder", "imaging", "--size", "40x60"]);
    assert!(
        said(&small).contains("fewer than the offsets reach; give 41 or more"),
        "{}",
        said(&small)
    );
    let times = &record["imaging"][0];
    let rows = times["rows"].as_array().expect("rows");
    let kernel = |row: &Value| format!("{} {}", row["kernel"], row["along"]);
    let kernels: Vec<_> = rows.iter().map(kernel).collect();
    assert_eq!(kernels.len(), 6);
    assert!(kernels.contains(&"\"staged\" \"x\"".to_owned()), "{kernels:?}");
    for row in rows {
        let of = |key: &str| row[key].as_f64().expect("a number");
        let propagation = times["propagation_seconds"].as_f64().expect("a time");
        let imaging = of("seconds") - 2.0 * propagation;
        assert!((of("imaging_seconds") - imaging).abs() < 1e-12);
        // 100 imaging steps of 81 offsets.
        assert!((of("gpts") * imaging - 1e-9 * 8100.0 * 41.0 * 44.0).abs() < 1e-9);
    }
    // 1024 accesses of 256 points, and 1120 of 512.
    let counted = |index: usize| rows[index]["counted"].as_f64();
    assert_eq!((counted(0), counted(1)), (Some(4.0), Some(2.1875)));
    assert!(table.contains("SEP-138"));
    assert_eq!(names(&folder.path().join("i")), ["ladder.json", "ladder.png", "times.png"]);
}

#[test]
fn snapshots_have_a_row_for_each_interval() {
    let folder = folder();
    let arguments = ["snapshots", "--size", "12x10x14", "--out", "s"];
    let Some((table, record)) = ladder(folder.path(), &arguments) else { return };
    let times = &record["snapshots"][0];
    assert_eq!(times["bytes"], 4 * 12 * 10 * 14);
    let rows = times["rows"].as_array().expect("rows");
    let every: Vec<_> = rows.iter().map(|row| row["every"].as_u64()).collect();
    assert_eq!(every, [1, 2, 5, 10, 20, 50, 100].map(Some));
    for row in rows {
        assert!(row["in_turn"].as_f64() > Some(0.0), "{row}");
        assert_eq!(row["beside"].is_null(), row["copied"].is_null(), "{row}");
    }
    assert!(table.contains("beside s"), "{table}");
    assert_eq!(names(&folder.path().join("s")), ["ladder.json", "ladder.png"]);
}

#[test]
fn explicit_time_evolution_has_a_row_for_each_scheme() {
    let folder = folder();
    let arguments = ["ete", "--size", "12x10x14", "--points", "37", "--bins", "300", "--out", "e"];
    let Some((table, record)) = ladder(folder.path(), &arguments) else { return };
    let times = &record["ete"][0];
    assert_eq!(times["case"]["bins"], 300);
    // 2 a point, and what Fang and others reach with it.
    assert_eq!(
        (times["flops"].as_f64(), times["published_gflops"].as_f64()),
        (Some(74.0), Some(385.0))
    );
    assert!(times["errors"]["row"].as_f64() < Some(1e-5), "{times}");
    let models = times["models"].as_array().expect("models");
    assert_eq!([&models[0]["model"], &models[1]["model"]], ["random", "layered"]);
    for model in models {
        let rows = model["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), 26);
        for row in rows {
            assert!(table.contains(row["name"].as_str().expect("a name")));
            let Some(seconds) = row["time"]["seconds"].as_f64() else {
                // A device with little workgroup memory.
                let why = row["refused"].as_str().expect("a reason");
                assert!(why.contains("bins would do") || why.contains("invocations"), "{why}");
                continue;
            };
            let of = |key: &str| row[key].as_f64().expect("a rate");
            assert!((of("gpts") * seconds / (12.0 * 10.0 * 14.0 * 1e-9) - 1.0).abs() < 1e-12);
            assert!((of("gflops") / of("gpts") - 74.0).abs() < 1e-9);
        }
        let gpts = |rung: usize| rows[rung - 1]["gpts"].as_f64().expect("a rate");
        let ratio = rows[5]["against"].as_f64().expect("one-to-multi against multi-to-one");
        assert!((ratio - gpts(6) / gpts(2)).abs() < 1e-12);
    }
    assert!(table.contains("1.1 x multi-to-one") && table.contains("Titan X"), "{table}");
    assert_eq!(names(&folder.path().join("e")), ["ladder.json", "ladder.png"]);
}

/// A table that no device takes, and one that this one does not keep in workgroup memory: fewer
/// bins are proposed.
#[test]
fn a_table_that_is_too_large_says_how_many_bins_would_do() {
    let folder = folder();
    if engines::opened(false).is_empty() {
        return;
    }
    let all = ["ladder", "ete", "--size", "8x8x8", "--bins", "70000", "--out", "x"];
    let output = exits(2, folder.path(), &all);
    assert!(said(&output).contains("give 65536 or fewer"), "{}", said(&output));
    assert!(!folder.path().join("x").exists());
}

/// A field smaller than the smallest buffer.
#[test]
fn a_single_node_is_climbed_too() {
    let folder = folder();
    for (arguments, file) in
        [(["copy", "--size", "1", "--out", "c"], "c"), (["2d", "--size", "1x3", "--out", "l"], "l")]
    {
        if ladder(folder.path(), &arguments).is_some() {
            assert_eq!(names(&folder.path().join(file)), ["ladder.json", "ladder.png"]);
        }
    }
}

#[test]
fn against_the_length_of_the_operator() {
    let folder = folder();
    let arguments = ["2d", "--size", "20x20", "--wing", "2..4", "--out", "wing"];
    let Some((_, record)) = ladder(folder.path(), &arguments) else { return };
    assert_eq!(record["ladders"].as_array().map(Vec::len), Some(3));
    assert_eq!(names(&folder.path().join("wing")), ["ladder.json", "ladder.png"]);
}

#[test]
fn climbs_every_rung_of_a_volume() {
    let folder = folder();
    let arguments = ["3d", "--size", "24x20x16", "--order", "4", "--out", "v"];
    let Some((table, record)) = ladder(folder.path(), &arguments) else { return };
    let one = &record["ladders"][0];
    assert_eq!([&one["case"]["nz"], &one["case"]["nx"], &one["case"]["ny"]], [24, 20, 16]);
    let rows = one["rows"].as_array().expect("rows");
    for update in ["laplacian", "wave"] {
        let of = |row: &&Value| row["update"] == update;
        for rung in 1..=if update == "wave" { 10 } else { 9 } {
            assert!(rows.iter().filter(of).any(|row| row["rung"] == rung), "rung {rung}");
        }
        assert!(rows.iter().filter(of).any(|row| row["checked"] == true), "checks are shown");
    }
    for row in rows {
        assert!(table.contains(row["name"].as_str().expect("a name")));
        let Some(seconds) = row["time"]["seconds"].as_f64() else {
            // A device with little workgroup memory; or the Laplacian of several steps.
            let known = ["the device takes", "one step a pass only"];
            let why = row["refused"].as_str().expect("a reason");
            assert!(known.iter().any(|known| why.contains(known)), "{why}");
            continue;
        };
        let gpts = row["gpts"].as_f64().expect("a rate");
        assert!((gpts * seconds / (24.0 * 20.0 * 16.0 * 1e-9) - 1.0).abs() < 1e-12);
    }
    let number = |rung: usize, update: &str, key: &str| {
        let is = |row: &&Value| row["rung"] == rung && row["update"] == update;
        rows.iter().find(is).expect("a rung")[key].clone()
    };
    assert!((12..=14).all(|rung| number(rung, "wave", "steps") == rung - 10));
    // A stencil of order 4 is of 13 nodes.
    assert_eq!(number(2, "wave", "redundancy"), 13.0);
    assert!(number(11, "wave", "redundancy").is_null());
    // Order 4 is not in the paper: the figures of order 8 on its usual volumes.
    let published = |rung, update| number(rung, update, "published")["gpts"].clone();
    assert_eq!(published(5, "laplacian"), 4.269);
    assert_eq!(published(6, "laplacian"), Value::Null);
    assert_eq!(published(6, "wave"), 3.0505);
    let said = "480 x 480 x 480 nodes (z x x x y), order 8 (wing 4), for the paper does not have";
    assert!(table.contains(said), "{table}");
    assert_eq!(names(&folder.path().join("v")), ["ladder.json", "ladder.png"]);
}

/// On software Vulkan too, where there is an adapter.
#[test]
fn a_volume_is_stepped_by_one_device_and_more() {
    let folder = folder();
    let lists: &[&str] =
        if engines::opened(false).is_empty() { &["cpu,cpu"] } else { &["cpu,cpu", "0,0"] };
    for list in lists {
        let words = ["ladder", "3d", "--sweep", "devices", "--devices", list];
        let size = ["--size", "16x12x26", "--order", "8", "--quiet", "--out", list];
        let output = done(folder.path(), &[&words[..], &size].concat());
        assert_eq!(said(&output), "", "nothing but the table is said");
        let out = folder.path().join(list);
        let record = json(out.join("ladder.json"));
        let times = &record["devices"][0];
        let count = list.split(',').count();
        assert_eq!(times["devices"].as_array().map(Vec::len), Some(count));
        let number = |row: &Value, key: &str| row[key].as_f64().expect("a number");
        let kept = times["kept"].as_array().expect("rows");
        let grown = times["grown"].as_array().expect("rows");
        assert_eq!((kept.len(), grown.len()), (count, count - 1));
        for (row, devices) in kept.iter().zip(1..).chain(grown.iter().zip(2..)) {
            assert_eq!(row["devices"], devices);
            let planes = row["case"]["ny"].as_u64().expect("planes");
            let (seconds, speed) = (number(&row["time"], "seconds"), number(row, "mpoints"));
            assert!((speed * seconds / (1e-6 * 16.0 * 12.0 * planes as f64) - 1.0).abs() < 1e-9);
            let times = number(row, "times");
            assert!((times - speed / number(&kept[0], "mpoints")).abs() < 1e-9);
            assert!((number(row, "efficiency") - times / f64::from(devices)).abs() < 1e-9);
            let shares = row["shares"].as_array().expect("shares");
            assert_eq!(shares.len() as i32, if devices == 1 { 0 } else { devices });
            let all: u64 =
                shares.iter().map(|share| share["pieces"].as_u64().expect("planes")).sum();
            assert!(devices == 1 || all == planes, "{row}");
            // Every share is there from the beginning of a sample to its end.
            for share in shares {
                let spent: f64 =
                    ["computing", "waiting", "idle"].map(|part| number(share, part)).iter().sum();
                assert!(number(share, "computing") > 0.0 && spent > 0.5 * 7.0 * seconds, "{row}");
            }
        }
        assert!(grown.iter().zip(2..).all(|(row, devices)| row["case"]["ny"] == 26 * devices));
        let neighbours = times["neighbours"].as_array().expect("rows");
        assert_eq!(neighbours.len(), 3);
        for (row, count) in neighbours.iter().zip(0..) {
            let speed = number(row, "mpoints");
            let seconds = number(&row["time"], "seconds");
            assert!(row["neighbours"] == count && seconds > 0.0, "{row}");
            assert!((speed * seconds / (1e-6 * 16.0 * 12.0 * 26.0) - 1.0).abs() < 1e-9, "{row}");
            let part = speed / number(&neighbours[0], "mpoints");
            assert!((number(row, "part") - part).abs() < 1e-9, "{row}");
        }
        // The paper has 1, 2 and 4 GPUs.
        let paper = kept.iter().map(|row| row["published"]["mpoints"].as_f64());
        assert_eq!(paper.collect::<Vec<_>>(), [Some(2986.85), Some(5944.98), None][..count]);
        let table = String::from_utf8(output.stdout).expect("text");
        for part in ["480 x 480 x 800 nodes (z x x x y), order 8 (wing 4), for the paper", "5945"] {
            assert!(table.contains(part), "{part} in {table}");
        }
        assert_eq!(names(&out), ["devices.png", "ladder.json", "shares.png"]);
    }
}

#[test]
fn sweeps_the_slices_of_a_volume() {
    let folder = folder();
    let arguments =
        ["3d", "--sweep", "slices", "--size", "8x6x12", "--order", "2", "--out", "slices"];
    let Some((_, record)) = ladder(folder.path(), &arguments) else { return };
    let charts = record["sweeps"][0]["charts"].as_array().expect("charts");
    assert_eq!(charts.len(), 3);
    for series in charts.iter().flat_map(|chart| chart["series"].as_array().expect("series")) {
        let planes = series["points"].as_array().expect("points").iter();
        let planes: Vec<_> = planes.map(|point| point["workgroup"]["planes"].as_u64()).collect();
        let marched = [Some(4), Some(8), Some(12)];
        let held = [1, 2, 4, 8, 16].map(Some);
        assert!(planes == marched || planes == held, "{planes:?}");
    }
    let pictures = ["ladder.json", "slices-laplacian.png", "slices-steps.png", "slices-wave.png"];
    assert_eq!(names(&folder.path().join("slices")), pictures);
}

/// A single device tells what its neighbours would cost it.
#[test]
fn one_device_has_neighbours() {
    let folder = folder();
    let words = ["ladder", "3d", "--sweep", "devices", "--devices", "cpu", "--size", "16x12x26"];
    let output = done(folder.path(), &[&words[..], &["--out", "one"]].concat());
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("of none") && !table.contains("kept"), "{table}");
    assert_eq!(names(&folder.path().join("one")), ["ladder.json"]);
}

#[test]
fn the_kept_volume_alone_goes_by_doubled_devices_and_all() {
    let folder = folder();
    let words = ["ladder", "3d", "--sweep", "devices", "--devices", "cpu,cpu,cpu,cpu,cpu"];
    let kept = ["--kept", "--size", "16x12x60", "--order", "8", "--out", "kept"];
    let output = done(folder.path(), &[&words[..], &kept].concat());
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(!table.contains("Grown") && !table.contains("of none"), "{table}");
    let record = json(folder.path().join("kept/ladder.json"));
    let times = &record["devices"][0];
    let rows = times["kept"].as_array().expect("rows").iter();
    assert_eq!(rows.map(|row| row["devices"].as_u64()).collect::<Vec<_>>(), [1, 2, 4, 5].map(Some));
    assert!(times["grown"] == Value::Array(vec![]) && times["neighbours"] == Value::Array(vec![]));
}

/// Every rung that a chart is to show has room in it.
#[test]
fn three_orders_share_a_chart() {
    let folder = folder();
    let arguments = ["3d", "--size", "6x5x4", "--order", "2,4,6", "--out", "orders"];
    if ladder(folder.path(), &arguments).is_some() {
        assert_eq!(names(&folder.path().join("orders")), ["ladder.json", "ladder.png"]);
    }
}

/// Several orders share a picture; what does not fit is said and not left out in silence.
#[test]
fn a_list_goes_to_what_fits() {
    let folder = folder();
    let arguments = ["3d", "--size", "6,900,8x7x6", "--order", "2", "--out", "list"];
    let Some((table, record)) = ladder(folder.path(), &arguments) else { return };
    assert_eq!(record["ladders"].as_array().map(Vec::len), Some(2));
    let why = record["not_taken"][0]["why"].as_str().expect("a reason");
    assert!(why.contains("900 x 900 x 900") && why.contains("at most"), "{why}");
    assert!(table.contains(why), "{table}");
    let pictures = ["ladder-8x7x6-wing1.png", "ladder.json", "ladder.png"];
    assert_eq!(names(&folder.path().join("list")), pictures);
}

#[test]
fn without_a_gpu_the_first_rung_alone() {
    let folder = folder();
    let output = done(folder.path(), &["ladder", "2d", "--backend", "cpu", "--size", "40x30"]);
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("CPU, one thread") && table.contains("there is no GPU"), "{table}");
    let range = ["ladder", "2d", "--backend", "cpu", "--size", "8..32", "--out", "r"];
    done(folder.path(), &range);
    assert_eq!(names(&folder.path().join("r")), ["ladder.json", "ladder.png"]);
    let sweep = exits(2, folder.path(), &["ladder", "copy", "--backend", "cpu", "--out", "c"]);
    assert!(said(&sweep).contains("is for a GPU"), "{}", said(&sweep));
    assert!(!folder.path().join("c").exists(), "nothing is left behind");
}

#[test]
fn all_is_a_plane_and_a_volume() {
    let folder = folder();
    let output = done(folder.path(), &["ladder", "all", "--json", "--backend", "cpu"]);
    let record = printed(&output);
    let ladders = record["ladders"].as_array().expect("ladders");
    let sizes: Vec<_> = ladders.iter().map(|ladder| &ladder["case"]["ny"]).collect();
    assert_eq!(sizes, [1, 64]);
    let files = ["ladder-64x64x64-wing4.png", "ladder.json", "ladder.png"];
    assert_eq!(names(&folder.path().join("ladder-all")), files);
}

#[test]
fn invalid_ladders_are_refused() {
    let folder = folder();
    for (arguments, words) in [
        (&["2d", "--size", "0"][..], "give at least 1"),
        (&["2d", "--size", "9..3"], "smaller one first"),
        (&["2d", "--wing", "17"], "choose 1 to 16"),
        (&["2d", "--order", "7"], "even order from 2 to 16"),
        (&["2d", "--order", "18"], "even order from 2 to 16"),
        (&["2d", "--order", "8", "--wing", "8"], "cannot be used with"),
        (&["2d", "--size", "8..64", "--wing", "2..3"], "a single value"),
        (&["copy", "--sweep", "threads"], "belongs to"),
        (&["all", "--sweep", "threads"], "belongs to"),
        (&["all", "--size", "40"], "sizes and operators of its own"),
        (&["all", "--order", "4"], "sizes and operators of its own"),
        (&["all", "--paper"], "belongs to `ladder 3d`"),
        (&["copy", "--backend", "cpu"], "is for a GPU"),
        (&["2d", "--backend", "reference"], "use --backend cpu"),
        (&["2d", "--size", "1x300000000", "--backend", "cpu"], "at most"),
        (&["2d", "--size", "4000000000"], "at most"),
        (&["2d", "--size", "30000"], "at most"),
        (&["2d", "--size", "30000", "--backend", "cpu"], "at most"),
        (&["4d"], "2d"),
        (&["3d", "--size", "0"], "give at least 1"),
        (&["3d", "--size", "8x0x8"], "give at least 1"),
        (&["3d", "--size", "310x775"], "no volume"),
        (&["3d", "--size", "8x8x8x8"], "no volume"),
        (&["3d", "--size", "64x64x1"], "at least 2 nodes along y"),
        (&["2d", "--size", "8x8x8"], "no plane"),
        (&["3d", "--size", "1000000"], "at most"),
        (&["3d", "--size", "900", "--backend", "cpu"], "at most"),
        (&["3d", "--size", "4000000000000x4000000000000x4000000000000"], "at most"),
        (&["3d", "--size", "900,800"], "at most"),
        (&["3d", "--order", "7", "--size", "8"], "even order from 2 to 16"),
        (&["3d", "--order", "18", "--size", "8"], "even order from 2 to 16"),
        (&["3d", "--order", "6,8", "--size", "8,9"], "a single value"),
        (&["3d", "--wing", "17"], "choose 1 to 16"),
        (&["3d", "--paper", "--size", "8"], "cannot be used with"),
        (&["3d", "--paper", "--backend", "cpu"], "is for a GPU"),
        (&["3d", "--paper", "--sweep", "slices"], "give --sweep devices"),
        (&["3d", "--sweep", "threads", "--size", "8"], "choose geometry or slices"),
        (&["2d", "--sweep", "slices"], "choose threads or geometry"),
        (&["2d", "--paper"], "belongs to `ladder 3d`"),
        (&["ete", "--points", "25"], "give 37 or 73"),
        (&["ete", "--bins", "1"], "at least 2"),
        (&["ete", "--order", "8"], "give --points 37 or 73"),
        (&["ete", "--size", "320x320"], "no volume"),
        (&["ete", "--size", "2000"], "at most"),
        (&["ete", "--backend", "cpu"], "is for a GPU"),
        (&["3d", "--bins", "64"], "belong to `ladder ete`"),
        (&["3d", "--sweep", "slices", "--backend", "cpu"], "is for a GPU"),
        (&["3d", "--sweep", "devices"], "give --devices all, or a list such as"),
        (&["2d", "--sweep", "devices", "--devices", "cpu,cpu"], "belongs to `ladder 3d`"),
        (&["3d", "--devices", "cpu,cpu"], "belongs to `ladder 3d --sweep devices`"),
        (
            &["3d", "--sweep", "devices", "--devices", "cpu,cpu,cpu", "--size", "8x8x11"],
            "11 planes is not split over 3 engines: each takes 4 at the least; give from 1 to 2",
        ),
        (
            &["3d", "--sweep", "devices", "--devices", "cpu,cpu", "--size", "4000000"],
            "of the host's memory",
        ),
    ] {
        let all = [&["ladder"], arguments, &["--out", "x"]].concat();
        let output = huygens(folder.path(), &all);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(words), "{arguments:?}: {}", said(&output));
        assert!(!folder.path().join("x").exists(), "{arguments:?} left something behind");
    }
}
