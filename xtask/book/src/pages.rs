//! Which pages there are, and which of them SUMMARY.md lists.

use mdbook_driver::{MDBook, book::BookItem};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const SUMMARY: &str = "SUMMARY.md";

/// The pages of SUMMARY.md, relative to its folder.
pub fn listed(book: &MDBook) -> BTreeSet<PathBuf> {
    let path = |item: &BookItem| match item {
        BookItem::Chapter(chapter) => chapter.source_path.clone(),
        _ => None,
    };
    book.iter().filter_map(path).collect()
}

/// A complaint for each page of the folder that is not listed.
pub fn forgotten(docs: &Path, listed: &BTreeSet<PathBuf>) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    under(docs, "md", &mut found)?;
    let relative = |page: &PathBuf| page.strip_prefix(docs).map(Path::to_path_buf).ok();
    let pages = found.iter().filter_map(relative);
    let missing = pages.filter(|page| page != Path::new(SUMMARY) && !listed.contains(page));
    Ok(missing.map(|page| format!("{} is not in {SUMMARY}", page.display())).collect())
}

/// The files of an extension in a folder and in those within, sorted.
pub fn under(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let told = |error| format!("{}: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(told)?;
    let mut entries = entries.collect::<Result<Vec<_>, _>>().map_err(told)?;
    entries.sort_by_key(fs::DirEntry::path);
    for path in entries.iter().map(fs::DirEntry::path) {
        if path.is_dir() {
            under(&path, extension, found)?;
        } else if path.extension().is_some_and(|known| known == extension) {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_is_not_listed_is_told() {
        let docs = tempfile::tempdir().expect("a temporary folder");
        let docs = docs.path();
        fs::create_dir(docs.join("theory")).expect("a new folder");
        for page in [SUMMARY, "tour.md", "theory/waves.md", "book.toml"] {
            fs::write(docs.join(page), "").expect("a new file");
        }
        let listed = BTreeSet::from(["tour.md".into()]);
        let told = forgotten(docs, &listed).expect("a folder that can be read");
        assert_eq!(
            told,
            [format!("{} is not in SUMMARY.md", Path::new("theory/waves.md").display())]
        );
    }
}
