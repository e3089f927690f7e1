//! Wrong input: exit code 2, a message that names the value, the limit and the remedy, and nothing
//! left behind.

#[cfg(target_os = "linux")]
use crate::run::huygens_without_vulkan;
use crate::run::{self, SMALL, done, exits, folder, huygens, names, said, says, with_job};

/// Runs the small job with a piece of text replaced; returns what the user reads.
fn refused(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    let folder = with_job(SMALL.replace(from, to));
    run::refused(folder.path(), &["shot", "job.toml", "--backend", "cpu"])
}

#[test]
fn a_model_is_no_job() {
    let folder = folder();
    std::fs::write(folder.path().join("v.sgy"), [0xc3; 3600]).expect("written");
    let output = exits(2, folder.path(), &["shot", "v.sgy"]);
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
        &["source 1", "x = 8000 m lies outside the model", "0 to 1580 m", "job.toml:12:6"],
    );
    let kind = |keys: &str| refused("[[source]]", &format!("[[source]]\n{keys}"));
    says(&kind("kind = \"dipole\""), &["a dipole has an axis", "job.toml:12:8"]);
    says(&kind("axis = \"x\""), &["a monopole has no axis", "job.toml:12:8"]);
    says(&kind("kind = \"quadrupole\""), &["there is no choice quadrupole; there are ", "dipole"]);
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
    says(&refused("duration = 0.4", "duration = 1e30"), &["steps", "the limit is 100000000"]);
    says(
        &refused("[time]", "[boundary]\ntop = \"loose\"\n[time]"),
        &["there is no choice loose; there are ", "free"],
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
        &["80 x 1000000000000 nodes", "298023.2 GiB", "at most 68719476736", "fewer nodes"],
    );
    says(
        &nodes("z = 9000000000000000000, x = 9000000000000000000"),
        &["9000000000000000000 x 9000000000000000000 nodes", "at most 68719476736", "fewer nodes"],
    );
    says(&nodes("z = 99999999999999999999, x = 80"), &["which 64 bits do not hold", "job.toml:4"]);
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
            "nodes = { z = 1, x = 40000000 }\n\
             [boundary]\nsides = { kind = \"sponge\", cells = 1000 }\n",
        ),
        &["40000000 x 1 nodes would take", "GiB", "smaller or coarser"],
    );
    says(
        &refused("peak_hz = 10.0 }", "peak_hz = 10.0 }\namplitude = 1e45"),
        &["e43, and 32-bit numbers hold", "smaller amplitude", "job.toml:14:13"],
    );
    says(&refused("[receivers]", "amplitude = nan\n[receivers]"), &["amplitude NaN"]);
    for amplitude in ["1e-45", "1e-38"] {
        let faint = format!("peak_hz = 10.0 }}\namplitude = {amplitude}");
        says(
            &refused("peak_hz = 10.0 }", &faint),
            &[amplitude, "1e-35", "a larger amplitude, such as 1,", "job.toml:14:13"],
        );
    }
    for reflection in ["1e-300", "0.9", "0.0", "nan"] {
        let layer = format!("sides = {{ kind = \"cpml\", reflection = {reflection} }}");
        says(
            &refused("[time]", &format!("[boundary]\n{layer}\n\n[time]")),
            &["a target reflection of", "from 1e-12 to 0.5, usually 1e-3", "job.toml:8"],
        );
    }
    says(&refused("[time]", "[time"), &["job.toml:7"]);
}

#[test]
fn a_table_is_not_taken_from_a_list() {
    const TABLE: &str = "{ x = ..., z = ... }, with y = ... in 3-D";
    let at = |list: &str| refused("at = { x = 800.0, z = 200.0 }", &format!("at = {list}"));
    says(
        &at("[800.0, 200.0, 0.0]"),
        &["at is a list of 3; give a table, at = ", TABLE, "job.toml:12:6"],
    );
    says(
        &at("[800.0, 200.0]"),
        &["at is a list of 2; give a table, at = ", TABLE, "job.toml:12:6"],
    );
    let nodes = refused("nodes = { z = 60, x = 80 }", "nodes = [60, 80, 3]");
    says(&nodes, &["nodes is a list of 3; give a table, nodes = ", TABLE, "job.toml:4:9"]);
    let figures = refused("[0.2]", "[0.2]\nfigures = []");
    says(
        &figures,
        &[
            "figures is a list of 0",
            "figures = { agc = ..., clip = ..., colours = ..., dpi = ..., font_size = ..., formats = ..., gain = ..., largest = ..., overlays = ..., size = ..., title = ..., units = ... }",
            "job.toml:20:11",
        ],
    );
}

