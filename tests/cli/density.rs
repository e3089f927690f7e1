//! The density of a job: a number, a rule or a file; the reflection of the shipped job; migration, gradient
//! and locating with a density, and `huygens model`.

use crate::{
    rtm::JOB,
    run::{SMALL, done, folder, huygens, printed, said, says},
};
use ndarray::{Array2, ArrayView1, s};
use ndarray_npy::{read_npy, write_npy};
use serde_json::Value;
use std::{fs, path::Path};

/// Three shots over a jump of density alone, 1500 over 2000 kg/m3 at 397.5 m as in the shipped job.
const SURVEY: &str = "velocity = \"builtin:homogeneous\"\ndensity = \"rho.npy\"\naxes = \"xz\"";

fn survey(at: &Path) {
    let rho = Array2::from_shape_fn((81, 61), |(_, z)| if z < 40 { 1500.0f32 } else { 2000.0 });
    write_npy(at.join("rho.npy"), &rho).expect("written");
    let job = JOB
        .replace("velocity = \"builtin:layers\"", SURVEY)
        .replace("smooth = 80.0", "")
        .replace("0.4", "0.7");
    fs::write(at.join("job.toml"), job).expect("written");
}

const RUN: [&str; 6] = ["job.toml", "--backend", "cpu", "--no-pictures", "--force", "--out"];

#[test]
fn a_migration_has_the_jump_of_a_density_at_its_depth() {
    let folder = folder();
    let at = folder.path();
    survey(at);
    done(at, &[&["shot"][..], &RUN, &["seen"]].concat());
    // Through rock of one density, which the gathers' reflection is not in.
    let migrated = |density: &str, out: &str| -> Array2<f32> {
        let density = format!("model.density={density}");
        let sets = ["--set", "rtm.gathers=\"seen/gathers.sgy\"", "--set", &density];
        done(at, &[&["rtm"][..], &RUN, &[out], &sets].concat());
        read_npy(at.join(out).join("image.npy")).expect("an image")
    };
    let image = migrated("1500", "image");
    // Away from the shots and the edges.
    let energy = |z: usize| image.slice(s![20..61, z]).mapv(|v| f64::from(v).powi(2)).sum();
    let deepest = (25..61).max_by(|a, b| energy(*a).total_cmp(&energy(*b))).expect("rows");
    assert!((39..=41).contains(&deepest), "{deepest}");
}

#[test]
fn a_misfit_vanishes_with_the_density_of_the_traces_alone() {
    let folder = folder();
    let at = folder.path();
    survey(at);
    done(at, &[&["shot"][..], &RUN, &["seen"]].concat());
    let misfits = |sets: &[&str], out: &str| -> Vec<f64> {
        let observed = ["--observed", "seen/gathers.sgy"];
        done(at, &[&["gradient"][..], &RUN, &[out], &observed, sets].concat());
        let record = fs::read(at.join(out).join("run.json")).expect("a record");
        let record: Value = serde_json::from_slice(&record).expect("JSON");
        let all = record["misfits"].as_array().expect("of each shot").iter();
        all.map(|misfit| misfit.as_f64().or(misfit["misfit"].as_f64()).expect("a number")).collect()
    };
    let same = misfits(&[], "same");
    let other = misfits(&["--set", "model.density=1500"], "other");
    assert_eq!((same.len(), other.len()), (3, 3));
    assert!(
        same.iter().zip(&other).all(|(same, other)| *same < 1e-9 * other),
        "{same:?} {other:?}"
    );
}

