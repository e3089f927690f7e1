//! Jobs that are too large or too small: an operator for its grid, a volume for its device.

use crate::run::{SMALL, done, exits, folder, huygens, names, said, says, with_job};
use huygens::engine::gpu;

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

/// An adapter with limits that a test can afford to pass: software Vulkan.
fn small() -> Option<gpu::Adapter> {
    let small =
        |adapter: &gpu::Adapter| adapter.lacks.is_empty() && adapter.max_binding <= 128 << 20;
    let adapter = gpu::list(false).into_iter().find(small);
    if adapter.is_none() {
        println!("NOT RUN: no adapter has bindings of 128 MiB or less");
    }
    adapter
}

/// The small job in a volume.
fn volume(nodes: &str) -> String {
    SMALL
        .replace("builtin:layers", "builtin:homogeneous")
        .replace("z = 60, x = 80", nodes)
        .replace("z = 20.0, x = 20.0", "z = 20.0, x = 20.0, y = 20.0")
        .replace("z = 200.0 }", "z = 200.0, y = 0.0 }")
        .replace("z = 0.0 }", "z = 0.0, y = 0.0 }")
}

#[test]
fn a_volume_larger_than_a_binding_runs_in_slabs() {
    let Some(adapter) = small() else { return };
    let folder = folder();
    // The source at the seam of two.
    let job = volume("z = 280, x = 290, y = 300")
        .replace("duration = 0.4", "duration = 0.014")
        .replace("[0.2]", "[0.01]")
        .replace("y = 0.0 }", "y = 3000.0 }")
        .replace("z = 0.0,", "z = 220.0,");
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    let gather = |out: &str, more: &[&str]| {
        let arguments = [&["shot", "job.toml", "--out", out], more].concat();
        done(folder.path(), &arguments);
        huygens::io::npy::read::<f32>(&folder.path().join(out).join("gather.npy")).expect("it is")
    };
    let on = ["--backend", adapter.backend.name(), "--adapter", &adapter.name];
    let one = gather("fewest", &on);
    let three = gather("three", &[&on[..], &["--slabs", "3"]].concat());
    assert!(one.iter().any(|p| *p != 0.0) && one == three);
}

#[test]
fn a_volume_larger_than_a_binding_is_refused_in_one_slab_with_what_each_array_takes() {
    let Some(adapter) = small() else { return };
    let folder = with_job(volume("z = 400, x = 400, y = 400"));
    let backend = adapter.backend.name();
    let on = ["shot", "job.toml", "--backend", backend, "--adapter", &adapter.name];
    let output = huygens(folder.path(), &[&on[..], &["--slabs", "1"]].concat());
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(names(folder.path()), ["job.toml"], "nothing is left behind");
    let binding = format!("at most {:.1} MiB", adapter.max_binding as f64 / f64::from(1 << 20));
    says(&said, &["the wavefield p at a step takes 340.1 MiB", "one binding of", &binding]);
    says(&said, &["p at a step: 2 x 340.1 MiB", "(v dt)^2: 339.9 MiB", "the absorbing layers: "]);
    says(&said, &["the traces: ", "snapshots on their way out: 2 x", "together: ", "GiB"]);
    says(
        &said,
        &["nodes fit", "smaller or coarser model", "fewer cells of layer", "--backend cpu"],
    );

    let output = exits(2, folder.path(), &[&on[..], &["--slabs", "1000"]].concat());
    says(&crate::run::said(&output), &["1000 slabs of 440 planes", "give from 1 to 110"]);
    let output = exits(2, folder.path(), &["shot", "job.toml", "--backend", "cpu", "--slabs", "2"]);
    says(&crate::run::said(&output), &["2 slabs", "leave --slabs out with a CPU engine"]);
}
