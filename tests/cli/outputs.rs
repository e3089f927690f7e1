//! The outputs of a shot.

use crate::run::{
    SMALL, done, folder, huygens, json, names, printed, refused, said, says, with_job,
};
use huygens::io::segy::{Reader, ReaderOptions, read_gathers};
use ndarray::{Array2, Array3};
use ndarray_npy::read_npy;

#[test]
fn a_shot_writes_all_its_files() {
    let folder = with_job(SMALL);
    let arguments = ["shot", "job.toml", "--backend", "cpu", "--out", "a/b"];
    let output = done(folder.path(), &arguments);
    assert!(output.stdout.is_empty());
    let out = folder.path().join("a/b");
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
    assert_eq!(names(&out.join("snapshots")), ["t0000100.png"]);

    let gather: Array2<f32> = read_npy(out.join("gather.npy")).expect("an array");
    assert_eq!(gather.dim(), (80, 201));
    assert!(gather.iter().any(|p| *p != 0.0) && gather.iter().all(|p| p.is_finite()));
    let snapshots: Array3<f32> = read_npy(out.join("snapshots.npy")).expect("an array");
    assert_eq!(snapshots.dim(), (1, 80, 60));
    for picture in ["gather.png", "snapshots/t0000100.png"] {
        let picture = image::open(out.join(picture)).expect("a picture");
        assert!(picture.width() > 600 && picture.height() > 300);
    }

    let record = json(out.join("run.json"));
    for key in ["version", "job", "engine", "time", "timings", "gpts_per_s", "memory", "inputs"] {
        assert!(!record[key].is_null(), "{key} in {record:#}");
    }
    assert_eq!(record["time"]["steps"], 200);
    assert_eq!(record["job"]["operator"]["order"], 8);
}

#[test]
fn a_folder_is_overwritten_only_when_forced() {
    let folder = with_job(SMALL);
    let run = |more: &[&str]| {
        let arguments = ["shot", "job.toml", "-q", "--backend", "cpu", "--out", "out"];
        huygens(folder.path(), &[&arguments, more].concat())
    };
    assert!(run(&[]).status.success());
    let again = run(&[]);
    assert_eq!(again.status.code(), Some(2));
    assert!(said(&again).contains("out is not empty") && said(&again).contains("--force"));
    let forced = run(&["--force", "--json"]);
    assert!(forced.status.success());
    assert!(forced.stderr.is_empty(), "quiet is quiet: {}", said(&forced));
    let record = printed(&forced);
    assert_eq!(record["engine"]["backend"], "cpu");
}

/// Without --out a run replaces what the same command left of the same job, however it is drawn.
#[test]
fn a_default_folder_is_replaced_by_the_same_job_alone() {
    let folder = with_job(SMALL);
    let run = |command: &'static str, more: &[&'static str]| {
        [&[command, "job.toml", "--backend", "cpu"], more].concat()
    };
    let shot = |more| run("shot", more);
    let other: &[&str] = &["--set", "time.duration=0.3"];
    done(folder.path(), &shot(&[]));
    done(folder.path(), &shot(&["--no-pictures"]));
    assert!(!folder.path().join("out/gather.png").exists());
    for arguments in [shot(other), run("zero-offset", &[])] {
        let refused = refused(folder.path(), &arguments);
        says(&refused, &["out is not empty", "--out", "--force"]);
    }
    assert_eq!(json(folder.path().join("out/run.json"))["job"]["time"]["duration"], 0.4);
    let located = ["--gather", "out/gather.npy", "--no-pictures"];
    done(folder.path(), &run("locate", &located));
    done(folder.path(), &run("locate", &located));
    let arguments = [&run("locate", &located)[..], &["--set", "time.step=0.001"]].concat();
    says(&refused(folder.path(), &arguments), &["located is not empty"]);
    done(folder.path(), &[&shot(other)[..], &["--force"]].concat());
}

#[test]
fn a_dipole_between_nodes_under_a_free_surface() {
    let folder = folder();
    let job = SMALL
        .replace("[time]", "[boundary]\ntop = \"free\"\n[time]")
        .replace("x = 800.0, z = 200.0 }", "x = 803.1, z = 25.0 }\nkind = \"dipole\"\naxis = \"z\"")
        .replace(
            "z = 0.0 }, to = { x = 1580.0, z = 0.0 }",
            "z = 0.0 }, to = { x = 1571.0, z = 31.0 }",
        );
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    done(folder.path(), &["shot", "job.toml", "--backend", "cpu"]);
    let out = folder.path().join("out");
    let gather: Array2<f32> = read_npy(out.join("gather.npy")).expect("an array");
    assert!(gather.row(0).iter().all(|p| *p == 0.0), "the first receiver is on the surface");
    assert!(gather.rows().into_iter().skip(1).all(|trace| trace.iter().any(|p| *p != 0.0)));
    let record = json(out.join("run.json"));
    assert_eq!(record["job"]["source"][0]["kind"], "dipole");
    assert_eq!(record["job"]["boundary"]["top"], "free");
}

