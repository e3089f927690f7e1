//! Other programs that read and write SEG-Y or model waves, in a Python of their own.

use crate::run::{Outcome, cargo, root, run};
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// Names the Python that has them to the tests.
pub const PYTHON: &str = "HUYGENS_PEERS";

/// Packages to install, with versions, so that a test fails only for our changes.
const PACKAGES: [&str; 8] = [
    "segyio==1.9.14",
    "obspy==1.5.1",
    "devito==4.8.23",
    "pytest==9.2.0",
    "torch==2.15.0",
    "deepwave==0.1.0",
    "jax==0.10.2",
    "nvidia-ml-py==13.615.71",
];
/// Without what it asks for, which is all that Devito's own tests need; it imports pytest alone.
const EXAMPLES: &str = "devito-examples==1.0";
/// Its sdist has a model that the wheel has not.
const PYLOPS: &str = "pylops==2.8.0";
const MODEL: &str = "pylops-2.8.0/testdata/avo/poststack_model.npz";
const UNPACKED: &str = "models/marmousi.npz";

/// The Python that has them: in `target/peers`, installed there on first use.
pub fn python() -> Result<PathBuf, String> {
    let folder = folder();
    let python = place(&folder);
    if !has(&python) {
        let system = if cfg!(windows) { "python" } else { "python3" };
        run(Command::new(system).args(["-m", "venv"]).arg(&folder))?;
        run(pip(&python).args(PACKAGES))?;
        run(pip(&python).args(["--no-deps", EXAMPLES]))?;
    }
    let model = folder.join(UNPACKED);
    if !model.exists() {
        let fetched = folder.join("sdists");
        let mut download = Command::new(&python);
        download.args(["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "pylops"]);
        run(download.arg("--dest").arg(&fetched).arg(PYLOPS))?;
        let unpack = "import pathlib, sys, tarfile; archive, member, to = sys.argv[1:]; \
                      data = tarfile.open(archive).extractfile(member).read(); \
                      to = pathlib.Path(to); to.parent.mkdir(exist_ok=True); to.write_bytes(data)";
        let archive = fetched.join("pylops-2.8.0.tar.gz");
        run(Command::new(&python).args(["-c", unpack]).arg(archive).arg(MODEL).arg(&model))?;
    }
    Ok(python)
}

/// The Python, if they are already installed.
pub fn installed() -> Option<PathBuf> {
    let folder = folder();
    Some(place(&folder)).filter(|python| folder.join(UNPACKED).exists() && has(python))
}

/// First argument of the study of error against seconds.
const STUDY: &str = "--work-precision";

/// Times huygens beside them, and prints and draws what came of it: benches/peers/README.md.
pub fn bench(args: &[String]) -> Outcome {
    let python = python()?;
    run(&mut cargo(&["build", "--release", "-p", "huygens"]))?;
    let peers = folder();
    let target = peers.parent().expect("a folder of target");
    let script = |name: &str| {
        let mut script = Command::new(&python);
        script.arg(root().join("benches/peers").join(name));
        script
    };
    let program = target.join("release").join(format!("huygens{}", env::consts::EXE_SUFFIX));
    if let Some((_, args)) = args.split_first().filter(|(first, _)| *first == STUDY) {
        let (rows, chart) = (target.join("work-precision.csv"), target.join("work-precision.png"));
        run(script("work_precision.py").arg(&rows).arg("--huygens").arg(program).args(args))?;
        run(script("precision/chart.py").arg(&rows).arg(&chart))?;
        println!("{} and {}", rows.display(), chart.display());
        return Ok(());
    }
    let (results, chart) = (target.join("peers.json"), target.join("peers.png"));
    run(script("measure.py").arg(&results).arg("--huygens").arg(program).args(args))?;
    run(script("table.py").arg(&results))?;
    run(script("chart.py").arg(&results).arg(&chart))?;
    println!("{} and {}", results.display(), chart.display());
    Ok(())
}

fn folder() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    root().join(target).join("peers")
}

pub fn place(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

pub fn pip(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet"]);
    pip
}

/// True if a Python has all of these versions.
fn has(python: &Path) -> bool {
    let asked = "import sys; from importlib.metadata import version; \
                 [sys.exit(1) for name, _, wanted in (p.partition('==') for p in sys.argv[1:]) \
                  if version(name).split('+')[0] != wanted]";
    let tried = Command::new(python).args(["-c", asked]).args(PACKAGES).arg(EXAMPLES).output();
    tried.is_ok_and(|output| output.status.success())
}
