//! Wrong input: exit code 2, a message that names the value, the limit and the remedy, and nothing
//! left behind.

use crate::run::{SMALL, folder, huygens, names, said};
use huygens::engine::gpu;

/// Runs the small job with a piece of text replaced; returns what the user reads.
fn refused(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    let folder = folder();
    std::fs::write(folder.path().join("job.toml"), SMALL.replace(from, to)).expect("written");
    let output = huygens(folder.path(), &["shot", "job.toml", "--backend", "cpu"]);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(names(folder.path()), ["job.toml"], "nothing is left behind");
    assert!(!said.contains("panicked"), "{said}");
    said
}

#[track_caller]
fn says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "\"{part}\" in: {said}");
    }
}

#[test]
fn a_model_is_no_job() {
    let folder = folder();
    std::fs::write(folder.path().join("v.sgy"), [0xc3; 3600]).expect("written");
    let output = huygens(folder.path(), &["shot", "v.sgy"]);
    assert_eq!(output.status.code(), Some(2));
    says(&said(&output), &["cannot read the job v.sgy", "no text", "--model"]);
}

#[test]
fn mistakes_in_a_job_are_named_with_their_line() {
    says(
        &refused("duration = 0.4", "durration = 0.4"),
        &["durration", "did you mean `duration`?", "job.toml:8:1"],
    );
    says(
        &refused("step = 0.002", "step = 0.2"),
        &["unstable", "a time step of 0.2 s", "largest stable step is 4.266404 ms", "job.toml:9:8"],
    );
    says(&refused("step = 0.002", "step = \"fast\""), &["\"auto\" or a number of seconds"]);
    says(
        &refused("x = 800.0, z = 200.0", "x = 8000.0, z = 200.0"),
        &["source 0", "x = 8000 m lies outside the model", "0 to 1580 m", "job.toml:12:6"],
    );
    let kind = |keys: &str| refused("[[source]]", &format!("[[source]]\n{keys}"));
    says(&kind("kind = \"dipole\""), &["a dipole has an axis", "job.toml:12:8"]);
    says(&kind("axis = \"x\""), &["a monopole has no axis", "job.toml:12:8"]);
    says(&kind("kind = \"quadrupole\""), &["unknown variant `quadrupole`", "`dipole`"]);
    says(
        &kind("kind = \"dipole\"\naxis = \"y\""),
        &["along y", "2-D", "give x or z", "job.toml:13:8"],
    );
    says(&refused("x = 1580.0, z = 0.0", "x = 1600.0, z = 0.0"), &["receiver", "x ="]);
    says(
        &refused("builtin:layers", "builtin:layer"),
        &["no built-in model \"layer\"", "salt, layers, homogeneous"],
    );
    says(
        &refused("snapshots = [0.2]", "snapshots = [0.1, 2.5]"),
        &["2.5 s is outside the simulated time", "0 to 0.4 s"],
    );
    says(&refused("duration = 0.4", "duration = -1.0"), &["time.duration is -1 s", "positive"]);
    says(&refused("duration = 0.4", "duration = 1e30"), &["steps", "at most 100000000"]);
    says(
        &refused("[time]", "[boundary]\ntop = \"loose\"\n[time]"),
        &["unknown variant `loose`", "`free`"],
    );
    says(
        &refused(
            "nodes = { z = 60, x = 80 }\nspacing = { z = 20.0, x = 20.0 }\n",
            "nodes = { z = 16, x = 80 }\nspacing = 20.0\n[boundary]\ntop = \"free\"\n\
             [operator]\nkind = \"windowed-sinc\"\nwing = 16\n",
        ),
        &["free surface needs more than 16 rows", "the model has 16", "job.toml:7:"],
    );
    says(
        &refused("z = 20.0, x = 20.0", "z = 0.0, x = 20.0"),
        &["spacing along z is 0 m", "positive"],
    );
    says(&refused("kind = \"ricker\"", "kind = \"riker\""), &["did you mean `ricker`?"]);
    says(&refused("peak_hz = 10.0", "peak_hz = nan"), &["peak frequency of NaN Hz"]);
    says(
        &refused("[receivers]", "[operator]\norder = 7\nkind = \"taylor\"\n[receivers]"),
        &["order 7 is not available", "even order from 2 to 16"],
    );
    says(
        &refused("[receivers]", "[boundary]\nsides = { kind = \"cpml\", cells = 0 }\n[receivers]"),
        &["0 cells", "5 to 1000"],
    );
    says(&refused("[[source]]\n", "[[sauce]]\n"), &["sauce", "did you mean `source`?"]);
    says(
        &refused("nodes = { z = 60, x = 80 }", "nodes = { z = 600000, x = 800000 }"),
        &["GiB", "coarser spacing or fewer nodes"],
    );
    let nodes =
        |nodes: &str| refused("nodes = { z = 60, x = 80 }", &format!("nodes = {{ {nodes} }}"));
    says(&nodes("z = 0, x = 80"), &["no nodes along z", "at least 1", "job.toml:4:9"]);
    says(&nodes("z = 60, x = 0"), &["no nodes along x", "at least 1", "job.toml:4:9"]);
    says(&nodes("z = 60, x = 1"), &["x = 800 m lies outside", "0 to 0 m", "job.toml:12:6"]);
    says(&nodes("z = -60, x = 80"), &["-60", "job.toml:4"]);
    says(
        &nodes("z = 1000000000000, x = 80"),
        &["80 x 1000000000000 nodes", "298023.2 GiB", "at most 2147483648", "fewer nodes"],
    );
    says(
        &nodes("z = 9000000000000000000, x = 9000000000000000000"),
        &["9000000000000000000 x 9000000000000000000 nodes", "at most 2147483648", "fewer nodes"],
    );
    says(&nodes("z = 99999999999999999999, x = 80"), &["job.toml:4"]);
    for spacing in ["nan", "-20.0", "inf", "1e300"] {
        says(
            &refused("z = 20.0, x = 20.0", &format!("z = 20.0, x = {spacing}")),
            &["spacing along x is", "positive", "1e-6 to 1e7", "job.toml:5:11"],
        );
    }
    says(&refused("count = 80", "count = 999999999999"), &["too many"]);
    says(&refused("count = 80", "count = 0"), &["0 receivers", "at least 1", "job.toml:16:77"]);
    let points = |list: &str| refused("[receivers]\nline =", &format!("[receivers]\n{list}\n#"));
    says(&points("points = []"), &["0 receivers", "leave the receivers out", "job.toml:16:10"]);
    says(
        &refused(
            "nodes = { z = 60, x = 80 }\nspacing = { z = 20.0, x = 20.0 }\n",
            "nodes = { z = 1, x = 20000000 }\n\
             [boundary]\nsides = { kind = \"sponge\", cells = 1000 }\n",
        ),
        &["the wavefield would take", "GiB", "smaller or coarser"],
    );
    says(
        &refused("peak_hz = 10.0 }", "peak_hz = 10.0 }\namplitude = 1e45"),
        &["a field of 2.25e43", "smaller amplitude", "job.toml:14:13"],
    );
    says(&refused("[receivers]", "amplitude = nan\n[receivers]"), &["amplitude NaN"]);
    says(&refused("[time]", "[time"), &["job.toml:7"]);
}

