//! The pictures of the documentation, drawn by the program itself.

mod papers;

pub use papers::papers;

use crate::{
    python,
    run::{Outcome, cargo, root, run},
    web,
};
use std::{fs, path::Path};

const DRAWN: &str = "target/figures";
const KEPT: &str = "docs/images";
/// The folder of what pages draw, below [`DRAWN`].
const MANUAL: &str = "manual";
/// The pictures that commands of pages draw, below a folder of all pages, and their places below docs/images. `cargo test --test
/// manual` compares them.
const PAGES: &str = include_str!("../../docs/images/pages.txt");
/// The other pictures, likewise.
const PICTURES: [(&str, &str); 20] = [
    ("snapshots/t0001000.png", "shot.png"),
    ("gather.png", "gather.png"),
    ("browser/movie.gif", "manual/browser-movie.gif"),
    ("rtm/image.png", "manual/rtm.png"),
    ("lsrtm-migration/image.png", "manual/lsrtm-migration.png"),
    ("lsrtm/image.png", "manual/lsrtm.png"),
    ("inverted/model.png", "manual/inverted.png"),
    ("rtm/offsets-x.png", "manual/offsets.png"),
    ("rtm-0.95/angles.png", "manual/angles-slow.png"),
    ("rtm-1/angles.png", "manual/angles.png"),
    ("rtm-1.05/angles.png", "manual/angles-fast.png"),
    ("rtm-focused/offsets-x.png", "manual/offsets-focused.png"),
    ("manual/python/shot.png", "manual/python-shot.png"),
    ("manual/python/image.png", "manual/python-image.png"),
    ("manual/python/gradient.png", "manual/python-gradient.png"),
    ("manual/python-examples/first-shot-wave.png", "manual/python-first-shot.png"),
    ("manual/python-examples/rtm.png", "manual/python-rtm.png"),
    ("manual/python-examples/fwi-gaussian.png", "manual/python-fwi-gaussian.png"),
    ("manual/python-examples/scipy.png", "manual/python-scipy.png"),
    ("manual/python-examples/fwi-salt.png", "manual/python-fwi-salt.png"),
];

/// The wave of the page of a browser where it has no device: small, for the page is.
fn recorded() -> Outcome {
    let out = format!("{DRAWN}/browser");
    let movie = "output.movie={ every = 0.12, format = \"gif\", rate = 8 }";
    let less = ["--set", movie, "--set", "output.snapshots=[]", "--set", "time.duration=1.8"];
    let size = ["--figure-size", "900x540", "--dpi", "135", "--out", &out, "--force"];
    run(cargo(&["run", "--release", "--", "shot"]).args(less).args(size))
}

/// Models the built-in shot, migrates the salt, does what the pages of the manual say, and keeps
/// the pictures.
pub fn figures() -> Outcome {
    run(&mut cargo(&["run", "--release", "--", "shot", "--out", DRAWN, "--force"]))?;
    recorded()?;
    let migrated = format!("{DRAWN}/rtm");
    let job = "assets/jobs/rtm-salt.toml";
    run(&mut cargo(&["run", "--release", "--", "rtm", job, "--out", &migrated, "--force"]))?;
    layers("rtm-focused", &[])?;
    for factor in ["0.95", "1", "1.05"] {
        // The page compares them.
        let sets = [format!("rtm.factor={factor}"), "output.figures.largest=0.02".to_owned()];
        layers(&format!("rtm-{factor}"), &sets)?;
    }
    least_squares()?;
    inverted()?;
    pages()?;
    python::page(&root().join(DRAWN).join(MANUAL))?;
    web::test()?;
    web::keep(&root().join(KEPT).join("manual"))?;
    PICTURES.iter().try_for_each(|(from, to)| keep(&root(), from, to))
}

