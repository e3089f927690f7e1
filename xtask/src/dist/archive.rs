//! The archive of a target: the program with its pages, licences and a short README.

use super::{
    Release, copy, fresh,
    pages::Pages,
    target::{Built, Target},
    write,
};
use crate::run::{built, root, run};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// What the archive and the package of a target hold.
pub struct Content<'c> {
    pub release: &'c Release,
    pub target: &'c Target,
    pub files: &'c Built,
    pub pages: &'c Pages,
    /// The licences of all crates in the program.
    pub licences: &'c str,
}

/// Files of the repository that go with the program.
const BESIDE: [&str; 4] = ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "CITATION.cff"];

impl Content<'_> {
    /// A folder with everything, packed as .tar.gz, for Windows as .zip.
    pub fn archive(&self, bill: &Path) -> Result<PathBuf, String> {
        let name = self.release.name(self.target);
        let staging = built("staging");
        let folder = staging.join(&name);
        fresh(&folder)?;
        let program = self.target.program();
        copy(&self.files.program, &folder.join(program))?;
        for file in BESIDE {
            copy(&root().join(file), &folder.join(file))?;
        }
        copy(bill, &folder.join("huygens.cdx.json"))?;
        write(&folder.join("LICENSES-THIRD-PARTY.txt"), self.licences)?;
        write(&folder.join("README.txt"), self.readme(program))?;
        let pages = [("man/man1", self.pages.man()?), ("completions", self.pages.completions()?)];
        for (place, files) in pages {
            for file in files {
                let to = folder.join(place).join(file.file_name().unwrap_or_default());
                copy(&file, &to)?;
            }
        }
        let ending = if program.ends_with("exe") { "zip" } else { "tar.gz" };
        let archive = self.release.out.join(format!("{name}.{ending}"));
        let mut pack = match ending {
            "zip" => {
                let mut zip = Command::new(&self.release.python);
                zip.args(["-m", "zipfile", "-c"]);
                zip
            }
            _ => {
                let mut tar = Command::new("tar");
                tar.args(["--owner=0", "--group=0", "--numeric-owner", "--sort=name", "-czf"]);
                tar
            }
        };
        run(pack.arg(&archive).arg(&name).current_dir(&staging))?;
        Ok(archive)
    }

    fn readme(&self, program: &str) -> String {
        let Release { version, .. } = self.release;
        let unix = "Manual pages are in man/man1, completions for shells in completions. A link in a folder of your\n\
                    PATH is enough to install the program: ln -s \"$PWD/huygens\" ~/.local/bin/\n";
        let windows = "Add this folder to your PATH to install the program.\n";
        let (start, install) = match program {
            "huygens" => ("./huygens", unix),
            _ => (r".\huygens", windows),
        };
        format!(
            "huygens {version}: acoustic seismic waves on every GPU\n\n\
             {start} shot      models a shot over a salt body; pictures are in the folder out\n\
             {start} doctor    tests the devices of this machine, and says what to install for a GPU\n\
             {start} --help    lists the commands\n\n\
             No GPU is needed. {install}\n\
             MIT OR Apache-2.0. LICENSES-THIRD-PARTY.txt has the licences of the crates in the program,\n\
             huygens.cdx.json their versions and checksums (CycloneDX).\n"
        )
    }
}