#[test]
fn a_faulty_flag_is_named() {
    let folder = with_job(SMALL);
    let at = folder.path();
    std::fs::write(
        at.join("v.npy"),
        huygens::io::npy::bytes(ndarray::Array2::from_elem((80, 60), 2000f32).view().into_dyn()),
    )
    .expect("written");
    for (command, flags, part) in [
        ("shot", &["--spacing", "0"][..], "--spacing 0: the spacing along x is 0 m"),
        ("shot", &["--model", "builtin:x"], "--model builtin:x: there is no built-in model \"x\""),
        ("shot", &["--model", "v.npy"], "--model v.npy: a .npy file does not name its axes"),
        ("shot", &["--model", "none.rsf"], "--model none.rsf: cannot read"),
        ("locate", &["--gather", "none.npy"], "--gather none.npy: cannot read"),
        ("locate", &["--gather", "v.npy", "--mask", "-5"], "--mask -5: "),
        ("locate", &["--gather", "v.npy", "--sources", "0"], "--sources 0: 0 sources are not"),
    ] {
        let output = huygens(at, &[&[command, "job.toml", "--backend", "cpu"], flags].concat());
        let told = said(&output);
        assert_eq!(output.status.code(), Some(2), "{told}");
        says(&told, &[part]);
        assert!(!told.contains("job.toml:"), "{flags:?}: {told}");
    }
    // The job's own mistakes are still reported at their line.
    let wrong = SMALL.replace("builtin:layers", "builtin:y");
    std::fs::write(at.join("job.toml"), wrong).expect("written");
    let output = huygens(at, &["shot", "job.toml", "--spacing", "20", "--backend", "cpu"]);
    says(&said(&output), &["no built-in model \"y\"", "job.toml:3:12"]);
}

#[test]
fn a_long_value_is_shortened_in_messages() {
    let long = "9".repeat(5_000_000);
    for (from, to) in [
        ("builtin:layers", format!("builtin:{long}")),
        ("kind = \"ricker\"", format!("kind = \"{long}\"")),
        ("step = 0.002", format!("step = \"{long}\"")),
        ("step = 0.002", format!("step = {long}")),
        ("step = 0.002", format!("step = 0.002\n{long} = 1")),
        ("nodes = { z = 60, x = 80 }", format!("nodes = {{ z = {long}, x = 80 }}")),
        ("snapshots = [0.2]", format!("snapshots = [{}true]", "0.2, ".repeat(1_000_000))),
    ] {
        let told = refused(from, &to);
        assert!(told.len() < 4000, "{} bytes of {from}", told.len());
        says(&told, &["job.toml:"]);
    }
    let deep = refused("[time]", &format!("{}b = 1\n[time]", "a.".repeat(90)));
    says(&deep, &["recursion limit", "job.toml:7:1"]);
}

#[test]
fn an_output_that_cannot_be_written_is_named_before_the_run() {
    let folder = with_job(SMALL);
    std::fs::write(folder.path().join("file"), "mine").expect("written");
    for out in ["file", "file/below"] {
        let arguments = ["shot", "job.toml", "--backend", "cpu", "--out", out];
        let output = exits(2, folder.path(), &arguments);
        says(&said(&output), &["cannot write to", "--out"]);
    }
    assert_eq!(names(folder.path()), ["file", "job.toml"]);
}

#[test]
fn a_backend_that_is_not_here_is_named() {
    let folder = folder();
    // No machine has both.
    let absent = if cfg!(target_os = "macos") { "dx12" } else { "metal" };
    let output = exits(2, folder.path(), &["shot", "--backend", absent]);
    says(&said(&output), &[&format!("no {absent} adapter"), "huygens devices", "--backend cpu"]);
    assert!(names(folder.path()).is_empty());
    let instead = with_job(SMALL);
    let words = ["shot", "job.toml", "--backend", absent, "--fallback", "cpu", "--no-pictures"];
    says(&said(&done(instead.path(), &words)), &["adapter here", "takes its place"]);

    let output = exits(2, folder.path(), &["shot", "--adapter", "Abacus 3000"]);
    says(&said(&output), &["Abacus 3000"]);
    exits(2, folder.path(), &["shot", "--backend", "abacus"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_driver_that_is_nowhere_is_no_adapter() {
    let folder = with_job(SMALL);
    let output = huygens_without_vulkan(folder.path(), &["devices"]);
    assert!(output.status.success(), "{}", said(&output));
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(!table.contains("vulkan  ") && table.contains("reference"), "{table}");
    let output =
        huygens_without_vulkan(folder.path(), &["shot", "job.toml", "--backend", "vulkan"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    says(&said(&output), &["no vulkan adapter", "--backend cpu"]);
    assert_eq!(names(folder.path()), ["job.toml"]);
    let output = huygens_without_vulkan(folder.path(), &["shot", "job.toml"]);
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn a_flag_of_an_earlier_version_is_refused_with_its_replacement() {
    let folder = with_job(SMALL);
    for bits in [&["--model-bits", "16"][..], &["--model-bits=32"]] {
        let output = exits(2, folder.path(), &[&["shot", "job.toml"], bits].concat());
        says(&said(&output), &["--model-bits is gone", "32 bits", "leave it out"]);
    }
    assert_eq!(names(folder.path()), ["job.toml"]);
}