/// Runs the commands of the pages, and keeps the pictures that they draw.
pub fn pages() -> Outcome {
    let pages = root().join(DRAWN).join(MANUAL);
    if pages.exists() {
        fs::remove_dir_all(&pages).map_err(|error| format!("{}: {error}", pages.display()))?;
    }
    let mut manual = cargo(&["test", "--test", "manual", "every_page_does_what_it_says"]);
    run(manual.env("HUYGENS_MANUAL", &pages))?;
    of_pages().try_for_each(|(from, to)| keep(&root(), &format!("{MANUAL}/{from}"), to))
}

/// The pictures of pages, and where they are kept.
fn of_pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGES.lines().filter_map(|line| line.split_once(' '))
}

/// Migrates the layers into a folder.
fn layers(folder: &str, sets: &[String]) -> Outcome {
    let out = format!("{DRAWN}/{folder}");
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let words = ["run", "--release", "--", "rtm", "assets/jobs/rtm-layers.toml", "--out", &out];
    run(cargo(&words).args(sets).arg("--force"))
}

/// Migrates the lens, and by least squares: docs/commands/lsrtm.md.
fn least_squares() -> Outcome {
    let job = "assets/jobs/lsrtm-layers.toml";
    let [image, migration] = ["lsrtm", "lsrtm-migration"].map(|name| format!("{DRAWN}/{name}"));
    let plain = ["--set", "rtm.laplacian=false"];
    run(cargo(&["run", "--release", "--", "rtm", job, "--out", &migration, "--force"]).args(plain))?;
    run(&mut cargo(&["run", "--release", "--", "lsrtm", job, "--out", &image, "--force"]))
}

/// Inverts shots over the salt: docs/commands/invert.md.
fn inverted() -> Outcome {
    let [salt, smooth, observed] =
        ["salt.rsf", "smooth.rsf", "salt-observed"].map(|name| format!("{DRAWN}/{name}"));
    let (job, out) = ("docs/data/commands/invert/salt.toml", format!("{DRAWN}/inverted"));
    let gathers = format!("{observed}/gathers.sgy");
    for words in [
        &["model", "build", "salt", "--out", &salt, "--force"][..],
        &["model", "convert", &salt, &smooth, "--smooth", "300", "--force"],
        &["shot", job, "--out", &observed, "--no-pictures", "--force"],
        &["invert", job, "--model", &smooth, "--observed", &gathers, "--out", &out, "--force"],
    ] {
        run(cargo(&["run", "--release", "--"]).args(words))?;
    }
    Ok(())
}

fn keep(root: &Path, from: &str, to: &str) -> Outcome {
    let kept = root.join(KEPT);
    let folder = kept.join(to).parent().map_or(kept.clone(), Path::to_path_buf);
    fs::create_dir_all(folder).map_err(|error| format!("no folder {KEPT}: {error}"))?;
    fs::copy(root.join(DRAWN).join(from), kept.join(to))
        .map_err(|error| format!("{DRAWN}/{from} is not copied to {KEPT}/{to}: {error}"))?;
    println!("{KEPT}/{to}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_copied_into_a_new_folder() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let root = root.path();
        let (from, to) = ("rtm/image.png", "manual/rtm.png");
        assert!(keep(root, from, to).unwrap_err().contains("target/figures/rtm/image.png"));
        let picture = root.join(DRAWN).join(from);
        fs::create_dir_all(picture.parent().expect("a folder")).expect("a new folder");
        fs::write(picture, from).expect("a new file");
        keep(root, from, to).expect("the picture is there");
        assert_eq!(fs::read(root.join(KEPT).join(to)).expect("a copy"), from.as_bytes());
    }

    #[test]
    fn every_picture_of_a_page_has_a_place() {
        let all: Vec<_> = of_pages().collect();
        assert_eq!(all.len(), PAGES.lines().count());
        let kept = |to: &str| root().join(KEPT).join(to).is_file();
        assert!(all.len() >= 10 && all.iter().all(|(_, to)| kept(to)), "{all:?}");
    }
}
