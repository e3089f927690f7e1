//! The pictures of the documentation, drawn by the program itself.

use crate::run::{Outcome, cargo, root, run};
use std::{fs, path::Path};

const DRAWN: &str = "target/figures";
const KEPT: &str = "docs/images";
const PICTURES: [(&str, &str); 2] =
    [("snapshots/t0001000.png", "shot.png"), ("gather.png", "gather.png")];

/// Models the built-in shot and keeps its pictures.
pub fn figures() -> Outcome {
    run(&mut cargo(&["run", "--release", "--", "shot", "--out", DRAWN, "--force"]))?;
    keep(&root())
}

fn keep(root: &Path) -> Outcome {
    let kept = root.join(KEPT);
    fs::create_dir_all(&kept).map_err(|error| format!("no folder {KEPT}: {error}"))?;
    for (from, to) in PICTURES {
        fs::copy(root.join(DRAWN).join(from), kept.join(to))
            .map_err(|error| format!("{DRAWN}/{from} is not copied to {KEPT}/{to}: {error}"))?;
        println!("{KEPT}/{to}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_copied_into_a_new_folder() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let root = root.path();
        assert!(keep(root).unwrap_err().contains("target/figures/snapshots/t0001000.png"));
        fs::create_dir_all(root.join(DRAWN).join("snapshots")).expect("a new folder");
        for (from, _) in PICTURES {
            fs::write(root.join(DRAWN).join(from), from).expect("a new file");
        }
        keep(root).expect("both pictures are there");
        assert_eq!(fs::read(root.join("docs/images/gather.png")).expect("a copy"), b"gather.png");
    }
}
