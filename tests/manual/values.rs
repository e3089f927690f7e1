//! The numbers of a page that its commands make.
//!
//! `<!-- value: WHAT -->63.5<!-- end -->` is compared with what the page's commands have just written, `<!-- measured: WHAT
//! -->` is a time that differs from run to run: `cargo xtask figures papers` writes both. WHAT is read from left to right: numbers and
//! `FILE#KEY/KEY` with `+ - * /` between them, then `to N` for N decimals. In place of the number of an element, a key can be
//! `NAME=TEXT,NAME=TEXT` of the first element that has these.

use huygens::results::numbers::digits;
use serde_json::Value;
use std::{fs, ops::Range, path::Path};

const KINDS: [&str; 2] = ["<!-- value: ", "<!-- measured: "];
const CLOSE: &str = "<!-- end -->";

/// A number of a page.
struct Mark<'a> {
    line: usize,
    is_measured: bool,
    what: &'a str,
    shown: Range<usize>,
}

fn marks(page: &str) -> Vec<Mark<'_>> {
    let mut marks = Vec::new();
    for (kind, opens) in KINDS.iter().enumerate() {
        for (at, _) in page.match_indices(opens) {
            let begins = at + opens.len();
            let ends = page[begins..].find(" -->").map(|n| begins + n);
            let shown = ends.map(|ends| ends + " -->".len());
            let closes = shown.and_then(|shown| Some(shown + page[shown..].find(CLOSE)?));
            if let (Some(ends), Some(shown), Some(closes)) = (ends, shown, closes) {
                let line = page[..at].lines().count().max(1);
                let what = &page[begins..ends];
                marks.push(Mark { line, is_measured: kind == 1, what, shown: shown..closes });
            }
        }
    }
    marks.sort_by_key(|mark| mark.shown.start);
    marks
}

/// What is wrong with the numbers of a page whose commands ran in a folder, and how many were compared. Numbers of files that
/// no command has written here are not.
pub fn check(page: &str, folder: &Path) -> (usize, Vec<String>) {
    let (mut compared, mut wrong) = (0, Vec::new());
    for Mark { line, what, shown, .. } in marks(page).into_iter().filter(|mark| !mark.is_measured) {
        let shown = &page[shown];
        match text(what, folder) {
            Ok(Some((_, value))) => {
                compared += 1;
                let decimals = shown.split_once('.').map_or(0, |(_, decimals)| decimals.len());
                let unit = 0.1f64.powi(decimals as i32);
                let is_near =
                    shown.parse::<f64>().is_ok_and(|shown| (shown - value).abs() <= 0.6 * unit);
                if !is_near {
                    wrong.push(format!("{line}: {what} is {value}, and the page has {shown:?}"));
                }
            }
            Ok(None) => {}
            Err(fault) => wrong.push(format!("{line}: {what}: {fault}")),
        }
    }
    (compared, wrong)
}

/// The page with its numbers as the files of a folder have them, and those that no file has.
pub fn renewed(page: &str, folder: &Path) -> (String, Vec<String>) {
    let (mut new, mut rest, mut left) = (String::new(), 0, Vec::new());
    for Mark { line, what, shown, .. } in marks(page) {
        new += &page[rest..shown.start];
        match text(what, folder) {
            Ok(Some((text, _))) => new += &text,
            Ok(None) => {
                left.push(format!("{line}: {what}: not run"));
                new += &page[shown.clone()];
            }
            Err(fault) => {
                left.push(format!("{line}: {what}: {fault}"));
                new += &page[shown.clone()];
            }
        }
        rest = shown.end;
    }
    (new + &page[rest..], left)
}

/// The number as a page shows it, and the number; `None` if a file is not there.
fn text(what: &str, folder: &Path) -> Result<Option<(String, f64)>, String> {
    let mut words: Vec<&str> = what.split_whitespace().collect();
    let mut places = None;
    if let [.., "to", decimals] = words[..] {
        places = Some(decimals.parse::<usize>().map_err(|error| error.to_string())?);
        words.truncate(words.len() - 2);
    }
    let (first, others) = words.split_first().ok_or("it names nothing")?;
    let Some(mut value) = number(first, folder)? else { return Ok(None) };
    for pair in others.chunks(2) {
        let [sign, other] = pair else { return Err("a sign without a number".into()) };
        let Some(other) = number(other, folder)? else { return Ok(None) };
        value = match *sign {
            "+" => value + other,
            "-" => value - other,
            "*" => value * other,
            "/" => value / other,
            sign => return Err(format!("{sign:?} is no sign")),
        };
    }
    Ok(Some((places.map_or_else(|| digits(value), |n| format!("{value:.n$}")), value)))
}

fn number(word: &str, folder: &Path) -> Result<Option<f64>, String> {
    let Some((file, keys)) = word.split_once('#') else {
        return word.parse().map(Some).map_err(|_| format!("{word:?} is no number"));
    };
    let Ok(json) = fs::read(folder.join(file)) else { return Ok(None) };
    let json: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    let found = keys.split('/').try_fold(&json, |at, key| at.get(key).or_else(|| element(at, key)));
    let number = found.and_then(Value::as_f64);
    number.map(Some).ok_or_else(|| format!("{file} has no number {keys}"))
}

/// The element of a list by its number, or the first that has all of `NAME=TEXT,NAME=TEXT`.
fn element<'j>(list: &'j Value, key: &str) -> Option<&'j Value> {
    if let Ok(index) = key.parse::<usize>() {
        return list.get(index);
    }
    let has = |element: &&Value| {
        key.split(',').all(|pair| {
            pair.split_once('=').is_some_and(|(name, text)| match element.get(name) {
                Some(Value::String(value)) => value == text,
                Some(value) => {
                    serde_json::from_str(text).is_ok_and(|wanted: Value| *value == wanted)
                }
                None => false,
            })
        })
    };
    list.as_array()?.iter().find(has)
}

#[test]
fn a_number_that_no_command_made_is_seen() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let json = r#"{"a": [{"n": 1, "of": "x", "v": 2.0}, {"n": 1, "of": "y", "v": 6.35}]}"#;
    fs::write(folder.path().join("run.json"), json).expect("a writable folder");
    let page = |shown: &str| {
        format!(
            "| <!-- value: run.json#a/n=1,of=y/v * 10 / run.json#a/0/v to 1 -->{shown}<!-- end --> |"
        )
    };
    assert_eq!(check(&page("31.8"), folder.path()), (1, Vec::new()));
    assert!(check(&page("31.9"), folder.path()).1[0].starts_with("1: "));
    assert_eq!(renewed(&page("?"), folder.path()), (page("31.8"), Vec::new()));
    let none = page("1").replace("a/0", "b");
    assert!(check(&none, folder.path()).1[0].contains("has no number b/v"));
    let elsewhere = page("1").replace("run.json", "other.json");
    assert_eq!(check(&elsewhere, folder.path()), (0, Vec::new()));
    assert_eq!(renewed(&elsewhere, folder.path()).1.len(), 1);
    let measured = page("1").replace("value", "measured");
    assert_eq!(check(&measured, folder.path()), (0, Vec::new()));
}
