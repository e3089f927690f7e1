//! Links of the built book that lead nowhere.

use crate::pages;
use std::{collections::BTreeMap, collections::BTreeSet, fs, path::Path, path::PathBuf};

/// What mdBook makes of all pages together; their links are looked at where they stand.
const GATHERED: [&str; 3] = ["print.html", "toc.html", "404.html"];

/// A complaint for each link to a file, or to a place in a page, that the book does not have.
pub fn broken(book: &Path) -> Result<Vec<String>, String> {
    // Links are resolved to paths without `..`, and so are the files.
    let book = &book.canonicalize().map_err(|error| format!("{}: {error}", book.display()))?;
    let mut files = Vec::new();
    pages::under(book, "html", &mut files)?;
    files.retain(|file| !GATHERED.iter().any(|name| file.ends_with(name)));
    let mut texts = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        texts.insert(file, text);
    }
    let places: BTreeMap<&PathBuf, BTreeSet<&str>> =
        texts.iter().map(|(file, text)| (file, values(text, " id=\"").collect())).collect();
    let mut wrong = Vec::new();
    for (file, text) in &texts {
        let folder = file.parent().unwrap_or(book);
        for link in values(text, " href=\"").chain(values(text, " src=\"")) {
            if link.contains(':') {
                continue;
            }
            let (path, place) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { file.clone() } else { plain(&folder.join(path)) };
            let known =
                places.get(&target).is_none_or(|there| place.is_empty() || there.contains(place));
            if !target.exists() || !known {
                let page = file.strip_prefix(book).unwrap_or(file).display();
                wrong.push(format!("{page}: the link to {link} leads nowhere"));
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    Ok(wrong)
}

/// What stands between a mark and the next quote.
fn values<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(mark).skip(1).filter_map(|rest| rest.split('"').next())
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        if part.as_os_str() == ".." {
            out.pop();
        } else {
            out.push(part);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_what_is_not_there_are_told() {
        let book = tempfile::tempdir().expect("a temporary folder");
        let book = book.path();
        fs::create_dir(book.join("theory")).expect("a new folder");
        let tour = r##"<h1 id="a"> <a href="theory/waves.html#b"> <a href="#a"> <img src="none.png">
                       <a href="https://e.org/x"> <a href="theory/waves.html#none"> <a href="#none">"##;
        let waves = r##"<h2 id="b"> <a href="../tour.html"> <a href="../gone.html">"##;
        fs::write(book.join("tour.html"), tour).expect("a new file");
        fs::write(book.join("theory/waves.html"), waves).expect("a new file");
        let told = broken(&book.join("theory/..")).expect("a folder that can be read");
        let page = Path::new("theory/waves.html").display().to_string();
        assert_eq!(
            told,
            [
                format!("{page}: the link to ../gone.html leads nowhere"),
                "tour.html: the link to #none leads nowhere".into(),
                "tour.html: the link to none.png leads nowhere".into(),
                "tour.html: the link to theory/waves.html#none leads nowhere".into(),
            ]
        );
    }
}
