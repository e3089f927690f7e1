//! Reading a job file: strict, with the line and the nearest known key.

use super::{Job, Mistake};
use crate::cli::failure::Failure;
use std::{
    fs::File,
    io::{ErrorKind, Read},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// Bytes of the longest job.
const LONGEST: u64 = 64 << 20;

/// A job and the text it came from.
#[derive(Clone)]
pub struct JobFile {
    pub job: Job,
    /// What the text is called in messages.
    pub name: String,
    pub text: Arc<str>,
    /// Whether the user gave no job, and reads of a line that nobody wrote.
    pub built_in: bool,
    /// Paths in the job are relative to this folder.
    pub folder: PathBuf,
}

impl JobFile {
    /// Reads a job from a file.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let refused = |why: &dyn std::fmt::Display| {
            Failure::input(format!("cannot read the job {}: {why}", path.display()))
        };
        let mut text = String::new();
        let file = File::open(path).map_err(|error| refused(&error))?;
        // A device may never end; a pipe is as good as a file.
        file.take(LONGEST + 1).read_to_string(&mut text).map_err(|error| match error.kind() {
            ErrorKind::InvalidData => {
                refused(&"it is no text; a velocity model goes behind --model, or into a job")
            }
            _ => refused(&error),
        })?;
        if text.len() as u64 > LONGEST {
            return Err(refused(&format_args!(
                "it is longer than {} MiB, and no job is",
                LONGEST >> 20
            )));
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Self::parse(&path.display().to_string(), &text, folder)
    }

    /// Reads a job from text.
    pub fn parse(name: &str, text: &str, folder: PathBuf) -> Result<Self, Failure> {
        // Some editors mark a text by this invisible character.
        let text: Arc<str> = text.strip_prefix('\u{feff}').unwrap_or(text).into();
        let job = toml::from_str(&text).map_err(|error| {
            let help = nearest_key(error.message());
            let message = in_plain_words(error.message());
            let mistake = Mistake::new(name, &text, error.span(), message, help);
            Failure::Input(mistake.into())
        })?;
        Ok(JobFile { job, name: name.to_owned(), text, built_in: false, folder })
    }

    /// What the model is called in titles.
    pub fn model_name(&self) -> String {
        let name = self.job.model.velocity.as_deref().unwrap_or(&self.name);
        let last = Path::new(name).file_name();
        last.map_or_else(|| name.to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// The failure for a mistake at a key such as `source[0].at`, or at the nearest key above it that
    /// the text has.
    pub fn mistake(&self, key: &str, message: impl ToString) -> Failure {
        let (span, help) = match self.built_in {
            true => (None, Some(NO_JOB.to_owned())),
            false => (span_of(&self.text, key), None),
        };
        Failure::Input(Mistake::new(&self.name, &self.text, span, message, help).into())
    }
}

/// What is said of a mistake where no job was given.
const NO_JOB: &str = "no job is given, and the built-in one is made for its own salt model; `huygens job new job.toml` \
                      writes one in which to say where the sources and receivers of another are";

/// What the reader of a job calls things that serde names after Rust's types.
fn in_plain_words(message: &str) -> String {
    let words = [
        ("internally tagged enum Layer", "a table, such as { kind = \"zero\" }"),
        ("internally tagged enum Wavelet", "a table, such as { kind = \"ricker\", peak_hz = 8.0 }"),
        ("internally tagged enum Operator", "a table, such as { kind = \"taylor\", order = 8 }"),
        ("struct Point with 3 elements", "a table, such as { x = 3000.0, z = 20.0 }"),
        ("struct Point with 2 elements", "a table, such as { x = 3000.0, z = 20.0 }"),
        ("struct Point", "a table, such as { x = 3000.0, z = 20.0 }"),
        ("struct Model", "a table: velocity = \"builtin:salt\" and so on below [model]"),
        ("struct Time", "a table: duration = 2.0 and so on below [time]"),
        ("struct Boundary", "a table: top = \"free\" and so on below [boundary]"),
        ("struct Receivers", "a table: line, points or grid below [receivers]"),
        ("struct Output", "a table: snapshots = [1.0] and so on below [output]"),
        ("struct Movie", "a table, such as { every = 0.05 }"),
        ("struct Figures", "a table, such as { size = \"1600x1400\", dpi = 150 }"),
        ("expected a sequence", "expected a list, in brackets"),
        (
            "missing field `source`",
            "a shot without a source; those of a shot are tables [[shot.source]] below its [[shot]]",
        ),
        ("expected usize", "expected a whole number, 0 or more"),
        ("expected u32", "expected a whole number, 0 or more"),
        ("expected f64", "expected a number"),
    ];
    words.iter().fold(message.to_owned(), |text, (rust, plain)| text.replace(rust, plain))
}

/// "did you mean" for an unknown key or name, from what serde expected instead.
fn nearest_key(message: &str) -> Option<String> {
    let rest = message.strip_prefix("unknown ")?;
    let mut quoted = rest.split('`').skip(1).step_by(2);
    let given = quoted.next()?;
    let similarity = |known: &&str| strsim::jaro_winkler(given, known);
    let nearest = quoted.max_by(|a, b| similarity(a).total_cmp(&similarity(b)))?;
    (similarity(&nearest) > 0.6).then(|| format!("did you mean `{nearest}`?"))
}

/// Where a key's value stands in the text.
fn span_of(text: &str, key: &str) -> Option<Range<usize>> {
    let table = DeTable::parse(text).ok()?;
    let mut found = None;
    let mut value: Option<&Spanned<DeValue<'_>>> = None;
    for part in key.split(['.', '[']) {
        let next = match (part.strip_suffix(']'), value) {
            (Some(index), Some(value)) => {
                value.get_ref().as_array().and_then(|array| array.get(index.parse::<usize>().ok()?))
            }
            (_, Some(value)) => value.get_ref().as_table().and_then(|table| table.get(part)),
            (_, None) => table.get_ref().get(part),
        };
        let Some(next) = next else { break };
        found = Some(next.span());
        value = Some(next);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{prelude::*, sample::Index, test_runner::RngSeed};

    #[test]
    fn types_of_rust_are_told_in_plain_words() {
        let text = "boundary.sides = \"zero\"\n[model]\nvelocity = \"builtin:salt\"\n[time]\nduration = 1.0\n";
        let error = toml::from_str::<Job>(text).expect_err("a name is no table");
        let plain = in_plain_words(error.message());
        assert!(plain.contains("kind = \"zero\"") && !plain.contains("enum"), "{plain}");
        let text = text.replace("\"zero\"", "{ kind = \"cpml\", cells = -1 }");
        let error = toml::from_str::<Job>(&text).expect_err("cells are counted");
        let plain = in_plain_words(error.message());
        assert!(plain.contains("whole number") && !plain.contains("usize"), "{plain}");
        // What stands where a table or a list should.
        let whole = include_str!("../../../assets/jobs/thesis.toml");
        for (right, wrong, part) in [
            ("at = { x = 6000.0, z = 1000.0 }", "at = [6000.0, 1000.0]", "{ x = 3000.0"),
            ("at = { x = 6000.0, z = 1000.0 }", "at = 6000.0", "{ x = 3000.0"),
            ("movie = { every = 0.1 }", "movie = true", "{ every"),
            ("movie = { every = 0.1 }", "figures = \"900x600\"", "{ size"),
            ("snapshots = [0.1, 1.0, 2.0, 3.0, 3.9]", "snapshots = 1.0", "list"),
            ("[[source]]", "[[shot]]\n[[source]]", "[[shot.source]]"),
        ] {
            let text = whole.replace(right, wrong);
            let error = toml::from_str::<Job>(&text).expect_err(wrong);
            let plain = in_plain_words(error.message());
            assert!(plain.contains(part) && !plain.contains("struct"), "{wrong}: {plain}");
        }
    }

    #[test]
    fn keys_are_found_where_they_stand() {
        let text = "[time]\nduration = 4.0\n[[source]]\nat = 1\n[[source]]\nat = 22\n";
        let at = |key| span_of(text, key).map(|span| &text[span]);
        assert_eq!(at("time.duration"), Some("4.0"));
        assert_eq!(at("source[1].at"), Some("22"));
        assert!(at("time.step").is_some(), "the table, where the key is not given");
        assert_eq!(at("boundary"), None);
    }

    #[test]
    fn the_documented_jobs_are_jobs() {
        let page = include_str!("../../../docs/job.md");
        let blocks = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        let files = super::super::examples::EXAMPLES.iter().map(|job| job.text);
        for text in blocks.chain(files) {
            assert!(JobFile::parse("a job", text, PathBuf::new()).is_ok(), "{text}");
        }
        assert!(page.contains("```toml"), "the page has its example");
    }

    #[test]
    fn the_nearest_key_is_named() {
        let message = "unknown field `durration`, expected one of `duration`, `step`, `record`";
        assert_eq!(nearest_key(message).as_deref(), Some("did you mean `duration`?"));
        assert_eq!(nearest_key("missing field `time`"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: RngSeed::Fixed(13),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn damaged_jobs_are_read_or_refused_where_they_are_wrong(
            damage in proptest::collection::vec((any::<Index>(), "[-\\[\\]{}\"=.,#0-9a-z\n\u{1b}é]"), 1..6),
            end: Index,
            cut: bool,
        ) {
            let mut text: Vec<char> = include_str!("../../../assets/jobs/salt3d.toml").chars().collect();
            for (place, with) in damage {
                let place = place.index(text.len());
                text.splice(place..place + 1, with.chars());
            }
            if cut {
                text.truncate(end.index(text.len()));
            }
            let text: String = text.into_iter().collect();
            match JobFile::parse("a job", &text, PathBuf::new()) {
                Ok(file) => drop(file.mistake("source[0].wavelet", "is wrong")),
                // A place outside the text would panic here.
                Err(Failure::Input(report)) => drop(format!("{report:?}")),
                Err(_) => prop_assert!(false, "a job is input"),
            }
        }
    }
}
