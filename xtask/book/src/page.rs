//! A page on its way to mdBook: formulas become MathML, and links into the source tree their text.

use crate::formula;
use mdbook_preprocessor::{
    Preprocessor, PreprocessorContext,
    book::Book,
    errors::{Error, Result},
};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
use std::{
    ops::Range,
    path::{Component, Path, PathBuf},
};

/// Does so for every page.
pub struct Pages {
    /// The folder of SUMMARY.md.
    pub docs: PathBuf,
}

impl Preprocessor for Pages {
    fn name(&self) -> &str {
        "pages"
    }

    fn run(&self, _: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let mut wrong = Vec::new();
        book.for_each_chapter_mut(|chapter| {
            let Some(path) = &chapter.source_path else { return };
            match written(&chapter.content, path, &self.docs) {
                Ok(text) => chapter.content = text,
                Err(told) => wrong.push(format!("{}: {told}", path.display())),
            }
        });
        if wrong.is_empty() { Ok(book) } else { Err(Error::msg(wrong.join("\n       "))) }
    }
}

/// The text of the page at `path` with these replaced. A formula is a block of ```` ```math ```` or stands between
/// ``$` `` and `` `$ ``, which is how GitHub writes them.
fn written(text: &str, path: &Path, docs: &Path) -> std::result::Result<String, String> {
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Code(latex)
                if text[..range.start].ends_with('$') && text[range.end..].starts_with('$') =>
            {
                let whole = range.start - 1..range.end + 1;
                changes.push((whole, formula::mathml(&latex, false)?));
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if &*info == "math" => {
                let block = &text[range.clone()];
                let lines: Vec<&str> = block.lines().collect();
                let latex = lines[1..lines.len().max(2) - 1].join("\n");
                changes.push((range, format!("<p>{}</p>", formula::mathml(&latex, true)?)));
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let Some(target) = outside(path, &dest_url) else { continue };
                if !docs.join("..").join(&target).exists() {
                    return Err(format!("the link to {dest_url} leads nowhere"));
                }
                let link = &text[range.clone()];
                let end = link.rfind("](").ok_or(format!("the link to {dest_url} has no text"))?;
                changes.push((range, link[1..end].to_owned()));
            }
            _ => {}
        }
    }
    let (mut out, mut at) = (String::new(), 0);
    for (range, new) in changes {
        out += &text[at..range.start];
        out += &new;
        at = range.end;
    }
    Ok(out + &text[at..])
}

/// Where a link from a page leads in the repository, if that is outside the folder of the pages.
fn outside(page: &Path, link: &str) -> Option<PathBuf> {
    if link.contains(':') || link.starts_with('#') {
        return None;
    }
    let file = link.split('#').next().unwrap_or(link);
    let mut place = vec![Component::Normal("docs".as_ref())];
    let folder = page.parent().unwrap_or(Path::new(""));
    let path = folder.join(file);
    for part in path.components() {
        match part {
            Component::ParentDir => {
                place.pop();
            }
            Component::CurDir => {}
            part => place.push(part),
        }
    }
    (place.first() != Some(&Component::Normal("docs".as_ref()))).then(|| place.iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn page(text: &str) -> std::result::Result<String, String> {
        let root = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(root.path().join("docs/theory")).expect("a new folder");
        fs::create_dir(root.path().join("shaders")).expect("a new folder");
        written(text, Path::new("theory/waves.md"), &root.path().join("docs"))
    }

    #[test]
    fn formulas_are_replaced_and_code_is_not() {
        let text =
            "In $`v^2`$ and `v^2`, $5 and `x`:\n\n```math\na = b\n```\n\n```sh\n$`v^2`$\n```\n";
        let page = page(text).expect("a page");
        assert!(page.starts_with("In <math"), "{page}");
        assert!(page.contains("</math> and `v^2`, $5 and `x`:\n\n<p><math"), "{page}");
        assert!(page.ends_with("</math></p>\n\n```sh\n$`v^2`$\n```\n"), "{page}");
        assert_eq!(page.matches("<math").count(), 2);
    }

    #[test]
    fn a_wrong_formula_is_told() {
        assert!(page("```math\n\\frac{1\n```\n").is_err());
    }

    #[test]
    fn links_out_of_the_book_are_their_text_and_must_lead_somewhere() {
        let kept = "[a](../tour.md#b) [c](https://d.e/f) [g](#h) [i](waves.md)";
        assert_eq!(page(kept).as_deref(), Ok(kept));
        assert_eq!(page("the [kernels](../../shaders), all").as_deref(), Ok("the kernels, all"));
        assert!(page("[a](../../nowhere.md)").unwrap_err().contains("../../nowhere.md"));
    }
}