#[test]
fn a_source_is_located_through_a_density_and_a_scan_names_its_velocity() {
    let folder = folder();
    let at = folder.path();
    let job = SMALL.replace("[time]", "density = \"gardner\"\n\n[time]").replace("0.4", "1.2");
    let job = job.replace("snapshots = [0.2]", "");
    let scan = "[scan]\nfactors = { from = 0.9, to = 1.1, count = 5 }\n";
    fs::write(at.join("job.toml"), format!("{job}{scan}")).expect("written");
    done(at, &[&["shot"][..], &RUN, &["seen"]].concat());
    let more = ["--gather", "seen/gather.npy", "--json"];
    let report = printed(&done(at, &[&["locate"][..], &RUN, &["back"], &more].concat()));
    assert_eq!(report["model"], "builtin:layers x 1.0000", "{report:#}");
    let found = &report["found"][0]["at"];
    let off = |axis: &str, exact: f64| (found[axis].as_f64().expect("metres") - exact).abs();
    assert!(off("x", 800.0) <= 20.0 && off("z", 200.0) <= 20.0, "{found}");
}

/// Models the shot of `job.toml` with some keys set.
fn gather(at: &Path, out: &str, sets: &[&str]) -> Array2<f32> {
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let words = ["shot", "job.toml", "--backend", "cpu", "--no-pictures", "--out", out];
    done(at, &words.into_iter().chain(sets).collect::<Vec<_>>());
    read_npy(at.join(out).join("gather.npy")).expect("an array")
}

#[test]
fn a_jump_of_density_reflects_the_same_part_at_every_offset() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("job.toml"), include_str!("../../assets/jobs/density.toml"))
        .expect("written");
    let jump = gather(at, "jump", &[]);
    let flat = gather(at, "flat", &["model.density=1500"]);
    // The wave of the source at the mirror images of the receivers: the jump is 397.5 m deep.
    let line = "receivers.line={ from = { x = 250.0, z = 695.0 }, to = { x = 1650.0, z = 695.0 }, count = 281 }";
    let image = gather(at, "image", &["model.density=1500", line]);
    let product = |a: ArrayView1<'_, f32>, b: ArrayView1<'_, f32>| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let reflected = &jump - &flat;
    for (receiver, (ours, image)) in reflected.rows().into_iter().zip(image.rows()).enumerate() {
        let coefficient = product(ours, image) / product(image, image);
        let expected = (2000.0 - 1500.0) / (2000.0 + 1500.0);
        assert!((coefficient / expected - 1.0).abs() < 0.02, "{} m: {coefficient}", 5 * receiver);
        // Nothing else is reflected.
        let rest = &ours - &(&image * coefficient as f32);
        let share = product(rest.view(), rest.view()) / product(ours, ours);
        assert!(share.sqrt() < 0.03, "{} m: {}", 5 * receiver, share.sqrt());
    }
    let output = done(at, &["check", "job.toml", "--backend", "cpu"]);
    let told = String::from_utf8_lossy(&output.stdout);
    says(&told, &["1500 to 2000 kg/m3, from builtin:layers", "without the density"]);
}

