//! The pages of docs/papers: runs their commands, writes their numbers, and keeps the pictures that they show.

use crate::{
    palette::in_256_colours,
    run::{Outcome, cargo, root, run},
};
use std::{fs, path::Path, time::Instant};

const PAGES: &str = "docs/papers";
/// Where the commands of a page run: a folder for each.
const DRAWN: &str = "target/figures/papers";
/// What a link to a picture begins with, and so the folder that keeps it.
const LINK: &str = "](../images/";

/// Does the experiments of the four papers.
pub fn papers() -> Outcome {
    let (start, root) = (Instant::now(), root());
    let drawn = root.join(DRAWN);
    if drawn.exists() {
        fs::remove_dir_all(&drawn).map_err(|error| format!("{DRAWN}: {error}"))?;
    }
    let test =
        ["test", "--release", "--test", "manual", "--", "--ignored", "the_papers_are_written"];
    let folder = drawn.parent().ok_or("the folder of figures has a parent")?;
    run(cargo(&test).arg("--nocapture").env("HUYGENS_MANUAL", folder))?;
    let pages = fs::read_dir(root.join(PAGES)).map_err(|error| format!("{PAGES}: {error}"))?;
    for page in pages {
        let page = page.map_err(|error| format!("{PAGES}: {error}"))?.path();
        let text = fs::read_to_string(&page).map_err(|e| format!("{}: {e}", page.display()))?;
        for picture in pictures(&text) {
            keep(&root, picture)?;
        }
    }
    println!("{:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// The pictures that a page shows and its commands make: `papers/PAGE/` and the path in the page's folder.
fn pictures(page: &str) -> impl Iterator<Item = &str> {
    let shown = page.split(LINK).skip(1).filter_map(|rest| rest.split(')').next());
    shown.filter(|picture| picture.starts_with("papers/"))
}

fn keep(root: &Path, picture: &str) -> Outcome {
    let failed = |error: &dyn std::fmt::Display| format!("{picture}: {error}");
    let (from, to) =
        (root.join("target/figures").join(picture), root.join("docs/images").join(picture));
    let drawn = fs::read(from).map_err(|error| failed(&error))?;
    let kept = match picture.ends_with(".png") {
        true => in_256_colours(&drawn).map_err(|error| failed(&error))?,
        false => drawn,
    };
    let folder = to.parent().ok_or("a picture lies in a folder")?;
    fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    fs::write(&to, kept).map_err(|error| failed(&error))?;
    println!("docs/images/{picture}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::BTreeSet, path::PathBuf};

    fn files(folder: PathBuf) -> Vec<PathBuf> {
        let entries = folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry"));
        let each = |path: PathBuf| if path.is_dir() { files(path) } else { vec![path] };
        entries.flat_map(|entry| each(entry.path())).collect()
    }

    /// A picture that no page shows is kept for nothing, and one that is not kept is not shown.
    #[test]
    fn the_pages_show_every_picture() {
        let (root, mut shown) = (root(), BTreeSet::new());
        for page in files(root.join(PAGES)) {
            let text = fs::read_to_string(page).expect("a page");
            shown.extend(pictures(&text).map(str::to_owned));
        }
        let images = root.join("docs/images");
        let name = |path: PathBuf| {
            path.strip_prefix(&images).expect("an image").to_string_lossy().into_owned()
        };
        let kept: BTreeSet<_> = files(images.join("papers")).into_iter().map(name).collect();
        assert_eq!(shown, kept);
    }
}
