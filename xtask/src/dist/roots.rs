//! What was made, installed in fresh systems of two Debian releases that have no Rust.

use crate::{
    debian,
    run::{Outcome, built, shown},
};
use std::{
    env::consts,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

const RELEASES: [&str; 2] = ["bookworm", "trixie"];
const MIRROR: &str = "http://deb.debian.org/debian";

/// Installs the package, and unpacks the archive, in each; runs a shot and the doctor.
pub fn test(version: &str, artefacts: &Path) -> Outcome {
    let name = format!("huygens-{version}-linux-{}", consts::ARCH);
    let archive = artefacts.join(format!("{name}.tar.gz"));
    let processor = if consts::ARCH == "aarch64" { "arm64" } else { "amd64" };
    let package = artefacts.join(format!("huygens_{version}-1_{processor}.deb"));
    for file in [&archive, &package] {
        if !file.is_file() {
            return Err(format!("there is no {}; `cargo xtask dist` makes it", file.display()));
        }
    }
    for release in RELEASES {
        println!("\n--- Debian {release}");
        let root = Root::new(release, processor)?;
        if root.does("command -v cargo || command -v rustc") {
            return Err(format!("{} has Rust", root.0.display()));
        }
        for file in [&archive, &package] {
            let to = root.0.join("tmp").join(file.file_name().unwrap_or_default());
            fs::copy(file, &to).map_err(|why| format!("{}: {why}", to.display()))?;
        }
        let began = Instant::now();
        root.run(&format!("cd /tmp && tar -xf {name}.tar.gz && cd {name} && ./huygens shot"))?;
        root.run(&format!("test -s /tmp/{name}/out/gather.png"))?;
        println!("from the archive to the first picture: {:.1} s", began.elapsed().as_secs_f64());
        root.run(&format!("cd /tmp && dpkg --install huygens_{version}-1_{processor}.deb"))?;
        root.run("cd /tmp && huygens --version && huygens shot --out from-package")?;
        root.run(
            "test -s /tmp/from-package/gather.png && test -s /usr/share/man/man1/huygens-shot.1.gz",
        )?;
        root.run("huygens doctor")?;
        root.run("dpkg --purge huygens && ! test -e /usr/bin/huygens")?;
    }
    Ok(())
}

/// A folder with the packages that every Debian has.
struct Root(PathBuf);

impl Root {
    /// Makes it, by debootstrap, which is unpacked and not installed.
    fn new(release: &str, processor: &str) -> Result<Self, String> {
        let tool =
            debian::unpacked(&["debootstrap"], "debootstrap", &["usr/sbin/debootstrap"], true)?;
        let root = built("roots").join(release);
        if root.exists() {
            fs::remove_dir_all(&root).map_err(|why| format!("{}: {why}", root.display()))?;
        }
        fs::create_dir_all(&root).map_err(|why| format!("{}: {why}", root.display()))?;
        let mut debootstrap = Command::new("sh");
        debootstrap.arg(tool.join("usr/sbin/debootstrap"));
        debootstrap.args(["--variant=minbase", &format!("--arch={processor}"), release]);
        debootstrap
            .arg(&root)
            .arg(MIRROR)
            .env("DEBOOTSTRAP_DIR", tool.join("usr/share/debootstrap"));
        println!("$ {}", shown(&debootstrap));
        let told = debootstrap.output().map_err(|why| format!("debootstrap: {why}"))?;
        match told.status.success() {
            true => Ok(Root(root)),
            false => Err(format!("debootstrap failed: {}", String::from_utf8_lossy(&told.stdout))),
        }
    }

    /// A line of a shell in it, as root, with none of this environment.
    fn shell(&self, line: &str) -> Command {
        let mut shell = Command::new("unshare");
        // With processes, which are how a program learns how much memory it may take.
        shell.args(["--mount", "--pid", "--fork"]);
        let inside = "mount -t proc proc \"$0/proc\" && exec chroot \"$0\" /bin/sh -ec \"$1\"";
        shell.args(["sh", "-c", inside]).arg(&self.0).arg(line).env_clear();
        shell.env("PATH", "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", "/root");
        shell
    }

    fn run(&self, line: &str) -> Outcome {
        println!("$ {line}");
        match self.shell(line).status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("`{line}` failed in {} ({status})", self.0.display())),
            Err(why) => Err(format!("unshare could not be started: {why}")),
        }
    }

    fn does(&self, line: &str) -> bool {
        self.shell(line).output().is_ok_and(|told| told.status.success())
    }
}