#[test]
fn a_density_of_any_kind_of_file_gives_the_same_traces() {
    let folder = folder();
    let at = folder.path();
    let run = |words: &[&str]| drop(done(at, &[&["model"], words].concat()));
    let nodes = ["--nodes", "z=60,x=80", "--spacing", "20", "--density", "gardner"];
    run(&[&["build", "builtin:layers", "--out", "rho.rsf"], &nodes[..]].concat());
    let job = SMALL.replace("[time]", "axes = \"xz\"\n[time]");
    fs::write(at.join("job.toml"), job).expect("written");
    let ruled = gather(at, "gardner", &["model.density=gardner"]);
    assert_ne!(ruled, gather(at, "constant", &[]));
    assert_eq!(
        gather(at, "number", &["model.density=2300"]),
        read_npy::<_, Array2<f32>>(at.join("constant/gather.npy")).expect("an array")
    );
    for ending in ["npy", "npz", "h5", "sgy", "su", "bin"] {
        let file = format!("rho.{ending}");
        run(&["convert", "rho.rsf", &file, "--quantity", "density"]);
    }
    // Velocities lie beside the density, and the array that is named is theirs.
    run(&["build", "builtin:layers", "--nodes", "z=60,x=80", "--spacing", "20", "--out", "v.npz"]);
    for file in ["rho.rsf", "rho.npy", "rho.npz", "rho.h5", "rho.sgy", "rho.su", "rho.bin"] {
        let own = gather(at, &format!("of-{file}"), &[&format!("model.density={file}")]);
        assert_eq!(own, ruled, "{file}");
    }
    let record = fs::read_to_string(at.join("of-rho.rsf/run.json")).expect("a record");
    assert!(record.contains("rho.rsf\""), "{record}");

    // In g/cm3, by the file or by a flag.
    let rho: Array2<f32> = read_npy(at.join("rho.npy")).expect("an array");
    write_npy(at.join("g.npy"), &(&rho / 1000.0)).expect("written");
    let given = ["--quantity", "density", "--axes", "xz", "--file-spacing", "20"];
    run(&[&["convert", "g.npy", "kg.rsf", "--unit", "g/cm3"], &given[..]].concat());
    run(&[&["convert", "g.npy", "g.rsf"], &given[..]].concat());
    let header = fs::read(at.join("g.rsf")).expect("a file");
    let place = header.windows(5).position(|part| part == b"kg/m3").expect("a unit");
    let mut header = header;
    header[place..place + 5].copy_from_slice(b"g/cm3");
    fs::write(at.join("g.rsf"), header).expect("written");
    for file in ["kg.rsf", "g.rsf"] {
        let own = gather(at, &format!("of-{file}"), &[&format!("model.density={file}")]);
        let most = ruled.iter().fold(0.0f32, |most, p| most.max(p.abs()));
        let apart = (&own - &ruled).iter().fold(0.0f32, |most, p| most.max(p.abs()));
        assert!(apart < 1e-4 * most, "{file}: {apart} of {most}");
    }
}

#[test]
fn model_files_of_density_are_told_of_and_drawn() {
    let folder = folder();
    let at = folder.path();
    let nodes = ["--nodes", "z=60,x=80", "--spacing", "20", "--density", "gardner"];
    done(at, &[&["model", "build", "builtin:layers", "--out", "rho.rsf"], &nodes[..]].concat());
    let info =
        |more: &[&str]| huygens(at, &[&["model", "info", "rho.rsf", "--json"], more].concat());
    let told = printed(&info(&["--quantity", "density"]));
    let told = told.as_array().map_or(told.clone(), |files| files[0].clone());
    // 310 times the fourth root of 2000 m/s and of 2600 m/s.
    assert_eq!(told["least"], 1000.0, "{told}");
    let most = told["most"].as_f64().expect("a number");
    assert!((most - 310.0 * 2600f64.powf(0.25)).abs() < 1e-2, "{told}");
    assert_eq!((&told["unit"], &told["plausible"]), (&"kg/m3".into(), &true.into()));
    // Without the flag it is not taken for velocities.
    let convert = |from: &str, to: &str, more: &[&str]| {
        said(&huygens(at, &[&["model", "convert", from, to], more].concat()))
    };
    says(&convert("rho.rsf", "v.npy", &[]), &["kg/m3", "are densities", "--quantity density"]);
    says(
        &convert("rho.rsf", "x.rsf", &["--quantity", "density", "--remove-water"]),
        &["--remove-water", "--crop"],
    );
    says(
        &convert("rho.rsf", "x.rsf", &["--quantity", "density", "--density", "gardner"]),
        &["--density", "--quantity"],
    );
    convert("rho.rsf", "wet.npy", &["--quantity", "density", "--water", "500"]);
    let wet: Array2<f32> = read_npy(at.join("wet.npy")).expect("an array");
    assert_eq!((wet[[3, 24]], wet[[3, 25]] > 2000.0), (1000.0, true));
    done(at, &["model", "plot", "rho.rsf", "--quantity", "density", "--out", "rho.png"]);
}