#[test]
fn shots_of_a_job_have_a_folder_each_where_that_is_asked_for() {
    let folder = folder();
    let one = SMALL.replace("[[source]]", "[[shot]]\n[[shot.source]]");
    let other = "[[shot]]\n[[shot.source]]\nat = { x = 0.0, z = 0.0 }\n\
                 wavelet = { kind = \"ricker\", peak_hz = 12.0, delay = 0.1 }\n\
                 [shot.receivers]\npoints = [{ x = 20.0, z = 40.0 }]\n";
    let job = format!("{one}\n{other}");
    std::fs::write(folder.path().join("job.toml"), &job).expect("written");
    let each = ["--set", "output.gathers=[\"npy\", \"sgy\"]", "--set", "output.per_shot=true"];
    let shot = ["shot", "job.toml", "--backend", "cpu"];
    done(folder.path(), &[&shot[..], &each].concat());
    let gather = |shot: &str| -> Array2<f32> {
        read_npy(folder.path().join("out").join(shot).join("gather.npy")).expect("an array")
    };
    assert_eq!(
        names(&folder.path().join("out")),
        ["journal.jsonl", "run.json", "shot0001", "shot0002"]
    );
    assert_eq!(gather("shot0001").dim(), (80, 201));
    assert_eq!(gather("shot0002").dim(), (1, 201));
    // Its number is that of its traces' field record, and of messages.
    for number in [1, 2] {
        let file = format!("out/shot{number:04}/gather.sgy");
        let mut reader =
            Reader::open(&folder.path().join(file), ReaderOptions::default()).expect("whole");
        let gathers = read_gathers(&mut reader, None).expect("a gather");
        assert_eq!(gathers[0].record, number);
    }
    let outside = job.replace("at = { x = 0.0, z = 0.0 }", "at = { x = -5.0, z = 0.0 }");
    std::fs::write(folder.path().join("job.toml"), outside).expect("written");
    let output = huygens(folder.path(), &["shot", "job.toml", "--backend", "cpu"]);
    says(&said(&output), &["source 1 of shot 2: x = -5 m lies outside"]);
}

#[test]
fn a_model_in_either_order_and_type_is_the_same_model() {
    let folder = folder();
    let velocity = Array2::from_shape_fn((80, 60), |(x, z)| 1500.0 + 10.0 * (x + 2 * z) as f32);
    let write = |name: &str, header: &str, bytes: Vec<u8>| {
        let mut header = header.to_owned();
        while !(10 + header.len() + 1).is_multiple_of(64) {
            header.push(' ');
        }
        header.push('\n');
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(bytes);
        std::fs::write(folder.path().join(name), file).expect("written");
    };
    let header = |descr: &str, fortran: &str, shape: &str| {
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}")
    };
    let c_order = velocity.iter();
    let f_order = || velocity.t().to_owned().into_iter();
    let cases = [
        (
            "c-f4.npy",
            header("<f4", "False", "(80, 60)"),
            c_order.flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>(),
            "xz",
        ),
        (
            "f-f4be.npy",
            header(">f4", "True", "(80, 60)"),
            f_order().flat_map(f32::to_be_bytes).collect(),
            "xz",
        ),
        (
            "f-f8.npy",
            header("<f8", "True", "(80, 60)"),
            f_order().flat_map(|v| f64::from(v).to_le_bytes()).collect(),
            "xz",
        ),
        (
            "zx-f8be.npy",
            header(">f8", "False", "(60, 80)"),
            f_order().flat_map(|v| f64::from(v).to_be_bytes()).collect(),
            "zx",
        ),
    ];
    let job = SMALL.replace("nodes = { z = 60, x = 80 }\n", "");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    let mut gathers = Vec::new();
    for (name, header, bytes, axes) in cases {
        write(name, &header, bytes);
        let arguments = [
            "shot",
            "job.toml",
            "--backend",
            "cpu",
            "--model",
            name,
            "--axes",
            axes,
            "--out",
            name.trim_end_matches(".npy"),
        ];
        let output = huygens(folder.path(), &arguments);
        assert!(output.status.success(), "{name}: {}", said(&output));
        let out = folder.path().join(name.trim_end_matches(".npy"));
        gathers.push(read_npy::<_, Array2<f32>>(out.join("gather.npy")).expect("an array"));
    }
    assert!(gathers.windows(2).all(|pair| pair[0] == pair[1]));
}

/// The relative L2 difference of two gathers.
fn difference(ours: &Array2<f32>, theirs: &Array2<f32>) -> f64 {
    let norm = |a: &Array2<f32>| a.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
    norm(&(ours - theirs)) / norm(theirs)
}