/// The small job with an order and nodes of its own, and no layers.
fn narrow(order: usize, nodes: &str) -> String {
    SMALL
        .replace("z = 60, x = 80", nodes)
        .replace(
            "[receivers]",
            &format!("[operator]\nkind = \"taylor\"\norder = {order}\n[receivers]"),
        )
        .replace("[time]", "[boundary]\ntop = \"zero\"\nsides = { kind = \"zero\" }\n[time]")
}

#[test]
fn an_operator_wider_than_the_grid_is_refused_unless_forced() {
    let folder = folder();
    let run = |job: &str, more: &[&str]| {
        std::fs::write(folder.path().join("job.toml"), job).expect("written");
        huygens(folder.path(), &[&["shot", "job.toml", "--backend", "cpu"], more].concat())
    };
    let refused = |job: &str| {
        let output = run(job, &[]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert_eq!(names(folder.path()), ["job.toml"], "nothing is left behind");
        said(&output)
    };
    let wide = narrow(16, "z = 16, x = 80");
    says(
        &refused(&wide),
        &["17 nodes wide along z", "has 16 there", "order = 14 (wing = 7)", "17 nodes along z"],
    );
    says(&refused(&wide), &["--force", "job.toml:18:1"]);
    let one = narrow(2, "z = 1, x = 80").replace("z = 200.0", "z = 0.0");
    says(&refused(&one), &["3 nodes wide along z", "has 1 there", "use 3 nodes along z or more"]);
    let volume = narrow(8, "z = 60, x = 80, y = 8")
        .replace("z = 20.0, x = 20.0", "z = 20.0, x = 20.0, y = 20.0")
        .replace("z = 200.0 }", "z = 200.0, y = 0.0 }")
        .replace("z = 0.0 }", "z = 0.0, y = 0.0 }");
    says(&refused(&volume), &["9 nodes wide along y", "has 8 there", "order = 6 (wing = 3)"]);

    for job in [&wide.replace("z = 16,", "z = 17,"), &volume.replace("y = 8 }", "y = 9 }")] {
        let output = run(job, &["--out", "fits"]);
        assert!(output.status.success(), "{}", said(&output));
        std::fs::remove_dir_all(folder.path().join("fits")).expect("removed");
    }
    for job in [&wide, &one, &volume] {
        let output = run(job, &["--out", "forced", "--force"]);
        assert!(output.status.success(), "{}", said(&output));
    }
}

#[test]
fn a_volume_larger_than_a_binding_is_refused_with_what_each_array_takes() {
    // Only software Vulkan has limits that a test can afford to pass.
    let small = |adapter: &&gpu::Adapter| adapter.max_binding <= 128 << 20;
    let adapters = gpu::list(false);
    let Some(adapter) = adapters.iter().filter(|adapter| adapter.lacks.is_empty()).find(small)
    else {
        println!("NOT RUN: no adapter has bindings of 128 MiB or less");
        return;
    };
    let folder = folder();
    let job = SMALL
        .replace("builtin:layers", "builtin:homogeneous")
        .replace("z = 60, x = 80", "z = 400, x = 400, y = 400")
        .replace("z = 20.0, x = 20.0", "z = 20.0, x = 20.0, y = 20.0")
        .replace("z = 200.0 }", "z = 200.0, y = 0.0 }")
        .replace("z = 0.0 }", "z = 0.0, y = 0.0 }");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    let backend = adapter.backend.name();
    let output = huygens(
        folder.path(),
        &["shot", "job.toml", "--backend", backend, "--adapter", &adapter.name],
    );
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(names(folder.path()), ["job.toml"], "nothing is left behind");
    let binding = format!("at most {:.1} MiB", adapter.max_binding as f64 / f64::from(1 << 20));
    says(&said, &["the wavefield p at a step takes 339.9 MiB", "one binding of", &binding]);
    says(&said, &["p at a step: 2 x 339.9 MiB", "(v dt)^2: 339.9 MiB", "the absorbing layers: "]);
    says(&said, &["the traces: ", "snapshots on their way out: 2 x", "together: ", "GiB"]);
    says(
        &said,
        &["nodes fit", "smaller or coarser model", "fewer cells of layer", "--backend cpu"],
    );
}

/// Runs the small job with a model file; returns what the user reads.
fn refused_model(bytes: Option<&[u8]>, more: &[&str]) -> String {
    let folder = folder();
    let job = SMALL.replace("nodes = { z = 60, x = 80 }\n", "");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    let mut expected = vec!["job.toml"];
    if let Some(bytes) = bytes {
        std::fs::write(folder.path().join("v.npy"), bytes).expect("written");
        expected.push("v.npy");
    }
    let arguments = ["shot", "job.toml", "--backend", "cpu", "--model", "v.npy"];
    let output = huygens(folder.path(), &[&arguments, more].concat());
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(names(folder.path()), expected, "nothing is left behind");
    said
}

/// An array of f32 as a file, with something done to it first.
fn model(change: impl FnOnce(&mut ndarray::Array2<f32>)) -> Vec<u8> {
    let mut velocity = ndarray::Array2::from_elem((80, 60), 2000.0f32);
    change(&mut velocity);
    huygens::io::npy::bytes(velocity.view().into_dyn())
}

#[test]
fn mistakes_in_a_model_file_are_named() {
    let xz = ["--axes", "xz"];
    says(&refused_model(None, &xz), &["cannot read", "v.npy"]);
    let whole = model(|_| ());
    says(
        &refused_model(Some(&whole[..whole.len() - 10]), &xz),
        &["not a whole .npy file", "[80, 60]", "bytes follow"],
    );
    says(&refused_model(Some(&whole[..40]), &xz), &["not a whole .npy file"]);
    says(&refused_model(Some(b""), &xz), &["not a whole .npy file"]);
    let long = [whole.clone(), vec![0; 4]].concat();
    says(&refused_model(Some(&long), &xz), &["bytes follow"]);
    says(
        &refused_model(Some(&model(|v| v[[3, 5]] = f32::NAN)), &xz),
        &["x = 3, z = 5", "NaN", "positive"],
    );
    says(
        &refused_model(Some(&model(|v| v[[79, 59]] = -1500.0)), &xz),
        &["x = 79, z = 59", "-1500"],
    );
    says(&refused_model(Some(&whole), &[]), &["does not name its axes", "xz", "zx"]);
    says(&refused_model(Some(&whole), &["--axes", "xz", "--spacing", "-5"]), &["spacing", "-5"]);
    // The axes the wrong way round: the receivers no longer fit.
    says(&refused_model(Some(&whole), &["--axes", "zx"]), &["outside the model"]);
    let bomb =
        String::from_utf8_lossy(&whole[10..128]).replace("(80, 60)", "(99999999999, 99999999999)");
    let mut file = whole[..8].to_vec();
    file.extend((bomb.len() as u16).to_le_bytes());
    file.extend(bomb.as_bytes());
    says(&refused_model(Some(&file), &xz), &["not a whole .npy file"]);
    let mut typed = whole.clone();
    let at = typed.windows(3).position(|w| w == b"<f4").expect("a type");
    typed[at..at + 3].copy_from_slice(b"<i4");
    says(&refused_model(Some(&typed), &xz), &["<i4", "f32 or f64"]);
}

#[test]
fn an_output_that_cannot_be_written_is_named_before_the_run() {
    let folder = folder();
    std::fs::write(folder.path().join("job.toml"), SMALL).expect("written");
    std::fs::write(folder.path().join("file"), "mine").expect("written");
    for out in ["file", "file/below"] {
        let arguments = ["shot", "job.toml", "--backend", "cpu", "--out", out];
        let output = huygens(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        says(&said(&output), &["cannot write to", "--out"]);
    }
    assert_eq!(names(folder.path()), ["file", "job.toml"]);
}

#[test]
fn a_backend_that_is_not_here_is_named() {
    let folder = folder();
    // No machine has both.
    let absent = if cfg!(target_os = "macos") { "dx12" } else { "metal" };
    let output = huygens(folder.path(), &["shot", "--backend", absent]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    says(&said(&output), &[&format!("no {absent} adapter"), "huygens devices", "--backend cpu"]);
    assert!(names(folder.path()).is_empty());

    let output = huygens(folder.path(), &["shot", "--adapter", "Abacus 3000"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    says(&said(&output), &["Abacus 3000"]);
    let output = huygens(folder.path(), &["shot", "--backend", "abacus"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_forced_unstable_run_fails_with_step_and_cell_and_leaves_its_record_alone() {
    let folder = folder();
    let job = SMALL.replace("builtin:layers", "builtin:homogeneous").replace("0.4", "4.0");
    let huygens = |step: &str| {
        let job = job.replace("step = 0.002", step);
        std::fs::write(folder.path().join("job.toml"), job).expect("written");
        let shot = ["shot", "job.toml", "--backend", "cpu", "--force", "--out", "new"];
        huygens(folder.path(), &shot)
    };
    // What an earlier run left must not pass for this one's.
    assert!(huygens("step = 0.002").status.success());
    // The limit is 5.55 ms; at twice that the field overflows before the first look.
    for (step, place) in [("step = 0.0057", "at x ="), ("step = 0.0111", "where is not known")] {
        let output = huygens(step);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        says(
            &said(&output),
            &["blew up", "step 100 ", place, "largest stable", "Nothing was recorded"],
        );
        assert_eq!(names(&folder.path().join("new")), ["run.json"]);
        let record = std::fs::read(folder.path().join("new/run.json")).expect("a record");
        let record: serde_json::Value = serde_json::from_slice(&record).expect("JSON");
        assert_eq!(record["error"]["step"], 100);
    }
}

/// The field is well until the wave comes to the fast layer; what was recorded till then is kept.
#[test]
fn what_was_recorded_before_a_blow_up_is_kept() {
    let folder = folder();
    std::fs::write(folder.path().join("job.toml"), include_str!("../../assets/jobs/unstable.toml"))
        .expect("written");
    let output = huygens(folder.path(), &["shot", "job.toml", "--backend", "cpu"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    says(&said(&output), &["unstable", "largest stable step", "step = \"auto\""]);
    assert_eq!(names(folder.path()), ["job.toml"]);

    let shot = |out| ["shot", "job.toml", "--backend", "cpu", "--force", "--out", out];
    let output = huygens(folder.path(), &shot("new"));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let out = folder.path().join("new");
    let record = std::fs::read(out.join("run.json")).expect("a record");
    let record: serde_json::Value = serde_json::from_slice(&record).expect("JSON");
    let error = &record["error"];
    let until = error["kept_until"].as_u64().expect("a step");
    assert!(until >= 300 && error["step"].as_u64() == Some(until + 100), "{error:#}");
    assert_eq!(error["cause"]["kind"], "step");
    assert!(error["at"]["z"].as_f64() > Some(2500.0), "in the fast layer: {error:#}");
    assert!(record["timings"].is_null() && record["gpts_per_s"].is_null());

    let [wiggles, gather, picture, segy, snapshots] = [
        "gather-wiggle-until-step{}.png",
        "gather-until-step{}.npy",
        "gather-until-step{}.png",
        "gather-until-step{}.sgy",
        "snapshots-until-step{}.npy",
    ]
    .map(|name| name.replace("{}", &until.to_string()));
    assert_eq!(
        names(&out),
        [&gather, &picture, &segy, &wiggles, "run.json", "snapshots", &snapshots]
    );
    // The first two of three.
    assert_eq!(names(&out.join("snapshots")), ["t0000100.png", "t0000200.png"]);
    let kept: ndarray::Array2<f32> = ndarray_npy::read_npy(out.join(&gather)).expect("an array");
    assert_eq!(kept.dim(), (120, until as usize + 1));
    let peak = kept.iter().fold(0.0f32, |peak, p| peak.max(p.abs()));
    assert!(peak > 0.0 && kept.iter().all(|p| p.is_finite()));
    assert!(kept.column(until as usize).iter().any(|p| *p != 0.0), "what was held back is there");
    says(&said(&output), &["blew up", "above the largest stable one", "is kept in new", &gather]);

    assert_eq!(error["uncorrected"], false);
    assert!(!said(&output).contains("not corrected"), "{}", said(&output));

    // What is cut off cannot be corrected, and says so.
    let job = include_str!("../../assets/jobs/unstable.toml");
    let job = job.replace("step = 0.003", "step = 0.003\ndispersion = \"corrected\"");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    let output = huygens(folder.path(), &shot("warped"));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    says(&said(&output), &["its traces are not corrected", "warped"]);
    let record = std::fs::read(folder.path().join("warped/run.json")).expect("a record");
    let record: serde_json::Value = serde_json::from_slice(&record).expect("JSON");
    assert_eq!(record["error"]["uncorrected"], true);

    // A run that ends well takes the place of what was kept.
    let job =
        include_str!("../../assets/jobs/unstable.toml").replace("step = 0.003", "step = 0.0025");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    let output = huygens(folder.path(), &shot("new"));
    assert!(output.status.success(), "{}", said(&output));
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
}

#[test]
fn a_model_in_16_bits_is_for_gpus() {
    let folder = folder();
    std::fs::write(folder.path().join("job.toml"), SMALL).expect("written");
    for backend in ["cpu", "reference"] {
        let arguments = ["shot", "job.toml", "--backend", backend, "--model-bits", "16"];
        let output = huygens(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        says(&said(&output), &["32 bits", "--model-bits 16", "huygens devices"]);
    }
    let output = huygens(folder.path(), &["shot", "job.toml", "--model-bits", "8"]);
    assert_eq!(output.status.code(), Some(2));
    says(&said(&output), &["--model-bits", "32, 16"]);
    assert_eq!(names(folder.path()), ["job.toml"]);
}
