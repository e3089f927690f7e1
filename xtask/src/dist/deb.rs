//! A package for Debian and what is made from it.

use super::{Artefact, archive::Content, copy, fresh, size, write};
use crate::run::{built, root, run};
use flate2::{Compression, GzBuilder};
use std::{fs, io::Write, path::Path, process::Command};

impl Content<'_> {
    /// The package, where the target is a Debian and dpkg-deb is here.
    pub fn debian(&self) -> Result<Option<Artefact>, String> {
        let Some(processor) = self.target.debian else { return Ok(None) };
        let name = format!("huygens_{}-1_{processor}.deb", self.release.version);
        if Command::new("dpkg-deb").arg("--version").output().is_err() {
            let why = "there is no dpkg-deb; install dpkg".into();
            return Ok(Some(Artefact::NotRun { name, why }));
        }
        let folder = built("staging").join(&name);
        fresh(&folder)?;
        copy(&self.files.program, &folder.join("usr/bin/huygens"))?;
        let share = folder.join("usr/share");
        for page in self.pages.man()? {
            let to = share.join("man/man1").join(page.file_name().unwrap_or_default());
            compressed(&page, &to)?;
        }
        for (shell, place) in [
            ("bash", "bash-completion/completions/huygens"),
            ("zsh", "zsh/vendor-completions/_huygens"),
            ("fish", "fish/vendor_completions.d/huygens.fish"),
        ] {
            self.pages.completion(shell, &share.join(place))?;
        }
        let documents = share.join("doc/huygens");
        let own =
            "huygens: MIT OR Apache-2.0, as below. The embedded font is Open Sans, Apache-2.0.\n";
        let mit = super::read(&root().join("LICENSE-MIT"))?;
        let copyright = format!("{own}\n{mit}\n{}", self.licences);
        write(&documents.join("copyright"), copyright)?;
        compressed(&root().join("CHANGELOG.md"), &documents.join("changelog.gz"))?;
        let kilobytes = size(&self.files.program)? / 1024 + self.licences.len() as u64 / 1024;
        write(&folder.join("DEBIAN/control"), self.control(processor, kilobytes))?;
        let package = self.release.out.join(&name);
        run(Command::new("dpkg-deb")
            .args(["--root-owner-group", "--build"])
            .arg(&folder)
            .arg(&package))?;
        Ok(Some(Artefact::Made(package)))
    }

    fn control(&self, processor: &str, kilobytes: u64) -> String {
        format!(
            "Package: huygens\n\
             Version: {}-1\n\
             Architecture: {processor}\n\
             Maintainer: The huygens developers\n\
             Section: science\n\
             Priority: optional\n\
             Installed-Size: {kilobytes}\n\
             Depends: libc6 (>= 2.17)\n\
             Recommends: libvulkan1, mesa-vulkan-drivers | vulkan-icd\n\
             Description: acoustic seismic wave engine for every GPU\n \
             Models shots, locates sources by time reversal, migrates surveys and\n \
             inverts for velocity, on GPUs through Vulkan and on CPUs.\n",
            self.release.version
        )
    }
}

/// A file packed by gzip, without its time.
fn compressed(from: &Path, to: &Path) -> Result<(), String> {
    let text = fs::read(from).map_err(|why| format!("{}: {why}", from.display()))?;
    let to = if to.extension().is_some_and(|end| end == "gz") {
        to.to_owned()
    } else {
        to.with_added_extension("gz")
    };
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
    let packed = packed.write_all(&text).and_then(|()| packed.finish());
    write(&to, packed.map_err(|why| why.to_string())?)
}