/// The main job: what `huygens shot` does with no job file, on the CPU and on every adapter.
#[test]
fn the_main_job_gives_the_same_gather_on_every_backend() {
    let folder = folder();
    let adapters = huygens::engine::gpu::list(false);
    let able = adapters.iter().enumerate().filter(|(_, adapter)| adapter.lacks.is_empty());
    let mut gpus: Vec<_> = able.map(|(i, a)| (a.backend.name(), Some(i.to_string()))).collect();
    if gpus.is_empty() {
        let required = std::env::var_os("HUYGENS_REQUIRE_GPU").is_some();
        assert!(!required, "no adapter can run the GPU tests");
        println!("NOT RUN on a GPU: no adapter can run the engine");
    }
    gpus.insert(0, ("cpu", None));
    let mut gathers: Vec<Array2<f32>> = Vec::new();
    for (backend, index) in &gpus {
        let mut arguments = vec!["shot", "--backend", backend, "--out", backend, "--force"];
        if let Some(index) = index {
            arguments.extend(["--adapter", index]);
        }
        let output = huygens(folder.path(), &arguments);
        assert!(output.status.success(), "{backend}: {}", said(&output));
        let out = folder.path().join(backend);
        let steps = ["t0000050", "t0000500", "t0001000", "t0001500", "t0001950"];
        let pictures = steps.map(|step| format!("{step}.png"));
        assert_eq!(names(&out.join("snapshots")), pictures);
        gathers.push(read_npy(out.join("gather.npy")).expect("an array"));
    }
    for (gather, (backend, _)) in gathers.iter().zip(&gpus) {
        assert_eq!(gather.dim(), (675, 2001));
        let difference = difference(gather, &gathers[0]);
        println!("{backend}: {difference:.1e} from the CPU's gather");
        // Two thousand steps of f32 rounding.
        assert!(difference < 1e-4, "{backend}: {difference:e}");
    }
}

/// The example job for the SEG/EAGE section, which is not ours to ship, against another code's
/// gather.
#[test]
fn the_salt_job_gives_the_gather_of_an_independent_code() {
    let root = std::env::var_os("HUYGENS_DATA")
        .map_or_else(|| "../shared/data".into(), std::path::PathBuf::from);
    let Ok(data) = std::path::absolute(root.join("salt")) else { return };
    if !data.join("gather.npy").exists() {
        println!("NOT RUN: the SEG/EAGE salt data are not here; set HUYGENS_DATA to their folder");
        return;
    }
    let folder = folder();
    let job = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/jobs/seg-eage-salt.toml");
    let model = data.join("velocity.npy").display().to_string();
    done(folder.path(), &["shot", job, "--model", &model, "--backend", "cpu"]);
    let ours: Array2<f32> = read_npy(folder.path().join("out/gather.npy")).expect("an array");
    let theirs: Array2<f32> = read_npy(data.join("gather.npy")).expect("an array");
    let window = |gather: &Array2<f32>| gather.slice(ndarray::s![.., 5..=2995]).to_owned();
    let difference = difference(&window(&ours), &window(&theirs));
    println!("{:.4} % (bar 0.5 %)", 100.0 * difference);
    assert!(difference <= 0.005, "{difference}");
}

/// A forced run takes away what an earlier run wrote, and nothing else.
#[test]
fn a_forced_run_leaves_what_it_did_not_write() {
    let folder = with_job(SMALL);
    let run = |job: &str| {
        done(folder.path(), &["shot", job, "-q", "--backend", "cpu", "--force"]);
    };
    run("job.toml");
    std::fs::write(folder.path().join("out/snapshots/mine.txt"), "mine").expect("written");
    let without = SMALL.replace("snapshots = [0.2]", "");
    std::fs::write(folder.path().join("without.toml"), without).expect("written");
    run("without.toml");
    let out = folder.path().join("out");
    assert_eq!(
        names(&out),
        ["gather-wiggle.png", "gather.npy", "gather.png", "gather.sgy", "run.json", "snapshots"]
    );
    assert_eq!(names(&out.join("snapshots")), ["mine.txt"]);

    // Nor what the record of another program lists.
    std::fs::write(out.join("data.csv"), "mine").expect("written");
    std::fs::write(out.join("run.json"), r#"{ "files": ["data.csv"] }"#).expect("written");
    run("without.toml");
    assert!(names(&out).contains(&"data.csv".to_owned()));
}

#[test]
fn a_snapshot_at_the_end_of_an_automatic_time_axis_is_the_last_step() {
    let folder = folder();
    let job = SMALL.replace("step = 0.002", "").replace("[0.2]", "[0.4]");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    done(folder.path(), &["shot", "job.toml", "--backend", "cpu"]);
    assert_eq!(names(&folder.path().join("out/snapshots")).len(), 1);
}

#[test]
fn devices_name_what_auto_takes() {
    let folder = folder();
    let output = done(folder.path(), &["devices", "--json"]);
    let rows = printed(&output);
    let rows = rows.as_array().expect("a list");
    assert_eq!(rows.iter().filter(|row| row["auto"] == true).count(), 1);
    let auto = rows.iter().find(|row| row["auto"] == true).expect("one");
    assert_ne!(auto["kind"], "software", "auto never takes software Vulkan");
    assert!(rows.iter().any(|row| row["backend"] == "cpu"));

    let table = huygens(folder.path(), &["devices"]);
    assert!(String::from_utf8_lossy(&table.stdout).contains("what --backend auto takes"));
}
